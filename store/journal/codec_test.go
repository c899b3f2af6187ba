package journal_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"brenner/internal/fault"
	"brenner/store/journal"
)

func TestEntryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, e := range anyChain(t, 1) {
			got, err := journal.Parse(e.JSON())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(e, got); diff != "" {
				t.Error(diff)
			}
		}
	})
}

func TestNextRejectsWhatWouldNotRoundTrip(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name, stream, kind, body string
		at                       time.Time
	}{
		{"a stream that is not UTF-8", "a\xff", "k", `{}`, now},
		{"a kind that is not UTF-8", "a", "k\xff", `{}`, now},
		{"no body", "a", "k", ``, now},
		{"a body that is not an object", "a", "k", `[1]`, now},
		{"two bodies", "a", "k", `{}{}`, now},
		{"a body with a duplicate key", "a", "k", `{"a":1,"a":2}`, now},
		{"a body that is not UTF-8", "a", "k", "{\"a\":\"\xff\"}", now},
		{"a year after 9999", "a", "k", `{}`, now.AddDate(8000, 0, 0)},
		{"a year before 1", "a", "k", `{}`, now.AddDate(-2027, 0, 0)},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := journal.Head{}.Next(test.stream, test.at, test.kind, []byte(test.body))
			if fault.CodeOf(err) != journal.BadEntry {
				t.Errorf("%+v, %v", e, err)
			}
		})
	}
}

func TestNextDoesNotModifyTheBody(t *testing.T) {
	body := []byte(`{"b": 1, "a": 2}`)
	e, err := journal.Head{}.Next("s", time.Now(), "k", body)
	if err != nil {
		t.Fatal(err)
	}
	if string(body) != `{"b": 1, "a": 2}` || string(e.Body) != `{"a":2,"b":1}` {
		t.Errorf("%s, %s", body, e.Body)
	}
}

// line is an entry in the format of version 1, which must never change.
const line = `{"at":"2026-01-02T03:04:05.6Z","body":{"a":1},` +
	`"hash":"629fe74f322308e0aae2bc246c14c1577e4583a84b80d746bf458c1a70e4fa3d","kind":"k","prev":"","schema":"brenner.journal/v1","seq":1,"stream":"s"}`

func TestFormatOfVersion1(t *testing.T) {
	e, err := journal.Parse([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.Check("s", journal.Head{}, []journal.Entry{e}); err != nil {
		t.Error(err)
	}
}

func TestParseAcceptsCanonicalLinesOnly(t *testing.T) {
	for name, change := range map[string][2]string{
		"space":              {`"seq":1`, `"seq": 1`},
		"space in the body":  {`{"a":1}`, `{"a": 1}`},
		"body not an object": {`{"a":1}`, `7`},
		"null":               {`{"a":1}`, `null`},
		"another schema":     {`journal/v1`, `journal/v2`},
		"another order":      {`"seq":1,"stream":"s"`, `"stream":"s","seq":1`},
		"an unknown key":     {`"seq":1`, `"seq":1,"sea":2`},
		"a duplicate key":    {`"seq":1`, `"seq":1,"seq":1`},
		"a missing key":      {`"seq":1,`, ``},
		"number 0":           {`"seq":1`, `"seq":0`},
		"a long number":      {`"seq":1`, `"seq":1.0`},
		"a zone":             {`05.6Z`, `05.6+00:00`},
		"a trailing zero":    {`05.6Z`, `05.60Z`},
		"an escape":          {`"kind":"k"`, `"kind":"\u006b"`},
		"a line end":         {`"stream":"s"}`, "\"stream\":\"s\"}\n"},
		"trailing data":      {`"stream":"s"}`, `"stream":"s"}{}`},
		"cut":                {`"stream":"s"}`, `"stream":"s"`},
		"an upper-case key":  {`"kind"`, `"Kind"`},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(line, change[0], change[1], 1)
			if e, err := journal.Parse([]byte(changed)); fault.CodeOf(err) != journal.BadEntry {
				t.Errorf("%s: %+v, %v", changed, e, err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(line))
	f.Add([]byte(`{}`))
	f.Add([]byte(strings.Replace(line, `{"a":1}`, `{"a":[1e30,"é",{}]}`, 1)))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := journal.Parse(line)
		if err != nil {
			if fault.CodeOf(err) != journal.BadEntry {
				t.Errorf("%v", err)
			}
			return
		}
		if !bytes.Equal(e.JSON(), line) {
			t.Errorf("%s\nbecomes\n%s", line, e.JSON())
		}
		next, err := e.Head().Next(e.Stream, e.At, e.Kind, e.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := journal.Check(e.Stream, e.Head(), []journal.Entry{next}); err != nil {
			t.Error(err)
		}
	})
}
