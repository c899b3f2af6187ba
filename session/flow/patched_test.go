package flow_test

import (
	"testing"

	"brenner/internal/fault"
	"brenner/session/flow"
)

func TestAnswersPatchRecordsOnce(t *testing.T) {
	answered := func() *journalBuilder {
		return newJournal(t, settings(), generator).plan(1, 1, "A1").answer(1, 1, "A1", flow.TurnAsk, 0).commit(1, 1, 1, 0)
	}
	call := answered().call(1, 1, "A1", flow.TurnAsk)
	good := flow.Patched{Call: call, Agent: "A1", Round: 1, Changes: []flow.Patch{{Record: "m@v1", Blocks: "b", Made: "m@v2"}}}
	s := answered().add(flow.KindPatched, good).state()
	if s.PatchesOf(call) == nil || s.ActiveRound != 1 || s.LastSettled() == nil {
		t.Errorf("%+v", s.Patches)
	}
	refused := good
	refused.Changes = []flow.Patch{{Record: "m@v1", Blocks: "b", Code: "X"}}
	if s := answered().add(flow.KindPatched, refused).state(); s.ActiveRound != 0 {
		t.Error("a refused patch counts as a change")
	}
	stranger, other, later := good, good, good
	stranger.Agent, other.Call, later.Round = "A2", "c", 2
	for name, tl := range map[string]*journalBuilder{
		"twice":          answered().add(flow.KindPatched, good).add(flow.KindPatched, good),
		"by another":     answered().add(flow.KindPatched, stranger),
		"no such call":   answered().add(flow.KindPatched, other),
		"another round":  answered().add(flow.KindPatched, later),
		"not answered":   newJournal(t, settings(), generator).plan(1, 1, "A1").add(flow.KindPatched, good),
		"before a round": newJournal(t, settings(), generator).add(flow.KindPatched, good),
	} {
		if _, err := flow.Fold(tl.entries); fault.CodeOf(err) != flow.BadSequence {
			t.Errorf("%s: %v", name, err)
		}
	}
}
