package settle_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/merge/settle"
)

// hypothesis returns an ADD. More are further fields of the payload.
func hypothesis(ref, name, more string) string {
	return `{"operation":"ADD","section":"hypothesis_slate","ref":"` + ref + `","payload":{"name":"` + name + `"` + more + `}}`
}

func testOf(ref, name, outcomes, more string) string {
	return `{"operation":"ADD","section":"discriminative_tests","ref":"` + ref + `","payload":{"name":"` + name + `","procedure":"do ` + name + `","expected_outcomes":` + outcomes + more + `}}`
}

func editOf(id, payload string) string {
	return `{"operation":"EDIT","section":"hypothesis_slate","target_id":"` + id + `","payload":` + payload + `}`
}

// repaired settles a reply and its repair into base by the rules of protocol 3.
func repaired(base *artifact.Artifact, first, repair []byte) settle.Settlement {
	return settle.Settle(settle.Input{Base: *base, At: at, Message: 2, Contributions: []settle.Contribution{
		{Agent: "A", ID: "m1", Text: first, Repair: repair, Base: base, Shown: 1, Third: true},
	}})
}

// items returns the active items of a section: id, name and claim or what is expected.
func items(a *artifact.Artifact, section artifact.Section) string {
	var all []string
	for _, it := range a.Active(section) {
		text := it.ID + " " + it.Text("name")
		if section == artifact.HypothesisSlate {
			text += "/" + it.Text("claim")
		}
		for _, e := range it.Map("expected_outcomes") {
			text += "/" + e.Key
		}
		all = append(all, strings.TrimSpace(text))
	}
	return strings.Join(all, "; ")
}

