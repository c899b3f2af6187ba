package stalemate

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/internal/fault"
)

// stuck returns a session with a conflict that survived a round.
func stuck(t testing.TB) (*play, Case, Request) {
	t.Helper()
	p := newPlay(t)
	p.settle(1, "Anna", edit("H1", "claim", "a"), "Bert", edit("H1", "claim", "b"))
	p.settle(2)
	c := Detect("RS-20261115-play", p.moments, nil)[0]
	r := NewRequest("RS-20261115-play", p.moments[0].At, &c, &Basis{Moments: p.moments})
	return p, c, r
}

const ruling = `{"ruling_for":"Bert","root_cause":"Two meanings of one word.","reasoning":["The evidence says b."],
	"rejected":[{"hypothesis":"Anna","why":"not seen"},{"hypothesis":"D1","why":"one case"},{"hypothesis":"D2","why":"it is known"}],"confidence":0.9}`

func judge() Arbiter { return Arbiter{Kind: ByAgent, Name: "Judge", Model: "m"} }

// A ruling is merged as an EDIT of an authority, with its reasons.
func TestRulingIsMerged(t *testing.T) {
	p, c, r := stuck(t)
	v, err := ReadVerdict([]byte("My ruling:\n```json\n"+ruling+"\n```\n"), judge(), &r)
	if err != nil {
		t.Fatal(err)
	}
	deltas, err := Ruling(&c, &v)
	if err != nil {
		t.Fatal(err)
	}
	out := p.settle(0, "Judge", string(deltas))
	it, _, _ := out.Artifact.Find("H1")
	if it.Text("claim") != "b" || out.Report.Applied != 1 {
		t.Fatalf("%+v", out.Report)
	}
	if out.Deltas[0].Agent != "Judge" || !strings.Contains(out.Deltas[0].Rationale, "Two meanings of one word.") || !strings.Contains(out.Deltas[0].Rationale, c.ID) {
		t.Errorf("%+v", out.Deltas[0])
	}
	if got := it.Text("ruling_claim"); !strings.Contains(got, "Judge") || !strings.Contains(got, "The evidence says b.") {
		t.Errorf("the reasons are not in the artifact: %q", got)
	}
	if left := Detect("RS-20261115-play", p.moments, nil); len(left) > 0 {
		t.Errorf("%s", kinds(left))
	}
}

