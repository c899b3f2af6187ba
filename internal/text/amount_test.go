package text_test

import (
	"testing"

	"brenner/internal/text"
)

func TestAmount(t *testing.T) {
	for s, want := range map[string]int{
		"0": 0, "500000": 500_000, "100k": 100_000, "100K": 100_000, "2m": 2_000_000, "2M": 2_000_000, "1.5M": 1_500_000, "0.25k": 250, "1.500k": 1500,
	} {
		if got, ok := text.Amount(s); !ok || got != want {
			t.Errorf("%s: got %d, %t; want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "k", "M", "-1", "+1", "010", "010k", "1.5", "1.k", ".5k", "1.2345k", "1e3", "1_000", "10 k", "10kk", "1.+5k", "99999999999999999999", "99999999999999999M", "１k"} {
		if got, ok := text.Amount(s); ok {
			t.Errorf("%s: got %d, want an error", s, got)
		}
	}
}
