package playbook

import (
	"maps"
	"slices"
	"time"
)

// Stats are statistics of a playbook.
type Stats struct {
	Bullets  int     `json:"bullets"`
	Entries  int     `json:"entries"`
	Waiting  int     `json:"waiting"` // for review
	Stages   []Tally `json:"stages"`
	Sections []Tally `json:"sections"`
	Domains  []Tally `json:"domains"`
	Ops      []Tally `json:"ops"`
	Days     []Day   `json:"days"` // with entries, oldest first
}

// Tally is a named count.
type Tally struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Day counts the entries of one day, in UTC.
type Day struct {
	Date    string `json:"date"`
	Added   int    `json:"added"`
	Counted int    `json:"counted"`
	Other   int    `json:"other"`
}

// Counter gathers statistics entry by entry. The zero value is ready for use.
type Counter struct {
	ops     map[Op]int
	days    map[string]*Day
	entries int
}

// Take counts an entry.
func (c *Counter) Take(e *Entry) {
	if c.ops == nil {
		c.ops, c.days = map[Op]int{}, map[string]*Day{}
	}
	c.entries++
	c.ops[e.Op]++
	date := e.At.UTC().Format(time.DateOnly)
	day := c.days[date]
	if day == nil {
		day = &Day{Date: date}
		c.days[date] = day
	}
	switch e.Op {
	case OpAdd:
		day.Added++
	case OpCount:
		day.Counted++
	default:
		day.Other++
	}
}

// Stats returns the statistics of the bullets and the counted entries.
func (c *Counter) Stats(bullets []*Bullet) Stats {
	s := Stats{Bullets: len(bullets), Entries: c.entries, Days: []Day{}}
	stages, sections, domains := map[Stage]int{}, map[Section]int{}, map[string]int{}
	for _, b := range bullets {
		stages[b.Stage]++
		sections[b.Section]++
		domains[b.Domain]++
		if b.Review == Waiting {
			s.Waiting++
		}
	}
	s.Stages, s.Sections = tally(Stages(), stages), tally(Sections(), sections)
	s.Domains, s.Ops = tally(slices.Sorted(maps.Keys(domains)), domains), tally(Ops(), c.ops)
	for _, date := range slices.Sorted(maps.Keys(c.days)) {
		s.Days = append(s.Days, *c.days[date])
	}
	return s
}

func tally[T ~string](names []T, counts map[T]int) []Tally {
	all := make([]Tally, len(names))
	for i, name := range names {
		all[i] = Tally{string(name), counts[name]}
	}
	return all
}
