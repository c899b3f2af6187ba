package merge

import (
	"slices"
	"strings"

	"brenner/artifact"
)

// draft is an item that this merge may change. It is opened from a base item at
// the first touch, or made by an ADD, and closed into a new item at the end.
type draft struct {
	section artifact.Section
	id      string
	base    *artifact.Item // nil for a new item
	created *artifact.Stamp
	kill    *artifact.Kill
	hit     *kill // the KILL of this pass that struck it out, if it is a hypothesis
	cells   []artifact.CellKill
	cellsBy map[string]entry // who killed each cell; nobody for what the base has
	fields  []field
	byName  map[string]int // only once there are many fields
	// unresolved are the places that name what does not exist, and whether
	// they may still come to mean an item that this batch adds.
	unresolved unresolved
	dirty      bool
}

// manyFields is where looking up by name begins to pay.
const manyFields = 16

func openDraft(section artifact.Section, it *artifact.Item) *draft {
	d := &draft{
		section: section, id: it.ID, base: it, created: it.Created,
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

// field finds a field, or makes an empty one. The pointer is good until the next
// field is made.
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

// close gives the item as it now stands.
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
	it.SetMarks(marks)
	return it
}

// order adds the places of the fields that hold something, as they stand in items.
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

// cellKilled tells whether a cell was killed before e came.
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

// author is who added the item, or "" where nobody knows.
func (d *draft) author() string {
	if d.created == nil {
		return ""
	}
	return d.created.Agent
}
