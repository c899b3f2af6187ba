package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner/cmd/brenner/cli/ui"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/sqlite"
)

// forgedOpening is a store in which the opening entry of a loop was forged.
type forgedOpening struct {
	store.Store
	old, by string
}

func (o *forgedOpening) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	entries, err := o.Store.Entries(ctx, stream, 0)
	if err != nil || !strings.HasPrefix(stream, loop.Prefix) {
		return entries[min(after, len(entries)):], err
	}
	head := journal.Head{}
	for i := range entries {
		body := entries[i].Body
		if i == 0 {
			body = bytes.Replace(body, []byte(o.old), []byte(o.by), 1)
		}
		if entries[i], err = head.Next(stream, entries[i].At, entries[i].Kind, body); err != nil {
			return nil, err
		}
		head = entries[i].Head()
	}
	return entries[after:], nil
}

// ProveAll compares the sessions of a loop with its opening entry.
func TestVerifyLoopsComparesSessions(t *testing.T) {
	dir := t.TempDir()
	plan := filepath.Join(dir, "night.yaml")
	for file, text := range map[string]string{
		plan: `schema: brenner.loop.plan/v1
via: rehearsal
script: sky.yaml
questions: [{id: sky, question: "Why is the sky dark at night?", context: Stars are many.}]
rosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator, model: Some Model}]}]
session: {rounds: 1}
`,
		filepath.Join(dir, "sky.yaml"): "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - role: hypothesis_generator\n    rounds: [{reply: Nothing.}]\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var say bytes.Buffer
	if code := Run(t.Context(), []string{"loop", "run", plan, "-C", dir}, ui.Streams{In: strings.NewReader(""), Out: &say, Err: &say, Now: time.Now}); code != 0 {
		t.Fatalf("exit %d: %s", code, say.String())
	}
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, ".brenner"), sqlite.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, c := range []struct{ old, by, says string }{
		{"Stars", "Stars", ""},
		{"Why is the sky dark at night?", "Why is the sky blue by day?", "another question"},
		{"Stars are many.", "Stars are few.", "another brief"},
		{"BlueLake", "RedSky", "other agents"},
		{"hypothesis_generator", "adversarial_critic", "other agents"},
		{"Some Model", "Any Model", "another model for BlueLake"},
		{`"via":"rehearsal"`, `"via":"openai"`, "another model for BlueLake"},
		{`"script":"`, `"script":"0`, "another script"},
		{`"flow":"parallel"`, `"flow":"staged"`, "other settings"},
	} {
		loops, err := runner.ProveAll(t.Context(), &forgedOpening{st, c.old, c.by})
		if err != nil || len(loops) != 1 {
			t.Fatal(loops, err)
		}
		found := loops[0].Faults.Details()
		if c.says == "" && len(found) == 0 {
			continue
		}
		if len(found) != 1 || c.says == "" || !strings.Contains(found[0].Message, c.says) {
			t.Errorf("%s replaced by %s: %v", c.old, c.by, found)
		}
	}
}
