package session

import (
	"context"
	"errors"

	"brenner/artifact"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Beside gives the records that a journal puts beside the artifact's versions, for
// tests that put a store together by hand.
func Beside(entries []journal.Entry) ([]record.Record, [][]byte, error) {
	return sideRecords(&flow.State{}, entries)
}

// Err gives the faults of a proof as one error, or nil.
func (p *Proof) Err() error { return errors.Join(p.Faults...) }

// VerifyTomorrow proves a session as a program would that has other words for records. It
// keeps those of today, or does not.
func VerifyTomorrow(ctx context.Context, st store.Store, thread string, keeps bool) (*Proof, error) {
	const anew = "reworded: "
	today := wordings()
	was := today[0]
	tomorrow := []words{{
		roster:  func(o *flow.Opened) string { return anew + was.roster(o) },
		kickoff: func(p *flow.Planned, k *flow.Kickoff) string { return anew + was.kickoff(p, k) },
		answer:  func(c *flow.Call) string { return anew + was.answer(c) },
		letter:  func(l *flow.Letter) string { return anew + was.letter(l) },
		about:   func(place, thread string) string { return anew + was.about(place, thread) },
		stuck:   func(m *flow.Stalemated, about string) string { return anew + was.stuck(m, about) },
		ruled:   func(m *flow.Stalemated, about string) string { return anew + was.ruled(m, about) },
		version: func(a *artifact.Artifact) string { return anew + was.version(a) },
		change:  func(c *flow.Committed) string { return anew + was.change(c) },
	}}
	if keeps {
		tomorrow = append(tomorrow, today...)
	}
	return verify(ctx, st, &Proof{Thread: thread, words: tomorrow}, "")
}
