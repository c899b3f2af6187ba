package openai_test

import (
	"strings"
	"testing"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
	"brenner/internal/fault"
)

const schema = `{"type":"object","properties":{"prose":{"type":"string"},"deltas":{"type":"array"}}}`

// A reply that is held to a schema is kept as it came: the reader knows its form.
func TestStructuredReplyIsKept(t *testing.T) {
	for _, text := range []string{`{"prose":"Two.\n","deltas":[{"operation":"ADD", "n": null}]}`, "Prose, and\n```delta\n{}\n```\n", `{"prose":"cut off`} {
		both(t, func(t *testing.T, o openai.Options) {
			s := openaitest.New(t, always(openaitest.Answer{Text: text, Chunk: 5}))
			for _, o.Structured = range []string{openai.Schema, openai.Fences} {
				same(t, answering(t, at(t, s, o)).Text, text)
			}
		})
	}
}

func TestSchemaIsSent(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Text: "yes"}))
	both(t, func(t *testing.T, o openai.Options) {
		o.Structured = openai.Auto
		answering(t, at(t, s, o))
	})
	all := s.Requests()
	inner := map[string]any{"type": "object", "properties": map[string]any{"prose": map[string]any{"type": "string"}, "deltas": map[string]any{"type": "array"}}}
	same(t, sent(t, all[0])["response_format"], map[string]any{
		"type": "json_schema", "json_schema": map[string]any{"name": "brenner_reply", "strict": true, "schema": inner},
	})
	same(t, sent(t, all[1])["text"], map[string]any{
		"format": map[string]any{"type": "json_schema", "name": "brenner_reply", "strict": true, "schema": inner},
	})
}

func TestUnsupportedSchemaIsRefused(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Refuse(400, "", "response_format is not supported")))
	f := failing(t, at(t, s, openai.Options{Structured: openai.Schema}))
	wanted{code: agent.Refused, detail: "response_format", hint: "auto or fences"}.check(t, f)
}

func TestNoKeyIsSent(t *testing.T) {
	s := openaitest.New(t, always(openaitest.Answer{Text: "yes"}))
	a, err := openai.New(openai.Options{Model: "opus", BaseURL: s.BaseURL() + "/"})
	if err != nil {
		t.Fatal(err)
	}
	if got := answering(t, a); got.Model != "opus" || s.Requests()[0].Path != "/v1/chat/completions" || s.Requests()[0].Header.Get("Authorization") != "" {
		t.Errorf("%+v, %+v", got, s.Requests())
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	seed := 1
	for want, o := range map[string]openai.Options{
		"no model":           {Model: " "},
		"invalid base URL":   {Model: "m", BaseURL: "localhost:1"},
		"unknown API telnet": {Model: "m", API: "telnet"},
		"the Responses API does not support a seed":               {Model: "m", API: openai.Responses, Seed: &seed},
		"structured: unknown value magic":                         {Model: "m", Structured: "magic"},
		"the key or the organization is not a valid header value": {Model: "m", Key: canary + "\n"},
		"invalid header X-A":                                      {Model: "m", Headers: map[string]string{"X-A": canary + "\n"}},
		"invalid header X A":                                      {Model: "m", Headers: map[string]string{"X A": "b"}},
		"invalid base URL ":                                       {Model: "m", BaseURL: "https://u:p@host/v1"},
		"invalid base URL  ":                                      {Model: "m", BaseURL: "https://host/v1?key=x"},
		"invalid base URL   ":                                     {Model: "m", BaseURL: "file:///etc/passwd"},
	} {
		a, err := openai.New(o)
		all := fault.All(err)
		if a != nil || len(all) != 1 || all[0].Detail != strings.TrimSpace(want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := openai.New(openai.Options{API: "x", Structured: "y"}); len(fault.All(err)) != 3 {
		t.Errorf("want all errors: %v", err)
	}
}
