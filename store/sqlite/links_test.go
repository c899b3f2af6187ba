package sqlite

import (
	"testing"

	"brenner/store"
	"brenner/store/record"
	"brenner/store/storetest"
)

// Older programs must be able to read stored links.
func TestStoredFormOfLinksIsStable(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir(), Options{})
	for want, links := range map[string][]record.Link{
		`[]`: nil,
		`[{"relation":"cites","id":"other","version":3},{"relation":"\"}","id":"\u0001ä<","version":-1},{"relation":"","id":"","version":0}]`: {
			{Relation: record.Cites, ID: "other", Version: 3}, {Relation: `"}`, ID: "\x01ä<", Version: -1}, {},
		},
	} {
		r := storetest.Record(store.Hash([]byte(want)), 1)
		r.Links = links
		if err := s.Write(t.Context(), store.Batch{Records: []record.Record{r}}); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := s.writer.conn.QueryRowContext(t.Context(), "SELECT links FROM records WHERE id = ?", r.ID).Scan(&got); err != nil || got != want {
			t.Errorf("got %s, want %s: %v", got, want, err)
		}
	}
}
