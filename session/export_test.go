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

// SideRecords returns the records derived from a journal, other than versions of the artifact, for
// tests that assemble a store.
func SideRecords(entries []journal.Entry) ([]record.Record, [][]byte, error) {
	return sideRecords(&flow.State{}, entries)
}

// Err returns the faults of a proof as one error, or nil.
func (p *Proof) Err() error { return errors.Join(p.Faults...) }

// VerifyReworded verifies a session as a later program with another wording of records would. If
// keeps is set, that program still accepts the current wording.
func VerifyReworded(ctx context.Context, st store.Store, thread string, keeps bool) (*Proof, error) {
	const prefix = "reworded: "
	today := wordings()
	was := today[0]
	tomorrow := []words{{
		roster:  func(o *flow.Opened) string { return prefix + was.roster(o) },
		kickoff: func(p *flow.Planned, k *flow.Kickoff) string { return prefix + was.kickoff(p, k) },
		answer:  func(c *flow.Call) string { return prefix + was.answer(c) },
		letter:  func(l *flow.Letter) string { return prefix + was.letter(l) },
		about:   func(place, thread string) string { return prefix + was.about(place, thread) },
		stuck:   func(m *flow.Stalemated, about string) string { return prefix + was.stuck(m, about) },
		ruled:   func(m *flow.Stalemated, about string) string { return prefix + was.ruled(m, about) },
		version: func(a *artifact.Artifact) string { return prefix + was.version(a) },
		change:  func(c *flow.Committed) string { return prefix + was.change(c) },
	}}
	if keeps {
		tomorrow = append(tomorrow, today...)
	}
	return verify(ctx, st, &Proof{Thread: thread, words: tomorrow}, "")
}
