package kickoff

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/prompts"
	"brenner/roster"
)

var update = flag.Bool("update", false, "update the golden files")

// session returns the roster of the specification's example.
func session() roster.Roster {
	return roster.Roster{
		Mode: roster.RoleSeparated, Name: "Default 3-Agent Setup",
		Entries: []roster.Entry{
			{Agent: "BlueLake", Role: roster.HypothesisGenerator, Program: "codex-cli", Model: "GPT-5.2"},
			{Agent: "PurpleMountain", Role: roster.TestDesigner, Program: "claude-code", Model: "Opus 4.5"},
			{Agent: "GreenValley", Role: roster.AdversarialCritic, Program: "gemini-cli", Model: "Gemini 3"},
		},
	}
}

// input returns a small session with content in every part.
func input() Input {
	return Input{
		ThreadID: "RS-20251230-cell-fate", Roster: session(), Round: 1,
		Question: "How does a cell of an early embryo know what to become?",
		Context:  "Moved early, a cell takes the fate of its new place.\n\nMoved late, it keeps its old one.",
		Excerpt:  "§161 The experiment was done at the 16-cell stage.\n§162 It was repeated once.",
		Hypotheses: []Hypothesis{
			{ID: "H1", Text: "Fate follows from ancestry."},
			{Text: "Fate follows from position,\nread from a gradient."},
		},
		Constraints: []string{"No vertebrates.", "Two weeks and 5 000 euros."},
		Memory:      []Bullet{{ID: "pb-0007", Text: "Ask for the control before the result."}},
		Scopes:      merge.DefaultScopes(),
	}
}