func TestRulingForExplanationNeedsValue(t *testing.T) {
	p, c, r := stuck(t)
	other := strings.NewReplacer(`"ruling_for":"Bert"`, `"ruling_for":"D1"`, `"hypothesis":"D1"`, `"hypothesis":"Bert"`).Replace(ruling)
	v, err := ReadVerdict([]byte(other), judge(), &r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Ruling(&c, &v); fault.CodeOf(err) != NothingToWrite {
		t.Errorf("%v", err)
	}
	v, err = ReadVerdict([]byte(strings.Replace(other, `"confidence"`, `"value":"a when warm, b when cold","confidence"`, 1)), judge(), &r)
	if err != nil {
		t.Fatal(err)
	}
	deltas, err := Ruling(&c, &v)
	if err != nil {
		t.Fatal(err)
	}
	out := p.settle(0, "Judge", string(deltas))
	if it, _, _ := out.Artifact.Find("H1"); it.Text("claim") != "a when warm, b when cold" {
		t.Errorf("%+v", out.Report)
	}
}

func TestReadVerdictRefuses(t *testing.T) {
	_, _, r := stuck(t)
	for _, c := range []struct {
		name, text string
		by         Arbiter
		want       string
	}{
		{"prose", "I rule for Bert.", judge(), "no verdict in the text"},
		{"a list", "[]", judge(), "no verdict in the text"},
		{"nothing in it", "{}", judge(), "ruling_for is missing"},
		{"stranger", strings.Replace(ruling, `"ruling_for":"Bert"`, `"ruling_for":"Zoe"`, 1), judge(), "Zoe is not a hypothesis"},
		{"a party", ruling, Arbiter{ByAgent, "Anna", ""}, "Anna is a party"},
		{"unsigned", ruling, Arbiter{}, "is unsigned"},
		{"sure", strings.Replace(ruling, `0.9`, `90`, 1), judge(), "from 0 to 1"},
		{"no confidence", strings.Replace(ruling, `,"confidence":0.9`, ``, 1), judge(), "from 0 to 1"},
		{"no reasons", strings.Replace(ruling, `["The evidence says b."]`, `[]`, 1), judge(), "reasoning"},
		{"no cause", strings.Replace(ruling, `"Two meanings of one word."`, `" "`, 1), judge(), "root_cause"},
		{"one not rejected", strings.Replace(ruling, `{"hypothesis":"D1","why":"one case"},`, ``, 1), judge(), "D1 is neither ruled for nor rejected"},
		{"rejects its own", strings.Replace(ruling, `"hypothesis":"D1"`, `"hypothesis":"Bert"`, 1), judge(), "ruled for and rejected"},
		{"twice", strings.Replace(ruling, `"hypothesis":"D1"`, `"hypothesis":"D2"`, 1), judge(), "rejected twice"},
		{"unknown rejected", strings.Replace(ruling, `"hypothesis":"D1"`, `"hypothesis":"D7"`, 1), judge(), "D7 is not a hypothesis"},
	} {
		if _, err := ReadVerdict([]byte(c.text), c.by, &r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The question names no party and does not depend on the order of the parties.
func TestQuestionIsNeutral(t *testing.T) {
	p, c, r := stuck(t)
	b := &Basis{Moments: p.moments}
	for _, name := range []string{"Anna", "Bert"} {
		if strings.Contains(r.Arbitration, name) {
			t.Errorf("the question names %s", name)
		}
	}
	c.Positions[0], c.Positions[1] = c.Positions[1], c.Positions[0]
	if other := NewRequest("RS-20261115-play", r.At, &c, b); other.Arbitration != r.Arbitration || other.Summary != r.Summary {
		t.Error("the request depends on the order")
	}
	for _, kind := range Kinds() {
		c.Kind = kind
		if r := NewRequest("x", r.At, &c, b); r.Arbitration == "" || r.Summary == "" || len(r.Dissidents) > 3 ||
			(len(r.Dissidents) == 0) != strings.Contains(r.Arbitration, "No check found another explanation") {
			t.Errorf("%s: %+v", kind, r)
		}
	}
}

func TestReadRequestRefuses(t *testing.T) {
	_, _, good := stuck(t)
	text := string(good.JSON())
	for _, c := range []struct{ name, text, want string }{
		{"no JSON", "{", "ends too early"},
		{"a list", "[]", "not an object"},
		{"protocol", strings.Replace(text, Protocol, "Stalemate_Protocol_v2", 1), "Stalemate_Protocol_v2"},
		{"time", strings.Replace(text, `"session_timestamp":"2026`, `"session_timestamp":"x2026`, 1), "not an instant"},
		{"one party", strings.Replace(text, `"party":"Anna"`, `"party":"Bert"`, 1), "duplicate party"},
		{"changed", strings.Replace(text, `"content":"{`, `"content":" {`, 1), "has the hash"},
		{"no party", `{"protocol_id":"Stalemate_Protocol_v1.1","session_timestamp":"2025-08-11T15:10:00Z","stalemate_summary":"s","hypotheses":{"x":1},"objective_evidence":[1],"arbitration_request":"q"}`, "number of parties: 0"},
		{"four dissidents", strings.Replace(text, `"hallucinated_hypotheses":[`, `"hallucinated_hypotheses":[{"statement":"a"},{"statement":"b"},`, 1), "number of explanations: 4"},
		{"nothing", `{"objective_evidence":1,"hypotheses":{"parties":1}}`, "protocol_id is missing"},
	} {
		if _, _, err := ReadRequest([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The author of an answer is told all that is wrong with it.
func TestDefectsAreAllNamed(t *testing.T) {
	r := &Request{Parties: []Hypothesis{{Name: "a"}, {Name: "b"}}}
	_, err := ReadVerdict([]byte(`{"ruling_for":"a","confidence":2,"more":1}`), Arbiter{Kind: ByAgent, Name: "Judge"}, r)
	got := NotAccepted(Defects(err))
	for _, want := range []string{"root_cause", "reasoning", "confidence", "more"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want all defects, also %s", got, want)
		}
	}
}

func TestTransitions(t *testing.T) {
	all := []string{"", Open, Requested, Ruled, Applied, Refused, Expired, Withdrawn}
	allowed := 0
	for _, from := range all {
		for _, to := range all {
			err := CheckTransition("ST-1", from, to)
			if (err == nil) != CanFollow(from, to) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if err == nil {
				allowed++
			} else if fault.CodeOf(err) != BadState {
				t.Errorf("%v", err)
			}
		}
	}
	if allowed != 12 || CanFollow(Applied, Open) || CanFollow(Open, Applied) || !CanFollow(Open, Requested) || !CanFollow(Open, Ruled) {
		t.Errorf("%d steps", allowed)
	}
}

func TestVerdictsReadBack(t *testing.T) {
	_, _, r := stuck(t)
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abc é\"{}\\\n")), 1, 20, -1).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
		names := r.Names()
		at := rapid.IntRange(0, len(names)-1).Draw(rt, "for")
		v := Verdict{
			For: names[at], RootCause: word.Draw(rt, "cause"), Reasoning: []string{word.Draw(rt, "reason")}, Arbiter: judge(),
			Confidence: float64(rapid.IntRange(0, 100).Draw(rt, "confidence")) / 100,
		}
		for i, name := range names {
			if i != at {
				v.Rejected = append(v.Rejected, Rejection{name, word.Draw(rt, "why")})
			}
		}
		if rapid.Bool().Draw(rt, "valued") {
			v.Value = artifact.Text(word.Draw(rt, "value"))
		}
		before := word.Draw(rt, "before")
		back, err := ReadVerdict([]byte(before+"\n"+string(v.JSON())+"\nDone."), judge(), &r)
		if err != nil || string(back.JSON()) != string(v.JSON()) {
			rt.Fatalf("%s: %v", v.JSON(), err)
		}
	})
}

// Verdicts in quotes, comments or code are ignored, and the real one after them is read.
func TestReadVerdictIgnoresQuotedVerdicts(t *testing.T) {
	_, _, r := stuck(t)
	shown := strings.Replace(ruling, `"Two meanings of one word."`, `"An example."`, 1)
	for name, place := range map[string]string{
		"quoted":            "> " + strings.ReplaceAll(shown, "\n", "\n> ") + "\n\n",
		"in reasoning":      "<think>\nPerhaps " + shown + "\n</think>\n",
		"before the fence":  "<think>" + strings.ReplaceAll(shown, "\n", " ") + "</think>",
		"commented":         "<!--\n" + shown + "\n-->\n",
		"commented in line": "So <!-- " + shown + " --> it is\n\n",
		"commented in code": "So <!-- old:\n```json\n" + shown + "\n```\n-->\n\n",
		"indented":          "So:\n\n    " + shown + "\n\n",
		"pre":               "<pre>\n" + shown + "\n</pre>\n",
		"nested":            "````markdown\n```json\n" + shown + "\n```\n````\n",
		"inline code":       "Not `" + strings.ReplaceAll(shown, "\n", " ") + "` but:\n\n",
		"blockquote":        "<blockquote>\n\n```json\n" + shown + "\n```\n\n</blockquote>\n\n",
	} {
		if _, err := ReadVerdict([]byte(place), judge(), &r); fault.CodeOf(err) != NoVerdict {
			t.Errorf("%s: got %v, want %s", name, err, NoVerdict)
		}
		for _, meant := range []string{ruling, "```json\n" + ruling + "\n```\n", "~~~\n" + ruling, "- " + ruling, "```json " + ruling + "\n```\n", "```" + ruling + "\n```\n", "```json\r" + ruling} {
			v, err := ReadVerdict([]byte(place+meant), judge(), &r)
			if err != nil || v.RootCause != "Two meanings of one word." {
				t.Errorf("%s, then %.8q: got %q, %v", name, meant, v.RootCause, err)
			}
		}
	}
}

// Of two rulings none is chosen, unless they are the same.
func TestReadVerdictRefusesTwo(t *testing.T) {
	_, _, r := stuck(t)
	other := strings.Replace(ruling, `"Two meanings of one word."`, `"Haste."`, 1)
	fenced := func(s string) string { return "```json\n" + s + "\n```\n" }
	if _, err := ReadVerdict([]byte(fenced(other)+"On reflection:\n"+fenced(ruling)), judge(), &r); fault.CodeOf(err) != NoVerdict || !strings.Contains(err.Error(), "differ") {
		t.Errorf("got %v", err)
	}
	if _, err := ReadVerdict([]byte(fenced(ruling)+"Again:\n\n"+ruling), judge(), &r); err != nil {
		t.Error(err)
	}
}

// FuzzVerdict checks that the readers accept any input without a panic.
func FuzzVerdict(f *testing.F) {
	_, c, r := stuck(f)
	f.Add([]byte(ruling))
	f.Add(r.JSON())
	f.Add([]byte(strings.Repeat("{", 1000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := ReadVerdict(data, judge(), &r); err == nil {
			if _, err := Ruling(&c, &v); err != nil && fault.CodeOf(err) != NothingToWrite {
				t.Fatal(err)
			}
		}
		if in, _, err := ReadRequest(data); err == nil {
			if in.At.Before(time.Time{}) || len(in.Names()) < 2 {
				t.Fatalf("%+v", in)
			}
		}
	})
}
