package memory

import (
	"context"
	"testing"

	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/playbook/vector"
)

// byText embeds texts by their first letter: texts with the same letter are similar.
type byText struct{}

func (byText) Model() string { return "letters" }

func (byText) Embed(_ context.Context, texts []string) ([]vector.Vector, error) {
	all := make([]vector.Vector, len(texts))
	for i, t := range texts {
		values := make([]float32, 128)
		values[t[0]] = 1
		values[0] = 0.01 * float32(len(t))
		var err error
		if all[i], err = vector.New("letters", values); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Of several similar killed hypotheses, one with a reason is preferred, then one of this session.
func TestNearestPrefersReasonsAndThisSession(t *testing.T) {
	old, here := killedClaim{id: "pb-00001", claim: "fish sleep"}, killedClaim{id: "H1", claim: "fish sleep now", here: true}
	with := func(d killedClaim, reason string) killedClaim { d.reason = reason; return d }
	other := killedClaim{id: "H9", claim: "cells divide", reason: "they do not", here: true}
	blank := killedClaim{id: "H8", claim: " ", reason: "it says nothing", here: true}
	m := &Book{Keeper: &keeper.Keeper{Options: keeper.Options{Embedder: byText{}, Rules: playbook.DefaultRules()}}}
	for want, all := range map[string][]killedClaim{
		"":         {other, blank},
		"pb-00001": {here, blank, with(old, "the eyes are open")},
		"H1":       {old, with(here, "the eyes are open"), other},
	} {
		for range 2 {
			got, err := m.nearest(t.Context(), "fish sleep", append([]killedClaim{}, all...))
			if err != nil || got == nil && want != "" || got != nil && got.id != want {
				t.Errorf("got %+v, %v, want %q", got, err, want)
			}
			all[0], all[len(all)-1] = all[len(all)-1], all[0] // in any order
		}
	}
	both := []killedClaim{with(old, "old"), with(here, "new")}
	if got, err := m.nearest(t.Context(), "fish sleep", both); err != nil || got.id != "H1" {
		t.Errorf("%+v, %v", got, err)
	}
}