func compose(t testing.TB, in Input) []Message {
	t.Helper()
	messages, err := Compose(in)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

// TestGolden compares kickoffs for three roles, unified mode, a small context, and a later round.
func TestGolden(t *testing.T) {
	golden := func(name string, m Message) {
		t.Helper()
		path := filepath.Join("testdata", name+".md")
		got := "Subject: " + m.Subject + "\n\n" + m.Body
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, m := range compose(t, input()) {
		golden(string(m.Role), m)
	}
	unified := input()
	unified.Roster.Mode, unified.Recipients = roster.Unified, []string{"GreenValley"}
	golden("unified", compose(t, unified)[0])
	golden("short", compose(t, shortened(input()))[1])
	golden("task", compose(t, taskInput("Reader"))[0])
	golden("task_short", compose(t, shortened(taskInput("Reader")))[0])
	creates := input()
	creates.Recipients, creates.Creates = []string{"BlueLake"}, map[string][]string{"BlueLake": {"integrated_memo", "paper_note"}}
	golden("creates", compose(t, creates)[0])
	later := input()
	later.Round, later.Recipients = 2, []string{"BlueLake"}
	later.Views = map[string]string{"BlueLake": "# Brenner Protocol Artifact: RS-20251230-cell-fate\n\n## 2. Hypothesis Slate\n\n### H1: Ancestry\n"}
	golden("round_2", compose(t, later)[0])
}

func TestMessageFields(t *testing.T) {
	in := input()
	in.Recipients = []string{"GreenValley", "BlueLake"} // rule 4: a subset of the roster is allowed
	messages := compose(t, in)
	if len(messages) != 2 {
		t.Fatalf("%d messages", len(messages))
	}
	m := messages[0]
	tmpl, _ := prompts.For("adversarial_critic", prompts.Latest)
	want := Message{
		To: "GreenValley", Role: roster.AdversarialCritic, ThreadID: in.ThreadID, AckRequired: true,
		Subject: "KICKOFF: How does a cell of an early embryo know what to become?", Body: m.Body,
		Template: "adversarial_critic/2", TemplateHash: tmpl.Hash(), Examples: []string{tmpl.Example()},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	if messages[1].To != "BlueLake" || messages[1].Template != "hypothesis_generator/2" {
		t.Errorf("%s %s", messages[1].To, messages[1].Template)
	}
	for _, e := range in.Roster.Entries {
		if !strings.Contains(m.Body, "| "+e.Agent+" | "+string(e.Role)+" |") {
			t.Errorf("the message does not show %s", e.Agent)
		}
	}
}

func TestPartsAreInOrder(t *testing.T) {
	in := input()
	in.Round, in.Views = 3, map[string]string{"BlueLake": "v", "PurpleMountain": "v", "GreenValley": "v"}
	for _, m := range compose(t, in) {
		at := -1
		for _, want := range []string{
			"# KICKOFF: RS-20251230-cell-fate\n", "\n" + templateLabel + m.Template + hashLabel + m.TemplateHash[:16] + ")\n",
			"\n## Session Configuration\n", "\n## Your Role: ", "\n## Research Question\n", "\n## Context\n", "\n## Excerpt\n",
			"\n## Memory\n", "\n> - [pb-0007] Ask for", "\n## Current Artifact\n", "\n## Initial Hypotheses\n", "\n> - H1: Fate",
			"\n> - Fate follows from position,\n>   read from a gradient.\n", "\n## Constraints\n",
			"\n## Requested Outputs\n", "\n## Response Format\n", "\n````markdown\n",
		} {
			i := strings.Index(m.Body, want)
			if i <= at {
				t.Errorf("%s: %q is at %d, want after %d", m.To, want, i, at)
			}
			at = i
		}
	}
}

func TestEmptyPartsAreOmitted(t *testing.T) {
	in := Input{ThreadID: "RS-20251230-ab", Roster: session(), Question: "Why?", Context: " \n\t", Memory: []Bullet{}}
	for _, m := range compose(t, in) {
		for _, not := range []string{headExcerpt, headMemory, headArtifact, headHypotheses, headConstraints} {
			if strings.Contains(m.Body, "\n"+not+"\n") {
				t.Errorf("%s has the part %s", m.To, not)
			}
		}
		if !strings.Contains(m.Body, "\n## Context\n\nNone was given.\n") || !strings.Contains(m.Body, roundLabel+"1\n") {
			t.Error("the missing context is not mentioned, or the round is not 1")
		}
	}
}

func TestSubject(t *testing.T) {
	for _, tt := range []struct {
		name, question string
		round          int
		want           string
	}{
		{"plain", "Why?", 1, "KICKOFF: Why?"},
		{"lines and tabs", "  Why\r\n\tnot?\u2028 Because.", 0, "KICKOFF: Why not? Because."},
		{"a later round", "Why?", 3, "KICKOFF: [round 3] Why?"},
		{"exactly as long as allowed", strings.Repeat("é", 111), 1, "KICKOFF: " + strings.Repeat("é", 111)},
		{"one too many", strings.Repeat("é", 112), 1, "KICKOFF: " + strings.Repeat("é", 110) + "…"},
		{"no space before the mark", strings.Repeat("x", 109) + " yy", 1, "KICKOFF: " + strings.Repeat("x", 109) + "…"},
		{"control characters", "a\x00b\x1b[2J", 1, "KICKOFF: a[U+0000]b[U+001B][2J"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := subject(tt.round, tt.question)
			if got != tt.want || utf8.RuneCountInString(got) > maxSubject {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestComposeRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Input)
		code   fault.Code
		want   string
	}{
		{"a recipient without an entry", func(in *Input) { in.Recipients = []string{"BlueLake", "RedSky"} }, roster.MissingEntry, "Missing roster entry for recipient: RedSky"},
		{"no question", func(in *Input) { in.Question = " \n\u200b\t" }, NoQuestion, "the research question is missing"},
		{"no thread id", func(in *Input) { in.ThreadID = "" }, InvalidThreadID, `not a thread id: ""`},
		{"a path", func(in *Input) { in.ThreadID = "RS-20251230-../x" }, InvalidThreadID, "not a thread id: RS-20251230-../x"},
		{"a trailing newline", func(in *Input) { in.ThreadID = "RS-20251230-ab\n" }, InvalidThreadID, `not a thread id: "RS-20251230-ab\n"`},
		{"empty roster", func(in *Input) { in.Roster.Entries = nil }, roster.EmptyRoster, "Empty roster: at least one entry required"},
		{"no recipients", func(in *Input) { in.Roster = roster.Roster{Mode: roster.Heuristic} }, roster.NoRecipients, "no recipients"},
		{"a wrong role", func(in *Input) { in.Roster.Entries[1].Role = "researcher" }, roster.InvalidRole, "Invalid role for PurpleMountain: researcher"},
		{"duplicate recipient", func(in *Input) { in.Recipients = []string{"BlueLake", "BlueLake"} }, roster.DuplicateAgent, "Duplicate recipient: BlueLake"},
		{"no view", func(in *Input) {
			in.Round, in.Views = 2, map[string]string{"BlueLake": "v", "PurpleMountain": "v"}
		}, NoView, "no view of the artifact for GreenValley"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := input()
			in.Roster.Entries = append([]roster.Entry(nil), in.Roster.Entries...)
			tt.change(&in)
			messages, err := Compose(in)
			if messages != nil || fault.CodeOf(err) != tt.code || err.Error() != tt.want || fault.HintOf(err) == "" {
				t.Errorf("%d messages, %s: %v", len(messages), fault.CodeOf(err), err)
			}
		})
	}
	_, err := Compose(Input{Roster: session()})
	if got := len(fault.All(err)); got != 2 {
		t.Errorf("%d faults, want 2: %v", got, err)
	}
}

func TestThreadIDs(t *testing.T) {
	for _, id := range []string{"RS-20251230-ab", "RS-00000000---", "RS-99999999-" + strings.Repeat("a", 40)} {
		if err := CheckThreadID(id); err != nil {
			t.Error(err)
		}
	}
	for _, id := range []string{
		"RS-20251230-a", "RS-20251230-" + strings.Repeat("a", 41), "RS-2025123-ab", "RS-202512300-ab", "rs-20251230-ab",
		"RS-20251230-Ab", "RS-20251230-a_b", "RS-20251230", "RS-2025123٠-ab", " RS-20251230-ab", "RS-20251230-ab ", "RS-20251230-é",
	} {
		if fault.CodeOf(CheckThreadID(id)) != InvalidThreadID {
			t.Errorf("%q is accepted", id)
		}
	}
}

// In the deprecated heuristic mode, the message shows the guessed roles.
func TestHeuristicRolesAreShown(t *testing.T) {
	in := input()
	in.Roster = roster.Roster{Mode: roster.Heuristic, Entries: []roster.Entry{{Agent: "MyOpus"}}}
	in.Recipients = []string{"CodexOne", "MyOpus"}
	messages := compose(t, in)
	if messages[0].Role != roster.HypothesisGenerator || messages[1].Role != roster.TestDesigner {
		t.Errorf("%s, %s", messages[0].Role, messages[1].Role)
	}
	for _, m := range messages {
		if !strings.Contains(m.Body, "| CodexOne | hypothesis_generator |") {
			t.Error("the guessed role is not shown")
		}
		if r := Audit(m.Body, Expected{}); !r.OK {
			t.Error(r.Findings)
		}
	}
	if len(in.Roster.Entries) != 1 || in.Roster.Entries[0].Role != "" {
		t.Error("the caller's roster was changed")
	}
}

// Even a reader without known examples finds no deltas in an ordinary kickoff.
func TestKickoffHasNoDeltas(t *testing.T) {
	for _, m := range compose(t, input()) {
		for _, b := range delta.Read([]byte(m.Body), delta.Options{}).Blocks {
			if !b.Skipped() {
				t.Errorf("%s, line %d: %v %v", m.To, b.Line, b.Flags, b.Problems)
			}
		}
		bare := delta.Read([]byte(m.Examples[0]), delta.Options{Examples: m.Examples})
		if len(bare.Blocks) < 4 {
			t.Errorf("%s: %d blocks", m.To, len(bare.Blocks))
		}
		for _, b := range bare.Blocks {
			if !b.Skipped() || !b.Flagged(delta.FlagExample) {
				t.Errorf("%s, line %d of the example is read as a delta: %v", m.To, b.Line, b.Flags)
			}
		}
	}
}

// Agents are told of anchor patches only with the hashes of their texts.
func TestAnchorPatchesAreOffered(t *testing.T) {
	in := input()
	in.Project = map[string]string{"BlueLake": "The records."}
	in.Patchable = map[string][]string{"BlueLake": {"memo@v3", "note@v1"}}
	hash := strings.Repeat("0a", 32)
	for _, hashes := range [][]string{nil, {hash, hash}} {
		in.Hashes = map[string][]string{"BlueLake": hashes}
		for _, m := range compose(t, in) {
			offered := strings.Contains(m.Body, "protocol_id is anchor_diff_v2.1, its target has the path") && strings.Contains(m.Body, "memo@v3 "+hash+", note@v1 "+hash+".")
			if want := m.To == "BlueLake" && hashes != nil; offered != want {
				t.Errorf("message to %s with hashes %v offers patches: %v, want %v", m.To, hashes, offered, want)
			}
		}
	}
}

// Only agents that may change texts of the project are shown which, and how.
func TestPatchableTexts(t *testing.T) {
	in := input()
	in.Project = map[string]string{"BlueLake": "- memo@v3: what is known", "GreenValley": "- memo@v3: what is known"}
	in.Patchable = map[string][]string{"BlueLake": {"memo@v3", "note@v1"}, "PurpleMountain": {"memo@v3"}}
	for _, m := range compose(t, in) {
		const instruction = "> - memo@v3: what is known\n\nYou may change these texts: memo@v3, note@v1. A change is a block like this one"
		if got, want := strings.Contains(m.Body, instruction), m.To == "BlueLake"; got != want {
			t.Errorf("%s: %t\n%s", m.To, got, m.Body)
		}
		if m.To == "PurpleMountain" && strings.Contains(m.Body, "memo@v3") {
			t.Error("a text is named to an agent that was not shown it")
		}
		if r := Audit(m.Body, Expected{}); !r.OK {
			t.Errorf("%s: %+v", m.To, r.Findings)
		}
	}
}
