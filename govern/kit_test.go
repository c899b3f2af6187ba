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
	"brenner/govern/graph"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/opentest"
	"brenner/store/record"
)

// The people and agents of the tests.
var (
	sydney   = govern.Actor{Name: "Sydney"} // a person with authority
	guest    = govern.Actor{Name: "Guest"}  // a person without authority
	designer = govern.Actor{Name: "BlueLake", Role: "test_designer"}
	reader   = govern.Actor{Name: "GreenValley", Role: policy.Reader}
	writer   = govern.Actor{Name: "RedSky", Role: policy.Writer}
)

// storeAll selects all records.
var storeAll = store.HeadQuery{}

// kit is a test with the records of a project.
type kit struct {
	*testing.T
	*govern.Records
	clock *clock
}

// clock advances by a minute with each call of Now.
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
		Source: graph.Source{Store: st}, Types: record.BuiltInTypes(), Access: policy.DefaultAccess(), Now: c.Now,
		Rules: govern.Rules{Compression: 10, Unused: 30 * 24 * time.Hour, Authorities: []string{"Sydney"}},
	}}
}

// withStore returns the same records with another store.
func (k *kit) withStore(st store.Store) *govern.Records {
	return &govern.Records{Source: graph.Source{Store: st}, Types: k.Types, Access: k.Access, Views: k.Views, Rules: k.Rules, Now: k.Now}
}

// both runs a test on a store of a project and on the one in memory.
func both(t *testing.T, test func(k *kit)) {
	t.Helper()
	t.Run("project", func(t *testing.T) {
		t.Parallel()
		st := opentest.OnDisk(t)
		t.Cleanup(func() {
			if err := st.(store.Prover).Verify(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
		k := newKit(t, st)
		test(k)
		k.wantVerified()
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		k := newKit(t, memory.New())
		test(k)
		k.wantVerified()
	})
}

// wantVerified checks that Verify finds no faults.
func (k *kit) wantVerified() {
	k.Helper()
	p, err := k.Verify(k.ctx())
	if err != nil || len(p.Faults) > 0 {
		k.Errorf("Verify: %v, %v", err, p)
	}
}

// ctx returns the test's context; Context is a method of Records.
func (k *kit) ctx() context.Context { return k.T.Context() }

func links(texts ...string) []govern.Link {
	var out []govern.Link
	for _, w := range texts {
		relation, to, _ := strings.Cut(w, "=")
		out = append(out, govern.Link{Relation: relation, To: to})
	}
	return out
}

// draft returns a draft with a text and links such as "cites=note".
func draft(id, kind, text string, linked ...string) govern.Draft {
	d := govern.Draft{ID: id, Type: kind, Module: "fate", Content: []byte(text), Summary: "summary of " + strings.Join(strings.Fields(text), " "), Change: "because", Links: links(linked...)}
	if kind == record.ProjectBrief || kind == record.ProjectSummary {
		d.Module = ""
	}
	if kind == record.ProjectBrief {
		d.Summary = "" // its goal
	}
	return d
}

func (k *kit) put(d govern.Draft) govern.Put {
	k.Helper()
	out, err := k.Put(k.ctx(), sydney, d)
	if err != nil {
		k.Fatal(err)
	}
	return out[0]
}

func (k *kit) promote(address string) *govern.Promotion {
	k.Helper()
	p, err := k.Promote(k.ctx(), sydney, address, govern.PromoteOptions{Reason: "it holds"})
	if err != nil {
		k.Fatal(err)
	}
	return p
}

// promoteStale promotes a version although it is stale.
func (k *kit) promoteStale(address string) *govern.Promotion {
	k.Helper()
	p, err := k.Promote(k.ctx(), sydney, address, govern.PromoteOptions{Reason: "it holds nevertheless", Stale: true})
	if err != nil {
		k.Fatal(err)
	}
	return p
}

func (k *kit) record(address string) record.Record {
	k.Helper()
	r, _, err := k.Find(k.ctx(), address)
	if err != nil {
		k.Fatal(err)
	}
	return r
}

func (k *kit) context(q govern.Request) *govern.AssembledContext {
	k.Helper()
	g, err := k.Context(k.ctx(), q)
	if err != nil {
		k.Fatal(err)
	}
	return g
}

func (k *kit) status() *govern.Status {
	k.Helper()
	s, err := k.Status(k.ctx())
	if err != nil {
		k.Fatal(err)
	}
	return s
}

// wantFault checks the code of an error, and that message and hint contain texts.
func (k *kit) wantFault(err error, want fault.Code, texts ...string) {
	k.Helper()
	if fault.CodeOf(err) != want {
		k.Fatalf("got %v, want %s", err, want)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error()+fault.HintOf(err), text) {
			k.Errorf("got %v (%s), want it to contain %q", err, fault.HintOf(err), text)
		}
	}
}

func (k *kit) equal(what string, got, want any) {
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

// scripted is an agent with one reply.
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
