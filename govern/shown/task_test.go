package shown_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/agent"
	"brenner/govern"
	"brenner/govern/graph"
	"brenner/govern/policy"
	"brenner/govern/shown"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/opentest"
	"brenner/store/record"
)

const (
	thread = "RS-20261115-read-lewis"
	task   = "Write notes about lewis."
)

func clock() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }

type counter struct{}

func (counter) Count(text string) int { return len(text) / 4 }

// reply has two records, of which one links to the other, one that the role may not write, and a promotion.
const reply = "```delta\n" + `{"operation":"ADD","section":"project_records","payload":{"id":"first","type":"paper_note","summary":"One.","content":"One.","links":["cites=lewis@v1"]},"rationale":"r"}` +
	"\n```\n\n```delta\n" + `{"operation":"ADD","section":"project_records","payload":{"id":"second","type":"paper_note","summary":"Two.","content":"Two.","links":["derives_from=first"]},"rationale":"r"}` +
	"\n```\n\n```delta\n" + `{"operation":"ADD","section":"project_records","payload":{"id":"third","type":"paper_note","summary":"Three.","content":"Three.","links":["cites=nowhere"]},"rationale":"r"}` +
	"\n```\n\n```delta\n" + `{"operation":"PROMOTE","section":"project_records","target_id":"lewis","payload":{"id":"lewis"},"rationale":"r"}` + "\n```\n"

type agentFunc func(context.Context, agent.Call) (agent.Reply, error)

func (f agentFunc) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) { return f(ctx, c) }

var errDead = errors.New("the process is dead")

// dyingStore fails from one of its writes on, before or after its effect.
type dyingStore struct {
	opentest.Store
	at, writes int
	after      bool
}

func (d *dyingStore) Write(ctx context.Context, b store.Batch) error {
	d.writes++
	switch {
	case d.at == 0 || d.writes < d.at:
		return d.Store.Write(ctx, b)
	case d.writes == d.at && d.after:
		if err := d.Store.Write(ctx, b); err != nil {
			return err
		}
	}
	return errDead
}

// kit is a project with a task.
type kit struct {
	*testing.T
	st    opentest.Store
	asked []string
}

func newKit(t *testing.T) *kit {
	t.Helper()
	k := &kit{T: t, st: opentest.New(t)}
	rs, who := records(k.st), govern.Actor{Name: "operator"}
	if _, err := rs.Put(t.Context(), who, govern.Draft{ID: "lewis", Type: record.PaperNote, Module: "fate", Content: []byte("Cells wait."), Summary: "Lewis."}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := rs.Pin(t.Context(), who, govern.TaskDraft{ID: "read-lewis", Task: task, Role: policy.Reader, Inputs: []string{"lewis"}}); err != nil {
		t.Fatal(err)
	}
	return k
}

func records(st store.Store) *govern.Records {
	return &govern.Records{
		Source: graph.Source{Store: st}, Types: record.BuiltInTypes(), Access: policy.DefaultAccess(), Now: clock, Count: counter{}.Count,
		Rules: govern.Rules{Authorities: []string{"operator"}},
	}
}

func (k *kit) runner(st store.Store) *session.Runner {
	return &session.Runner{
		Store: st, Locks: k.st, Now: clock, Tokens: counter{}, Project: &shown.Records{Records: records(st)},
		Agent: func(flow.Party) (agent.Agent, error) {
			return agentFunc(func(_ context.Context, c agent.Call) (agent.Reply, error) {
				k.asked = append(k.asked, c.ID)
				return agent.Reply{Text: reply, Usage: agent.Usage{Input: 10, Output: 10}}, nil
			}), nil
		},
	}
}

func brief() session.Brief {
	return session.Brief{
		Thread: thread, Operator: "operator", Program: "brenner test", Question: task, Module: "fate",
		Roster:   roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{{Agent: "Reader", Role: policy.Reader}}},
		Agents:   []flow.Party{{Name: "Reader", Role: policy.Reader, Via: flow.ViaProgram}},
		Views:    map[string]view.Spec{"Reader": view.Default(view.Unified)},
		Rules:    merge.Rules{Unified: true, Scopes: merge.DefaultScopes()},
		Settings: flow.Settings{Rounds: 1, Flow: flow.FlowParallel, Quorum: flow.QuorumAll, Repair: true, Reply: 100},
		Task:     &session.Task{Address: "read-lewis@v1", Role: policy.Reader, Text: task},
	}
}

