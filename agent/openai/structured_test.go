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

func TestStructured(t *testing.T) {
	for text, want := range map[string]string{
		`{"prose":"Two.\n","deltas":[{"operation":"ADD", "n": 1.0},{"operation":"KILL"}]}`:               "```delta\n{\"operation\":\"ADD\",\"n\":1.0}\n```\n\n```delta\n{\"operation\":\"KILL\"}\n```\n\n## Prose\n\nTwo.\n",
		"{\"deltas\":[{\n  \"a\": \"```\\n\"\n}],\"prose\":\"```\\nnever ended\"}":                       "```delta\n{\"a\":\"```\\n\"}\n```\n\n## Prose: not part of the list of deltas\n\n```\nnever ended",
		`{"prose":"Nothing to add.","deltas":[]}`:                                                        "NO CHANGES: the list of deltas is empty\n\n## Prose\n\nNothing to add.",
		`{"prose":"p","deltas":[{"ref":null,"payload":{"a":null,"b":{"H1":"x","H2":null},"c":[null]}}]}`: "```delta\n{\"payload\":{\"b\":{\"H1\":\"x\"},\"c\":[null]}}\n```\n\n## Prose\n\np",
		`{"prose":null,"deltas":[{}]}`:                                                                   "```delta\n{}\n```\n\n",
		"Prose, and\n```delta\n{}\n```\n":                                                                "Prose, and\n```delta\n{}\n```\n",
		"<think>{\"deltas\":[1]}</think>\n{\"prose\":\"p\",\"deltas\":[]}":                               "<think>{\"deltas\":[1]}</think>\n\nNO CHANGES: the list of deltas is empty\n\n## Prose\n\np",
		"```json\n{\"prose\":\"p\",\"deltas\":[{\"a\":null}]}\n```\nDone.":                               "```delta\n{}\n```\n\n## Prose\n\nDone.\n\np",
		"\ufeffHere it is:\n{\"prose\":\"p\",\"deltas\":[{}],\"more\":1}":                                "```delta\n{}\n```\n\n## Prose\n\nHere it is:\n\nmore: 1\n\np",
		`{"prose":"p","deltas":[{}],"deltas":[]}`:                                                        `{"prose":"p","deltas":[{}],"deltas":[]}`,
		`{"reasoning":[{"a":1}],"prose":"p","deltas":[]}`:                                                `{"reasoning":[{"a":1}],"prose":"p","deltas":[]}`,
		`{"prose":"p","deltas":[],"kills":[{"target_id":"H"}]}`:                                          `{"prose":"p","deltas":[],"kills":[{"target_id":"H"}]}`,
		`{"operation":"ADD"}`:             `{"operation":"ADD"}`,
		`{"prose":"one"} {"prose":"two"}`: `{"prose":"one"} {"prose":"two"}`,
		`{"prose":"cut off`:               `{"prose":"cut off`,
		`[{"operation":"ADD"}]`:           `[{"operation":"ADD"}]`,
		`{}`:                              `{}`,
	} {
		both(t, func(t *testing.T, o openai.Options) {
			s := openaitest.New(t, always(openaitest.Answer{Text: text, Chunk: 5}))
			o.Structured = openai.Schema
			same(t, answering(t, at(t, s, o)).Text, want)
			o.Structured = openai.Fences
			same(t, answering(t, at(t, s, o)).Text, text)
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
