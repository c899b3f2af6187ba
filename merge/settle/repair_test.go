package settle_test

import (
	"fmt"
	"slices"
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
		"unreadable":      {text: string(fence(`{"operation":"ADD",,`)), want: "block 1 line 2 ADD INVALID_JSON"},
		"a refused field": {text: string(fence(refusedTest)), want: "block 1 line 1 ADD .potency_check INVALID_FIELD"},
		"its only field":  {text: string(fence(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":5}}`)), want: "block 1 line 1 EDIT .claim INVALID_FIELD"},
		"thought only":    {text: "<think>\nNO CHANGES: perhaps\n</think>\nI agree.", want: "line 1 NO_DELTAS"},
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

// What the merge took of an EDIT stays; the correction counts for what was refused.
func TestRepairKeepsWhatWasTaken(t *testing.T) {
	edit := func(payload string) string {
		return `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":` + payload + `}`
	}
	for name, c := range map[string]struct {
		first, repair []byte
		want          string // claim and mechanism
		replaced      int
	}{
		"only the refused field": {fence(edit(`{"claim":"new","mechanism":5}`)), fence(edit(`{"mechanism":"m"}`)), "new/m", 0},
		"the whole EDIT":         {fence(edit(`{"claim":"new","mechanism":5}`)), fence(edit(`{"claim":"new","mechanism":"m"}`)), "new/m", 0},
		"nothing was taken":      {fence(edit(`{"mechanism":5}`), edit(`{"claim":"new"}`)), fence(edit(`{"mechanism":"m"}`)), "new/m", 1},
		"another field":          {fence(edit(`{"claim":"new","mechanism":5}`)), fence(edit(`{"name":"n"}`)), "new/", 0},
		"a later EDIT counts":    {slices.Concat(fence(edit(`{"claim":"new","mechanism":5}`)), []byte("\nCorrection:\n\n"), fence(edit(`{"claim":"last"}`))), fence(edit(`{"claim":"new!","mechanism":"m"}`)), "last/m", 0},
	} {
		base := shownBase()
		s := settle.Settle(settle.Input{Base: *base, At: at, Message: 2, Contributions: []settle.Contribution{
			{Agent: "A", ID: "m1", Text: c.first, Repair: c.repair, Base: base, Shown: 1},
		}})
		h1, _, _ := s.Artifact.Find("H1")
		if got := h1.Text("claim") + "/" + h1.Text("mechanism"); got != c.want || len(s.Readings[0].Replaced) != c.replaced {
			t.Errorf("%s: got %q, %d replaced; want %q, %d", name, got, len(s.Readings[0].Replaced), c.want, c.replaced)
		}
	}
}

// A corrected ADD replaces the one that it corrects, in its place and with its ref, and no other.
func TestRepairMatchesADDs(t *testing.T) {
	add := func(section, ref, payload string) string {
		return `{"operation":"ADD","section":"` + section + `","ref":"` + ref + `","payload":` + payload + `}`
	}
	const (
		slate  = "hypothesis_slate"
		tests  = "discriminative_tests"
		ledger = "assumption_ledger"
		last   = `{"name":"last","claim":"last"}`
	)
	bad := add(slate, "", `{"name":"Old paradox","claim":"It is finite in age.","mechanism":5}`)
	for name, c := range map[string]struct {
		first, repair []byte
		want          string // the names of the new items
	}{
		"a reworded claim": {fence(bad), fence(add(slate, "", `{"name":"Old paradox","claim":"Its age is finite.","mechanism":"m"}`)), "Old paradox"},
		"a reworded name":  {fence(bad), fence(add(slate, "", `{"name":"Olbers","claim":"It is finite in age.","mechanism":"m"}`)), "Olbers"},
		"both reworded":    {fence(bad), fence(add(slate, "", `{"name":"The old paradox","claim":"Its age is finite.","mechanism":"m"}`)), "The old paradox"},
		"in its place":     {fence(bad, add(slate, "", last)), fence(add(slate, "", `{"name":"Old paradox","claim":"c","mechanism":"m"}`)), "Old paradox last"},
		"the second of two": {
			fence(add(tests, "", `{"name":"A","procedure":"a","expected_outcomes":{"H1":"x"},"potency_check":7}`), add(tests, "", `{"name":"B","procedure":"b","expected_outcomes":{"H1":"x"},"potency_check":7}`)),
			fence(add(tests, "", `{"name":"B","procedure":"b","expected_outcomes":{"H1":"x"},"potency_check":"y"}`)), "A B",
		},
		"a new one that resembles it": {
			fence(add(ledger, "", `{"name":"A2","statement":"S2","load":"H1","test":5,"status":"unchecked","anchors":["inference"]}`)),
			fence(add(ledger, "", `{"name":"A3","statement":"S3","load":"H1","test":"t","status":"unchecked","anchors":["inference"]}`)), "A2 A3",
		},
		"the only rejected one": {fence(add(slate, "", `{"name":"x"}`)), fence(add(slate, "", `{"name":"y","claim":"new"}`)), "y"},
		"one of two rejected":   {fence(add(slate, "", `{"name":"x"}`), add(slate, "", `{"name":"z"}`)), fence(add(slate, "", `{"name":"z","claim":"new"}`)), "z"},
	} {
		base := shownBase()
		s := settle.Settle(settle.Input{Base: *base, At: at, Message: 2, Contributions: []settle.Contribution{
			{Agent: "A", ID: "m1", Text: c.first, Repair: c.repair, Base: base, Shown: 1},
		}})
		var names []string
		for _, section := range []artifact.Section{artifact.HypothesisSlate, artifact.DiscriminativeTests, artifact.AssumptionLedger} {
			for _, it := range s.Artifact.Items(section) {
				if it.ID != "H1" {
					names = append(names, it.Text("name"))
				}
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// The ref of a replaced ADD still means the item, whatever the correction calls it.
func TestRepairKeepsRefs(t *testing.T) {
	for _, ref := range []string{"", `"ref":"other",`} {
		base := shownBase()
		s := settle.Settle(settle.Input{Base: *base, At: at, Message: 2, Contributions: []settle.Contribution{{
			Agent: "A", ID: "m1", Base: base, Shown: 1,
			Text: fence(`{"operation":"ADD","section":"hypothesis_slate","ref":"h_r","payload":{"name":"R","claim":"c","mechanism":5}}`,
				`{"operation":"ADD","section":"predictions_table","payload":{"condition":"x","predictions":{"h_r":"yes"}}}`),
			Repair: fence(`{"operation":"ADD","section":"hypothesis_slate",` + ref + `"payload":{"name":"R","claim":"c","mechanism":"m"}}`),
		}}})
		cells := s.Artifact.Items(artifact.PredictionsTable)[0].Map("predictions")
		if len(cells) == 0 || cells[0].Key != "H2" {
			t.Errorf("with %q: the predictions are %v, want one of H2", ref, cells)
		}
	}
}

// An answer that explains why a block of the first reply is left out is taken with the block that it corrects.
func TestRepairExplainsWhatItOmits(t *testing.T) {
	base := shownBase()
	quoted := `{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"quoted"}}`
	in := settle.Contribution{
		Agent: "A", ID: "m1", Base: base, Shown: 1, Third: true,
		Text:   slices.Concat([]byte("GreenField proposed:\n\n"), fence(quoted), []byte("\nMine is this:\n\n"), fence(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"a "new" claim"}`)),
		Repair: slices.Concat([]byte("Block 1 is not mine, so it is omitted.\n\n"), fence(goodEdit), []byte("\nIgnore block 1; it was a quotation.\n")),
	}
	s := settle.Settle(settle.Input{Base: *base, At: at, Message: 2, Contributions: []settle.Contribution{in}})
	if n := settle.ReadingOf(s.Readings, "A").Tally(s.Report.Deltas); n.Applied != 1 || n.Unreadable != 0 {
		t.Errorf("got %+v, want one change\n%v", n, s.Readings[0].Problems)
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
		"the same value":       {text: string(fence(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"was there"}}`)), want: "1 0 0 0 0 - unchanged"},
		"unreadable":           {text: string(fence(`{oops`)), want: "0 0 0 0 1 -"},
		"prose":                {text: "Fine.", want: "0 0 0 0 0 -"},
		"no changes":           {text: "NO CHANGES: ok", want: "0 0 0 0 0 ok"},
		"after the repair":     {text: "Fine.", repair: "NO CHANGES: ok", want: "0 0 0 0 0 ok"},
		"both":                 {text: "NO CHANGES: ok\n" + string(fence(badTarget)), want: "0 0 0 0 1 -"},
		"rejected, given up":   {text: string(fence(badTarget)), repair: "NO CHANGES: ok", want: "0 1 0 0 0 ok"},
		"cut, then the rest":   {text: string(fence(goodEdit)) + "```delta\n{", repair: string(fence(otherTest)), cut: true, want: "2 0 0 0 0 - cut"},
		"cut before any block": {text: "```delta\n{", cut: true, want: "0 0 0 0 1 - cut"},
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
		if n.Changed < n.Applied {
			got += " unchanged"
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if settle.ReadingOf(nil, "A") != nil {
		t.Error("a reading of a missing agent")
	}
}

// Corrections of what sessions ask for since protocol 3.
func TestRepairOfKilledFullAndLast(t *testing.T) {
	setup := settle.Settle(settle.Input{Base: empty(), At: at.Add(-1), Message: 1, Contributions: []settle.Contribution{{Agent: "A", ID: "m0", Text: fence(
		add("x", "one"), `{"operation":"ADD","section":"hypothesis_slate","ref":"y","payload":{"claim":"two"}}`,
		`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"three","third_alternative":true}}`,
		`{"operation":"KILL","section":"hypothesis_slate","target_id":"y","payload":{"reason":"r"}}`,
	)}}})
	kill := func(id string) string {
		return `{"operation":"KILL","section":"hypothesis_slate","target_id":"` + id + `","payload":{"reason":"r"}}`
	}
	edit := func(id string) string {
		return `{"operation":"EDIT","section":"hypothesis_slate","target_id":"` + id + `","payload":{"claim":"new"}}`
	}
	full := merge.Rules{Limits: map[artifact.Section]merge.Limit{artifact.HypothesisSlate: {Max: 2}}}
	for name, c := range map[string]struct {
		first, repair []byte
		rules         merge.Rules
		want          string // active claims
	}{
		"a killed item, another one":  {fence(edit("H2")), fence(edit("H1")), merge.Rules{}, "H1 new; H3 three"},
		"a killed item, given up":     {fence(edit("H2")), []byte("NO CHANGES: never mind"), merge.Rules{}, "H1 one; H3 three"},
		"room is made":                {fence(add("z", "four")), fence(kill("H1")), full, "H3 three; H4 four"},
		"room is made, sent again":    {fence(add("z", "four")), fence(kill("H1"), add("z", "four")), full, "H3 three; H4 four"},
		"room is made afterwards":     {fence(add("z", "four")), fence(add("z", "4"), kill("H1")), full, "H3 three; H4 4"},
		"no room":                     {fence(add("z", "four")), fence(edit("H1")), full, "H1 new; H3 three"},
		"the last third, another one": {fence(kill("H3")), fence(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"other","third_alternative":true}}`), merge.Rules{}, "H1 one; H4 other"},
		"the last third, kept":        {fence(kill("H3")), []byte("NO CHANGES: it stays"), merge.Rules{}, "H1 one; H3 three"},
	} {
		s := settle.Settle(settle.Input{Base: setup.Artifact, At: at, Message: 2, Rules: c.rules, Contributions: []settle.Contribution{
			{Agent: "A", ID: "m1", Text: c.first, Repair: c.repair, Base: &setup.Artifact, Shown: 1, Third: true},
		}})
		var all []string
		for _, it := range s.Artifact.Active(artifact.HypothesisSlate) {
			all = append(all, it.ID+" "+it.Text("claim"))
		}
		if got := strings.Join(all, "; "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if r := &s.Readings[0]; len(s.Report.Deltas) != r.Taken+r.Refused {
			t.Errorf("%s: %d rows for %d deltas", name, len(s.Report.Deltas), r.Taken+r.Refused)
		}
	}
}

// An incomplete delta was read: since protocol 3 it counts as rejected, not as unreadable.
func TestTallyOfIncompleteDeltas(t *testing.T) {
	for text, want := range map[string]string{
		string(fence(incomplete)):           "1 0, before 0 1",
		string(fence(`{oops`)):              "0 1, before 0 1",
		string(fence(`{oops`, incomplete)):  "1 1, before 0 2",
		string(fence(badTarget)):            "1 0, before 1 0",
		string(fence(incomplete, goodEdit)): "1 0, before 0 1",
	} {
		tally := func(third bool) settle.Tally {
			base := shownBase()
			s := settle.Settle(settle.Input{Base: *base, At: at, Message: 2, Contributions: []settle.Contribution{{Agent: "A", ID: "m1", Text: []byte(text), Base: base, Shown: 1, Third: third}}})
			return s.Readings[0].Tally(s.Report.Deltas)
		}
		now, then := tally(true), tally(false)
		if got := fmt.Sprintf("%d %d, before %d %d", now.Rejected, now.Unreadable, then.Rejected, then.Unreadable); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// A change that the repair repeats, and again badly, counts once; another one keeps its row.
func TestBadRepairCountsOnce(t *testing.T) {
	t.Parallel()
	base := shownBase()
	cut := func(name string) string {
		return "```delta\n{\n  \"operation\": \"ADD\",\n  \"section\": \"hypothesis_slate\",\n  \"payload\": {\n    \"name\": \"" + name + "\",\n    \"claim\": \"it \n```\n\n"
	}
	first := []byte(cut("Beta") + cut("Gamma") + "### KILL H2\n\nToo slow.\n")
	s := repaired(base, first, []byte("Sorry.\n\n"+cut("Beta")+"KILL H2: too slow\n"))
	if n := s.Readings[0].Tally(s.Report.Deltas); n.Rejected+n.Unreadable != 3 {
		t.Errorf("3 changes were attempted, and the account is %+v of\n%+v", n, s.Report.Deltas)
	}
	if s.Readings[0].Repaired != 0 {
		t.Error("nothing was repaired")
	}
}
