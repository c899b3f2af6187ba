package settle_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/merge"
	"brenner/merge/settle"
)

// shownBase has the hypothesis H1.
func shownBase() *artifact.Artifact {
	s := settle.Settle(settle.Input{Base: empty(), At: at.Add(-1), Message: 1, Contributions: []settle.Contribution{
		{Agent: "B", ID: "m0", Text: fence(add("x", "was there"))},
	}})
	return &s.Artifact
}

const (
	goodTest    = `{"operation":"ADD","section":"discriminative_tests","ref":"t","payload":{"name":"N","procedure":"p","expected_outcomes":{"H1":"yes"},"potency_check":"a control"}}`
	refusedTest = `{"operation":"ADD","section":"discriminative_tests","ref":"t","payload":{"name":"N","procedure":"p","expected_outcomes":{"H1":"yes"},"potency_check":7}}`
	otherTest   = `{"operation":"ADD","section":"discriminative_tests","payload":{"name":"Another","procedure":"q","expected_outcomes":{"H1":"no"}}}`
	noTarget    = `{"operation":"EDIT","section":"hypothesis_slate","payload":{"claim":"sharper"}}`
	badTarget   = `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H9","payload":{"claim":"sharper"}}`
	goodEdit    = `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"sharper"}}`
	incomplete  = `{"operation":"ADD","section":"hypothesis_slate","ref":"h","payload":{"name":"no claim"}}`
)

func TestDefects(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		cut  bool
		want string
	}{
		"nothing wrong":   {text: string(fence(goodTest, goodEdit))},
		"no changes":      {text: "NO CHANGES: fine"},
		"prose":           {text: "I agree with all of it.", want: "line 1 NO_DELTAS"},
		"announced":       {text: "## Deltas\n\nI would add one.", want: "line 1 PROSE_ONLY"},
		"unreadable":      {text: string(fence(`{"operation":"ADD",,`)), want: "block 1 line 2 INVALID_JSON"},
		"a refused field": {text: string(fence(refusedTest)), want: "block 1 line 1 ADD .potency_check INVALID_FIELD"},
		"no target":       {text: string(fence(goodEdit, noTarget)), want: "block 2 line 5 EDIT INVALID_TARGET (target_id is one of H1)"},
		"unknown target":  {text: string(fence(badTarget)), want: "block 1 line 1 EDIT INVALID_TARGET (target_id is one of H1)"},
		"a missing field": {text: string(fence(incomplete)), want: "block 1 line 2 ADD MISSING_REQUIRED_FIELD"},
		"no such section": {text: string(fence(`{"operation":"KILL","section":"discriminative_tests","target_id":"T1","payload":{"reason":"r"}}`)), want: "block 1 line 1 KILL INVALID_TARGET (the section has no items yet: ADD one)"},
		"repeated":        {text: string(fence(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"was there"}}`))},
		"cut":             {text: string(fence(goodTest)) + "```delta\n{\"oper", cut: true, want: "line 5 cut: these blocks are complete and were read: 1 (ADD discriminative_tests, line 1); the block that begins on line 5 is not complete and was not read"},
		"cut in prose":    {text: "First of all", cut: true, want: "line 1 cut: it has no complete block"},
		"cut afterwards":  {text: "NO CHANGES: fine\n\nFor you see", cut: true},
	} {
		contribution := settle.Contribution{Agent: "A", ID: "m1", Text: []byte(c.text), Base: shownBase(), Shown: 1, Cut: c.cut}
		var got []string
		for _, d := range contribution.Defects(merge.Rules{}, at) {
			text := fmt.Sprintf("line %d", d.Line)
			if d.Block > 0 {
				text = fmt.Sprintf("block %d %s", d.Block, text)
			}
			if d.Operation != "" {
				text += " " + d.Operation
			}
			if d.Field != "" {
				text += " ." + d.Field
			}
			if text += " " + string(d.Code); d.Cut {
				text += "cut: " + d.Message
			}
			if strings.HasPrefix(d.Hint, "target_id") || strings.HasPrefix(d.Hint, "the section") {
				text += " (" + d.Hint + ")"
			}
			got = append(got, text)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: got %q, want %q", name, strings.Join(got, "; "), c.want)
		}
	}
}

