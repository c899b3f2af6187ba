package artifact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Value is what a field holds. The kinds are closed: Text, Number, Bool, Null
// (inside lists and maps only), List, Map and Conflict. Values are never changed
// once made; they may be shared.
type Value interface{ value() }

// Text is a text.
type Text string

// Number is a finite number; whole numbers are within ±2^53.
type Number float64

// Bool is true or false.
type Bool bool

// Null is JSON's null; a field never holds it, a list or a map inside one may.
type Null struct{}

// List is a list of values.
type List []Value

// Map is an object, its entries sorted by key as RFC 8785 sorts them.
type Map []Entry

// Entry is one key of a Map.
type Entry struct {
	Key   string
	Value Value
}

// Conflict is a field or a key that several authors wrote at one instant with
// equal right, and that nobody has decided yet.
type Conflict []Candidate

// Candidate is what one author wrote into a Conflict.
type Candidate struct {
	Agent string
	Delta string
	Value Value
}

func (Text) value()     {}
func (Number) value()   {}
func (Bool) value()     {}
func (Null) value()     {}
func (List) value()     {}
func (Map) value()      {}
func (Conflict) value() {}

// MaxInteger is the largest whole number that survives every JSON reader.
const MaxInteger = 1 << 53

// MaxDepth is how deep lists and maps may stand in one another within a field.
const MaxDepth = 64

// ConflictKey marks a Conflict in JSON; no other object may have it as a key.
const ConflictKey = "$conflict"

// Get finds a key.
func (m Map) Get(key string) (Value, bool) {
	i, ok := slices.BinarySearchFunc(m, key, func(e Entry, k string) int { return CompareKeys(e.Key, k) })
	if !ok {
		return nil, false
	}
	return m[i].Value, true
}

// MapOf makes a Map from entries in any order; of equal keys the last one stands.
func MapOf(entries ...Entry) Map {
	m := slices.Clone(Map(entries))
	slices.SortStableFunc(m, func(a, b Entry) int { return CompareKeys(a.Key, b.Key) })
	out := m[:0]
	for i, e := range m {
		if i+1 < len(m) && m[i+1].Key == e.Key {
			continue
		}
		out = append(out, e)
	}
	return out
}

// Equal compares values as their canonical JSON would.
func Equal(a, b Value) bool {
	switch a := a.(type) {
	case Text:
		b, ok := b.(Text)
		return ok && a == b
	case List:
		b, ok := b.(List)
		return ok && slices.EqualFunc(a, b, Equal)
	case Map:
		b, ok := b.(Map)
		return ok && slices.EqualFunc(a, b, func(x, y Entry) bool { return x.Key == y.Key && Equal(x.Value, y.Value) })
	case Conflict:
		b, ok := b.(Conflict)
		return ok && slices.EqualFunc(a, b, func(x, y Candidate) bool {
			return x.Agent == y.Agent && x.Delta == y.Delta && Equal(x.Value, y.Value)
		})
	default:
		switch b.(type) {
		case List, Map, Conflict:
			return false
		}
		return a == b
	}
}

// CompareKeys orders object keys by their UTF-16 code units, as RFC 8785 does.
// That is the order of bytes but for characters beyond the basic plane.
func CompareKeys(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n || (a[i] < 0xEE && b[i] < 0xEE) {
		return strings.Compare(a[i:], b[i:])
	}
	for i > 0 && !utf8.RuneStart(a[i]) {
		i--
	}
	ra, _ := utf8.DecodeRuneInString(a[i:])
	rb, _ := utf8.DecodeRuneInString(b[i:])
	if ua, ub := firstUnit(ra), firstUnit(rb); ua != ub {
		return int(ua) - int(ub)
	}
	return strings.Compare(a[i:], b[i:])
}

func firstUnit(r rune) rune {
	if r >= 0x10000 {
		return 0xD800 + (r-0x10000)>>10
	}
	return r
}

// MarshalJSON gives the candidate in its one JSON form.
func (c Candidate) MarshalJSON() ([]byte, error) { return c.append(nil), nil }

// UnmarshalJSON reads that form back.
func (c *Candidate) UnmarshalJSON(data []byte) error {
	v, err := ParseValue(data, documentDepth)
	if err != nil {
		return err
	}
	m, _ := v.(Map)
	agent, _ := get[Text](m, "agent")
	id, _ := get[Text](m, "delta_id")
	value, ok := m.Get("value")
	if !ok {
		return &BadValue{Reason: "a candidate has no value"}
	}
	*c = Candidate{Agent: string(agent), Delta: string(id), Value: value}
	return nil
}
