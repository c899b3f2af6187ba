package settle

import (
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/roster"
)

// ByHand is a merge outside of a session.
type ByHand struct {
	Base    artifact.Artifact
	Deltas  []delta.Delta
	Replies []Reply
	Roster  *roster.Roster // nil means the one in the metadata of the base, if any
	Anyone  bool           // every agent may contribute, whatever the base says
	Strict  bool           // accept no mistakes in replies, and no known id on an ADD
	// Operator is an authority, as in sessions, unless an agent of the roster has that name.
	Operator string
}

// Merge merges by the given rules, completed by the roster. The new version does not carry the seal of
// the session that made the base: it did not make this one.
func (in *ByHand) Merge(rules merge.Rules, examples []string) (artifact.Artifact, merge.Report, []delta.Note, []delta.Delta) {
	batch, notes := ReadReplies(in.Replies, in.Base, delta.Options{Strict: in.Strict, Examples: examples})
	batch = append(slices.Clip(in.Deltas), batch...) // without a copy if there are no replies
	rules.RejectTaken = in.Strict
	from := in.Roster
	switch {
	case from != nil:
		rules.Roster = from.Value()
	case in.Base.Metadata.Roster != nil && !in.Anyone:
		r, warnings, err := roster.FromValue(in.Base.Metadata.Roster)
		if from = &r; err != nil || len(r.Entries) == 0 && len(warnings) > 0 {
			from = nil
			notes = append(notes, delta.Note{File: "base", Line: 1, What: "roster", Text: "the roster in its metadata is unreadable and ignored: any agent may contribute"})
		}
	}
	var own roster.Roster
	if from != nil {
		own = *from
	}
	rules.Agents, rules.Unified, rules.Priority = own.Entries, own.Mode == roster.Unified, own.Priority(rules.Priority)
	operator := strings.TrimSpace(in.Operator)
	if operator != "" && !slices.ContainsFunc(own.Agents(), func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), operator) }) {
		rules.Authorities = slices.Concat(rules.Authorities, []string{operator})
	}
	out, report := merge.Merge(in.Base, batch, rules)
	if out.Metadata.Version != in.Base.Metadata.Version {
		out.Metadata.Extra = slices.DeleteFunc(slices.Clone(out.Metadata.Extra), func(e artifact.Entry) bool { return e.Key == "seal" })
	}
	unknown := slices.ContainsFunc(report.Deltas, func(row merge.Row) bool { return row.Code == merge.UnknownAgent })
	if unknown && in.Roster == nil && from != nil {
		notes = append(notes, delta.Note{
			File: "base", Line: 1, What: "roster",
			Text: "its metadata allows only " + strings.Join(from.Agents(), ", ") + "; --roster names others, --authority a person, --any-agent allows all",
		})
	}
	return out, report, notes, batch
}
