package merge

import (
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
)

// sectionState is one section during a pass.
type sectionState struct {
	section  artifact.Section
	old      []slot           // items of the base, in order
	fresh    [][]slot         // new items, in blocks of freshBlock
	dense    []int32          // positions in old, from 1, by id number, as far as numbers are close
	others   map[string]*slot // old items with distant numbers, and the research thread
	reserved map[string]bool  // ids in texts of the base that are not items
	taken    int              // the highest id number of the base
	highest  int              // the highest id number ever used
	added    int
	active   int
	touched  bool
	closed   bool // its items were rebuilt
	split    bool // some of its fields are undecided

	required []int32 // table indices of the fields that an ADD needs
	defaults []write // values that an ADD gets by default

	freshItems space[artifact.Item]
	announced  string // the sentences about the next ids
}

// freshBlock is how many slots for new items are allocated at a time. They are separate from the
// items, which outlive the merge and must not keep the slots alive.
const freshBlock = 63

// slot is the place of one item: the base's item until a delta changes it.
type slot struct {
	item  *artifact.Item // has its id from the start
	draft *draft
	maker int32 // index of the delta of this batch that created it, from 1; 0 for the base
	in    int8  // its section
}

func (s *slot) section() artifact.Section { return artifact.Section(s.in) }

// hit returns the KILL of this pass that struck it out, if it is a hypothesis.
func (s *slot) hit() *kill {
	if s.draft == nil {
		return nil
	}
	return s.draft.hit
}

func newSectionState(section artifact.Section, items []*artifact.Item, reserved []string) *sectionState {
	s := &sectionState{section: section, old: make([]slot, len(items))}
	for i, it := range items {
		s.old[i] = slot{item: it, in: int8(section)}
		n, ok := section.IDNumber(it.ID)
		if ok {
			s.taken = max(s.taken, n)
		}
		s.put(i, n, ok)
		if !it.Killed() {
			s.active++
		}
	}
	if len(reserved) > 0 {
		s.reserved = make(map[string]bool, len(reserved))
	}
	for _, id := range reserved {
		s.reserved[id] = true
		n, _ := section.IDNumber(id)
		s.taken = max(s.taken, n)
	}
	s.highest = s.taken
	fields := section.Spec().Fields
	for i := range fields {
		f := &fields[i]
		if f.Required {
			s.required = append(s.required, int32(i))
		}
		if f.Default != nil {
			s.defaults = append(s.defaults, write{Field: &delta.Field{Name: f.Name, Value: f.Default}, rank: int32(i), known: true})
		}
	}
	return s
}

// slots iterates over all slots in order: those of the base, then new ones.
func (s *sectionState) slots(yield func(*slot) bool) {
	for i := range s.old {
		if !yield(&s.old[i]) {
			return
		}
	}
	for _, block := range s.fresh {
		for i := range block {
			if !yield(&block[i]) {
				return
			}
		}
	}
}

// slot returns the slot at a position, from 1: those of the base, then new ones.
func (s *sectionState) slot(place int32) *slot {
	at := int(place) - 1
	if at < len(s.old) {
		return &s.old[at]
	}
	at -= len(s.old)
	return &s.fresh[at/freshBlock][at%freshBlock]
}

func (s *sectionState) find(id string) *slot {
	if n, ok := s.section.IDNumber(id); ok {
		if sl := s.numbered(n); sl != nil {
			return sl
		}
	}
	return s.others[id]
}

// numbered returns the item with an id number, except for irregular bases. New items are numbered
// consecutively after those of the base.
func (s *sectionState) numbered(n int) *slot {
	switch at := n - s.taken - 1; {
	case n < len(s.dense) && s.dense[n] != 0:
		return &s.old[s.dense[n]-1]
	case at >= 0 && n <= s.highest:
		return s.slot(int32(len(s.old) + at + 1))
	}
	return nil
}

