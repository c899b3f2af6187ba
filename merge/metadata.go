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
	newest := make([]time.Time, len(list))
	for i, c := range list {
		place[c.Agent] = i
	}
	for i := range p.entries {
		e := &p.entries[i]
		if !e.counts() {
			continue
		}
		i, ok := place[e.d.Agent]
		if !ok {
			i = len(list)
			place[e.d.Agent] = i
			list = append(list, artifact.Contributor{Agent: e.d.Agent})
			newest = append(newest, time.Time{})
		}
		if e.who.Program != "" || e.who.Model != "" {
			list[i].Program, list[i].Model = e.who.Program, e.who.Model
		}
		newest[i] = e.d.At // entries stand in the order of time
		if first.IsZero() {
			first = e.d.At
		}
		last = e.d.At
	}
	for i := range list {
		old, err := artifact.ParseInstant(list[i].ContributedAt)
		if !newest[i].IsZero() && (err != nil || old.Before(newest[i])) {
			list[i].ContributedAt = artifact.FormatInstant(newest[i])
		}
	}
	m.Contributors = list
	return first, last
}
