package settle_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/merge/settle"
)

var at = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func fence(deltas ...string) []byte {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "```delta\n%s\n```\n\n", d)
	}
	return []byte(b.String())
}

func add(label, claim string) string {
	return fmt.Sprintf(`{"operation":"ADD","section":"hypothesis_slate","ref":%q,"payload":{"claim":%q}}`, label, claim)
}

func empty() artifact.Artifact {
	return artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20260101-ab", CreatedAt: "2026-01-01T00:00:00Z", Status: "active"}}
}

func claims(a *artifact.Artifact) string {
	var all []string
	for _, it := range a.Items(artifact.HypothesisSlate) {
		all = append(all, it.ID+" "+it.Text("claim"))
	}
	return strings.Join(all, "; ")
}

// A repair replaces unreadable blocks; what it repeats counts once.
func TestRepairReplacesUnreadableBlocks(t *testing.T) {
	in := settle.Input{Base: empty(), At: at, Message: 1, Contributions: []settle.Contribution{{
		Agent: "A", ID: "m1",
		Text:   fence(add("one", "first"), `{"operation":"ADD","section":"nowhere","ref":"two","payload":{"claim":"second"}}`),
		Repair: fence(add("one", "first"), add("two", "second"), `{"operation":"ADD","section":"predictions_table","payload":{"condition":"c","predictions":{"two":"yes"}}}`),
	}}}
	s := settle.Settle(in)
	if got := claims(&s.Artifact); got != "H1 first; H2 second" {
		t.Errorf("%s\n%+v", got, s.Report.Deltas)
	}
	p, _, ok := s.Artifact.Find("P1")
	if v, found := p.Map("predictions").Get("H2"); !ok || !found || v != artifact.Text("yes") {
		t.Errorf("the label of the repaired block is unresolved: %v", p.Map("predictions"))
	}
	if r := s.Readings[0]; r.Taken != 3 || r.Repaired != 1 || r.Refused != 0 || r.Shown != 1 || len(r.Problems) == 0 {
		t.Errorf("%+v", r)
	}
	if s.Report.Applied != 3 || len(s.Report.Deltas) != 3 {
		t.Errorf("%+v", s.Report.Deltas)
	}
}

func TestUnrepairedBlocksAreReported(t *testing.T) {
	s := settle.Settle(settle.Input{Base: empty(), At: at, Message: 1, Contributions: []settle.Contribution{
		{Agent: "A", ID: "m1", Text: fence(`{"operation":"ADD","section":"nowhere","payload":{}}`)},
		{Agent: "B", ID: "m2"}, // no reply
	}})
	if s.Changed || len(s.Report.Deltas) != 1 || s.Report.Deltas[0].Disposition != merge.Rejected || len(s.Readings) != 1 {
		t.Errorf("got %+v, %+v", s.Report.Deltas, s.Readings)
	}
}

// The sender is the author of the deltas in a file: names, times and ids in it are ignored.
func TestSenderIsAuthorOfFile(t *testing.T) {
	file := []byte(`[{"delta_id":"d-mine","agent":"Somebody","timestamp":"2001-01-01T00:00:00Z","operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"claim":"x"},"rationale":"r"}, 7]`)
	s := settle.Settle(settle.Input{Base: empty(), At: at, Message: 4, Contributions: []settle.Contribution{{Agent: "Sydney", ID: "m", Text: file, File: true}}})
	stamp := s.Artifact.Items(artifact.HypothesisSlate)[0].Created
	if stamp.Agent != "Sydney" || !stamp.At.Equal(at) || stamp.Message != 4 || stamp.Block != 1 || stamp.Delta == "d-mine" {
		t.Errorf("%+v", stamp)
	}
	if r := s.Readings[0]; r.Taken != 1 || r.Refused != 1 || len(s.Report.Deltas) != 2 {
		t.Errorf("got %+v, %+v", r, s.Report.Deltas)
	}
	broken := settle.Settle(settle.Input{Base: empty(), At: at, Message: 1, Contributions: []settle.Contribution{{Agent: "S", ID: "m", Text: []byte(`[{`), File: true}}})
	if broken.Changed || len(broken.Readings[0].Problems) != 1 || broken.Readings[0].Problems[0].Code != artifact.InvalidJSON {
		t.Errorf("%+v", broken.Readings)
	}
}

// An agent's message is a reply, even if it is only JSON: no KILL is read outside a fence.
// Only a person can send a file.
func TestReplyIsNotReadAsFile(t *testing.T) {
	base := settle.Settle(settle.Input{Base: empty(), At: at, Message: 1, Contributions: []settle.Contribution{{Agent: "A", ID: "m1", Text: fence(add("x", "one"))}}}).Artifact
	kill := []byte(`[{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"r"}}]`)
	for _, file := range []bool{false, true} {
		s := settle.Settle(settle.Input{Base: base, At: at.Add(time.Hour), Message: 2, Contributions: []settle.Contribution{{Agent: "A", ID: "m2", Text: kill, File: file, Shown: 1}}})
		if it, _, _ := s.Artifact.Find("H1"); it.Killed() != file {
			t.Errorf("file %t: got %+v", file, s.Report.Deltas)
		}
	}
	// A person may send a reply as well.
	s := settle.Settle(settle.Input{Base: base, At: at.Add(time.Hour), Message: 2, Contributions: []settle.Contribution{{Agent: "S", ID: "m2", Text: fence(add("y", "two")), File: true}}})
	if got := claims(&s.Artifact); got != "H1 one; H2 two" {
		t.Error(got)
	}
}

