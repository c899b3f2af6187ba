package view

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"brenner/artifact"
)

type candidate struct {
	item     *artifact.Item
	section  artifact.Section
	priority int
	distance distance
	version  int // the newest that changed the item, and its time
	at       time.Time
	number   int
}

// distance is how far an item is from the agent's own work and from conflicts.
type distance int

const (
	central distance = iota // changed by the agent, or in conflict
	linked                  // refers to a central one, or is referred to by one
	apart
	gone // killed
)

// ranked sorts all items but the research thread by priority, relevance, recency and id.
func ranked(in *Input, open []conflict) []candidate {
	var all []candidate
	for _, s := range artifact.Sections()[1:] {
		for _, it := range in.Artifact.Items(s) {
			c := candidate{item: it, section: s, priority: in.Spec.Sections[s].Priority, distance: apart}
			c.number, _ = s.IDNumber(it.ID)
			c.readStamps(in.Agent)
			all = append(all, c)
		}
	}
	measure(all, open)
	slices.SortStableFunc(all, compare)
	return all
}

func compare(a, b candidate) int {
	return cmp.Or(
		cmp.Compare(b.priority, a.priority),
		cmp.Compare(a.section, b.section), // sections of equal priority stay together
		cmp.Compare(a.distance, b.distance),
		cmp.Compare(b.version, a.version),
		b.at.Compare(a.at),
		cmp.Compare(a.number, b.number),
		cmp.Compare(a.item.ID, b.item.ID),
	)
}

// readStamps finds the newest stamp of an item and any of the agent's.
func (c *candidate) readStamps(agent string) {
	take := func(stamps ...*artifact.Stamp) {
		for _, s := range stamps {
			if s == nil {
				continue
			}
			if s.Version > c.version || (s.Version == c.version && s.At.After(c.at)) {
				c.version, c.at = s.Version, s.At
			}
			if s.Agent == agent && agent != "" {
				c.distance = central
			}
		}
	}
	take(c.item.Created)
	for i := range c.item.Fields {
		marks := c.item.Marks(i)
		take(marks.By()...)
		if marks.Parts == nil {
			continue
		}
		take(marks.Parts.Floor...)
		for _, by := range marks.Parts.Each {
			take(by...)
		}
	}
	if c.item.Kill != nil {
		take(c.item.Kill.Stamp)
	}
}

// measure sets the distance of each item from the central ones, one step deep.
func measure(all []candidate, open []conflict) {
	inConflict := make(map[*artifact.Item]bool, len(open))
	for _, c := range open {
		inConflict[c.item] = true
	}
	place := make(map[string]int, len(all))
	for i := range all {
		place[all[i].item.ID] = i
		if inConflict[all[i].item] {
			all[i].distance = central
		}
	}
	for i := range all {
		for _, id := range references(all[i].section, all[i].item) {
			j, ok := place[id]
			switch {
			case !ok:
			case all[i].distance == central && all[j].distance == apart:
				all[j].distance = linked
			case all[j].distance == central && all[i].distance == apart:
				all[i].distance = linked
			}
		}
	}
	for i := range all {
		if all[i].item.Killed() {
			all[i].distance = gone
		}
	}
}

// references returns what may be ids of other items in an item's fields.
func references(s artifact.Section, it *artifact.Item) []string {
	var ids []string
	spec := s.Spec()
	for i := range it.Fields {
		f := &it.Fields[i]
		known, ok := spec.Field(f.Name)
		if !ok || !known.Refs {
			continue
		}
		switch v := f.Value.(type) {
		case artifact.Map:
			for _, e := range v {
				ids = append(ids, e.Key)
			}
		case artifact.List:
			ids = append(ids, it.Texts(f.Name)...)
		case artifact.Text:
			ids = append(ids, strings.FieldsFunc(string(v), func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r)
			})...)
		}
	}
	return ids
}
