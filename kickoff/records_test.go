package kickoff

import (
	"slices"
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/merge/settle"
	"brenner/prompts"
	"brenner/roster"
)

// taskInput returns the input of a task for an agent.
func taskInput(agent string) Input {
	return Input{
		ThreadID: "RS-20251230-cell-fate", Round: 1,
		Roster:   roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{{Agent: agent, Role: "reader", Model: "GPT-5.2"}}},
		Question: "Read lewis-2024 and say what it claims, for the section on cell fate.",
		Task:     &Task{Address: "read-lewis@v1", Role: "reader", Creates: []string{"paper_note"}},
		Project:  map[string]string{agent: "### lewis-2024@v1: source\n\nCells count their divisions.\n"},
	}
}

func TestTaskMessages(t *testing.T) {
	for _, in := range []Input{taskInput("Reader"), shortened(taskInput("Reader"))} {
		m := compose(t, in)[0]
		if !prompts.IsTask(m.Template) || strings.Contains(m.Body, "hypothes") || strings.Contains(m.Body, headContext) {
			t.Errorf("%s: the message of a task is about a session:\n%s", m.Template, m.Body)
		}
		if got := QuestionOf(m.Body); got != in.Question {
			t.Errorf("QuestionOf: got %q, want %q", got, in.Question)
		}
		found := make(map[string]string)
		for _, p := range Parts(m.Body) {
			found[p.Name] += p.Text
		}
		if !strings.Contains(found[PartQuestion], "read-lewis@v1") || !strings.Contains(found[PartRecords], "Cells count") || len(found) != 3 {
			t.Errorf("parts: %v", found)
		}
		if got := CreatesIn(m.Body); !slices.Equal(got, []string{"paper_note"}) {
			t.Errorf("CreatesIn: got %q", got)
		}
		r := Audit(m.Body, Expected{Roster: &in.Roster})
		if !r.OK || r.TemplateRole() != prompts.TaskName {
			t.Errorf("audit: %+v", r.Findings)
		}
		for name, changed := range map[string]string{
			"the prompt":  strings.Replace(m.Body, "nothing else", "more", 1),
			"the example": strings.Replace(m.Body, "note-count-1931\"", "note\"", 1),
			"the heading": strings.Replace(m.Body, headTask+"\n", headQuestion+"\n", 1),
		} {
			if r := Audit(changed, Expected{}); r.OK {
				t.Errorf("audit does not notice that %s was changed", name)
			}
		}
	}
}

// The example of a record is read without a change, and not executed if an agent repeats it.
func TestRecordExamples(t *testing.T) {
	in := input()
	in.Creates = map[string][]string{"BlueLake": {"integrated_memo"}}
	messages := append(compose(t, in), compose(t, taskInput("Reader"))...)
	messages = append(messages, compose(t, shortened(taskInput("Reader")))...)
	seen := 0
	for _, m := range messages {
		for _, example := range m.Examples {
			for _, b := range delta.Read([]byte(example), delta.Options{Strict: true, Records: delta.WithRecords}).Blocks {
				d := b.Record()
				if d == nil {
					continue
				}
				if seen++; !b.OK || len(b.Flags) > 0 || d.ID == "" || d.Type == "" || d.Summary == "" || d.Content == "" || len(d.Links) != 1 {
					t.Errorf("%s: %+v %v %v", m.To, d, b.Problems, b.Flags)
				}
			}
			known := delta.ReadExamples(m.Examples, "")
			again := strings.Replace(example, "note-count-1931", "mine", 1)
			for _, text := range []string{example, again} {
				for _, b := range delta.Read([]byte(text), delta.Options{Known: known, Records: delta.WithRecords}).Blocks {
					if b.OK {
						t.Errorf("%s: executed: %+v", m.To, b.Delta.Payload)
					}
				}
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d examples of records, want 3", seen)
	}
}

func TestCreatesWithoutRecords(t *testing.T) {
	in := input()
	in.Creates = map[string][]string{"BlueLake": {"integrated_memo", "paper_note"}}
	messages := compose(t, in)
	if got := CreatesIn(messages[0].Body); !slices.Equal(got, in.Creates["BlueLake"]) || CreatesIn(messages[1].Body) != nil {
		t.Errorf("CreatesIn: got %q", got)
	}
	if body := messages[0].Body; !strings.Contains(body, headProject+"\n\nYou may also create records") || !strings.Contains(body, "`integrated_memo`") {
		t.Errorf("the message does not say what may be created:\n%s", body)
	}
	if strings.Contains(messages[1].Body, delta.RecordSection) {
		t.Error("an agent that may create nothing is told of records")
	}
	in.Structured = map[string]string{"BlueLake": "schema"}
	if body := compose(t, in)[0].Body; !strings.HasSuffix(body, "Records go into the list `records`. The `content` of a record is a list of paragraphs then.\n") {
		t.Errorf("got %s", body[len(body)-400:])
	}
}

func TestCorrectionsOfRecords(t *testing.T) {
	defects := []settle.Defect{{Block: 1, Line: 3, Operation: delta.Add, Section: delta.RecordSection, Target: "note-lewis", Code: "X", Message: "the type is unknown"}}
	for name, r := range map[string]Request{"session": Correct("RS-1", 0, defects), "task": CorrectTask("RS-1", 0, defects)} {
		if !strings.Contains(r.Tail, "with the id of the record that it corrects") {
			t.Errorf("%s: %s", name, r.Tail)
		}
		want := "- block 1, line 3 (ADD project_records note-lewis): the type is unknown (X)\n  What to do: correct it and send the record again, whole, or leave it out\n"
		if !slices.Equal(r.Problems, []string{want}) {
			t.Errorf("%s: got %q, want %q", name, r.Problems, want)
		}
	}
	defects[0].Section = "hypothesis_slate"
	if r := Correct("RS-1", 0, defects); strings.Contains(r.Tail, "record") {
		t.Errorf("a session without records is told of them: %s", r.Tail)
	}
}
