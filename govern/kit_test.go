package govern_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/agent"
	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/record"
	"brenner/store/sqlite"
)

// The people and agents of the tests.
var (
	sydney   = govern.Actor{Name: "Sydney"} // a person who may decide
	guest    = govern.Actor{Name: "Guest"}  // one who may not
	designer = govern.Actor{Name: "BlueLake", Role: "test_designer"}
	reader   = govern.Actor{Name: "GreenValley", Role: policy.Reader}
	writer   = govern.Actor{Name: "RedSky", Role: policy.Writer}
)

// storeAll asks for all records.
var storeAll = store.HeadQuery{}

// kit is a project with its door.
type kit struct {
	*testing.T
	*govern.Records
	clock *clock
}

// clock goes on by a minute whenever it is asked.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Minute)
	return c.now
}

func (c *clock) skip(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newKit(t *testing.T, st store.Store) *kit {
	c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	return &kit{T: t, clock: c, Records: &govern.Records{
		Store: st, Types: record.BuiltInTypes(), Access: policy.DefaultAccess(), Now: c.Now,
		Rules: govern.Rules{Compression: 10, Unused: 30 * 24 * time.Hour, Authorities: []string{"Sydney"}},
	}}
}

// through is the same door to another store, or the same one seen otherwise.
func (k *kit) through(st store.Store) *govern.Records {
	return &govern.Records{Store: st, Types: k.Types, Access: k.Access, Views: k.Views, Rules: k.Rules, Now: k.Now}
}

// both runs a test on the real store and on the one in memory.
func both(t *testing.T, test func(k *kit)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		st, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := st.Verify(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
			_ = st.Close()
		})
		k := newKit(t, st)
		test(k)
		k.proven()
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		k := newKit(t, memory.New())
		test(k)
		k.proven()
	})
}

// proven wants every record and every mark to be in the journal.
func (k *kit) proven() {
	k.Helper()
	p, err := k.Verify(k.Context1())
	if err != nil || len(p.Faults) > 0 {
		k.Errorf("not proven: %v, %v", err, p)
	}
}

// Context1 is the test's context; the door has a method of the usual name.
func (k *kit) Context1() context.Context { return k.T.Context() }

func links(words ...string) []govern.Link {
	var out []govern.Link
	for _, w := range words {
		relation, to, _ := strings.Cut(w, "=")
		out = append(out, govern.Link{Relation: relation, To: to})
	}
	return out
}

// draft makes one of a type from a text; its links are "cites=note".
func draft(id, kind, text string, linked ...string) govern.Draft {
	d := govern.Draft{ID: id, Type: kind, Module: "fate", Content: []byte(text), Summary: "summary of " + strings.Join(strings.Fields(text), " "), Change: "because", Links: links(linked...)}
	if kind == record.ProjectBrief || kind == record.ProjectSummary {
		d.Module = ""
	}
	return d
}

func (k *kit) put(d govern.Draft) govern.Put {
	k.Helper()
	out, err := k.Put(k.Context1(), sydney, d)
	if err != nil {
		k.Fatal(err)
	}
	return out[0]
}

func (k *kit) promote(address string) *govern.Promotion {
	k.Helper()
	p, err := k.Promote(k.Context1(), sydney, address, govern.PromoteOptions{Reason: "it holds"})
	if err != nil {
		k.Fatal(err)
	}
	return p
}

func (k *kit) record(address string) record.Record {
	k.Helper()
	r, _, err := k.Find(k.Context1(), address)
	if err != nil {
		k.Fatal(err)
	}
	return r
}

func (k *kit) context(q govern.Request) *govern.AssembledContext {
	k.Helper()
	g, err := k.Context(k.Context1(), q)
	if err != nil {
		k.Fatal(err)
	}
	return g
}

func (k *kit) status() *govern.Status {
	k.Helper()
	s, err := k.Status(k.Context1())
	if err != nil {
		k.Fatal(err)
	}
	return s
}

// wantFault wants a code, with words and advice.
func (k *kit) wantFault(err error, want fault.Code, says ...string) {
	k.Helper()
	if fault.CodeOf(err) != want {
		k.Fatalf("want %s, got %v", want, err)
	}
	for _, text := range says {
		if !strings.Contains(err.Error()+fault.HintOf(err), text) {
			k.Errorf("%q is not in: %v (%s)", text, err, fault.HintOf(err))
		}
	}
}

func (k *kit) is(what string, got, want any) {
	k.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		k.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func shownIDs(g *govern.AssembledContext) []string {
	var ids []string
	for _, s := range g.Shown {
		ids = append(ids, s.Ref.ID)
	}
	slices.Sort(ids)
	return ids
}

// scripted is an agent with one answer.
type scripted struct {
	text  string
	err   error
	calls []agent.Call
}

func (s *scripted) Ask(_ context.Context, c agent.Call) (agent.Reply, error) {
	s.calls = append(s.calls, c)
	return agent.Reply{Text: s.text, Model: "scripted-1", Attempts: 1, Usage: agent.Usage{Input: 10, Output: 5}}, s.err
}

func helper(text string) (*govern.Helper, *scripted) {
	s := &scripted{text: text}
	return &govern.Helper{Agent: s, Name: "Ada", Model: "Opus 4.5"}, s
}
