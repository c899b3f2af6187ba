package merge

import (
	"strconv"
	"strings"

	"brenner/artifact"
)

// shelf is one section during a pass.
type shelf struct {
	section artifact.Section
	slots   []*slot // in order: those of the base, then what was added
	dense   []int32 // places among the slots, from 1, by the number of their id, as far as numbers are close
	others  map[string]*slot
	highest int // the highest number ever used in an id
	active  int
	touched bool
	closed  bool // its items were made anew
	split   bool // some of its fields wait for a decision

	// Room for new items and their slots, made many at a time; apart, since
	// the items outlive the merge and must not keep the slots alive.
	freshItems space[artifact.Item]
	freshSlots space[slot]
	announced  string // the sentences about the next ids
}

// slot is the place of one item: as the base has it, until something touches it.
type slot struct {
	section artifact.Section
	item    *artifact.Item // with its id from the start
	draft   *draft
	maker   *entry // the ADD of this batch that made it
	kill    *kill  // the KILL of this pass that hit it, if it is a hypothesis
}

func newShelf(section artifact.Section, items []*artifact.Item) *shelf {
	s := &shelf{section: section, slots: make([]*slot, len(items))}
	block := make([]slot, len(items))
	for i, it := range items {
		block[i] = slot{section: section, item: it}
		s.slots[i] = &block[i]
		n, ok := section.IDNumber(it.ID)
		if ok {
			s.highest = max(s.highest, n)
		}
		s.put(i, n, ok)
		if !it.Killed() {
			s.active++
		}
	}
	return s
}

// find gives the item with an id.
func (s *shelf) find(id string) *slot {
	if n, ok := s.section.IDNumber(id); ok && n < len(s.dense) && s.dense[n] != 0 {
		return s.slots[s.dense[n]-1]
	}
	return s.others[id]
}

// put makes the slot at a place known by its id, and by the number in it. Ids are
// nearly always given out one after the other; those of a strange base may be
// anything.
func (s *shelf) put(at, n int, numbered bool) {
	if !numbered || n > 2*len(s.slots)+64 {
		if s.others == nil {
			s.others = make(map[string]*slot)
		}
		s.others[s.slots[at].id()] = s.slots[at]
		return
	}
	for len(s.dense) <= n {
		s.dense = append(s.dense, 0)
	}
	s.dense[n] = int32(at + 1)
}

// announce gives the next id, and the sentence of the report that ends with it.
// Both are cut from one text that announces many.
func (s *shelf) announce() (sentence, id string) {
	const added, atOnce = "added as ", 32
	s.highest++
	prefix := s.section.Spec().Prefix
	size := len(added) + len(prefix) + digits(s.highest)
	if s.announced == "" {
		var b strings.Builder
		var number [24]byte
		b.Grow(atOnce * (size + 1))
		for n := range atOnce {
			b.WriteString(added)
			b.Write(strconv.AppendInt(append(number[:0], prefix...), int64(s.highest+n), 10))
		}
		s.announced = b.String()
	}
	sentence, s.announced = s.announced[:size], s.announced[size:]
	return sentence, sentence[len(added):]
}

func digits(n int) int {
	count := 1
	for ; n >= 10; n /= 10 {
		count++
	}
	return count
}

// add makes a slot for a new item without fields.
func (s *shelf) add(e *entry, id string) *slot {
	sl, it := s.freshSlots.one(), s.freshItems.one()
	it.ID, it.Created = id, e.stamp
	sl.section, sl.maker, sl.item = s.section, e, it
	s.slots = append(s.slots, sl)
	s.put(len(s.slots)-1, s.highest, s.section != artifact.ResearchThread)
	s.active++
	s.touched = true
	e.made = sl
	e.changed = true
	return sl
}

// open makes the slot's item ready to be changed. What its ADD wrote is written
// down then, since from now on it may lose.
func (p *pass) open(s *slot) *draft {
	if s.draft == nil {
		s.draft = openDraft(s.section, s.item)
		if s.maker != nil {
			p.noteBirth(s.maker, s)
		}
	}
	return s.draft
}

func (s *slot) id() string { return s.item.ID }

func (s *slot) killed() bool {
	if s.draft != nil {
		return s.draft.kill != nil
	}
	return s.item.Killed()
}

func (s *slot) killer() *artifact.Kill {
	if s.draft != nil {
		return s.draft.kill
	}
	return s.item.Kill
}

func (s *slot) author() string {
	if s.draft != nil {
		return s.draft.author()
	}
	if s.item.Created == nil {
		return ""
	}
	return s.item.Created.Agent
}

func (s *slot) created() *artifact.Stamp {
	if s.draft != nil {
		return s.draft.created
	}
	return s.item.Created
}

// shownTo tells whether a delta's author can have meant this item: it stood in
// the version it was shown. Deltas from files see all that stands.
func (s *slot) shownTo(e *entry) bool {
	if e.d.Place == nil {
		return true
	}
	created := s.created()
	return created == nil || created.Version <= e.d.Place.Shown
}

// close gives the item as it stands now.
func (s *slot) close() *artifact.Item {
	if s.draft == nil {
		return s.item
	}
	return s.draft.close()
}

// items closes the section.
func (s *shelf) items() []*artifact.Item {
	items := make([]*artifact.Item, len(s.slots))
	for i, sl := range s.slots {
		items[i] = sl.close()
		if sl.maker == nil || sl.draft != nil { // of what was only born it is known
			s.split = s.split || splits(items[i].Fields)
		}
	}
	s.closed = true
	return items
}
