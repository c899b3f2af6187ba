package storage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/store/postgres"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	good := postgres.Health{
		Version: "15.14", User: "sydney", Encoding: "UTF8", Latency: 1234 * time.Microsecond, Skew: -4 * time.Second,
		Exists: true, CanCreate: true, Encrypted: true, Durable: true,
	}
	h := describe(&good, false)
	want := []string{"PostgreSQL 15.14", "user sydney", "UTF8", "answers in 1.2ms", "its clock differs by -4s", "encrypted"}
	if !slices.Equal(h.Facts, want) || len(h.Notes) > 0 || h.Unwritable != nil {
		t.Errorf("got %+v, want the facts %q only", h, want)
	}
	late := good
	late.Skew = -time.Hour
	if h := describe(&late, false); len(h.Notes) != 1 || h.Notes[0].What != "clock" || !strings.Contains(h.Notes[0].Found, "differs by -1h0m0s") || h.Notes[0].Fix == "" {
		t.Errorf("a clock an hour late: %+v", h.Notes)
	}
	lax := good
	lax.Durable = false
	if h := describe(&lax, false); len(h.Notes) != 0 {
		t.Errorf("a server that the address does not accept: %+v", h.Notes)
	}
	if h := describe(&lax, true); len(h.Notes) != 1 || h.Notes[0].What != "durability" {
		t.Errorf("a server that may lose data: %+v", h.Notes)
	}
}
