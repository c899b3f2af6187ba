package project

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/prompts"
	"brenner/roster"
	"brenner/session/audit"
	"brenner/session/stalemate"
	"brenner/store"
)

// MergeInput is what to merge, and by which roster.
type MergeInput struct {
	Base    artifact.Artifact
	Deltas  []delta.Delta
	Replies []settle.Reply
	Roster  *roster.Roster // nil lets everyone contribute
	Strict  bool           // forgive nothing in replies
}

// Merged is a merged artifact, and what became of the deltas.
type Merged struct {
	Schema  string         `json:"schema"`
	JSON    jsontext.Value `json:"artifact"`
	Report  merge.Report   `json:"report"`
	Reading []delta.Note   `json:"reading"`

	Artifact artifact.Artifact `json:"-"`
}

// Merge merges deltas and replies into an artifact, by the rules of the configuration.
func (p *Project) Merge(in *MergeInput) *Merged {
	rules := p.mergeRules(in.Roster)
	read, notes := settle.ReadReplies(in.Replies, in.Base, delta.Options{Strict: in.Strict, Examples: WorkedExamples()})
	batch := slices.Concat(in.Deltas, read)
	out, report := merge.Merge(in.Base, batch, rules)
	p.Log.Debug().Int("deltas", len(batch)).Int("applied", report.Applied).Int("version", report.Version).Msg("merged")
	p.warnPriority(rules, batch)
	return &Merged{Schema: "brenner.merge/v1", JSON: out.JSON(), Report: report, Reading: notes, Artifact: out}
}

func (p *Project) mergeRules(r *roster.Roster) merge.Rules {
	rules := merge.Rules{Priority: p.Config.Priority, Authorities: p.Config.Authorities, Limits: p.Config.Limits, Scopes: p.Config.Scopes}
	if r == nil {
		return rules
	}
	rules.Agents = r.Entries
	rules.Roster = r.Value()
	rules.Unified = r.Mode == roster.Unified
	return rules
}

// warnPriority names the agents of the priority list that contribute nothing: a name
// that is misspelt there would change the outcome without a word.
func (p *Project) warnPriority(rules merge.Rules, batch []delta.Delta) {
	for _, name := range rules.Priority {
		known := slices.ContainsFunc(rules.Agents, func(g roster.Entry) bool { return g.Agent == name }) ||
			slices.ContainsFunc(batch, func(d delta.Delta) bool { return d.Agent == name })
		if !known && len(batch) > 0 {
			p.Log.Warn().Str("agent", name).Msg("the priority list names an agent that has no delta here")
		}
	}
}

// WorkedExamples returns the examples of our own prompts. An agent that repeats one
// of them does not mean it.
func WorkedExamples() []string {
	var examples []string
	for _, t := range prompts.All() {
		examples = append(examples, t.Example())
	}
	return examples
}

// Stalemates returns the stalemates of all sessions and records; without all, those that
// wait for a ruling.
func (p *Project) Stalemates(ctx context.Context, all bool) (*audit.StalemateList, error) {
	l := audit.NewStalemateList()
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	if err := l.AddSessions(ctx, st, all); err != nil {
		return nil, err
	}
	about, err := p.Door(st).Stalemates(ctx, "")
	if err != nil {
		return nil, err
	}
	AddRecordStalemates(l, about, all)
	return l, nil
}

// AddRecordStalemates adds stalemates about records to a list; without all, those that
// wait for a ruling.
func AddRecordStalemates(l *audit.StalemateList, about []govern.Stalemate, all bool) {
	for i := range about {
		if s := RecordStalemate(&about[i]); all || s.Row.Waits {
			l.Stalemates = append(l.Stalemates, s.Row)
		}
	}
}

// RecordStalemate returns everything about a stalemate over patches of a record.
func RecordStalemate(s *govern.Stalemate) *audit.Stalemate {
	row := audit.StalemateRow{
		ID: s.ID, Thread: s.About.ID, State: s.State, Kind: s.Kind, Place: s.About.String(), By: s.By,
		Opened: artifact.FormatInstant(s.Opened), Moved: artifact.FormatInstant(s.Moved), Waits: s.Waits(),
	}
	if s.State == stalemate.Expired {
		row.Why = "the record went on to another version"
	}
	return audit.NewStalemate(row, s.About.Version, s.Request, s.Verdict)
}
