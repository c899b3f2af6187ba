package session_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/opentest"
)

// finishedSession returns a finished session and its store.
func finishedSession(t *testing.T, script string, rounds int) (opentest.Store, *session.History) {
	t.Helper()
	st := opentest.New(t)
	if _, err := runner(st, &actors{script: parse(t, script)}).Start(t.Context(), brief(rounds)); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	return st, h
}

// rechain returns a journal with changed entries and a valid chain.
func rechain(t *testing.T, h *session.History, change func(kind, body string) string) []journal.Entry {
	t.Helper()
	var out []journal.Entry
	for _, e := range h.Entries {
		next, err := journal.HeadOf(out).Next(e.Stream, e.At, e.Kind, []byte(change(e.Kind, string(e.Body))))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, next)
	}
	return out
}

// Seals detect a forgery with a valid chain: a rehearsal cannot pass for a real session, and a
// reply cannot be exchanged.
func TestSealsDetectForgedJournals(t *testing.T) {
	_, h := finishedSession(t, eventful, 2)
	for name, change := range map[string]func(kind, body string) string{
		"not a rehearsal": func(_, body string) string { return strings.Replace(body, `,"rehearsal":"`, `,"excerpt":"`, 1) },
		"another via":     func(_, body string) string { return strings.ReplaceAll(body, `"via":"rehearsal"`, `"via":"openai"`) },
		"another role": func(kind, body string) string {
			if kind != flow.KindOpened {
				return body
			}
			return strings.ReplaceAll(body, "test_designer", "adversarial_critic")
		},
		"another reply": func(kind, body string) string {
			if kind != flow.KindAnswered {
				return body
			}
			return strings.Replace(body, `"reply":"`, `"reply":"0`, 1)
		},
		"another seal": func(_, body string) string {
			return strings.Replace(body, `"seal":"`, `"seal":"0`, 1)
		},
	} {
		if _, err := flow.Fold(rechain(t, h, change)); fault.CodeOf(err) != flow.BadSequence {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The counts of a commit must follow from the replies, too.
func TestReplayDetectsForgedCounts(t *testing.T) {
	st, h := finishedSession(t, eventful, 2)
	for name, change := range map[string]func(kind, body string) string{
		"outcome": func(_, body string) string { return strings.Replace(body, `"rejected":0`, `"rejected":7`, 1) },
		"active": func(_, body string) string {
			return strings.Replace(body, `"hypothesis_slate":1`, `"hypothesis_slate":5`, 1)
		},
	} {
		forged := opentest.New(t)
		batch := store.Batch{Appends: []store.Append{{Stream: session.Prefix + thread, Entries: rechain(t, h, change)}}}
		for _, ref := range h.References() {
			data, err := st.Blob(t.Context(), ref.Hash)
			if err != nil {
				t.Fatal(err)
			}
			batch.Blobs = append(batch.Blobs, data)
		}
		if err := forged.Write(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		p, err := session.Verify(t.Context(), forged, thread, "")
		if err != nil || fault.CodeOf(p.Err()) != session.ReplayDiffers {
			t.Errorf("%s: %v %v", name, err, p.Err())
		}
	}
}

// Added, removed or moved lines of an export are detected even if every checksum is valid.
func TestReadExportDetectsReorderedLines(t *testing.T) {
	_, h := finishedSession(t, eventful, 2)
	var file bytes.Buffer
	if err := h.Export(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(file.String(), "\n"), "\n")
	blobs := len(h.Entries) + 1
	for name, change := range map[string]func([]string) []string{
		"a false seal in the header": func(l []string) []string { l[0] = strings.Replace(l[0], `"seal":"`, `"seal":"0`, 1); return l },
		"two blobs exchanged":        func(l []string) []string { l[blobs], l[blobs+1] = l[blobs+1], l[blobs]; return l },
		"a blank in the header":      func(l []string) []string { l[0] = strings.Replace(l[0], `,`, `, `, 1); return l },
	} {
		changed := change(append([]string{}, lines[:len(lines)-1]...))
		body := strings.Join(changed, "")
		body += `{"sha256":"` + store.Hash([]byte(body)) + `"}` + "\n"
		x, err := session.ReadExport([]byte(body))
		if err != nil || len(x.Faults) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	x, err := session.ReadExport(file.Bytes())
	if err != nil || len(x.Faults) > 0 {
		t.Errorf("unchanged: %v %v", err, x.Faults)
	}
}

// Verify detects a store that lost its list of versions, or the end of a journal.
func TestVerifyDetectsMissingRecordsAndEntries(t *testing.T) {
	st, h := finishedSession(t, eventful, 2)
	bare := opentest.New(t)
	batch := store.Batch{Appends: []store.Append{{Stream: session.Prefix + thread, Entries: h.Entries}}}
	for _, ref := range h.References() {
		data, err := st.Blob(t.Context(), ref.Hash)
		if err != nil {
			t.Fatal(err)
		}
		batch.Blobs = append(batch.Blobs, data)
	}
	if err := bare.Write(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	p, err := session.Verify(t.Context(), bare, thread, "")
	if err != nil || fault.CodeOf(p.Err()) != store.Damaged {
		t.Errorf("without records: %v %v", err, p.Err())
	}
	cut := &cutStore{Store: st}
	p, err = session.Verify(t.Context(), cut, thread, "")
	if err != nil || fault.CodeOf(p.Err()) != store.Damaged {
		t.Errorf("without its last entry: %v %v", err, p.Err())
	}
}

// cutStore has lost the last entry of every stream, but not its list of streams.
type cutStore struct{ opentest.Store }

func (c *cutStore) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	all, err := c.Store.Entries(ctx, stream, after)
	return all[:max(0, len(all)-1)], err
}

// Two runners without a common lock stop before they corrupt the journal.
func TestTwoRunnersWithoutLock(t *testing.T) {
	st := opentest.New(t)
	s := &actors{script: parse(t, eventful)}
	var second error
	var once sync.Once
	meet := make(chan struct{})
	r := runner(st, s)
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		a, err := s.agent(p)
		return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			if c.Agent == "BlueLake" && c.Round == 1 {
				<-meet
			}
			return a.Ask(ctx, c)
		}), err
	}
	done := make(chan struct{})
	r.Observe = func(e *journal.Entry, _ *flow.State) {
		if e.Kind != flow.KindBegan || !strings.Contains(string(e.Body), "GreenValley") {
			return
		}
		once.Do(func() {
			go func() {
				defer close(done)
				other := runner(st, &actors{script: parse(t, eventful)})
				other.Locks = memory.New()
				_, second = other.Resume(context.Background(), thread, nil)
				close(meet)
			}()
		})
	}
	_, first := r.Start(t.Context(), brief(2))
	<-done
	for _, err := range []error{first, second} {
		if err != nil && fault.CodeOf(err) != store.Held {
			t.Errorf("first: %v, second: %v", first, second)
		}
	}
	if _, err := runner(st, &actors{script: parse(t, eventful)}).Resume(t.Context(), thread, nil); err != nil && fault.CodeOf(err) != session.NotOpen {
		t.Error(err)
	}
	if p, err := session.Verify(t.Context(), st, thread, ""); err != nil || p.Err() != nil {
		t.Errorf("%v %v", err, p.Err())
	}
}

// An agent must not have the name of an authority.
func TestAgentsCannotHaveNamesOfAuthorities(t *testing.T) {
	b := brief(1)
	b.Operator = b.Agents[0].Name
	if _, err := runner(opentest.New(t), &actors{script: builtInScript()}).Start(t.Context(), b); fault.CodeOf(err) != session.NameTaken {
		t.Error(err)
	}
}

// A journal names many blobs more than once. References lists each once, and none without a hash.
func TestReferencesListsEachBlobOnce(t *testing.T) {
	_, h := finishedSession(t, eventful, 2)
	seen := make(map[string]bool)
	for _, ref := range h.References() {
		if ref.Hash == "" || ref.What == "" || seen[ref.Hash] {
			t.Errorf("%+v is a duplicate or incomplete", ref)
		}
		seen[ref.Hash] = true
	}
	if len(seen) == 0 {
		t.Error("no references")
	}
}
