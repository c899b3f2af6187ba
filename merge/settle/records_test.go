package settle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/merge/settle"
)

func recordDelta(id, content string) string {
	return fmt.Sprintf(`{"operation":"ADD","section":"project_records","payload":{"id":%q,"type":"memo","content":%q}}`, id, content)
}

func TestRecordsDoNotReachTheMerge(t *testing.T) {
	unreadable := `{"operation":"ADD","section":"project_records","payload":{"id":"b","type":"memo","content":"never ends}}`
	noID := `{"operation":"ADD","section":"project_records","payload":{"type":"memo","content":"c"}}`
	for name, c := range map[string]struct {
		text, repair []byte
		use          delta.RecordUse
		want         string
	}{
		"alone": {fence(recordDelta("a", "one")), nil, delta.OnlyRecords, "a one; taken 1, refused 0, repaired 0, shown 0; other 1"},
		"beside a delta": {
			fence(goodEdit, recordDelta("a", "one")), nil, delta.WithRecords,
			"a one; taken 2, refused 0, repaired 0, shown 0; applied 1 other 1; EDIT hypothesis_slate applied",
		},
		"refused": {
			fence(noID, recordDelta("a", "one")), nil, delta.WithRecords,
			"a one; taken 1, refused 1, repaired 0, shown 0; rejected 1 other 1; ADD project_records rejected",
		},
		"corrected by id": {
			fence(recordDelta("a", "one"), unreadable), fence(recordDelta("c", "new"), recordDelta("b", "two")), delta.WithRecords,
			"a one; c new; b two; taken 3, refused 0, repaired 1, shown 0; other 3",
		},
		"corrected without an id": {
			fence(noID), fence(recordDelta("a", "one")), delta.WithRecords,
			"a one; taken 1, refused 0, repaired 1, shown 0; other 1",
		},
		"not corrected by a delta": {
			fence(unreadable), fence(goodEdit), delta.WithRecords,
			"taken 1, refused 1, repaired 0, shown 0; applied 1 unreadable 1; EDIT hypothesis_slate applied; ADD project_records rejected",
		},
		"as bad as before": {
			fence(unreadable), fence(unreadable), delta.OnlyRecords,
			"taken 0, refused 1, repaired 0, shown 0; unreadable 1; ADD project_records rejected",
		},
		"sent again": {
			fence(recordDelta("a", "one"), noID), fence(recordDelta("a", "one"), recordDelta("b", "two")), delta.OnlyRecords,
			"a one; b two; taken 2, refused 0, repaired 1, shown 1; other 2",
		},
		"replaced": {
			fence(recordDelta("a", "one"), recordDelta("b", "two")), fence(recordDelta("a", "better")), delta.OnlyRecords,
			"a better for one; b two; taken 2, refused 0, repaired 1, shown 0; other 2",
		},
		"a delta in a task": {
			fence(goodEdit), fence(recordDelta("a", "one")), delta.OnlyRecords,
			"a one; taken 1, refused 0, repaired 1, shown 0; other 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := settle.Input{Base: *shownBase(), At: at, Message: 2, Contributions: []settle.Contribution{
				{Agent: "A", ID: "m1", Text: c.text, Repair: c.repair, Base: shownBase(), Shown: 1, Third: true, Records: c.use},
			}}
			s := settle.Settle(in)
			r := &s.Readings[0]
			var got []string
			for _, d := range r.Records {
				if got = append(got, d.ID+" "+d.Content); d.First != nil {
					got[len(got)-1] += " for " + d.First.Content
				}
			}
			tally := r.Tally(s.Report.Deltas)
			counts := ""
			for _, n := range []struct {
				name string
				n    int
			}{{"applied", tally.Applied}, {"rejected", tally.Rejected}, {"unreadable", tally.Unreadable}, {"other", tally.Other}} {
				if n.n > 0 {
					counts += fmt.Sprintf(" %s %d", n.name, n.n)
				}
			}
			got = append(got, fmt.Sprintf("taken %d, refused %d, repaired %d, shown %d;%s", r.Taken, r.Refused, r.Repaired, r.Shown, counts))
			for i, row := range s.Report.Deltas {
				got = append(got, fmt.Sprintf("%s %s %s", s.Deltas[i].Operation, s.Deltas[i].Section, row.Disposition))
			}
			if d := cmp.Diff(c.want, strings.Join(got, "; ")); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestDefectsNameRecords(t *testing.T) {
	c := settle.Contribution{
		Agent: "A", ID: "m1", Text: fence(`{"operation":"ADD","section":"project_records","payload":{"id":"a","type":"memo"}}`), Base: shownBase(), Shown: 1,
		Third: true, Records: delta.OnlyRecords,
	}
	defects := c.Defects(merge.Rules{}, at)
	if len(defects) != 1 || defects[0].Target != "a" || defects[0].Code != delta.MissingRequiredField || settle.Correctable(defects) != 1 {
		t.Errorf("got %+v, want one of the record a without content", defects)
	}
}
