package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/letters"
	"brenner/session/view"
	"brenner/store"
)

// input gathers the contributions that a commit settles. Texts that are not stored yet are in
// unstored. Agents are the session's at the time of the commit.
func (h *History) input(ctx context.Context, base artifact.Artifact, c *flow.Committed, agents []flow.Party, unstored [][]byte) (settle.Input, error) {
	if h.rules == nil {
		rules, err := h.State.Opened.MergeRules()
		if err != nil {
			return settle.Input{}, err
		}
		h.rules = &rules
	}
	at, err := artifact.ParseInstant(c.At)
	if err != nil {
		return settle.Input{}, err
	}
	if base.Metadata.Version == 0 {
		base.Metadata.CreatedAt = c.At
	}
	in := settle.Input{Base: base, At: at, Message: c.Message, Rules: *h.rules, Marks: h.marks(c.Seal)}
	h.State.SetAuthors(&in.Rules, c, agents)
	in.Base.Metadata.Contributors = h.State.NameEarlier(base.Metadata.Contributors, agents)
	if c.Source == flow.ByRound {
		in.Contributions, err = h.replies(ctx, c, unstored, &in.Base)
		return in, err
	}
	if c.Source == flow.ByThread {
		in.Contributions, err = h.letters(ctx, c, unstored, &in.Base)
		return in, err
	}
	in.Rules.Authorities = append([]string{c.Author}, h.rules.Authorities...)
	text, err := h.text(ctx, c.Deltas, unstored, 0)
	if err != nil {
		return in, err
	}
	in.Contributions = []settle.Contribution{h.byPerson(c.Author, fmt.Sprintf("%s/%s/%d", h.Thread, c.Source, c.Message), text)}
	in.Contributions[0].Shown = base.Metadata.Version
	return in, nil
}

// replies returns the contributions of a round: the answers, and the letters that follow them.
func (h *History) replies(ctx context.Context, c *flow.Committed, unstored [][]byte, base *artifact.Artifact) ([]settle.Contribution, error) {
	leg, all := h.State.Leg(c.Round, c.Leg), h.contributions
	var err error
	if all == nil {
		if all, err = h.answers(ctx, leg, base); err != nil {
			return nil, err
		}
	}
	if len(c.Letters) == 0 {
		return all, nil
	}
	after, err := h.letters(ctx, c, unstored, base)
	if err != nil {
		return nil, err
	}
	for i, l := range c.Letters {
		x := leg.Of(l.Agent)
		after[i].AfterRepair = l.Follows != x.Ask.Answered.Letter
		at := slices.IndexFunc(all, func(one settle.Contribution) bool { return one.Agent == l.Agent })
		all[at].SetFollowed(letters.SentAt(x.Ask.Answered.Letter))
	}
	return append(all, after...), nil
}

// text returns the i-th unstored text, or the one stored under hash.
func (h *History) text(ctx context.Context, hash string, unstored [][]byte, i int) ([]byte, error) {
	if i < len(unstored) {
		return unstored[i], nil
	}
	return h.Store.Blob(ctx, hash)
}

// letters returns the contributions of letters. Their authors are agents with the rights of
// their roles, as for answers to calls.
func (h *History) letters(ctx context.Context, c *flow.Committed, unstored [][]byte, base *artifact.Artifact) ([]settle.Contribution, error) {
	out := make([]settle.Contribution, len(c.Letters))
	fresh := map[string]delta.Known{"": {}} // examples that are not stored yet
	for i := len(c.Letters); i < len(unstored); i++ {
		var texts []string
		_ = json.Unmarshal(unstored[i], &texts) // cannot fail: ThreadExamples made it
		fresh[store.Hash(unstored[i])] = delta.ReadExamples(texts, h.State.Opened.Reads())
	}
	for i, l := range c.Letters {
		text, err := h.text(ctx, l.Body, unstored, i)
		if err != nil {
			return nil, err
		}
		if text == nil {
			text = []byte{} // an empty letter is a letter
		}
		out[i] = settle.Contribution{Agent: l.Agent, ID: h.Thread + "/letter/" + l.ID, Text: text, Shown: l.Shown, Reader: h.State.Opened.Reads()}
		if out[i].Reader == delta.FirstReader {
			continue
		}
		out[i].Base, out[i].Third = base, true // NO CHANGES is an answer here, too
		out[i].Before = h.State.InstantsOf(l.Agent, l.Round, c.At)
		if out[i].Refused, err = h.refusedAt(ctx, l.Agent, out[i].Before); err != nil {
			return nil, err
		}
		if sent, err := artifact.ParseInstant(l.At); err == nil && !sent.IsZero() {
			out[i].Letter = &delta.Letter{Sent: sent, To: l.To, Direct: l.Direct}
		}
		if known, ok := fresh[l.Examples]; ok {
			out[i].Known = known
		} else if out[i].Known, err = h.common.examples(ctx, h.Store, l.Examples, out[i].Reader); err != nil {
			return nil, err
		}
		for _, hash := range l.More {
			more, err := h.common.examples(ctx, h.Store, hash, out[i].Reader)
			if err != nil {
				return nil, err
			}
			out[i].Known = out[i].Known.With(more)
		}
	}
	return out, nil
}

