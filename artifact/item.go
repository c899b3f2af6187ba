package artifact

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Item is one entry of a section. Items are never changed once they stand in an
// artifact: whoever wants another one makes another one.
//
// There may be very many of them, so that what few have stands behind a pointer.
type Item struct {
	ID      string
	Fields  []Field // as FieldOrder sorts them
	Kill    *Kill
	Created *Stamp
	Rare    *Rare // nil for nearly all
}

// Rare is what few items have.
type Rare struct {
	// Cells are the prediction cells that were killed one by one, by key.
	Cells []CellKill
	// Unresolved are the places, such as "predictions.H4", where the author
	// named an item that did not exist; they never mean a later item of that id.
	Unresolved []string
	// Marks are the stamps behind each field; nil where the delta that
	// created the item wrote all of them.
	Marks []Marks
}

// Field is one named value of an item.
type Field struct {
	Name  string
	Value Value
}

// Cells gives the prediction cells that were killed one by one.
func (it *Item) Cells() []CellKill {
	if it.Rare == nil {
		return nil
	}
	return it.Rare.Cells
}

// Unresolved gives the places that name an item which did not exist.
func (it *Item) Unresolved() []string {
	if it.Rare == nil {
		return nil
	}
	return it.Rare.Unresolved
}

// Marks gives the stamps behind the field at i.
func (it *Item) Marks(i int) Marks {
	if it.Rare == nil || it.Rare.Marks == nil {
		return Marks{One: it.Created}
	}
	return it.Rare.Marks[i]
}

// SetMarks says who wrote each field of an item that is being made. It is called
// when all else is known of the item.
func (it *Item) SetMarks(marks []Marks) {
	created := Marks{One: it.Created}
	if slices.ContainsFunc(marks, func(m Marks) bool { return m != created }) {
		it.rare().Marks = marks
	}
}

// rare gives the place for what few items have.
func (it *Item) rare() *Rare {
	if it.Rare == nil {
		it.Rare = &Rare{}
	}
	return it.Rare
}

// Kill says who struck an item out. The item stays.
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

// SystemFields are the names in an item's JSON that belong to the system; no
// payload can write them.
func SystemFields() []string {
	return []string{"id", "kill_reason", "killed", "killed_at", "killed_by", "unresolved", "version", "withheld"}
}

// IsSystemField tells whether name is reserved: one of SystemFields, or anything
// else that begins like a kill mark.
func IsSystemField(name string) bool {
	return slices.Contains(SystemFields(), name) || strings.HasPrefix(name, "killed")
}

// Killed tells whether the item was struck out.
func (it *Item) Killed() bool { return it.Kill != nil }

// Get gives a field's value, or nil.
func (it *Item) Get(name string) Value {
	for i := range it.Fields {
		if it.Fields[i].Name == name {
			return it.Fields[i].Value
		}
	}
	return nil
}

// Text gives a field that is a text, or "".
func (it *Item) Text(name string) string {
	t, _ := it.Get(name).(Text)
	return string(t)
}

// Flag gives a field that is true or false; anything else is false.
func (it *Item) Flag(name string) bool {
	b, _ := it.Get(name).(Bool)
	return bool(b)
}

// Texts gives the texts of a list field.
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

// Map gives a field that is a map, or nil.
func (it *Item) Map(name string) Map {
	m, _ := it.Get(name).(Map)
	return m
}

// IDNumber gives the number of an id of the section: 12 for "H12". Only the one
// canonical spelling is an id: no leading zeros, no sign, no spaces.
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

// MaxIDNumber is the highest number that an id can have.
const MaxIDNumber = 999_999_999

// ItemID gives the id with the given number.
func (s Section) ItemID(n int) string { return table[s].Prefix + strconv.Itoa(n) }

// ThreadID is the one id of the research thread.
const ThreadID = "RT"

// ValidID tells whether id can be an id of the section.
func (s Section) ValidID(id string) bool {
	if s == ResearchThread {
		return id == ThreadID
	}
	_, ok := s.IDNumber(id)
	return ok
}

// SectionOfID gives the section whose ids look like id.
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

// beginsID tells whether an id can begin with c; most names do not.
func beginsID(c byte) bool {
	for s := range table {
		if table[s].Prefix[0] == c {
			return true
		}
	}
	return false
}

// FieldOrder compares field names of a section: those of the table first, in
// its order, then the others by name.
func (s *SectionSpec) FieldOrder(a, b string) int {
	ra, rb := s.Rank(a), s.Rank(b)
	if ra != rb {
		return ra - rb
	}
	return CompareKeys(a, b)
}

// Rank is a field's place in the table; unknown fields come behind all others.
func (s *SectionSpec) Rank(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return len(s.Fields)
}

// SortFields puts fields into the order of the section's table.
func (s *SectionSpec) SortFields(fields []Field) {
	slices.SortFunc(fields, func(a, b Field) int { return s.FieldOrder(a.Name, b.Name) })
}