func TestCorrections(t *testing.T) {
	const bad = `{bad`
	refused := func(name string) string { return `,"claim":"claim of ` + name + `","third_alternative":"maybe"` }
	claim := func(text string) string { return `,"claim":"` + text + `"` }
	critique := func(attack, more string) string {
		return `{"operation":"ADD","section":"adversarial_critique","payload":{"attack":"` + attack + `"` + more + `}}`
	}
	for name, c := range map[string]struct {
		first, repair []byte
		want          string // hypotheses other than H1, tests, critiques
		rows          string // rejected, replaced
	}{
		// A delta of which something was taken is never lost to another one.
		"another for an unreadable one (m1)": {fence(hypothesis("", "Clock alpha", refused("a")), bad), fence(hypothesis("", "Clock beta", claim("b"))), "H2 Clock alpha/claim of a; H3 Clock beta/b", "0 1"},
		"a test keeps its hypothesis (z6)":   {fence(hypothesis("alpha", "Clock alpha", refused("a")), testOf("", "T", `{"alpha":"x"}`, ""), bad), fence(hypothesis("beta", "Clock beta", claim("b"))), "H2 Clock alpha/claim of a; H3 Clock beta/b | T1 T/H2", "0 1"},
		"equal outcomes (m2)":                {fence(testOf("", "One", `{"H1":"yes"}`, `,"potency_check":7`), bad), fence(testOf("", "Two", `{"H1":"yes"}`, "")), " | T1 One/H1; T2 Two/H1", "0 1"},
		"other refs (z2)":                    {fence(testOf("one", "One", `{"H1":"yes"}`, `,"potency_check":7`)), fence(testOf("two", "Two", `{"H1":"yes"}`, "")), " | T1 One/H1; T2 Two/H1", "0 0"},
		"one for two (z5)":                   {fence(testOf("", "One", `{"H1":"y"}`, `,"potency_check":7`), testOf("", "Two", `{"H1":"y"}`, `,"potency_check":8`)), fence(testOf("", "Second", `{"H1":"y"}`, "")), " | T1 One/H1; T2 Two/H1; T3 Second/H1", "0 0"},
		"alike in words (z3)":                {fence(hypothesis("alpha", "Clock alpha", refused("a"))), fence(hypothesis("beta", "Clock beta", claim("b"))), "H2 Clock alpha/claim of a; H3 Clock beta/b", "0 0"},
		"alike without names (q15)":          {fence(critique("The model ignores expansion", `,"evidence":7`), bad), fence(critique("The model ignores absorption", "")), " |  | C1 The model ignores expansion; C2 The model ignores absorption", "0 1"},
		"the same without names":             {fence(critique("The model ignores expansion", `,"evidence":7`)), fence(critique("The model  ignores Expansion", "")), " |  | C1 The model ignores Expansion", "0 1"},
		"a ref that is used for another":     {fence(hypothesis("h", "Alpha", claim("a")), bad, testOf("", "T", `{"h":"x"}`, "")), fence(hypothesis("h", "Beta", claim("b"))), "H2 Alpha/a; H3 Beta/b | T1 T/H2", "1 0"},
		"a new name under the same ref":      {fence(hypothesis("h", "Alpha", claim("a"))+"", bad), fence(hypothesis("h", "Better", claim("a"))), "H2 Better/a", "1 1"},
		"a new claim under the same ref":     {fence(hypothesis("h", "Alpha", refused("a"))), fence(hypothesis("h", "Alpha", claim("b"))), "H2 Alpha/b", "0 1"},
		"a full section keeps what it has":   {fence(bad, hypothesis("", "A", claim("a")), hypothesis("", "B", claim("b")), hypothesis("", "C", claim("c")), hypothesis("", "D", claim("d")), hypothesis("", "E", claim("e"))), fence(hypothesis("", "F", claim("f"))), "H2 A/a; H3 B/b; H4 C/c; H5 D/d; H6 E/e", "1 1"},
		"a worse one":                        {fence(hypothesis("h", "Alpha", refused("a"))), fence(hypothesis("h", "Alpha", "")), "H2 Alpha/claim of a", "1 0"},
		"the name of a good one":             {fence(hypothesis("", "Clock", claim("good")), bad), fence(hypothesis("", "Clock", claim("other"))), "H2 Clock/good; H3 Clock/other", "0 1"},
		"the name of a good one, in YAML":    {append(fence(hypothesis("", "Clock", claim("good"))), "\n```yaml\noperation: ADD\nsection: hypothesis_slate\npayload:\n  name: Clock\n  claim: other\n```\n"...), fence(hypothesis("", "Clock", claim("other"))), "H2 Clock/good; H3 Clock/other", "0 1"},
		"a good one again, and a correction": {fence(hypothesis("", "Clock", claim("good")), bad), fence(hypothesis("", "Clock", claim("better")), hypothesis("", "Gradient", claim("g"))), "H2 Clock/better; H3 Gradient/g", "0 2"},
		// An ADD keeps the place and the label of the one that it corrects.
		"the ref of an incomplete one (v1)":     {fence(hypothesis("h", "Alpha", ""), testOf("", "T", `{"h":"x"}`, "")), fence(hypothesis("", "Alpha", claim("five"))), "H2 Alpha/five | T1 T/H2", "0 1"},
		"the ref of an invalid one (q11)":       {fence(hypothesis("h", "Alpha", `,"claim":5`), testOf("", "T", `{"h":"x"}`, "")), fence(hypothesis("", "Alpha", claim("five"))), "H2 Alpha/five | T1 T/H2", "0 1"},
		"with another name":                     {fence(hypothesis("h", "Alpha", ""), testOf("", "T", `{"h":"x"}`, "")), fence(hypothesis("", "Better", claim("five"))), "H2 Better/five | T1 T/H2", "0 1"},
		"by ref, not by order (v3)":             {fence(hypothesis("a", "Alpha", ""), hypothesis("b", "Beta", ""), testOf("", "T", `{"b":"x"}`, "")), fence(hypothesis("b", "Beta", claim("b"))), "H2 Beta/b | T1 T/H2", "1 1"},
		"the other one is killed (v4)":          {fence(hypothesis("a", "Alpha", ""), hypothesis("b", "Beta", "")), fence(hypothesis("b", "Beta", claim("b")), `{"operation":"KILL","section":"hypothesis_slate","target_id":"a","payload":{"reason":"no"}}`), "H2 Beta/b", "2 1"},
		"by name, not by order (q10)":           {fence(hypothesis("", "Alpha", ""), hypothesis("", "Beta", "")), fence(hypothesis("", "Beta", claim("b")), hypothesis("", "Alpha", claim("a"))), "H2 Alpha/a; H3 Beta/b", "0 2"},
		"another ref is another one":            {fence(hypothesis("a", "Alpha", ""), bad), fence(hypothesis("b", "Beta", claim("b"))), "H2 Beta/b", "1 1"},
		"another ref, in place of nothing (l1)": {fence(hypothesis("b", "Bad", ""), testOf("", "T", `{"b":"x"}`, "")), fence(hypothesis("z", "Zed", claim("z"))), "H2 Zed/z | T1 T/b", "1 0"},
		"an EDIT is no ADD (l5)":                {fence(hypothesis("b", "Bad", "")), fence(editOf("H1", `{"claim":"Z"}`)), "Z", "1 0"},
		"a section that does not exist":         {fence(strings.Replace(hypothesis("", "Alpha", claim("a")), "hypothesis_slate", "nowhere", 1), strings.Replace(hypothesis("", "Beta", claim("b")), "hypothesis_slate", "nowhere", 1)), fence(hypothesis("", "Beta", claim("b")), hypothesis("", "Alpha", claim("a"))), "H2 Alpha/a; H3 Beta/b", "0 2"},
		"it stands by another correction":       {fence(hypothesis("x", "Alpha", ""), editOf("x", `{"mechanism":"m"}`), bad), fence(hypothesis("x", "Alpha", claim("a")), editOf("H1", `{"mechanism":"n"}`)), "H2 Alpha/a", "0 2"},
		// A label is not passed on if it is not clear to which one. Nor is that of a quotation.
		"one of two without a name":      {fence(hypothesis("a", "Alpha", ""), hypothesis("b", "Beta", ""), testOf("", "T", `{"a":"x","b":"y"}`, "")), fence(hypothesis("", "Better", claim("c"))), "H2 Better/c | T1 T/a/b", "2 0"},
		"two without names":              {fence(hypothesis("a", "Alpha", ""), hypothesis("b", "Beta", ""), testOf("", "T", `{"a":"x"}`, "")), fence(hypothesis("", "C", claim("c")), hypothesis("", "D", claim("d"))), "H2 C/c; H3 D/d | T1 T/a", "2 0"},
		"a new one beside a correction":  {fence(hypothesis("a", "Alpha", ""), testOf("", "T", `{"a":"x"}`, "")), fence(hypothesis("", "New", claim("n")), hypothesis("", "Alpha!", claim("a"))), "H2 New/n; H3 Alpha!/a | T1 T/a", "1 0"},
		"one of two with the same name":  {fence(hypothesis("a", "Alpha", ""), hypothesis("b", "Alpha", ""), testOf("", "T", `{"a":"x"}`, "")), fence(hypothesis("", "Alpha", claim("c"))), "H2 Alpha/c | T1 T/a", "1 1"},
		"a ref beside an unreadable one": {fence(hypothesis("a", "Alpha", ""), bad, testOf("", "T", `{"a":"x"}`, "")), fence(hypothesis("", "Better", claim("c"))), "H2 Better/c | T1 T/a", "1 1"},
		"a quotation":                    {slices.Concat([]byte("GreenValley wrote:\n\n"), fence(hypothesis("g", "Green", claim("g"))), []byte("\nMy changes:\n\n"), fence(hypothesis("own", "Own", ""), testOf("", "T", `{"g":"x","own":"y"}`, ""))), fence(hypothesis("", "Mine", claim("m"))), "H2 Mine/m | T1 T/H2/g", "1 1"},
		"a quotation with the same name": {slices.Concat([]byte("GreenValley wrote:\n\n"), fence(hypothesis("g", "Own", claim("g"))), []byte("\nMy changes:\n\n"), fence(hypothesis("own", "Own", ""), testOf("", "T", `{"own":"y"}`, ""))), fence(hypothesis("", "Own", claim("m"))), "H2 Own/m | T1 T/H2", "1 1"},
		"only a quotation":               {append([]byte("GreenValley wrote:\n\n"), fence(hypothesis("g", "Green", claim("g")))...), fence(hypothesis("", "Mine", claim("m"))), "H2 Mine/m", "1 0"},
		"broken ones in another order":   {fence(hypothesis("a", "Alpha", `,"claim":""a"`), hypothesis("b", "Beta", `,"claim":""b"`), testOf("", "T", `{"b":"x"}`, "")), fence(hypothesis("", "Beta", claim("b")), hypothesis("", "Alpha", claim("a"))), "H2 Alpha/a; H3 Beta/b | T1 T/H3", "0 2"},
		// What is sent again, with a change or without, is there once.
		"a ref is added (m7)":           {fence(hypothesis("", "A", claim("a")), hypothesis("", "B", refused("B"))), fence(hypothesis("a", "A", claim("a")), hypothesis("b", "B", claim("b"))), "H2 A/a; H3 B/b", "0 2"},
		"a blank is added (m9)":         {fence(hypothesis("", "A", claim("a"))), fence(hypothesis("", "A ", claim(" a "))), "H2 A / a", "0 1"},
		"a field is better (r3)":        {fence(hypothesis("", "A", claim("a")), hypothesis("", "B", refused("B"))), fence(hypothesis("", "A", claim("a")+`,"mechanism":"m"`), hypothesis("", "B", claim("b"))), "H2 A/a; H3 B/b", "0 2"},
		"a copy goes with its original": {fence(hypothesis("", "A", claim("a")), hypothesis("", "A", claim("a"))), fence(hypothesis("", "A", claim("b"))), "H2 A/b", "0 2"},
		// EDITs count after the reply.
		"the last word (m3)":                 {fence(editOf("H9", `{"mechanism":"m"}`), editOf("H1", `{"claim":"Y"}`)), fence(editOf("H1", `{"claim":"Z"}`)), "Z", "1 0"},
		"the last word, beside an ADD (m4)":  {fence(bad, editOf("H1", `{"claim":"Y"}`)), fence(editOf("H1", `{"claim":"Z"}`), hypothesis("", "B", claim("b"))), "Z; H2 B/b", "0 1"},
		"another field of an edited item":    {fence(editOf("H9", `{"claim":"Z"}`), editOf("H1", `{"mechanism":"m"}`)), fence(editOf("H1", `{"claim":"Z"}`)), "Z", "0 1"},
		"a refused field of an EDIT":         {slices.Concat(fence(editOf("H1", `{"claim":"Y","mechanism":5}`)), []byte("\nCorrection:\n\n"), fence(editOf("H1", `{"claim":"Z"}`))), fence(editOf("H1", `{"mechanism":"m"}`)), "Z", "0 0"},
		"a block that the answer takes back": {slices.Concat(fence(editOf("H1", `{"claim":"Y"}`)), []byte("\n"), fence(bad)), []byte("I take back the EDIT of H1, I was wrong.\n"), "", "2 0"},
		"one EDIT for two":                   {fence(editOf("H1", `{"claim":5}`), editOf("H1", `{"mechanism":5}`)), fence(editOf("H1", `{"claim":"Z","mechanism":"m"}`)), "Z", "0 2"},
		"the section of a target":            {fence(`{"operation":"EDIT","section":"assumption_ledger","target_id":"H1","payload":{"claim":"Z"}}`), fence(editOf("H1", `{"claim":"Z"}`)), "Z", "0 1"},
	} {
		base := shownBase()
		s := repaired(base, c.first, c.repair)
		slate := strings.TrimPrefix(strings.TrimPrefix(items(&s.Artifact, artifact.HypothesisSlate), "H1 was there/was there"), "; ")
		slate = strings.TrimPrefix(slate, "H1 was there/")
		got := strings.TrimRight(slate+" | "+items(&s.Artifact, artifact.DiscriminativeTests)+" | "+items(&s.Artifact, artifact.AdversarialCritique), " |")
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
		rejected := 0
		for _, row := range s.Report.Deltas {
			if row.Disposition == merge.Rejected {
				rejected++
			}
		}
		r := &s.Readings[0]
		if rows := fmt.Sprintf("%d %d", rejected, len(r.Replaced)); rows != c.rows {
			t.Errorf("%s: rejected and replaced are %s, want %s", name, rows, c.rows)
		}
		if len(s.Report.Deltas) != r.Taken+r.Refused {
			t.Errorf("%s: %d rows for %d deltas", name, len(s.Report.Deltas), r.Taken+r.Refused)
		}
	}
}

