package openai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
	"brenner/internal/fault"
)

// call returns a question of ten words.
func call() agent.Call {
	return agent.Call{ID: "RS-20260101-trial/r1/BlueLake/ask", Turns: []agent.Turn{{Text: "one two three four five six seven eight nine ten"}}, Schema: []byte(schema)}
}

// words counts words as tokens.
func words(text string) int { return len(strings.Fields(text)) }

// always returns the same answer to every request.
func always(a openaitest.Answer) func(openaitest.Request) openaitest.Answer {
	return func(openaitest.Request) openaitest.Answer { return a }
}

// failing makes a call and requires a failure.
func failing(t *testing.T, a agent.Agent) *agent.Failure {
	t.Helper()
	reply, err := agent.Guard(a).Ask(t.Context(), call())
	var f *agent.Failure
	if !errors.As(err, &f) {
		t.Fatalf("want a *Failure, got %+v", reply)
	}
	if f.Hint == "" || f.Detail == "" {
		t.Errorf("failure without detail or hint: %+v", f)
	}
	secretless(t, f)
	return f
}

// secretless checks that no part of a failure contains the key.
func secretless(t *testing.T, f *agent.Failure) {
	t.Helper()
	texts := []string{f.Error(), f.Detail, f.Hint, f.Partial, fmt.Sprintf("%+v", f), fmt.Sprintf("%#v", f)}
	var walk func(error)
	walk = func(err error) {
		if err == nil {
			return
		}
		texts = append(texts, err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err))
		switch e := err.(type) { //nolint:errorlint // each link of the chain is checked separately
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				walk(inner)
			}
		}
	}
	walk(f.Cause)
	for _, text := range texts {
		if strings.Contains(text, "canary") {
			t.Errorf("the key is in %.300q", text)
		}
	}
}

func answering(t *testing.T, a agent.Agent) agent.Reply {
	t.Helper()
	reply, err := agent.Guard(a).Ask(t.Context(), call())
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// wanted is the expected failure.
type wanted struct {
	code    fault.Code
	retry   bool
	detail  string // part of the detail
	hint    string // part of the hint
	partial string
	kept    string // part of the response that is kept in place of a partial reply
	usage   agent.Usage
}

func (w wanted) check(t *testing.T, f *agent.Failure) {
	t.Helper()
	if text := f.Error(); f.Code == agent.Malformed && strings.Contains(text, "\n") || strings.Contains(text, " Go ") || strings.Contains(text, "jsontext") || strings.Count(text, "web page") > 1 {
		t.Errorf("not for people: %s", text)
	}
	partial := f.Partial
	if w.kept != "" && strings.Contains(partial, w.kept) {
		partial = w.partial
	}
	if f.Code != w.code || f.Retry != w.retry || partial != w.partial || f.Usage != w.usage ||
		!strings.Contains(f.Detail, w.detail) || !strings.Contains(f.Hint, w.hint) {
		t.Errorf("got  %+v\nwant %+v", *f, w)
	}
}

// both runs a test with both APIs.
func both(t *testing.T, run func(t *testing.T, o openai.Options)) {
	t.Helper()
	for _, api := range []string{openai.Chat, openai.Responses} {
		t.Run(api, func(t *testing.T) { run(t, openai.Options{API: api, Count: words}) })
	}
}
