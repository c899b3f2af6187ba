package artifact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Value is the value of a field. The kinds are closed: Text, Number, Bool, Null (only inside lists
// and maps), List, Map and Conflict. Values are immutable and may be shared.
type Value interface{ value() }

// Text is a string value.
type Text string

// Number is a finite number; integers are within ±2^53.
type Number float64

// Bool is a boolean value.
type Bool bool

// Null is JSON's null. It occurs only inside a list or a map, never as a field.
type Null struct{}

// List is a list of values.
type List []Value

// Map is an object with its entries sorted by key as in RFC 8785.
type Map []Entry

// Entry is one key of a Map.
type Entry struct {
	Key   string
	Value Value
}

// Conflict is an undecided field or key that several authors wrote at one instant with equal right.
type Conflict []Candidate

// Candidate is one author's value in a Conflict.
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

// MaxInteger is the largest integer that survives every JSON reader.
const MaxInteger = 1 << 53

// MaxDepth is the maximum nesting of lists and maps within a field.
const MaxDepth = 64

// ConflictKey marks a Conflict in JSON. No other object may have this key.
const ConflictKey = "$conflict"

// Get returns the value of a key.
func (m Map) Get(key string) (Value, bool) {
	i, ok := slices.BinarySearchFunc(m, key, func(e Entry, k string) int { return CompareKeys(e.Key, k) })
	if !ok {
		return nil, false
	}
	return m[i].Value, true
}

// MapOf returns a Map of entries in any order. Of equal keys the last one wins.
func MapOf(entries ...Entry) Map { return sortedMap(slices.Clone(entries)) }

// sortedMap is MapOf without a copy.
func sortedMap(m Map) Map {
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

// Equal reports whether a and b have the same canonical JSON.
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

// CompareKeys orders object keys by UTF-16 code units, as RFC 8785 requires. The order differs from
// byte order only for characters beyond the basic plane.
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

// MarshalJSON returns the candidate's canonical JSON.
func (c Candidate) MarshalJSON() ([]byte, error) { return c.append(nil), nil }

// UnmarshalJSON is the inverse of MarshalJSON.
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
