package govern_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/govern"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/store/record"
)

// dying is a store of a process that is killed before it puts what an agent answered.
type dying struct {
	store.Store
	killed bool
}

var errKilled = errors.New("killed")

func (s *dying) Write(ctx context.Context, b store.Batch) error {
	if s.killed && len(b.Records) > 0 {
		return errKilled
	}
	return s.Store.Write(ctx, b)
}

// fatal answers, and whoever asked is killed then.
type fatal struct {
	scripted
	kills *dying
}

func (f *fatal) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	f.kills.killed = true
	return f.scripted.Ask(ctx, c)
}

// Nobody is asked twice for what was answered: an answer that was journaled, and not yet
// put when the process was killed, is taken up by the next one that has the same to ask.
func TestAJobIsNotAskedForTwice(t *testing.T) {
	for name, c := range map[string]struct {
		answer  string
		prepare func(k *kit) string
		do      func(k *kit, d *govern.Records, h *govern.Helper, id string) (record.Ref, error)
	}{
		"summary": {
			"What it says.",
			func(k *kit) string {
				d := draft("note", record.PaperNote, "It is so.")
				k.put(d)
				d.Content, d.Summary, d.KeepSummary = []byte("It is otherwise."), "", true
				k.put(d)
				return "note"
			},
			func(k *kit, d *govern.Records, h *govern.Helper, id string) (record.Ref, error) {
				put, err := d.Summarise(k.Context1(), sydney, id, h)
				return put.Record.Ref(), err
			},
		},
		"memo": {
			"The memo.",
			func(k *kit) string {
				k.put(draft("note", record.PaperNote, "It is so."))
				return "fate"
			},
			func(k *kit, d *govern.Records, h *govern.Helper, module string) (record.Ref, error) {
				put, err := d.Consolidate(k.Context1(), sydney, module, h)
				return put.Record.Ref(), err
			},
		},
		"review": {
			"Nothing found.",
			func(k *kit) string {
				k.put(draft("note", record.PaperNote, "It is so."))
				return "contradictions"
			},
			func(k *kit, d *govern.Records, h *govern.Helper, name string) (record.Ref, error) {
				put, err := d.Review(k.Context1(), sydney, name, []govern.Finding{{Check: name, Ref: record.Ref{ID: "note", Version: 1}, Detail: "it stands alone"}}, h)
				if err != nil {
					return record.Ref{}, err
				}
				return put.Record.Ref(), nil
			},
		},
		"ruling": {
			ruled,
			func(k *kit) string { return k.stuck().ID },
			func(k *kit, d *govern.Records, h *govern.Helper, id string) (record.Ref, error) {
				s, err := d.Arbitrate(k.Context1(), sydney, h, "note", id)
				if err != nil {
					return record.Ref{}, err
				}
				k.is("state", s.State, stalemate.Ruled)
				return record.Ref{ID: "verdict-" + id, Version: 1}, nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(k *kit) {
				of := c.prepare(k)
				st := &dying{Store: k.Store}
				ada := &fatal{scripted{text: c.answer}, st}
				h := &govern.Helper{Agent: ada, Name: "Ada", Model: "Opus 4.5"}
				if _, err := c.do(k, k.through(st), h, of); !errors.Is(err, errKilled) {
					k.Fatal(err)
				}
				ref, err := c.do(k, k.Records, h, of)
				if err != nil {
					k.Fatal(err)
				}
				k.is("asked", len(ada.calls), 1)
				calls, err := k.Calls(k.Context1())
				if err != nil || len(calls) != 1 {
					k.Fatal(err, calls)
				}
				k.is("produced", calls[0].Produced, []string{ref.String()})
				if text := k.content(ref.String()) + k.record(ref.String()).Summary; name != "ruling" && !strings.Contains(text, c.answer) {
					k.Error(text)
				}
			})
		})
	}
}

// What was answered to another question, or by somebody else, is no answer to this one.
func TestAnotherJobIsAsked(t *testing.T) {
	for name, change := range map[string]func(k *kit, h *govern.Helper){
		"another model": func(_ *kit, h *govern.Helper) { h.Model = "GPT" },
		"another agent": func(_ *kit, h *govern.Helper) { h.Name = "Bob" },
		"another input": func(k *kit, _ *govern.Helper) { k.put(draft("more", record.PaperNote, "It is so, too.")) },
		"another text":  func(k *kit, _ *govern.Helper) { k.put(draft("note", "", "It is otherwise.")) },
		"another prompt": func(k *kit, _ *govern.Helper) {
			k.put(draft("brief", record.ProjectBrief, "The question."))
			k.promote("brief")
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(k *kit) {
				k.put(draft("note", record.PaperNote, "It is so."))
				st := &dying{Store: k.Store}
				ada := &fatal{scripted{text: "The memo."}, st}
				h := &govern.Helper{Agent: ada, Name: "Ada", Model: "Opus 4.5"}
				if _, err := k.through(st).Consolidate(k.Context1(), sydney, "fate", h); !errors.Is(err, errKilled) {
					k.Fatal(err)
				}
				change(k, h)
				if _, err := k.Consolidate(k.Context1(), sydney, "fate", h); err != nil {
					k.Fatal(err)
				}
				k.is("asked", len(ada.calls), 2)
			})
		})
	}
}

// An answer of which nothing can be made was read: it stands in nobody's way.
func TestAnAnswerThatIsOfNoUseIsNotTakenUp(t *testing.T) {
	both(t, func(k *kit) {
		d := draft("note", record.PaperNote, "It is so.")
		k.put(d)
		d.Content, d.Summary, d.KeepSummary = []byte("It is otherwise."), "", true
		k.put(d)
		h, ada := helper(strings.Repeat("It says much. ", 100))
		_, err := k.Summarise(k.Context1(), sydney, "note", h)
		k.wantFault(err, record.BadSummary)
		ada.text = "\n"
		_, err = k.Summarise(k.Context1(), sydney, "note", h)
		k.wantFault(err, agent.Empty)
		ada.text = "What it says."
		if _, err := k.Summarise(k.Context1(), sydney, "note", h); err != nil {
			k.Fatal(err)
		}
		k.is("asked", len(ada.calls), 3)
		// Nor is one that is no verdict.
		id := k.stuckOn("other").ID
		no := &judge{answers: []string{"No.", "No.", ruled}}
		_, err = k.Arbitrate(k.Context1(), sydney, &govern.Helper{Agent: no, Name: "Judge"}, "other", id)
		k.wantFault(err, stalemate.NoVerdict)
		if _, err = k.Arbitrate(k.Context1(), sydney, &govern.Helper{Agent: no, Name: "Judge"}, "other", id); err != nil {
			k.Error(err)
		}
		k.is("asked", len(no.asked), 3)
	})
}