// Deltas of a repair replace those that they correct; all others stand.
func TestRepairReplacesDefectiveDeltas(t *testing.T) {
	tests := func(s *settle.Settlement) string {
		var all []string
		for _, it := range s.Artifact.Items(artifact.DiscriminativeTests) {
			all = append(all, it.Text("name")+"/"+it.Text("potency_check"))
		}
		return strings.Join(all, "; ")
	}
	for name, c := range map[string]struct {
		first, repair []byte
		want          string // tests, claims and counts: taken, refused, repaired
	}{
		"the field sent again":             {fence(refusedTest, goodEdit), fence(goodTest), "N/a control | H1 sharper | 2 0 1"},
		"without its ref":                  {fence(refusedTest), fence(strings.Replace(goodTest, `"ref":"t",`, "", 1)), "N/a control | H1 was there | 1 0 1"},
		"as an EDIT of the ref":            {fence(refusedTest), fence(`{"operation":"EDIT","section":"discriminative_tests","target_id":"t","payload":{"potency_check":"later"}}`), "N/later | H1 was there | 2 0 0"},
		"another item":                     {fence(refusedTest), fence(otherTest), "N/; Another/ | H1 was there | 2 0 0"},
		"nothing sent again":               {fence(refusedTest), []byte("NO CHANGES: it stands"), "N/ | H1 was there | 1 0 0"},
		"a worse one":                      {fence(refusedTest), fence(`{"operation":"ADD","section":"discriminative_tests","ref":"t","payload":{"name":"N"}}`), "N/ | H1 was there | 1 1 0"},
		"a target added":                   {fence(noTarget), fence(goodEdit), " | H1 sharper | 1 0 1"},
		"a target corrected":               {fence(badTarget, goodTest), fence(goodEdit), "N/a control | H1 sharper | 2 0 1"},
		"everything sent again":            {fence(goodTest, badTarget), fence(goodTest, goodEdit), "N/a control | H1 sharper | 2 0 1"},
		"an incomplete ADD":                {fence(incomplete), fence(`{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"x","claim":"new"}}`), " | H1 was there; H2 new | 1 0 1"},
		"both unreadable and defective":    {fence(`{oops`, badTarget), fence(goodEdit, goodTest), "N/a control | H1 sharper | 2 0 2"},
		"prose, then deltas":               {[]byte("I agree."), fence(goodEdit), " | H1 sharper | 1 0 0"},
		"an unreadable correction":         {fence(badTarget), fence(`{oops`), " | H1 was there | 1 1 0"},
		"the same defect again, no effect": {fence(badTarget), fence(badTarget), " | H1 was there | 1 0 0"},
	} {
		base := shownBase()
		s := settle.Settle(settle.Input{Base: *base, At: at, Message: 2, Contributions: []settle.Contribution{
			{Agent: "A", ID: "m1", Text: c.first, Repair: c.repair, Base: base, Shown: 1},
		}})
		r := &s.Readings[0]
		got := fmt.Sprintf("%s | %s | %d %d %d", tests(&s), claims(&s.Artifact), r.Taken, r.Refused, r.Repaired)
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if len(s.Report.Deltas) != r.Taken+r.Refused {
			t.Errorf("%s: %d rows for %d deltas", name, len(s.Report.Deltas), r.Taken+r.Refused)
		}
	}
}

func TestTally(t *testing.T) {
	for name, c := range map[string]struct {
		text, repair string
		cut          bool
		want         string
	}{
		"applied":              {text: string(fence(goodEdit, badTarget)), want: "1 1 0 0 0 -"},
		"a refused field":      {text: string(fence(refusedTest)), want: "1 0 0 1 0 -"},
		"rejected":             {text: string(fence(badTarget)), want: "0 1 0 0 0 -"},
		"no effect":            {text: string(fence(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"anchors":[]}}`)), want: "0 0 1 0 0 -"},
		"unreadable":           {text: string(fence(`{oops`)), want: "0 0 0 0 1 -"},
		"prose":                {text: "Fine.", want: "0 0 0 0 0 -"},
		"no changes":           {text: "NO CHANGES: ok", want: "0 0 0 0 0 ok"},
		"after the repair":     {text: "Fine.", repair: "NO CHANGES: ok", want: "0 0 0 0 0 ok"},
		"both":                 {text: "NO CHANGES: ok\n" + string(fence(badTarget)), want: "0 1 0 0 0 -"},
		"rejected, given up":   {text: string(fence(badTarget)), repair: "NO CHANGES: ok", want: "0 1 0 0 0 ok"},
		"cut, then the rest":   {text: string(fence(goodEdit)) + "```delta\n{", repair: string(fence(otherTest)), cut: true, want: "2 0 0 0 0 - cut"},
		"cut before any block": {text: "```delta\n{", cut: true, want: "0 0 0 0 0 - cut"},
	} {
		base := shownBase()
		in := settle.Contribution{Agent: "A", ID: "m1", Text: []byte(c.text), Base: base, Shown: 1, Cut: c.cut}
		if c.repair != "" {
			in.Repair = []byte(c.repair)
		}
		s := settle.Settle(settle.Input{Base: *base, At: at, Message: 2, Contributions: []settle.Contribution{in}})
		n := settle.ReadingOf(s.Readings, "A").Tally(s.Report.Deltas)
		got := fmt.Sprintf("%d %d %d %d %d -", n.Applied, n.Rejected, n.Other, n.Fields, n.Unreadable)
		if n.NoChanges != nil {
			got = strings.TrimSuffix(got, "-") + n.NoChanges.Reason
		}
		if n.Cut {
			got += " cut"
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if settle.ReadingOf(nil, "A") != nil {
		t.Error("a reading of a missing agent")
	}
}
