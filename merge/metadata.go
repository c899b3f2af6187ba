package merge

import (
	"slices"
	"time"

	"brenner/artifact"
)

// commitMetadata counts the version, and fills in what the base left out.
func (p *pass) commitMetadata(m *artifact.Metadata) {
	m.Version = p.version
	m.Rules = Version
	if p.court.rules.Roster != nil {
		m.Roster = p.court.rules.Roster
	}
	if m.Status == "" {
		m.Status = "active"
	}
	first, last := p.commitContributors(m)
	if m.CreatedAt == "" {
		m.CreatedAt = artifact.FormatInstant(first)
	}
	if old, err := artifact.ParseInstant(m.UpdatedAt); err != nil || old.Before(last) {
		m.UpdatedAt = artifact.FormatInstant(last)
	}
}

// commitContributors names everybody whose deltas counted, and gives the first
// and the last instant that did.
func (p *pass) commitContributors(m *artifact.Metadata) (first, last time.Time) {
	list := slices.Clone(m.Contributors)
	place := make(map[string]int, len(list))
	for i, c := range list {
		place[c.Agent] = i
	}
	for _, who := range p.counted {
		newest := who.newest.At
		if first.IsZero() || who.oldest.At.Before(first) {
			first = who.oldest.At
		}
		if last.Before(newest) {
			last = newest
		}
		i, ok := place[who.Name]
		if !ok {
			i = len(list)
			list = append(list, artifact.Contributor{Agent: who.Name})
		}
		if who.Program != "" || who.Model != "" {
			list[i].Program, list[i].Model = who.Program, who.Model
		}
		if old, err := artifact.ParseInstant(list[i].ContributedAt); err != nil || old.Before(newest) {
			list[i].ContributedAt = artifact.FormatInstant(newest)
		}
	}
	m.Contributors = list
	return first, last
}
