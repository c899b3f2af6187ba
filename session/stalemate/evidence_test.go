package stalemate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"brenner/patch"
)

// The evidence stays within its bound, cuts no character, and says of everything that is missing where it can be read.
func TestEncloseStaysWithinTheBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var docs []Document
		for i := range rapid.IntRange(0, 8).Draw(rt, "documents") {
			docs = append(docs, Document{
				Type: TypeEvidence, Description: fmt.Sprintf("Document %d.", i), Where: fmt.Sprintf("place %d", i), Near: []string{"needle"},
				Text: strings.Repeat("é\n", rapid.IntRange(0, MaxDocument).Draw(rt, "before")) + rapid.SampledFrom([]string{"needle", ""}).Draw(rt, "needle") + strings.Repeat("ü", rapid.IntRange(1, MaxDocument).Draw(rt, "after")),
			})
		}
		bound := rapid.SampledFrom([]int{0, 300, 5000, MaxEvidence}).Draw(rt, "bound")
		var r, again Request
		r.Enclose(docs, bound)
		again.Enclose(docs, bound)
		if fmt.Sprint(r) != fmt.Sprint(again) {
			rt.Fatal("two requests differ")
		}
		size, left := 0, ""
		for _, e := range r.Evidence {
			if e.Type == TypeLeftOut {
				left = e.Content
				continue
			}
			if size += len(e.Content); len(e.Content) > MaxDocument || !utf8.ValidString(e.Content) {
				rt.Fatalf("%d bytes of a document, valid: %t", len(e.Content), utf8.ValidString(e.Content))
			}
		}
		if most := EvidenceBound(bound / 2); size > most {
			rt.Fatalf("%d bytes of evidence, want at most %d", size, most)
		}
		for i, d := range docs {
			whole := slices.ContainsFunc(r.Evidence, func(e Evidence) bool { return e.Description == d.Description && e.Content == d.Text })
			if whole == strings.Contains(left, d.Where) {
				rt.Fatalf("document %d is whole: %t, and left out are:\n%s", i, whole, left)
			}
		}
	})
}

func TestPartIsAroundThePassage(t *testing.T) {
	text := strings.Repeat("before\n", 5000) + "the needle\n" + strings.Repeat("after\n", 5000)
	from, to := part(text, []string{"not there", "needle"}, 1000)
	if got := text[from:to]; !strings.Contains(got, "the needle") || len(got) > 1000 || !strings.HasPrefix(got, "before\n") || !strings.HasSuffix(got, "after\n") {
		t.Errorf("got %q, want whole lines around the needle", got)
	}
}