// refusedAt returns the ids of an agent's deltas that were rejected at the instants.
func (h *History) refusedAt(ctx context.Context, agent string, instants []string) (map[string]bool, error) {
	refused := make(map[string]bool)
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		if c.Outcome.Rejected == 0 || !slices.Contains(instants, c.At) {
			continue
		}
		report, err := h.Report(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, row := range report.Merge.Deltas {
			if row.Agent == agent && row.Disposition == merge.Rejected {
				refused[row.DeltaID] = true
			}
		}
	}
	return refused, nil
}

// answers returns the contributions of a leg's agents in kickoff order. An agent without an
// answer contributes nothing and keeps its number. Current is a version that need not be read again.
func (h *History) answers(ctx context.Context, leg *flow.Leg, current *artifact.Artifact) ([]settle.Contribution, error) {
	if leg == nil {
		return nil, nil
	}
	shown, err := h.shown(ctx, leg, current)
	if err != nil {
		return nil, err
	}
	out := make([]settle.Contribution, len(leg.Exchanges))
	for i := range leg.Exchanges {
		x := &leg.Exchanges[i]
		out[i] = settle.Contribution{
			Agent: x.Agent, ID: x.Ask.ID, Shown: leg.Base, Base: shown,
			Third: h.State.Opened.Follows(flow.ThirdProtocol), Reader: h.State.Opened.Reads(), Records: h.State.Opened.ReadsRecords(),
		}
		answer := x.Answer()
		if answer == nil {
			continue
		}
		out[i].Cut = answer.Answered.Cut
		if out[i].Known, err = h.common.examples(ctx, h.Store, x.Examples, h.State.Opened.Reads()); err != nil {
			return nil, err
		}
		if out[i].Text, err = h.reply(ctx, answer); err != nil {
			return nil, err
		}
		if repair := x.RepairAnswer(); repair != nil {
			if out[i].Repair, err = h.reply(ctx, repair); err != nil {
				return nil, err
			}
			out[i].RepairCut = repair.Answered.Cut
		}
	}
	return out, nil
}

// reply returns the text of an answer. It is not nil, even if a reply was cut before its first word.
func (h *History) reply(ctx context.Context, c *flow.Call) ([]byte, error) {
	text, err := h.Store.Blob(ctx, c.Answered.Reply)
	if text == nil {
		text = []byte{}
	}
	return text, err
}

// shown returns the artifact that the agents of a leg were shown, for sessions since protocol 2.
func (h *History) shown(ctx context.Context, leg *flow.Leg, current *artifact.Artifact) (*artifact.Artifact, error) {
	switch {
	case !h.State.Opened.Follows(flow.SecondProtocol):
		return nil, nil
	case current.Metadata.Version == leg.Base:
		base := *current
		return &base, nil
	}
	base, err := h.Artifact(ctx, leg.Base)
	return &base, err
}

func (h *History) views(ctx context.Context) (map[string]view.Spec, error) {
	specs := make(map[string]view.Spec)
	for _, p := range h.State.Opened.Agents {
		data, err := h.Store.Blob(ctx, p.View)
		if err != nil {
			return nil, err
		}
		if specs[p.Name], err = view.ParseSpec(data); err != nil {
			return nil, err
		}
	}
	return specs, nil
}
