package govern_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/govern"
	"brenner/govern/finding"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/store/record"
)

// killedStore is the store of a process that is killed before it puts the result of a reply.
type killedStore struct {
	store.Store
	killed bool
}

var errKilled = errors.New("killed")

func (s *killedStore) Write(ctx context.Context, b store.Batch) error {
	if s.killed && len(b.Records) > 0 {
		return errKilled
	}
	return s.Store.Write(ctx, b)
}

// killingAgent replies, and the process that asked is killed then.
type killingAgent struct {
	scripted
	kills *killedStore
}

func (f *killingAgent) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	f.kills.killed = true
	return f.scripted.Ask(ctx, c)
}

// A reply that was journaled, but not used when the process was killed, is used by the next
// process with the same question.
func TestUnusedReplyIsReusedAfterKill(t *testing.T) {
	for name, c := range map[string]struct {
		reply   string
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
				put, err := d.Summarise(k.ctx(), sydney, id, h)
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
				put, err := d.Consolidate(k.ctx(), sydney, module, h)
				return put.Record.Ref(), err
			},
		},
		"review": {
			"```finding\nrecords: note@v1\nwrong: What it says.\n```",
			func(k *kit) string {
				k.put(draft("note", record.PaperNote, "It is so."))
				return finding.Duplicates
			},
			func(k *kit, d *govern.Records, h *govern.Helper, name string) (record.Ref, error) {
				res, err := runChecks(k.ctx(), d, h, name)
				if err != nil {
					return record.Ref{}, err
				}
				k.equal("findings", len(res.Findings), 1)
				review := k.record(res.Review)
				return review.Ref(), nil
			},
		},
		"ruling": {
			validVerdict,
			func(k *kit) string { return k.stuck().ID },
			func(k *kit, d *govern.Records, h *govern.Helper, id string) (record.Ref, error) {
				s, err := d.Arbitrate(k.ctx(), sydney, h, "note", id)
				if err != nil {
					return record.Ref{}, err
				}
				k.equal("state", s.State, stalemate.Ruled)
				return record.Ref{ID: "verdict-" + id, Version: 1}, nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(k *kit) {
				of := c.prepare(k)
				st := &killedStore{Store: k.Store}
				ada := &killingAgent{scripted{text: c.reply}, st}
				h := &govern.Helper{Agent: ada, Name: "Ada", Model: "Opus 4.5"}
				if _, err := c.do(k, k.withStore(st), h, of); !errors.Is(err, errKilled) {
					k.Fatal(err)
				}
				ref, err := c.do(k, k.Records, h, of)
				if err != nil {
					k.Fatal(err)
				}
				k.equal("asked", len(ada.calls), 1)
				calls, err := k.Calls(k.ctx())
				if err != nil || len(calls) != 1 {
					k.Fatal(err, calls)
				}
				k.equal("produced", calls[0].Produced, []string{ref.String()})
				if text := k.content(ref.String()) + k.record(ref.String()).Summary; name != "ruling" && !strings.Contains(text, "What it says.") && !strings.Contains(text, c.reply) {
					k.Error(text)
				}
			})
		})
	}
}

// A reply to another question, or by another agent, is not used.
func TestReplyIsNotReusedForAnotherJob(t *testing.T) {
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
				st := &killedStore{Store: k.Store}
				ada := &killingAgent{scripted{text: "The memo."}, st}
				h := &govern.Helper{Agent: ada, Name: "Ada", Model: "Opus 4.5"}
				if _, err := k.withStore(st).Consolidate(k.ctx(), sydney, "fate", h); !errors.Is(err, errKilled) {
					k.Fatal(err)
				}
				change(k, h)
				if _, err := k.Consolidate(k.ctx(), sydney, "fate", h); err != nil {
					k.Fatal(err)
				}
				k.equal("asked", len(ada.calls), 2)
			})
		})
	}
}

// An unusable reply counts as used, so the agent is asked again.
func TestUnusableReplyIsNotReused(t *testing.T) {
	both(t, func(k *kit) {
		d := draft("note", record.PaperNote, "It is so.")
		k.put(d)
		d.Content, d.Summary, d.KeepSummary = []byte("It is otherwise."), "", true
		k.put(d)
		h, ada := helper(strings.Repeat("It is long. ", 100))
		_, err := k.Summarise(k.ctx(), sydney, "note", h)
		k.wantFault(err, record.BadSummary)
		ada.text = "\n"
		_, err = k.Summarise(k.ctx(), sydney, "note", h)
		k.wantFault(err, agent.Empty)
		ada.text = "What it says."
		if _, err := k.Summarise(k.ctx(), sydney, "note", h); err != nil {
			k.Fatal(err)
		}
		k.equal("asked", len(ada.calls), 3)
		// The same holds for an invalid verdict.
		id := k.stuckOn("other").ID
		refusing := &judge{answers: []string{"No.", "No.", validVerdict}}
		_, err = k.Arbitrate(k.ctx(), sydney, &govern.Helper{Agent: refusing, Name: "Judge"}, "other", id)
		k.wantFault(err, stalemate.NoVerdict)
		if _, err = k.Arbitrate(k.ctx(), sydney, &govern.Helper{Agent: refusing, Name: "Judge"}, "other", id); err != nil {
			k.Error(err)
		}
		k.equal("asked", len(refusing.asked), 3)
	})
}