func TestMessageTooLong(t *testing.T) {
	text := append(fence(add("x", "one")), bytes.Repeat([]byte(" "), delta.DefaultMaxBytes)...)
	s := settle.Settle(settle.Input{Base: empty(), At: at, Message: 1, Contributions: []settle.Contribution{
		{Agent: "A", ID: "m1", Text: text}, {Agent: "B", ID: "m2", Text: fence(add("x", "two"), `{"operation":"ADD"}`)},
	}})
	if a, b := &s.Readings[0], &s.Readings[1]; !a.TooLong() || b.TooLong() || a.Taken != 0 || len(b.Problems) == 0 || claims(&s.Artifact) != "H1 two" {
		t.Errorf("%+v", s.Readings)
	}
	reply := delta.Read(text, delta.Options{})
	if found := settle.Repairable(&reply); len(found) != 1 || found[0].Code != delta.MessageTooLarge {
		t.Errorf("%+v", found)
	}
}

// The same contributions settle to the same bytes, with the marks in the metadata.
func TestSettleIsDeterministic(t *testing.T) {
	in := settle.Input{
		Base: empty(), At: at, Message: 1, Marks: artifact.MapOf(artifact.Entry{Key: "seal", Value: artifact.Text("s")}),
		Contributions: []settle.Contribution{{Agent: "A", ID: "m1", Text: fence(add("x", "one"))}, {Agent: "B", ID: "m2", Text: fence(add("x", "two"))}},
	}
	first, second := settle.Settle(in), settle.Settle(in)
	if !bytes.Equal(first.Artifact.JSON(), second.Artifact.JSON()) {
		t.Error("two runs differ")
	}
	if v, _ := first.Artifact.Metadata.Extra.Get("seal"); v != artifact.Text("s") {
		t.Errorf("%v", first.Artifact.Metadata.Extra)
	}
	nothing := settle.Settle(settle.Input{Base: first.Artifact, At: at.Add(time.Hour), Marks: artifact.MapOf(artifact.Entry{Key: "seal", Value: artifact.Text("of nothing")})})
	if nothing.Changed || !bytes.Equal(nothing.Artifact.JSON(), first.Artifact.JSON()) {
		t.Error("an empty input changed the artifact")
	}
}

// In a replay items may have other ids; references follow the item.
func TestRenamedKeepsReferences(t *testing.T) {
	base := settle.Settle(settle.Input{Base: empty(), At: at, Message: 1, Contributions: []settle.Contribution{
		{Agent: "A", ID: "m1", Text: fence(add("x", "was H2"))},
	}}).Artifact
	text := fence(
		`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H2","payload":{"claim":"sharper"}}`,
		`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"of nobody"}}`,
		`{"operation":"ADD","section":"predictions_table","payload":{"condition":"c","predictions":{"H2":"yes"}}}`,
	)
	s := settle.Settle(settle.Input{
		Base: base, At: at.Add(time.Hour), Message: 2, Renamed: map[string]string{"H2": "H1", "H1": ""},
		Contributions: []settle.Contribution{{Agent: "A", ID: "m2", Text: text, Shown: 1}},
	})
	if got := claims(&s.Artifact); got != "H1 sharper" {
		t.Error(got)
	}
	p, _, _ := s.Artifact.Find("P1")
	if _, ok := p.Map("predictions").Get("H1"); !ok {
		t.Errorf("%v", p.Map("predictions"))
	}
	rejected := 0
	for _, row := range s.Report.Deltas {
		if row.Disposition == merge.Rejected {
			rejected++
		}
	}
	if rejected != 1 {
		t.Errorf("%+v", s.Report.Deltas)
	}
}

func TestRepairable(t *testing.T) {
	for text, want := range map[string]int{
		"Nothing to add.":                                                    0,
		"## Deltas\n\nI would add a hypothesis.":                             1, // announced, but missing
		string(fence(add("x", "fine"))):                                      0,
		string(fence(`{"operation":"ADD","section":"zzz","payload":{}}`)):    1,
		"> ```delta\n> {\"operation\":\"ADD\",\"section\":\"zzz\"}\n> ```\n": 0, // a quotation
	} {
		reply := delta.Read([]byte(text), delta.Options{})
		if got := len(settle.Repairable(&reply)); got != want {
			t.Errorf("%q: got %d repairable problems, want %d", text, got, want)
		}
	}
}