// written is an ADD of a generated reply, by the block in which it is.
type written struct {
	label, name, claim string
	section            string
}

// sameAdd is the rule in plain words, for the test.
func sameAdd(x, y written) bool {
	otherName := x.name != "" && y.name != "" && x.name != y.name
	equalMain := x.claim != "" && x.claim == y.claim
	switch {
	case x.section != y.section || x.section == "":
		return false
	case x.label != "" && x.label == y.label:
		return !otherName || equalMain
	case x.label != "" && y.label != "" || otherName:
		return false
	}
	return x.name != "" && x.name == y.name || equalMain
}

// anyReply returns a random reply, and its ADDs.
func anyReply(rnd *rand.Rand) ([]byte, []written) {
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	var blocks []string
	var adds []written
	for range 1 + rnd.IntN(7) {
		w := written{label: pick("", "", "a", "b", "c"), name: pick("", "n1", "n2", "n3", "n4")}
		named := ""
		if w.name != "" {
			named = `"name":"` + w.name + `",`
		}
		add := func(section, payload string) string {
			w.section = section
			return `{"operation":"ADD","section":"` + section + `","ref":"` + w.label + `","payload":{` + named + payload + `"anchors":["inference"]}}`
		}
		target := pick("H1", "H1", "H9", "a", "b", "c")
		block := `{bad`
		switch rnd.IntN(10) {
		case 0, 1, 2, 3:
			w.claim = pick("one", "two", "three", "four", "five")
			block = add("hypothesis_slate", `"claim":"`+w.claim+`",`+pick("", `"mechanism":5,`, `"mechanism":"m",`))
		case 4:
			block = add("hypothesis_slate", pick("", `"claim":5,`))
		case 5, 6:
			w.claim = pick("one", "two", "three")
			block = add("discriminative_tests", `"procedure":"`+w.claim+`","expected_outcomes":{"`+target+`":"yes"},`+pick("", `"potency_check":7,`))
		case 7:
			block = editOf(target, `{`+pick(`"claim":"x"`, `"mechanism":5`, `"mechanism":"m","claim":7`)+`}`)
		case 8:
			block = `{"operation":"KILL","section":"hypothesis_slate","target_id":"` + target + `","payload":{"reason":"r"}}`
		}
		blocks, adds = append(blocks, block), append(adds, w)
	}
	return fence(blocks...), adds
}

