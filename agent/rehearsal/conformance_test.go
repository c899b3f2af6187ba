package rehearsal_test

import (
	"context"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"

	"brenner/agent"
	"brenner/agent/agenttest"
	"brenner/agent/rehearsal"
	"brenner/roster"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newScript makes a script for one agent with these rounds.
func newScript(t *testing.T, rounds ...map[string]any) *rehearsal.Script {
	t.Helper()
	data, err := yaml.Marshal(map[string]any{
		"schema": rehearsal.Schema, "question": "Is it under test?",
		"agents": []any{map[string]any{"name": "BlueLake", "rounds": rounds}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := rehearsal.Parse(data)
	if err != nil {
		t.Fatalf("%v in\n%.2000s", err, data)
	}
	return s
}

// counted counts the calls to an agent.
type counted struct {
	agent.Agent
	asked atomic.Int32
}

func (c *counted) Ask(ctx context.Context, call agent.Call) (agent.Reply, error) {
	c.asked.Add(1)
	return c.Agent.Ask(ctx, call)
}

func subject(t *testing.T, rounds ...map[string]any) agenttest.Subject {
	t.Helper()
	a, err := newScript(t, rounds...).Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{Agent: a}
	return agenttest.Subject{Agent: c, Asked: func() int { return int(c.asked.Load()) }}
}

func TestConformance(t *testing.T) {
	agenttest.Run(t, agenttest.Kind{
		Answering: func(t *testing.T, texts ...string) agenttest.Subject {
			t.Helper()
			var rounds []map[string]any
			for _, text := range texts {
				// The emitter's block style would lose leading spaces.
				quoted := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text}
				rounds = append(rounds, map[string]any{"reply": quoted, "delay": "1ms"})
			}
			return subject(t, rounds...)
		},
		Failing: func(t *testing.T, times int, text string) agenttest.Subject {
			t.Helper()
			return subject(t, map[string]any{"reply": text, "fail": map[string]any{"times": times, "retry": true, "after": "1ms"}})
		},
		Hanging: func(t *testing.T) agenttest.Subject {
			t.Helper()
			return subject(t, map[string]any{"hang": true})
		},
	})
}
