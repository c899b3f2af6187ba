package artifact

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Item is one entry of a section. Items in an artifact are immutable; a change makes a new item.
// Data that few items have is behind a pointer, because there may be very many items.
type Item struct {
	ID      string
	Fields  []Field // sorted by FieldOrder
	Kill    *Kill
	Created *Stamp
	Rare    *Rare // nil for nearly all items
}

// Rare holds the data that few items have.
type Rare struct {
	// Cells are the individually killed prediction cells, by key.
	Cells []CellKill
	// Unresolved lists places, such as "predictions.H4", that named an item which did not exist.
	// They never refer to a later item with that id.
	Unresolved []string
	// Labels are the ids that the author of the item assumed for it, if the merge gave it another one.
	// They are part of the provenance.
	Labels []string
	// Marks are the stamps of each field; nil if the delta that created the item wrote all of them.
	Marks []Marks
}

// Field is one named value of an item.
type Field struct {
	Name  string
	Value Value
}

// Cells returns the individually killed prediction cells.
func (it *Item) Cells() []CellKill {
	if it.Rare == nil {
		return nil
	}
	return it.Rare.Cells
}

// Unresolved returns the places that name an item which did not exist.
func (it *Item) Unresolved() []string {
	if it.Rare == nil {
		return nil
	}
	return it.Rare.Unresolved
}

// Labels returns the ids that the author of the item assumed for it, other than its own.
func (it *Item) Labels() []string {
	if it.Rare == nil {
		return nil
	}
	return it.Rare.Labels
}

// SetLabels sets the ids that the author of a new item assumed for it.
func (it *Item) SetLabels(labels []string) {
	if len(labels) > 0 {
		it.rare().Labels = labels
	}
}

// Marks returns the stamps of the field at index i.
func (it *Item) Marks(i int) Marks {
	if it.Rare == nil || it.Rare.Marks == nil {
		return Marks{One: it.Created}
	}
	return it.Rare.Marks[i]
}

// SetMarks sets the writers of each field of a new item. All other parts must be set first.
func (it *Item) SetMarks(marks []Marks) {
	created := Marks{One: it.Created}
	if slices.ContainsFunc(marks, func(m Marks) bool { return m != created }) {
		it.rare().Marks = marks
	}
}

// rare returns it.Rare, allocating it if needed.
func (it *Item) rare() *Rare {
	if it.Rare == nil {
		it.Rare = &Rare{}
	}
	return it.Rare
}

// Kill records who struck out an item. A killed item is kept.
type Kill struct {
	By     string
	At     time.Time
	Reason string
	Stamp  *Stamp
}

// CellKill is a Kill of one prediction cell.
type CellKill struct {
	Key  string
	Kill Kill
}

// SystemFields returns the reserved names in an item's JSON. No payload can write them.
func SystemFields() []string {
	return []string{"id", "kill_reason", "killed", "killed_at", "killed_by", "unresolved", "version", "withheld"}
}

// IsSystemField reports whether name is one of SystemFields or has the prefix of a kill mark.
func IsSystemField(name string) bool {
	return slices.Contains(SystemFields(), name) || strings.HasPrefix(name, "killed")
}

// Killed reports whether the item was struck out.
func (it *Item) Killed() bool { return it.Kill != nil }

// Get returns the value of a field, or nil.
func (it *Item) Get(name string) Value {
	for i := range it.Fields {
		if it.Fields[i].Name == name {
			return it.Fields[i].Value
		}
	}
	return nil
}

// Text returns the value of a text field, or "".
func (it *Item) Text(name string) string {
	t, _ := it.Get(name).(Text)
	return string(t)
}

// Flag returns the value of a boolean field, or false.
func (it *Item) Flag(name string) bool {
	b, _ := it.Get(name).(Bool)
	return bool(b)
}

// Texts returns the texts of a list field.
func (it *Item) Texts(name string) []string {
	list, _ := it.Get(name).(List)
	var texts []string
	for _, v := range list {
		if t, ok := v.(Text); ok {
			texts = append(texts, string(t))
		}
	}
	return texts
}

// Map returns the value of a map field, or nil.
func (it *Item) Map(name string) Map {
	m, _ := it.Get(name).(Map)
	return m
}

// IDNumber returns 12 for "H12". Leading zeros, a sign or spaces are invalid.
func (s Section) IDNumber(id string) (int, bool) {
	prefix := table[s].Prefix
	if len(id) <= len(prefix) || id[:len(prefix)] != prefix || id[len(prefix)] == '0' {
		return 0, false
	}
	n := 0
	for i := len(prefix); i < len(id); i++ {
		c := id[i]
		if n = 10*n + int(c-'0'); c < '0' || c > '9' || n > MaxIDNumber {
			return 0, false
		}
	}
	return n, true
}

// MaxIDNumber is the highest number of an id.
const MaxIDNumber = 999_999_999

// ItemID returns the id with number n.
func (s Section) ItemID(n int) string { return table[s].Prefix + strconv.Itoa(n) }

// ThreadID is the only id of the research thread.
const ThreadID = "RT"

// ValidID reports whether id can be an id of the section.
func (s Section) ValidID(id string) bool {
	if s == ResearchThread {
		return id == ThreadID
	}
	_, ok := s.IDNumber(id)
	return ok
}

// SectionOfID returns the section whose ids have the form of id.
func SectionOfID(id string) (Section, bool) {
	if id == "" {
		return 0, false
	}
	for s := range Section(SectionCount) {
		if table[s].Prefix[0] == id[0] && s.ValidID(id) {
			return s, true
		}
	}
	return 0, false
}

// beginsID reports whether an id can begin with c. It filters out most names cheaply.
func beginsID(c byte) bool {
	for s := range table {
		if table[s].Prefix[0] == c {
			return true
		}
	}
	return false
}

// FieldOrder compares two field names: those of the table first, in its order, then by name.
func (s *SectionSpec) FieldOrder(a, b string) int {
	ra, rb := s.Rank(a), s.Rank(b)
	if ra != rb {
		return ra - rb
	}
	return CompareKeys(a, b)
}

// Rank is a field's index in the table. Unknown fields rank after all others.
func (s *SectionSpec) Rank(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return len(s.Fields)
}

// SortFields sorts fields by FieldOrder.
func (s *SectionSpec) SortFields(fields []Field) {
	slices.SortFunc(fields, func(a, b Field) int { return s.FieldOrder(a.Name, b.Name) })
}