// No item that a merge takes of the reply alone is missing after the repair, and no label means another
// one, unless the repair has the same.
func TestRepairLosesNothing(t *testing.T) {
	for seed := range uint64(600) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		first, was := anyReply(rnd)
		repair, now := anyReply(rnd)
		base := shownBase()
		alone, both := repaired(base, first, nil), repaired(base, first, repair)
		fail := func(why string, args ...any) {
			t.Fatalf("seed %d: %s\nfirst:\n%s\nrepair:\n%s", seed, fmt.Sprintf(why, args...), first, repair)
		}
		if r := &both.Readings[0]; len(both.Report.Deltas) != r.Taken+r.Refused {
			fail("%d rows for %d and %d deltas", len(both.Report.Deltas), r.Taken, r.Refused)
		}
		rows, blocks := make(map[string]*merge.Row), make(map[string]*delta.Place)
		for i := range both.Report.Deltas {
			rows[both.Report.Deltas[i].DeltaID] = &both.Report.Deltas[i]
			blocks[both.Deltas[i].ID] = both.Deltas[i].Place
		}
		replaced := make(map[string]string)
		for _, r := range both.Readings[0].Replaced {
			replaced[r.Delta.ID] = r.By
		}
		moved := map[string]string{"H1": "H1"} // items of the reply alone, and those after the repair
		for i := range alone.Deltas {
			d, row := &alone.Deltas[i], rowOf(&alone, alone.Deltas[i].ID)
			if d.Operation != delta.Add || row.Disposition != merge.Applied {
				continue
			}
			x, id := was[d.Place.Block-1], d.ID
			if by, ok := replaced[id]; ok {
				id = by
				if y := now[blocks[by].Source()-1]; !sameAdd(x, y) {
					fail("%+v was replaced by %+v", x, y)
				}
			}
			if rows[id] == nil || rows[id].Disposition != merge.Applied {
				fail("%+v is lost: %+v", x, rows[id])
			}
			moved[row.TargetID] = rows[id].TargetID
		}
		for i := range alone.Deltas {
			d := &alone.Deltas[i]
			row := rowOf(&alone, d.ID)
			if d.Section != "discriminative_tests" || row.Disposition != merge.Applied || replaced[d.ID] != "" {
				continue
			}
			x, _, _ := alone.Artifact.Find(row.TargetID)
			y, _, _ := both.Artifact.Find(rows[d.ID].TargetID)
			if a, b := x.Map("expected_outcomes")[0].Key, y.Map("expected_outcomes")[0].Key; moved[a] != "" && moved[a] != b && !ambiguous(was, b) {
				fail("%s was about %s, which is %s now, and is about %s", x.Text("name"), a, moved[a], b)
			}
		}
	}
}

