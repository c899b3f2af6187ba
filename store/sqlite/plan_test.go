package sqlite

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"brenner/store"
	"brenner/store/record"
)

// TestQueriesUseIndexes checks the query plans of frequent queries: none may scan a table of
// records.
func TestQueriesUseIndexes(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir(), Options{})
	refs := []record.Ref{{ID: "a", Version: 1}}
	queries := map[string]func() error{
		"by status": func() error { _, err := s.Records(t.Context(), store.Query{Status: record.NeedsUpdate}); return err },
		"stale":     func() error { _, err := s.Records(t.Context(), store.Query{Stale: true}); return err },
		"a version": func() error { _, err := s.Records(t.Context(), store.Query{ID: "a", Version: 1}); return err },
		"a task": func() error {
			_, err := s.Records(t.Context(), store.Query{ID: "a", Version: 1, Type: "t"})
			return err
		},
		"by prefix": func() error { _, err := s.Heads(t.Context(), store.HeadQuery{Prefix: "a", Limit: 6}); return err },
		"by id":     func() error { _, err := s.Heads(t.Context(), store.HeadQuery{ID: "a"}); return err },
		"newest": func() error {
			_, err := s.Heads(t.Context(), store.HeadQuery{Types: []string{"t"}, Modules: []string{"m"}, Live: true, Newest: true, Limit: 9})
			return err
		},
		"newest of a type": func() error {
			_, err := s.Heads(t.Context(), store.HeadQuery{Types: []string{"t"}, Live: true, Newest: true, Limit: 9})
			return err
		},
		"changed": func() error {
			_, err := s.Heads(t.Context(), store.HeadQuery{Types: []string{"t", "u"}, Modules: []string{"m"}, Live: true, Newest: true, Limit: 9, After: time.Unix(1, 0)})
			return err
		},
		"besides": func() error {
			_, err := s.Heads(t.Context(), store.HeadQuery{Types: []string{"t", "u"}, Modules: []string{"m"}, Live: true, Newest: true, Limit: 9, Besides: refs})
			return err
		},
		"holder": func() error {
			_, err := s.Heads(t.Context(), store.HeadQuery{Types: []string{"t"}, Modules: []string{"m"}, Canonical: true, Limit: 1})
			return err
		},
		"forks": func() error { _, err := s.Heads(t.Context(), store.HeadQuery{Forked: true}); return err },
		"tagged": func() error {
			_, err := s.Heads(t.Context(), store.HeadQuery{Types: []string{"t"}, Modules: []string{"m"}, Tag: "x", Newest: true, Limit: 3})
			return err
		},
		"links":  func() error { _, err := s.Edges(t.Context(), store.EdgeQuery{From: refs, To: refs}); return err },
		"census": func() error { _, err := s.Census(t.Context()); return err },
		"stream": func() error { _, err := store.HeadOf(t.Context(), s, "a"); return err },
	}
	for name, do := range queries {
		if err := do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.reader.mu.Lock()
	texts := make([]string, 0, len(s.reader.prepared))
	for text := range s.reader.prepared {
		texts = append(texts, text)
	}
	s.reader.mu.Unlock()
	if len(texts) < len(queries) {
		t.Fatalf("got %d prepared statements, want %d", len(texts), len(queries))
	}
	for _, text := range texts {
		plan, err := List(t.Context(), s.reader, func(rows *sql.Rows) (detail string, err error) {
			var id, parent, unused int
			err = rows.Scan(&id, &parent, &unused, &detail)
			return detail, err
		}, "EXPLAIN QUERY PLAN "+text, make([]any, strings.Count(text, "?"))...)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range plan {
			scans := strings.HasPrefix(line, "SCAN h") || strings.HasPrefix(line, "SCAN r") || strings.HasPrefix(line, "SCAN l") || strings.HasPrefix(line, "SCAN b")
			if scans && !strings.Contains(line, "USING COVERING INDEX") && !strings.Contains(line, "heads_forked") && !strings.Contains(line, "records_stale") {
				t.Errorf("%s\n%s", text, strings.Join(plan, "\n"))
			}
			if strings.Contains(line, "streams") && !strings.Contains(line, "(name>? AND name<?)") {
				t.Errorf("%s\n%s", text, strings.Join(plan, "\n"))
			}
		}
	}
}