// put indexes the base's slot at a position by its id and number. Ids are nearly always
// consecutive, but those of an irregular base may be anything.
func (s *sectionState) put(at, n int, numbered bool) {
	if !numbered || n > 2*len(s.old)+64 {
		if s.others == nil {
			s.others = make(map[string]*slot)
		}
		s.others[s.old[at].id()] = &s.old[at]
		return
	}
	for len(s.dense) <= n {
		s.dense = append(s.dense, 0)
	}
	s.dense[n] = int32(at + 1)
}

// announce returns the next id and the report sentence that ends with it, from a shared text.
func (s *sectionState) announce() (sentence, id string) {
	const added, atOnce = "added as ", 32
	s.highest++
	prefix := s.section.Spec().Prefix
	size := len(added) + len(prefix) + digits(s.highest)
	if s.announced == "" {
		var b strings.Builder
		var room [24]byte
		number := strconv.AppendInt(room[:0], int64(s.highest), 10)
		b.Grow(atOnce * (size + 1))
		for range atOnce {
			b.WriteString(added)
			b.WriteString(prefix)
			b.Write(number)
			number = successor(number)
		}
		s.announced = b.String()
	}
	sentence, s.announced = s.announced[:size], s.announced[size:]
	return sentence, sentence[len(added):]
}

// successor increments a decimal number.
func successor(number []byte) []byte {
	for i := len(number) - 1; i >= 0; i-- {
		if number[i] != '9' {
			number[i]++
			return number
		}
		number[i] = '0'
	}
	return slices.Insert(number, 0, '1')
}

func digits(n int) int {
	count := 1
	for ; n >= 10; n /= 10 {
		count++
	}
	return count
}

func (s *sectionState) add(e entry, id string) *slot {
	if s.added%freshBlock == 0 {
		s.fresh = append(s.fresh, make([]slot, 0, freshBlock))
	}
	block := &s.fresh[len(s.fresh)-1]
	it := s.freshItems.one()
	it.ID, it.Created = id, e.stamp()
	*block = append(*block, slot{item: it, maker: e.index + 1, in: int8(s.section)})
	sl := &(*block)[len(*block)-1]
	if s.section == artifact.ResearchThread {
		if s.others == nil {
			s.others = make(map[string]*slot)
		}
		s.others[id] = sl
	}
	s.added++
	s.active++
	s.touched = true
	e.made, e.madeIn = int32(len(s.old)+s.added), int8(s.section)
	e.changed = true
	return sl
}

// open opens the slot's item for changes. The writes of its ADD may lose from now on.
func (p *pass) open(s *slot) *draft {
	if s.draft == nil {
		s.draft = openDraft(s.section(), s.item)
		s.draft.unresolved.third = p.third
		if s.maker != 0 {
			p.noteBirth(p.entry(int(s.maker-1)), s)
		}
	}
	return s.draft
}

func (s *slot) id() string { return s.item.ID }

func (s *slot) killed() bool { return s.killer() != nil }

func (s *slot) killer() *artifact.Kill {
	if s.draft != nil {
		return s.draft.kill
	}
	return s.item.Kill
}

// author returns the agent that added the item, or "" if unknown.
func (s *slot) author() string {
	if s.item.Created == nil {
		return ""
	}
	return s.item.Created.Agent
}

// shownTo reports whether a delta's author can have meant this item: it was in the version shown.
// Deltas from files see every item.
func (s *slot) shownTo(e entry) bool {
	if e.d().Place == nil {
		return true
	}
	created := s.item.Created
	return created == nil || created.Version <= e.d().Place.Shown
}

func (s *slot) close() *artifact.Item {
	if s.draft == nil {
		return s.item
	}
	return s.draft.close()
}

func (s *sectionState) items() []*artifact.Item {
	items := make([]*artifact.Item, 0, len(s.old)+s.added)
	for sl := range s.slots {
		it := sl.close()
		items = append(items, it)
		if sl.maker == 0 || sl.draft != nil { // already known for new items without a draft
			s.split = s.split || splits(it.Fields)
		}
	}
	s.closed = true
	return items
}

