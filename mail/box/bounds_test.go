package box_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"brenner/fault"
	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/boxtest"
)

// larges puts some letters of 3 MB into a box: two fit into one answer.
func larges(t *testing.T, b *box.Box, n int) {
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

// An answer ends where it gets too large, and says where to go on: what is behind
// that was not even read.
func TestAnAnswerHasAnEnd(t *testing.T) {
	b := open(t, t.TempDir())
	larges(t, b, 5)
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
		t.Errorf("the thread has pages of %v", pages)
	}
	if page, err := b.Thread(t.Context(), mail.ThreadQuery{Project: boxtest.Project, Thread: note(0).Thread, Last: true}); err != nil || fmt.Sprint(ids(page.Messages)) != "[4 5]" {
		t.Errorf("the last page has %v, %v", ids(page.Messages), err)
	}
	if page, err := b.Thread(t.Context(), mail.ThreadQuery{Project: boxtest.Project, Thread: note(0).Thread, NoBodies: true}); err != nil || len(page.Messages) != 5 || page.Next != "" {
		t.Errorf("without texts there are %d, %v", len(page.Messages), err)
	}
	inbox := mail.InboxQuery{Project: boxtest.Project, Agent: "BlueLake"}
	for after, want := range map[mail.ID]string{"": "[5 4]", "0": "[1 2]", "2": "[3 4]", "4": "[5]"} {
		inbox.After = after
		if all, err := b.Inbox(t.Context(), inbox); err != nil || fmt.Sprint(ids(all)) != want {
			t.Errorf("the inbox after %q has %v, not %s: %v", after, ids(all), want, err)
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

func TestAQueryHasAnEnd(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	for query, want := range map[string]string{
		strings.Repeat("y ", 33):             "33 words, and 32 are the most",
		`"` + strings.Repeat("y ", 40) + `"`: "40 words, and 32 are the most",
		strings.Repeat("y", 2000):            "2000 bytes, and 1000 are the most",
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

// Whoever searches without end keeps nobody from reading, and a search ends with
// whoever wanted it.
func TestSearchesAreAmongThemselves(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	end, err := b.Searching(t.Context())
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

// Whatever is looked for, the worst that comes of it is a fault of the query's.
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