func TestCites(t *testing.T) {
	for text, want := range map[string]bool{
		"see EV-001": true, "EV-001#E1 says": true, "(EV-001)": true, "EV-0012": false, "REV-001": false, "EV-001-b": false, "": false, "EV-002": false,
	} {
		if got := Cites(text, "EV-001"); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
	if got := Addresses(`It follows from "memo@v2", (note-1@v10). Mail a@vb.c, memo@v2!`); !slices.Equal(got, []string{"memo@v2", "note-1@v10"}) {
		t.Errorf("got %q", got)
	}
}

// explanations returns what the checks of a request suggest.
func explanations(r *Request) string {
	var all []string
	for _, h := range r.Dissidents {
		all = append(all, h.Statement+" "+h.Justification)
	}
	return strings.Join(all, "\n")
}

// Each check yields its explanation for the case that it is about, with what it observed, and none for others.
func TestChecksOfConflicts(t *testing.T) {
	edit := func(value, why string) string {
		return fmt.Sprintf(`[{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":%q},"rationale":%q}]`, value, why)
	}
	for name, c := range map[string]struct{ a, why, b, because, want string }{
		"nothing cited":      {"x", "I know", "y", "I know, too", "None of the values follows"},
		"the same evidence":  {"x", "EV-001", "y", "EV-001#E2", "The parties read EV-001 differently"},
		"different evidence": {"x", "EV-001", "y", "see H2", "Observed: Anna cites EV-001; Bert cites H2."},
		"one cites":          {"x", "EV-001", "y", "I know", ""},
		"unknown evidence":   {"x", "EV-001", "y", "EV-007", "Observed: Bert cites EV-007, which the session does not have."},
		"spelling":           {"One Cell.", "EV-001", "one cell", "I know", "Observed: they are equal."},
	} {
		p := newPlay(t)
		p.settle(1, "Anna", edit(c.a, c.why), "Bert", edit(c.b, c.because))
		p.settle(2, "Anna", `[{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"mechanism":"m"}}]`)
		stuck := Detect("RS-20261115-play", p.moments, nil)[0]
		r := NewRequest("RS-20261115-play", time.Unix(0, 0), &stuck, &Basis{Moments: p.moments, IDs: []string{"EV-001"}})
		got := explanations(&r)
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if strings.Contains(r.Arbitration, "No check found another explanation") != (got == "") {
			t.Errorf("%s: the question says %q", name, r.Arbitration)
		}
		if !slices.ContainsFunc(r.Evidence, func(e Evidence) bool {
			return e.Type == TypeChecks && strings.Contains(e.Content, "- changes of H1 by the parties after round 1: Anna, round 2")
		}) {
			t.Errorf("%s: the observations are not in the evidence", name)
		}
	}
}

func TestChecksOfPatches(t *testing.T) {
	const text = "alpha\nbeta\u00a0one\ngamma\n"
	groups := func(anchor, old string) []patch.Group {
		return []patch.Group{{Anchor: patch.Anchor{Text: anchor, Mode: patch.Exact}, Ops: []patch.Op{{Kind: patch.ReplaceBlock, Old: old, New: "new"}}}}
	}
	second := groups("alpha\n", "beta")
	second[0].Ops[0].Index = 2
	for name, c := range map[string]struct {
		groups []patch.Group
		base   string
		want   string
	}{
		"not there":     {groups("omega\n", "x"), "", "meant for another text than memo@v1"},
		"invisible":     {groups("beta one\n", "gamma"), "", "differ only in characters that are hard to see"},
		"counted":       {second, "", "it occurs 1 times in this one, not 2"},
		"not adjacent":  {groups("alpha\n", "gamma"), "", "meant for line 3"},
		"changed after": {groups("alpha\n", "delta"), "", "What follows the anchor has changed"},
		"other base":    {groups("omega\n", "x"), strings.Repeat("0", 64), "another version of memo@v1"},
		"only the base": {groups("alpha\n", "beta"), strings.Repeat("0", 64), "it should be made again"},
	} {
		p := patch.Patch{Base: patch.Hash(text), Groups: c.groups}
		if c.base != "" {
			p.Base = c.base
		}
		on := &PatchedText{Name: "memo@v1", Content: text, Patch: string(p.JSON())}
		tries := []Attempt{{By: "B", Code: "y", Message: "n"}, {By: "A", Content: "p", Code: "x", Message: "m", Why: "w"}}
		found, _ := DeclaredFromPatches(on, tries)
		r := PatchRequest(on, time.Unix(0, 0), &found)
		if got := explanations(&r); !strings.Contains(got, c.want) || !strings.Contains(got, "Observed: ") {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if !slices.ContainsFunc(r.Evidence, func(e Evidence) bool { return e.Type == TypeRefusal && e.Content == "B: y: n" }) {
			t.Errorf("%s: the refusal of another author is missing", name)
		}
	}
	long := strings.Repeat("line\n", 20000) + "anchor here\nold\n" + strings.Repeat("line\n", 20000)
	p := patch.Patch{Base: patch.Hash(long), Groups: groups("anchor here\n", "odd")}
	on := &PatchedText{Name: "a.py", Content: long, Patch: string(p.JSON())}
	found, _ := DeclaredFromPatches(on, []Attempt{{By: "A", Content: "p", Code: "x"}})
	r := PatchRequest(on, time.Unix(0, 0), &found)
	if !slices.ContainsFunc(r.Evidence, func(e Evidence) bool {
		return e.Path == "a.py" && strings.Contains(e.Content, "anchor here\nold\n") && len(e.Content) <= MaxDocument
	}) {
		t.Error("the file around the anchor is missing")
	}
}

// A refused change is explained by what became of its target.
func TestChecksOfRefusals(t *testing.T) {
	const bad = `[{"operation":"EDIT","section":"hypothesis_slate","target_id":%q,"payload":{"claim":{"a":[1]}},"rationale":"w"}]`
	missing, changed := newPlay(t), newPlay(t)
	for round := 1; round <= 3; round++ {
		missing.settle(round, "Anna", fmt.Sprintf(bad, "H9"))
		changed.settle(round, "Anna", fmt.Sprintf(bad, "H1"), "Bert", edit("H1", "mechanism", fmt.Sprint(round)))
	}
	for want, p := range map[string]*play{
		"another item than H9, which does not exist. Checked: whether H9 exists. Observed: it does not; the section has H1, H2.": missing,
		"The author works from an older text of H1": changed,
	} {
		c := Detect("RS-20261115-play", p.moments, nil)[0]
		r := NewRequest("RS-20261115-play", time.Unix(0, 0), &c, &Basis{Moments: p.moments})
		if got := explanations(&r); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// An item that was killed in the round of the last try is not disputed.
func TestNothingIsStuckOnAKilledItem(t *testing.T) {
	const bad = `[{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":{"a":[1]}},"rationale":"w"}]`
	const kill = `[{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"vague"},"rationale":"w"}]`
	p := newPlay(t)
	p.settle(1, "Anna", bad)
	p.settle(2, "Anna", bad, "Bert", kill)
	if got := Detect("RS-20261115-play", p.moments, nil); len(got) != 0 {
		t.Errorf("got %s, want none", kinds(got))
	}
}
