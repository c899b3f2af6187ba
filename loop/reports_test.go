package loop_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/loop"
)

// A reader is owed the report if it was configured from the start, or if sending it failed.
// The last delivery counts.
func TestOwedReports(t *testing.T) {
	failed, sent := loop.Reported{To: "webhook", Code: "X"}, loop.Reported{To: "webhook"}
	for name, c := range map[string]struct {
		deliver         []string
		reports, last   []loop.Reported
		unreached, owed []string
	}{
		"killed before the report": {deliver: []string{"mail", "webhook"}, unreached: []string{"mail", "webhook"}, owed: []string{"mail", "webhook"}},
		"configured later":         {unreached: []string{"mail", "webhook"}},
		"failed":                   {reports: []loop.Reported{failed}, last: []loop.Reported{failed}, unreached: []string{"mail", "webhook"}, owed: []string{"webhook"}},
		"sent on the second attempt": {
			deliver: []string{"webhook"}, reports: []loop.Reported{failed, {To: "mail", Code: "Y"}, sent}, last: []loop.Reported{sent, {To: "mail", Code: "Y"}},
			unreached: []string{"mail"}, owed: []string{"mail"},
		},
	} {
		s := &loop.State{Opened: loop.Opened{Deliver: c.deliver}, Reports: c.reports}
		if diff := cmp.Diff(c.last, s.LastReports()); diff != "" {
			t.Errorf("%s: last reports, -want +got:\n%s", name, diff)
		}
		readers := []string{"mail", "webhook"}
		if got := s.Unreached(readers); !slices.Equal(got, c.unreached) {
			t.Errorf("%s: unreached %v, want %v", name, got, c.unreached)
		}
		if got := s.Owed(readers); !slices.Equal(got, c.owed) {
			t.Errorf("%s: owed %v, want %v", name, got, c.owed)
		}
	}
}
