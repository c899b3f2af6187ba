package prompts_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact/delta"
	"brenner/prompts"
	"brenner/store/record"
)

// Whatever the schema of a task allows is read as records, whose links lead to what was shown.
func TestLawRecordsOfAnswersAreRead(t *testing.T) {
	for _, task := range []bool{true, false} {
		rapid.Check(t, func(t *rapid.T) {
			shown := prompts.Shown{
				Agent: "Reader", Task: task, Brief: rapid.Bool().Draw(t, "brief"), MaxReply: rapid.SampledFrom([]int{0, 600, 4000, 20_000}).Draw(t, "tokens"),
				Creates: []string{"paper_note", "review"}, Records: []string{"lewis-2024@v1", "count@v3"},
			}
			rights := prompts.Rights{Unified: true}
			schema := rights.Answer(shown)
			reply := sample(t, parsed(t, schema)).(map[string]any)
			validate(t, schema, reply)
			use, key := delta.WithRecords, "records"
			if task {
				use, key = delta.OnlyRecords, "deltas"
			}
			list := reply[key].([]any)
			text, err := json.Marshal(map[string]any{"prose": "x", key: withoutNulls(list)})
			if err != nil {
				t.Fatal(err)
			}
			read := delta.Read(text, delta.Options{Records: use})
			if len(read.Blocks) != len(list) {
				t.Fatalf("%d blocks of %d records\n%s", len(read.Blocks), len(list), text)
			}
			for i := range read.Blocks {
				b := &read.Blocks[i]
				d := b.Record()
				if d == nil || !b.OK {
					t.Fatalf("not taken: %v\n%s", b.Problems, text)
				}
				for _, l := range d.Links {
					relation, address, _ := strings.Cut(l, "=")
					if !record.IsRelation(relation) || !slices.Contains(shown.Records, address) {
						t.Fatalf("the link %q", l)
					}
				}
			}
		})
	}
}

// The schema of a session in which an agent may create nothing has no records.
func TestNoRecordsInOtherAnswers(t *testing.T) {
	rights := prompts.Rights{Unified: true}
	if schema := string(rights.Answer(prompts.Shown{Agent: "A", Records: []string{"a@v1"}})); strings.Contains(schema, delta.RecordSection) {
		t.Errorf("got %s", schema)
	}
	if schema := rights.Answer(prompts.Shown{Agent: "A", Task: true}); schema != nil {
		t.Errorf("a task that may create nothing: got %s", schema)
	}
}

// The template of tasks names every relation and field, and shows no delta when it is read as a reply.
func TestTaskTemplates(t *testing.T) {
	rights := prompts.Rights{Creates: []string{"paper_note", "review"}}
	for _, tmpl := range []prompts.Template{prompts.Task(), prompts.Task().Shortened()} {
		outputs, format := tmpl.Outputs(1, rights), tmpl.Format(rights)
		for _, want := range []string{"`id`", "`type`", "`summary`", "`content`", "`links`", "`NO CHANGES: reason`", "`cites`", "`derives_from`", "`summarises`", "`refutes`", "`replies_to`", "`paper_note`, `review`", tmpl.Example()} {
			if !strings.Contains(format, want) {
				t.Errorf("%s: the format lacks %s", tmpl.ID(), want)
			}
		}
		for _, text := range []string{tmpl.Prompt(), outputs, format} {
			if len(text) < 200 || strings.Contains(text, "<!--") || strings.Contains(text, "{{") || strings.Contains(text, "\n\n\n") || strings.Contains(text, " \n") {
				t.Errorf("%s: an incomplete or untidy part:\n%s", tmpl.ID(), text)
			}
			for _, b := range delta.Read([]byte(text), delta.Options{Records: delta.WithRecords}).Blocks {
				if !b.Skipped() {
					t.Errorf("%s: line %d is read as a delta: %v", tmpl.ID(), b.Line, b.Problems)
				}
			}
		}
		if !prompts.IsTask(tmpl.ID()) || prompts.IsShort(tmpl.ID()) != (tmpl.Name != prompts.TaskName) {
			t.Errorf("%s is not known as a template of tasks", tmpl.ID())
		}
	}
}
