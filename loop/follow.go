package loop

import (
	"cmp"
	"slices"

	"brenner/roster"
)

// bases are the sessions that those of the open round begin with.
type bases struct {
	own  map[int]string    // by cell
	best map[string]string // by question
}

// of gives what a cell begins with, or "".
func (b *bases) of(c *Cell, index int) string {
	if b.best != nil {
		return b.best[c.Question]
	}
	return b.own[index]
}

// bases looks for them in the rounds before: what a cell last came to, or the best
// that the last round made of a question.
func (s *State) bases() *bases {
	b := &bases{}
	if s.Work.Follow == nil || s.Round < 2 {
		return b
	}
	b.own = make(map[int]string)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.usable() && j.Round < s.Round {
			b.own[j.Index] = j.Thread
		}
	}
	if s.Work.Follow.From != FollowBest {
		return b
	}
	best := s.bestBefore(s.Round)
	b.best = make(map[string]string)
	for i := range s.Work.Questions {
		if j := best[s.Work.Questions[i].ID]; j != nil {
			b.best[j.Cell.Question] = j.Thread
		}
	}
	return b
}

// Best chooses, for each question of the work, the session to show: of the latest round
// in which one came to something, the one that leaves the least to mend. Where none did,
// it is the last one that anybody answered in.
func (s *State) Best() map[string]*Job {
	best := s.bestBefore(s.Round + 1)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		first := best[j.Cell.Question]
		if j.Settled.Merged > 0 && (first == nil || !first.usable() && j.Settled.Merged >= first.Settled.Merged) {
			best[j.Cell.Question] = j
		}
	}
	return best
}

// bestBefore looks for it in the rounds before one.
func (s *State) bestBefore(round int) map[string]*Job {
	best := make(map[string]*Job)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.usable() || j.Round >= round {
			continue
		}
		if first := best[j.Cell.Question]; first == nil || j.Round > first.Round || j.Round == first.Round && ahead(j, first) {
			best[j.Cell.Question] = j
		}
	}
	return best
}

// usable tells whether a job came to something that can be shown, and gone on with.
func (j *Job) usable() bool {
	return (j.Status == Finished || j.Status == Cut && j.Answered()) && j.Settled.Version > 0
}

// ahead tells which of two sessions of a round is shown and begun with: one that came
// to its end, then the better one.
func ahead(a, b *Job) bool {
	if done := a.Status == Finished; done != (b.Status == Finished) {
		return done
	}
	return better(a, b)
}

// better tells which of two jobs is the better one: it prefers what needs nobody, then what lint finds least in, then what has
// more tests; of equals the first one.
func better(a, b *Job) bool {
	x, y := &a.Settled, &b.Settled
	return cmp.Or(
		cmp.Compare(x.Needs(), y.Needs()), cmp.Compare(x.Errors, y.Errors), cmp.Compare(x.Warnings, y.Warnings),
		cmp.Compare(y.Tests, x.Tests), cmp.Compare(a.Number, b.Number),
	) < 0
}

// Rotated gives everybody the role of the one so many places after them; programs
// and models stay with whom they belong to.
func Rotated(r roster.Roster, turn int) roster.Roster {
	n := len(r.Entries)
	if n == 0 || turn%n == 0 {
		return r
	}
	entries := slices.Clone(r.Entries)
	for i := range entries {
		entries[i].Role = r.Entries[(i+turn)%n].Role
	}
	r.Entries = entries
	return r
}
