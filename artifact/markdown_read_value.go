package artifact

import (
	"strings"

	"brenner/internal/fault"
)

// unstrike takes the strike-through off a value of a killed item. In an item
// that is not killed nobody can tell what it means.
func (r *mdReader) unstrike(raw string) (string, bool) {
	inside, struck := readStruck(raw)
	if struck && r.open.Kill == nil {
		r.unreadable("the value is struck through, but the heading of %s is not", r.open.ID)
		return "", false
	}
	return inside, true
}

// value reads a value that stands on one line. What does not have the form of
// its kind is the text that it is.
func (r *mdReader) value(spec *FieldSpec, raw string, depth int) (Value, bool) {
	if span, ok := readSpan(raw); ok {
		return r.spanValue(span, depth, fieldValue)
	}
	switch spec.Kind {
	case KindFlag:
		switch strings.ToLower(raw) {
		case mdYes, "true":
			return Bool(true), true
		case mdNo, "false":
			return Bool(false), true
		}
	case KindList:
		return readList(raw), true
	case KindReferences:
		if raw == mdNone {
			return List{}, true
		}
	case KindMap, KindScore:
		if raw == mdNone {
			return Map{}, true
		}
		if m, ok := readScore(raw); ok && spec.Kind == KindScore {
			return m, true
		}
	}
	return Text(readText(raw)), true
}

// plainValue reads a value of no particular kind: an entry or a candidate.
func (r *mdReader) plainValue(raw string, depth int, check func(Value) (Value, error)) (Value, bool) {
	if span, ok := readSpan(raw); ok {
		return r.spanValue(span, depth, check)
	}
	return Text(readText(raw)), true
}

// spanValue reads JSON from a code span.
func (r *mdReader) spanValue(span string, depth int, check func(Value) (Value, error)) (Value, bool) {
	v, err := ParseValue([]byte(span), depth)
	if err == nil {
		v, err = check(v)
	}
	if err != nil {
		r.unreadable("the code span is not the JSON of a value (%s): %s", fault.Shown(err.Error()), fault.Shown(span))
		return nil, false
	}
	return v, true
}

// candidateValue checks a candidate's value, which cannot be a conflict itself.
func candidateValue(v Value) (Value, error) { return v, CheckValue(v) }

// readList reads "§161, §205".
func readList(raw string) List {
	list := List{}
	if raw == mdNone || raw == "" {
		return list
	}
	for _, part := range splitPlain(raw, ",") {
		if part != "" {
			list = append(list, Text(readText(part)))
		}
	}
	return list
}

// readScore reads "likelihood_ratio 3, cost 2".
func readScore(raw string) (Map, bool) {
	parts := strings.Split(raw, ",")
	entries := make([]Entry, 0, len(parts))
	for _, part := range parts {
		key, mark, ok := strings.Cut(trim(part), " ")
		if !ok || !plainWord(key) {
			return nil, false
		}
		v, err := ParseValue([]byte(mark), 0)
		n, isNumber := v.(Number)
		if err != nil || !isNumber {
			return nil, false
		}
		entries = append(entries, Entry{key, n})
	}
	m := MapOf(entries...)
	return m, len(m) == len(entries)
}
