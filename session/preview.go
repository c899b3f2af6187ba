package session

import (
	"context"
	"slices"

	"brenner/kickoff"
	"brenner/session/flow"
)

// Opening is the first messages of a session: exactly those that Start would send.
type Opening struct {
	Messages []kickoff.Message
	Tokens   []int // of each message
	// Later are the agents whose first message depends on the replies to these.
	Later []string
	// Bounds, of an opening for an estimate, are the tokens that other messages of each agent have at most, besides lessons: all that
	// stays the same, and a view at its limit. Repairs are those that a repair adds at most.
	Bounds, Repairs map[string]int
	// Notes say what was left out of messages to fit the bounds of their calls, and which leave too
	// little room for the reply.
	Notes []string
}

// Preview composes the first messages of a session as Start does, and writes nothing. For an estimate, it adds the bounds
// of all others.
func (r *Runner) Preview(ctx context.Context, b *Brief, forEstimate bool) (*Opening, error) {
	l := r.ledger(b.Thread, &flow.State{}, nil)
	if err := l.keep(func(*flow.State) (*draft, error) { return b.open(r.Project != nil) }); err != nil {
		return nil, err
	}
	s := &run{Runner: r, ledger: l, mayHold: true} // everything is held, and never flushed
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	if err := s.brief(ctx); err != nil {
		return nil, err
	}
	for _, c := range flow.Next(s.state) {
		if p, ok := c.(flow.Plan); ok {
			return s.opening(ctx, p, forEstimate)
		}
	}
	return &Opening{}, nil
}

func (s *run) opening(ctx context.Context, p flow.Plan, forEstimate bool) (*Opening, error) {
	c, err := s.compose(ctx, &draft{}, s.state, p)
	if err != nil {
		return nil, err
	}
	o := &Opening{Messages: c.messages, Notes: s.roomNotes(c)}
	for _, k := range c.kickoffs {
		o.Tokens = append(o.Tokens, k.Tokens)
	}
	for _, a := range s.state.Opened.Agents {
		if !slices.Contains(p.Agents, a.Name) {
			o.Later = append(o.Later, a.Name)
		}
	}
	if forEstimate {
		err = s.bound(o, c.input)
	}
	return o, err
}

// bound composes messages of the first and of the last round, with views at their limits.
func (s *run) bound(o *Opening, in kickoff.Input) error {
	in.Recipients = in.Roster.Agents()
	in.Views, in.Lessons = make(map[string]string), make(map[string][]kickoff.Bullet)
	o.Bounds, o.Repairs = make(map[string]int), make(map[string]int)
	for _, name := range in.Recipients {
		in.Views[name], o.Repairs[name] = "-", s.views[name].Bound()
		if in.Learns {
			in.Lessons[name] = []kickoff.Bullet{{ID: "-", Text: "-"}} // for the words before lessons
		}
	}
	rounds := []int{1, max(2, s.state.Settings.Rounds)}
	if in.Task != nil {
		rounds = rounds[:1]
	}
	for _, round := range rounds {
		if in.Round = round; round > 1 {
			in.Hypotheses = nil
		}
		messages, err := kickoff.Compose(in)
		if err != nil {
			return err
		}
		for _, m := range messages {
			o.Bounds[m.To] = max(o.Bounds[m.To], s.Tokens.Count(m.Body)+s.views[m.To].Bound())
		}
	}
	return nil
}
