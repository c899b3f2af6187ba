package stalemate

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

const (
	maxSameErrors = 3
	maxSameTries  = 2
)

// Detect returns the stalemates after the last moment of a history: conflicts that survived a
// round, repeated errors, refused changes tried again unchanged, and fields written back and forth.
// attempts are refused changes outside settlements, such as patches. The moments end with a
// complete round.
func Detect(thread string, moments []Moment, attempts []Attempt) []Case {
	tries := slices.Clone(attempts)
	for i := range moments {
		tries = append(tries, refusals(&moments[i])...)
	}
	slices.SortStableFunc(tries, func(a, b Attempt) int { return cmp.Compare(a.Round, b.Round) })
	var all []Case
	all = append(all, conflicts(moments)...)
	all = append(all, swings(moments)...)
	all = append(all, repeats(tries, moments)...)
	all = slices.DeleteFunc(all, func(c Case) bool { return settledByKill(&c, moments) })
	for i := range all {
		all[i].ID = caseID(thread, all[i].ID)
	}
	slices.SortStableFunc(all, func(a, b Case) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Place, b.Place), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// settledByKill reports whether the item of a case was killed in the round of the last try, or after it. A
// change of an item that was killed before may still be disputed.
func settledByKill(c *Case, moments []Moment) bool {
	id, _ := c.item()
	round, killed := 0, -1
	for i := range moments {
		round = max(round, moments[i].Round)
		it, _, ok := moments[i].Out.Artifact.Find(id)
		switch {
		case !ok || !it.Killed():
			killed = -1
		case killed < 0:
			killed = round
		}
	}
	return killed >= c.Round
}

// spot is a field of an active item, or a key of one.
type spot struct {
	item  *artifact.Item
	field string
	key   string
	value artifact.Value
	by    string // the only writer; "" if there are several
	delta string // the writer's delta
}

func (s *spot) place() string {
	if s.key == "" {
		return s.item.ID + "." + s.field
	}
	return s.item.ID + "." + s.field + "." + s.key
}

func (s *spot) edit(v artifact.Value) artifact.Map {
	if s.key != "" {
		v = artifact.MapOf(artifact.Entry{Key: s.key, Value: v})
	}
	return artifact.MapOf(artifact.Entry{Key: s.field, Value: v})
}

// active returns the items that were not killed, in the artifact's order.
func active(a *artifact.Artifact) []*artifact.Item {
	var all []*artifact.Item
	for _, sec := range artifact.Sections() {
		for _, it := range a.Sections[sec] {
			if !it.Killed() {
				all = append(all, it)
			}
		}
	}
	return all
}

// spots returns all fields of an item, those of maps key by key.
func spots(it *artifact.Item) iter.Seq[spot] {
	return func(yield func(spot) bool) {
		for i := range it.Fields {
			f, marks := &it.Fields[i], it.Marks(i)
			by := marks.By()
			m, isMap := f.Value.(artifact.Map)
			if !isMap && !yield(spot{item: it, field: f.Name, value: f.Value}.withWriter(by)) {
				return
			}
			for j, e := range m {
				if !yield(spot{item: it, field: f.Name, key: e.Key, value: e.Value}.withWriter(marks.Part(j, by))) {
					return
				}
			}
		}
	}
}

func conflictSpots(it *artifact.Item) []spot {
	var all []spot
	for s := range spots(it) {
		if _, ok := s.value.(artifact.Conflict); ok {
			all = append(all, s)
		}
	}
	return all
}

// withWriter returns the spot with its writer, if there is only one.
func (s spot) withWriter(by []*artifact.Stamp) spot {
	if len(by) == 1 {
		s.by, s.delta = by[0].Agent, by[0].Delta
	}
	return s
}

// conflicts returns conflicts that were open at the end of an earlier round and of the last one.
func conflicts(moments []Moment) []Case {
	return slices.DeleteFunc(openConflicts(moments), func(c Case) bool { return c.Since == c.Round })
}

// openConflicts returns the conflicts after the last moment, each since the round in which it began.
func openConflicts(moments []Moment) []Case {
	since := make(map[string]int) // place → first round
	// Items are immutable, so each is searched once.
	seen := make(map[*artifact.Item][]spot)
	round := 0
	var last []Case
	for i := range moments {
		m := &moments[i]
		round = max(round, m.Round)
		now := make(map[string]bool)
		for _, it := range active(&m.Out.Artifact) {
			if _, known := seen[it]; !known {
				seen[it] = conflictSpots(it)
			}
			for _, s := range seen[it] {
				place := s.place()
				now[place] = true
				if _, known := since[place]; !known {
					since[place] = round
				}
				if i == len(moments)-1 {
					candidates, _ := s.value.(artifact.Conflict)
					last = append(last, conflictCase(moments, &s, candidates, since[place], round))
				}
			}
		}
		for _, place := range slices.Sorted(maps.Keys(since)) {
			if !now[place] {
				delete(since, place)
			}
		}
	}
	return last
}

func conflictCase(moments []Moment, s *spot, candidates artifact.Conflict, since, round int) Case {
	place := s.place()
	c := Case{
		ID: caseID(Conflict, place, fmt.Sprint(since)), Kind: Conflict, Place: place, Since: since, Round: round, Item: ItemValue(s.item),
	}
	for _, one := range candidates {
		party := one.Agent
		if slices.ContainsFunc(c.Positions, func(p Position) bool { return p.Party == party }) {
			party += " (" + one.Delta + ")" // it wrote two values at one instant
		}
		c.Positions = append(c.Positions, Position{
			Party: party, Statement: statementOf(one.Value), Justification: rationale(moments, one.Delta), Edit: s.edit(one.Value), Delta: one.Delta,
		})
	}
	return c
}

type itemVersion struct {
	item  *artifact.Item
	round int
}

// itemVersions returns the active items, each with all versions it had, and the last round.
// Pointers are equal if an item did not change.
func itemVersions(moments []Moment) (all map[string][]itemVersion, round int) {
	all = make(map[string][]itemVersion)
	for i := range moments {
		round = max(round, moments[i].Round)
		for _, it := range active(&moments[i].Out.Artifact) {
			had := all[it.ID]
			if n := len(had); n == 0 || had[n-1].item != it {
				all[it.ID] = append(had, itemVersion{it, round})
			}
		}
	}
	return all, round
}

// write is a value that an agent wrote to a field.
type write struct {
	value, by string
	round     int
	spot      spot
}

func writes(had []itemVersion) map[string][]write {
	all := make(map[string][]write)
	for _, f := range had {
		for s := range spots(f.item) {
			place, value := s.place(), string(artifact.Canonical(s.value))
			before := all[place]
			if n := len(before); s.by != "" && (n == 0 || before[n-1].value != value) {
				all[place] = append(before, write{value, s.by, f.round, s})
			}
		}
	}
	return all
}

// swings returns fields that an agent wrote, another overwrote, and the first restored.
func swings(moments []Moment) []Case {
	const least = 3 // versions of an item: there, back, and there again
	items, round := itemVersions(moments)
	var all []Case
	for _, id := range slices.Sorted(maps.Keys(items)) {
		if len(items[id]) >= least {
			all = append(all, swingsOf(items[id], moments, round)...)
		}
	}
	return all
}

func swingsOf(had []itemVersion, moments []Moment, round int) []Case {
	written := writes(had)
	var all []Case
	for _, place := range slices.Sorted(maps.Keys(written)) {
		w := written[place]
		n := len(w)
		if n < 3 || w[n-1].round != round || w[n-1].value != w[n-3].value || w[n-1].by != w[n-3].by || w[n-1].by == w[n-2].by {
			continue
		}
		now := &w[n-1].spot
		c := Case{
			ID: caseID(Swing, place, fmt.Sprint(round)), Kind: Swing, Place: place, Since: w[n-3].round, Round: round, Item: ItemValue(now.item),
		}
		for _, one := range w[n-2:] {
			c.Positions = append(c.Positions, Position{
				Party: one.by, Statement: statementOf(one.spot.value), Justification: rationale(moments, one.spot.delta), Edit: now.edit(one.spot.value), Delta: one.spot.delta,
			})
		}
		for _, one := range w[n-3:] {
			c.Log = append(c.Log, fmt.Sprintf("round %d: %s wrote %s", one.round, one.by, one.value))
		}
		all = append(all, c)
	}
	return all
}

// refusals returns the deltas and reply problems that a settlement rejected.
func refusals(m *Moment) []Attempt {
	var all []Attempt
	var byID map[string]*delta.Delta // made on demand
	for i := range m.Out.Report.Deltas {
		row := &m.Out.Report.Deltas[i]
		if row.Disposition != merge.Rejected || m.Round == 0 {
			continue
		}
		a := Attempt{Round: m.Round, By: row.Agent, Place: row.TargetID, Code: row.Code, Message: row.Message, Delta: row.DeltaID}
		if byID == nil {
			byID = deltasByID(m)
		}
		d := byID[row.DeltaID]
		if d == nil || d.Problem != nil {
			continue // an unreadable delta is a problem of the reply
		}
		a.describe(d)
		all = append(all, a)
	}
	for i := range m.Out.Readings {
		r := &m.Out.Readings[i]
		for _, p := range r.Problems {
			if m.Round > 0 && p.Code != delta.NoDeltas { // an agent without deltas is not stuck
				all = append(all, Attempt{Round: m.Round, By: r.Agent, Place: "reply", Code: p.Code, Message: p.Message})
			}
		}
	}
	return all
}

func deltasByID(m *Moment) map[string]*delta.Delta {
	all := make(map[string]*delta.Delta, len(m.Out.Deltas))
	for i := range m.Out.Deltas {
		all[m.Out.Deltas[i].ID] = &m.Out.Deltas[i]
	}
	return all
}

// describe fills in the change that a delta would have made.
func (a *Attempt) describe(d *delta.Delta) {
	if a.Place == "" {
		a.Place = cmp.Or(d.Target, d.Section)
	}
	a.Why = d.Rationale
	payload := payloadOf(d)
	if d.Operation == delta.Edit {
		a.Edit = payload
	}
	a.Content = strings.Join([]string{d.Operation, d.Section, d.Target, string(artifact.Canonical(payload))}, "\x00")
}

// repeats returns refused changes tried again unchanged, and errors that occurred three times.
func repeats(tries []Attempt, moments []Moment) []Case {
	seen := make(map[string][]Attempt)
	add := func(key string, a Attempt) {
		if had := seen[key]; len(had) == 0 || had[len(had)-1].Round < a.Round {
			seen[key] = append(had, a)
		}
	}
	for _, a := range tries {
		if a.Content != "" {
			add(strings.Join([]string{Retry, a.By, a.Content}, "\x00"), a)
		}
		add(strings.Join([]string{Error, a.By, string(a.Code), a.Place}, "\x00"), a)
	}
	var all []Case
	reported := make(map[string]bool) // by author and subject: one case is enough
	for _, kind := range []string{Retry, Error} {
		enough := maxSameErrors
		if kind == Retry {
			enough = maxSameTries
		}
		for _, key := range slices.Sorted(maps.Keys(seen)) {
			rows := seen[key]
			about := rows[0].By + "\x00" + rows[0].Place
			if !strings.HasPrefix(key, kind+"\x00") || len(rows) < enough || reported[about] {
				continue
			}
			reported[about] = true
			all = append(all, repeatCase(kind, key, rows, moments))
		}
	}
	return all
}

func repeatCase(kind, key string, rows []Attempt, moments []Moment) Case {
	last := rows[len(rows)-1]
	c := Case{ID: caseID(kind, key), Kind: kind, Place: last.Place, Since: rows[0].Round, Round: last.Round}
	for _, a := range rows {
		c.Log = append(c.Log, a.line())
	}
	statement := "The change of " + last.Place + " should be made."
	if last.Edit != nil {
		statement += " It says " + string(artifact.Canonical(last.Edit)) + "."
	}
	c.Positions = []Position{
		{Party: last.By, Statement: statement, Justification: last.Why, Edit: last.Edit, Delta: last.Delta},
		{Party: TheRules, Statement: "The change of " + last.Place + " was refused rightly (" + string(last.Code) + ").", Justification: last.Message},
	}
	if n := len(moments); n > 0 {
		id, _, _ := strings.Cut(last.Place, ".")
		if it, _, ok := moments[n-1].Out.Artifact.Find(id); ok {
			c.Item = ItemValue(it)
		}
	}
	return c
}

// ItemValue returns an item as JSON: its id and its fields.
func ItemValue(it *artifact.Item) artifact.Value {
	entries := []artifact.Entry{{Key: "id", Value: artifact.Text(it.ID)}}
	for _, f := range it.Fields {
		entries = append(entries, artifact.Entry{Key: f.Name, Value: f.Value})
	}
	return artifact.MapOf(entries...)
}
