package openai_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"brenner/agent"
	"brenner/agent/agenttest"
	"brenner/agent/openai"
	"brenner/agent/openai/openaitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canary is a key that must not appear anywhere.
const canary = "sk-canary-+/=0123456789abcdef"

// at returns an agent for this endpoint.
func at(tb testing.TB, s *openaitest.Server, o openai.Options) agent.Agent {
	tb.Helper()
	o.BaseURL, o.Key = s.BaseURL(), canary
	if o.Model == "" {
		o.Model = "test-model"
	}
	if o.Client == nil {
		transport := &http.Transport{MaxIdleConnsPerHost: 300}
		tb.Cleanup(transport.CloseIdleConnections)
		o.Client = &http.Client{Transport: transport}
	}
	a, err := openai.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestConformance(t *testing.T) {
	for name, c := range map[string]struct {
		options openai.Options
		refuses bool // refuses to stream
		chunk   int
	}{
		"chat":                 {},
		"chat, small chunks":   {chunk: 97},
		"chat, no stream":      {refuses: true},
		"responses":            {options: openai.Options{API: openai.Responses}},
		"responses, no stream": {options: openai.Options{API: openai.Responses}, refuses: true},
	} {
		t.Run(name, func(t *testing.T) {
			subject := func(t *testing.T, answer func(openaitest.Request) openaitest.Answer) agenttest.Subject {
				t.Helper()
				refused := 0
				s := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
					if c.refuses && r.Stream {
						return openaitest.Refuse(http.StatusBadRequest, "unsupported_value", "stream is not supported here")
					}
					a := answer(r)
					a.Chunk = c.chunk
					return a
				})
				a := at(t, s, c.options)
				if c.refuses { // the agent discovers it before the test
					if _, err := a.Ask(t.Context(), agent.Call{Turns: []agent.Turn{{Text: "Can you stream?"}}}); err != nil {
						t.Fatal(err)
					}
					refused = s.Asked()
				}
				return agenttest.Subject{Agent: a, Asked: func() int { return s.Asked() - refused }}
			}
			agenttest.Run(t, agenttest.Kind{
				Answering: func(t *testing.T, texts ...string) agenttest.Subject {
					t.Helper()
					return subject(t, func(r openaitest.Request) openaitest.Answer {
						n := agenttest.RoundOf(r.Last())
						if n == 0 {
							return openaitest.Answer{Text: "no"}
						}
						return openaitest.Answer{Text: texts[n-1]}
					})
				},
				Failing: func(t *testing.T, times int, text string) agenttest.Subject {
					t.Helper()
					return subject(t, func(r openaitest.Request) openaitest.Answer {
						if agenttest.RoundOf(r.Last()) == 0 {
							return openaitest.Answer{Text: "no"}
						}
						if times--; times >= 0 {
							return openaitest.Refuse(http.StatusInternalServerError, "server_error", "oops")
						}
						return openaitest.Answer{Text: text}
					})
				},
				Hanging: func(t *testing.T) agenttest.Subject {
					t.Helper()
					return subject(t, func(r openaitest.Request) openaitest.Answer {
						return openaitest.Answer{Text: "no", Hang: agenttest.RoundOf(r.Last()) > 0}
					})
				},
			})
		})
	}
}
