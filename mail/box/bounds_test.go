package box_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/boxtest"
)

// sendLarge sends n messages of 3 MB to a box: two fit into one response.
func sendLarge(t *testing.T, b *box.Box, n int) {
	t.Helper()
	people(t, b)
	for i := range n {
		d := note(i)
		d.Body = fmt.Sprint("large ", strings.Repeat("x", 3<<20))
		if _, err := b.Send(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
}

// A response ends before it gets too large and says where to continue; the rest is not read.
func TestResponsesAreBounded(t *testing.T) {
	b := open(t, t.TempDir())
	sendLarge(t, b, 5)
	q := mail.ThreadQuery{Project: boxtest.Project, Thread: note(0).Thread}
	var pages []int
	for {
		page, err := b.Thread(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, len(page.Messages))
		if q.After = page.Next; q.After == "" || len(pages) > 5 {
			break
		}
	}
	if fmt.Sprint(pages) != "[2 2 1]" {
		t.Errorf("page sizes %v", pages)
	}
	if page, err := b.Thread(t.Context(), mail.ThreadQuery{Project: boxtest.Project, Thread: note(0).Thread, Last: true}); err != nil || fmt.Sprint(ids(page.Messages)) != "[4 5]" {
		t.Errorf("last page: %v, %v", ids(page.Messages), err)
	}
	if page, err := b.Thread(t.Context(), mail.ThreadQuery{Project: boxtest.Project, Thread: note(0).Thread, NoBodies: true}); err != nil || len(page.Messages) != 5 || page.Next != "" {
		t.Errorf("without bodies: %d messages, %v", len(page.Messages), err)
	}
	inbox := mail.InboxQuery{Project: boxtest.Project, Agent: "BlueLake"}
	for after, want := range map[mail.ID]string{"": "[5 4]", "0": "[1 2]", "2": "[3 4]", "4": "[5]"} {
		inbox.After = after
		if all, err := b.Inbox(t.Context(), inbox); err != nil || fmt.Sprint(ids(all)) != want {
			t.Errorf("inbox after %q: got %v, want %s: %v", after, ids(all), want, err)
		}
	}
	if all, err := b.Search(t.Context(), mail.SearchQuery{Project: boxtest.Project, Words: "large"}); err != nil || len(all) != 2 {
		t.Errorf("found %v, %v", ids(all), err)
	}
}

func ids(all []mail.Message) []mail.ID {
	var list []mail.ID
	for _, m := range all {
		list = append(list, m.ID)
	}
	return list
}

func TestQueriesAreBounded(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	for query, want := range map[string]string{
		strings.Repeat("y ", 33):             "33 words; the limit is 32",
		`"` + strings.Repeat("y ", 40) + `"`: "40 words; the limit is 32",
		strings.Repeat("y", 2000):            "2000 bytes; the limit is 1000",
	} {
		_, err := b.Search(t.Context(), mail.SearchQuery{Project: boxtest.Project, Words: query})
		if fault.CodeOf(err) != mail.Invalid || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%.40q: %v", query, err)
		}
	}
	if _, err := b.Search(t.Context(), mail.SearchQuery{Project: boxtest.Project, Words: strings.Repeat("y ", 32)}); err != nil {
		t.Error(err)
	}
}

// Long searches do not block readers, and a search ends with its context.
func TestSearchesDoNotBlockReaders(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	end, err := b.OccupySearch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Inbox(t.Context(), mail.InboxQuery{Project: boxtest.Project, Agent: "BlueLake"}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := b.Search(ctx, mail.SearchQuery{Project: boxtest.Project, Words: "cells"})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || fault.CodeOf(err) != "" {
		t.Errorf("%v", err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// No claim blocks other agents for long, and nothing of a refused claim is kept.
func TestClaimsAreBounded(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	paths := func(n int, form string) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(form, i)
		}
		return all
	}
	claim := func(agent string, paths ...string) mail.Claim {
		return mail.Claim{Project: boxtest.Project, Agent: agent, Paths: paths, Exclusive: true}
	}
	refused := func(c mail.Claim, want string) {
		t.Helper()
		_, err := b.Reserve(t.Context(), c)
		if fault.CodeOf(err) != mail.Invalid || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" || len(err.Error()) > 1000 {
			t.Errorf("%v (%s)", err, fault.HintOf(err))
		}
	}
	has := func(agent string, want int) {
		t.Helper()
		if all, err := b.Renew(t.Context(), boxtest.Project, agent, nil, 0); err != nil || len(all) != want {
			t.Errorf("%s: %d claimed paths, want %d: %v", agent, len(all), want, err)
		}
	}
	refused(claim("BlueLake"), "a claim must have 1 to 500 paths, not 0")
	refused(claim("BlueLake", paths(501, "a/%d")...), "a claim must have 1 to 500 paths, not 501")
	refused(claim("BlueLake", strings.Repeat("x", 1025)), "a path has 1025 bytes; the limit is 1024")
	for _, odd := range []string{"", " ", "[", "/etc/passwd", "../x", "a/../../x", `a\..\x`} {
		refused(claim("BlueLake", "a", odd), "not a path of the project: ")
	}
	wordy := claim("BlueLake", "a")
	wordy.Reason = strings.Repeat("ä", 1001)
	refused(wordy, "the reason has 1001 characters; the limit is 1000")
	has("BlueLake", 0)

	// Names and patterns that are as hard to compare as possible.
	name, pattern := strings.Repeat("a", 1020)+"%04d", "*"+strings.Repeat("a", 510)+"%04db"
	for i := range 2 {
		if got, err := b.Reserve(t.Context(), claim("BlueLake", paths(500, fmt.Sprint(i, name[1:]))...)); err != nil || len(got.Granted) != 500 {
			t.Fatal(len(got.Granted), err)
		}
	}
	refused(claim("BlueLake", "one", "more"), "BlueLake would have more than 1000 claimed paths")
	if _, err := b.Reserve(t.Context(), claim("BlueLake", paths(500, fmt.Sprint(0, name[1:]))...)); err != nil {
		t.Errorf("claiming again should not count twice: %v", err)
	}
	has("BlueLake", 1000)
	refused(claim("Operator", paths(500, pattern)...), "too many patterns")
	has("Operator", 0)
	if got, err := b.Reserve(t.Context(), claim("Operator", paths(500, "docs/%d/*.md")...)); err != nil || len(got.Granted) != 500 {
		t.Errorf("%d, %v", len(got.Granted), err)
	}
}

// cancelledLate is a context that is cancelled while the box works: Err reports it from the third
// call on, and Done never does.
type cancelledLate struct {
	context.Context
	asked int
}

func (l *cancelledLate) Done() <-chan struct{} { return nil }

func (l *cancelledLate) Err() error {
	if l.asked++; l.asked > 2 {
		return context.Canceled
	}
	return nil
}

func TestReserveObeysContext(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	paths := strings.Fields(strings.Repeat("a b c d e ", 50))
	ctx := &cancelledLate{Context: t.Context()}
	_, err := b.Reserve(ctx, mail.Claim{Project: boxtest.Project, Agent: "BlueLake", Paths: paths})
	if !errors.Is(err, context.Canceled) || fault.CodeOf(err) != "" || ctx.asked > 10 {
		t.Errorf("%v, after %d calls of Err", err, ctx.asked)
	}
	if all, err := b.Renew(t.Context(), boxtest.Project, "BlueLake", nil, 0); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestRegistrationsAreBounded(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	for want, r := range map[string]mail.Registration{
		"the program has 201 characters; the limit is 200": {Program: strings.Repeat("ä", 201)},
		"the model has 201 characters; the limit is 200":   {Model: strings.Repeat("ä", 201)},
		"the task has 2001 characters; the limit is 2000":  {Task: strings.Repeat("ä", 2001)},
	} {
		for _, name := range []string{"RedSky", "BlueLake"} { // a new one, and an existing one
			r.Project, r.Name, r.Renew = boxtest.Project, name, true
			_, err := b.Register(t.Context(), r)
			if fault.CodeOf(err) != mail.Invalid || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
				t.Errorf("%s: %v (%s)", name, err, fault.HintOf(err))
			}
		}
	}
	r := mail.Registration{Project: boxtest.Project, Name: "RedSky", Program: strings.Repeat("ä", 200), Model: strings.Repeat("ä", 200), Task: strings.Repeat("ä", 2000)}
	if _, err := b.Register(t.Context(), r); err != nil {
		t.Error(err)
	}
}

// Any query either works or is an invalid argument.
func FuzzSearch(f *testing.F) {
	for _, query := range []string{"cells", `"a` + "\x00" + `b"`, "a OR", `OR "`, "a* -b NEAR(c)", "{x}: ^y", `"""`, "\xff", "OR OR a AND", ". OR ."} {
		f.Add(query)
	}
	b, err := box.Open(context.Background(), f.TempDir(), box.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := b.Close(); err != nil {
			f.Error(err)
		}
	})
	people(f, b)
	f.Fuzz(func(t *testing.T, query string) {
		_, err := b.Search(context.Background(), mail.SearchQuery{Project: boxtest.Project, Words: query})
		if err != nil && fault.CodeOf(err) != mail.Invalid {
			t.Errorf("%q: %v", query, err)
		}
	})
}

// Names in different case are one agent, so the cache does not grow with its calls.
func TestAgentNamesIgnoreCase(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	for _, name := range []string{"BlueLake", "bluelake", "BLUELAKE", "bLuElAkE"} {
		if _, err := b.Inbox(t.Context(), mail.InboxQuery{Project: boxtest.Project, Agent: name}); err != nil {
			t.Fatal(err)
		}
	}
	if n := b.Rows(); n != 1 {
		t.Errorf("%d rows are cached for one agent", n)
	}
}
