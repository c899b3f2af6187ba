package program_test

import (
	"strconv"
	"testing"

	"brenner/agent/agenttest"
	"brenner/agent/program"
	"brenner/agent/program/programtest"
)

func TestConformance(t *testing.T) {
	for _, kind := range program.Kinds() {
		t.Run(kind, func(t *testing.T) {
			subject := func(t *testing.T, texts []string, behaviour ...string) agenttest.Subject {
				t.Helper()
				tr := newTrial(t, kind, program.Options{}, texts, behaviour...)
				return agenttest.Subject{Agent: tr.Program, Asked: tr.Asked}
			}
			agenttest.Run(t, agenttest.Kind{
				Answering: func(t *testing.T, texts ...string) agenttest.Subject {
					t.Helper()
					return subject(t, texts, programtest.Answers)
				},
				Failing: func(t *testing.T, times int, text string) agenttest.Subject {
					t.Helper()
					return subject(t, []string{text}, programtest.Fails, strconv.Itoa(times))
				},
				Hanging: func(t *testing.T) agenttest.Subject {
					t.Helper()
					return subject(t, nil, programtest.Hangs)
				},
			})
		})
	}
}