// draft is an item that this merge may change. It is opened from a base item at the first touch, or
// by an ADD, and closed into a new item at the end.
type draft struct {
	section artifact.Section
	id      string
	base    *artifact.Item // nil for a new item
	created *artifact.Stamp
	labels  []string
	kill    *artifact.Kill
	hit     *kill // the KILL of this pass that struck it out, if it is a hypothesis
	cells   []artifact.CellKill
	cellsBy map[string]entry // who killed each cell; empty entries for the base
	fields  []field
	byName  map[string]int // only once there are many fields
	// unresolved holds the places that name nothing that exists, and whether they may still resolve
	// to an item that this batch adds.
	unresolved unresolved
	dirty      bool
}

// manyFields is the size from which a lookup by name pays.
const manyFields = 16

func openDraft(section artifact.Section, it *artifact.Item) *draft {
	d := &draft{
		section: section, id: it.ID, base: it, created: it.Created, labels: it.Labels(),
		kill: it.Kill, cells: slices.Clone(it.Cells()),
	}
	d.fields = make([]field, len(it.Fields), len(it.Fields)+2)
	for i := range it.Fields {
		d.fields[i].open(&it.Fields[i], it.Marks(i))
	}
	for _, p := range it.Unresolved() {
		field, ref, _ := strings.Cut(p, ".")
		d.unresolved.add(place{field: field, ref: ref}, false)
	}
	return d
}

// field returns a field, creating it if needed. The pointer is valid until the next creation.
func (d *draft) field(name string) *field {
	if f := d.find(name); f != nil {
		return f
	}
	d.fields = append(d.fields, field{name: name})
	if d.byName != nil {
		d.byName[name] = len(d.fields) - 1
	}
	return &d.fields[len(d.fields)-1]
}

func (d *draft) find(name string) *field {
	if len(d.fields) <= manyFields {
		for i := range d.fields {
			if d.fields[i].name == name {
				return &d.fields[i]
			}
		}
		return nil
	}
	if d.byName == nil {
		d.byName = make(map[string]int, 2*len(d.fields))
		for i := range d.fields {
			d.byName[d.fields[i].name] = i
		}
	}
	if i, ok := d.byName[name]; ok {
		return &d.fields[i]
	}
	return nil
}

func (d *draft) close() *artifact.Item {
	if d.base != nil && !d.dirty {
		return d.base
	}
	it := &artifact.Item{ID: d.id, Kill: d.kill, Created: d.created}
	var room [manyFields]int
	order := d.order(room[:0])
	it.Fields = make([]artifact.Field, len(order))
	marks := make([]artifact.Marks, len(order))
	for i, at := range order {
		it.Fields[i].Name = d.fields[at].name
		it.Fields[i].Value, marks[i] = d.fields[at].close()
	}
	if unresolved := d.unresolved.close(d); len(unresolved) > 0 || len(d.cells) > 0 {
		slices.SortFunc(d.cells, func(a, b artifact.CellKill) int { return artifact.CompareKeys(a.Key, b.Key) })
		it.Rare = &artifact.Rare{Cells: d.cells, Unresolved: unresolved}
	}
	it.SetLabels(d.labels)
	it.SetMarks(marks)
	return it
}

// order appends the indices of the non-empty fields, in item order.
func (d *draft) order(places []int) []int {
	for i := range d.fields {
		if !d.fields[i].empty() {
			places = append(places, i)
		}
	}
	spec := d.section.Spec()
	slices.SortFunc(places, func(i, j int) int { return spec.FieldOrder(d.fields[i].name, d.fields[j].name) })
	return places
}

// cellKilled reports whether a cell was killed before e.
func (d *draft) cellKilled(e entry, key string) bool {
	if d.cellsBy == nil {
		d.cellsBy = make(map[string]entry, len(d.cells))
		for _, c := range d.cells {
			d.cellsBy[c.Key] = entry{}
		}
	}
	by, killed := d.cellsBy[key]
	return killed && (by.none() || by.index < e.index)
}

func (d *draft) killCell(e entry, key string, k artifact.Kill) {
	d.cells = append(d.cells, artifact.CellKill{Key: key, Kill: k})
	d.cellsBy[key] = e
}