// outcome returns what the run of the task left in the store.
func (k *kit) outcome() string {
	k.Helper()
	var b strings.Builder
	h, err := session.Load(k.Context(), k.st, thread)
	if err != nil {
		k.Fatal(err)
	}
	for _, p := range h.State.Patches {
		for _, c := range p.Changes {
			fmt.Fprintf(&b, "%s %s %s %s %s\n", c.Kind, c.Record, c.Made, c.Status, c.Code)
		}
	}
	fmt.Fprintf(&b, "ended %s, %s\n", h.State.Ended, h.State.Verdict())
	for _, id := range []string{"first", "second", "third", "lewis"} {
		all, err := k.st.Records(k.Context(), store.Query{ID: id})
		if err != nil {
			k.Fatal(err)
		}
		for i := range all {
			fmt.Fprintf(&b, "%s %s %s %v\n", all[i].Ref(), all[i].Creator, all[i].Status, all[i].Links)
		}
	}
	refused, err := records(k.st).Refusals(k.Context(), 0)
	if err != nil {
		k.Fatal(err)
	}
	fmt.Fprintf(&b, "%d refused\n", refused.All)
	if p, err := session.Verify(k.Context(), k.st, thread, ""); err != nil || len(p.Faults) > 0 {
		k.Errorf("the session does not verify: %v, %v", err, p)
	}
	return b.String()
}

// A run of a task that is killed before or after any of its writes ends like one that is not: the same records,
// none twice, the same refusals, and no answered call is made again.
func TestKilledTasksEndTheSame(t *testing.T) {
	whole := newKit(t)
	st := &dyingStore{Store: whole.st}
	if _, err := whole.runner(st).Start(t.Context(), brief()); err != nil {
		t.Fatal(err)
	}
	want := whole.outcome()
	for _, line := range []string{"record first first@v1 draft \n", "record second second@v1 draft \n", "record third   OUT_OF_SCOPE\n", "record lewis   OUT_OF_SCOPE\n", "ended rounds, complete\n", "2 refused\n"} {
		if !strings.Contains(want, line) {
			t.Fatalf("want %q in\n%s", line, want)
		}
	}
	for at := 1; at <= st.writes; at++ {
		for _, after := range []bool{false, true} {
			k := newKit(t)
			_, err := k.runner(&dyingStore{Store: k.st, at: at, after: after}).Start(t.Context(), brief())
			if err == nil {
				t.Fatalf("write %d: the run survived", at)
			}
			k.finish()
			if got := k.outcome(); got != want {
				t.Errorf("killed at write %d (after it: %v):\n%s\nwant\n%s", at, after, got, want)
			}
		}
	}
}

// finish resumes the run on a store that works, or starts it if nothing of it is stored.
func (k *kit) finish() {
	k.Helper()
	var answered []string
	h, err := session.Load(k.Context(), k.st, thread)
	if err == nil {
		for _, c := range h.State.Calls() {
			if c.Status == flow.Replied {
				answered = append(answered, c.ID)
			}
		}
	}
	k.asked = nil
	if err != nil {
		_, err = k.runner(k.st).Start(k.Context(), brief())
	} else if h.State.Ended == "" {
		_, err = k.runner(k.st).Resume(k.Context(), thread, nil)
	}
	if err != nil {
		k.Fatal(err)
	}
	for _, id := range k.asked {
		if slices.Contains(answered, id) {
			k.Errorf("%s was answered, and asked again", id)
		}
	}
}