// ambiguous reports whether a reply gave a name to two items: a reference by it is kept as written.
func ambiguous(adds []written, name string) bool {
	n := 0
	for _, w := range adds {
		if w.label == name {
			n++
		}
	}
	return n > 1
}

func rowOf(s *settle.Settlement, id string) *merge.Row {
	at := slices.IndexFunc(s.Report.Deltas, func(r merge.Row) bool { return r.DeltaID == id })
	return &s.Report.Deltas[at]
}

// There is no limit to the number of corrections, whatever a repair repeats.
func TestRepairOfManyBlocks(t *testing.T) {
	const n = 2000
	ledger := func(ref, name, statement, more string) string {
		return `{"operation":"ADD","section":"assumption_ledger","ref":"` + ref + `","payload":{"name":"` + name + `","statement":"` + statement + `"` + more + `}}`
	}
	for name, block := range map[string]func(i int, repair bool) string{
		"refused fields": func(i int, repair bool) string {
			if repair {
				return ledger("", fmt.Sprint("n", i), fmt.Sprint("s", i), "")
			}
			return ledger("", fmt.Sprint("n", i), fmt.Sprint("s", i), `,"scale_check":"maybe"`)
		},
		"one name": func(i int, repair bool) string {
			return ledger(fmt.Sprint("r", i, repair), "n", fmt.Sprint("s", i), "")
		},
		"one label": func(i int, repair bool) string {
			return ledger("r", fmt.Sprint("n", i, repair), fmt.Sprint("s", i, repair), "")
		},
		"one target": func(i int, repair bool) string {
			return editOf("H9", fmt.Sprintf(`{"claim":"%d %t"}`, i, repair))
		},
		"unreadable": func(i int, repair bool) string {
			if repair {
				return ledger("", "", fmt.Sprint("s", i), "")
			}
			return "{bad"
		},
	} {
		texts := [2][]string{}
		for i := range n {
			texts[0], texts[1] = append(texts[0], block(i, false)), append(texts[1], block(i, true))
		}
		s := repaired(shownBase(), fence(texts[0]...), fence(texts[1]...))
		if want := map[string]int{"refused fields": n, "one target": n, "unreadable": n}[name]; len(s.Readings[0].Replaced) != want {
			t.Errorf("%s: %d replaced, want %d", name, len(s.Readings[0].Replaced), want)
		}
	}
}
