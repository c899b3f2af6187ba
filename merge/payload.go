package merge

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/delta"
	"brenner/fault"
)

// write is one field of a payload, checked and ready to be weighed.
type write struct {
	spec    *artifact.FieldSpec // nil for a field that the table does not know
	name    string
	value   artifact.Value
	rank    int32 // place in the section table; behind it for unknown fields
	replace bool
}

// usual is room for the writes of most deltas. It stands on the stack, where the
// garbage collector does not have to be told of every change.
type usual [8]write

// adds is how many things a write brings; none only for an empty list or map that
// replaces nothing.
func (w *write) adds() int {
	switch v := w.value.(type) {
	case artifact.List:
		if !w.replace {
			return len(v)
		}
	case artifact.Map:
		if !w.replace {
			return len(v)
		}
	}
	return 1
}

// check adds the fields of a payload to the writes. What is wrong with a field is that field's
// problem: it is refused by name, and the rest goes on.
func (p *pass) check(e *entry, spec *artifact.SectionSpec, writes []write) []write {
	replaceAll := e.replaces && e.asks("replace")
	for i := range e.d.Payload {
		f := &e.d.Payload[i]
		rank := spec.Rank(f.Name)
		ok := rank < len(spec.Fields)
		if !ok && p.aside(e, spec, f) {
			continue
		}
		var known *artifact.FieldSpec
		value, reason := f.Value, f.Bad
		if ok {
			known = &spec.Fields[rank]
			if reason == "" {
				value, reason = e.fit(known, f.Value)
			}
		}
		if reason == "" && value == nil {
			continue // its keys were refused one by one
		}
		if reason != "" {
			e.refuse(f.Name, reason)
			continue
		}
		replace := replaceAll
		if e.replaces && !replace && shapeOf(value) != scalar {
			replace = e.asks(f.Name + "_replace")
		}
		writes = append(writes, write{spec: known, name: f.Name, value: value, rank: int32(rank), replace: replace})
	}
	return writes
}

// aside deals with the payload's words that are no content: the system's own,
// and the switches for replacing.
func (p *pass) aside(e *entry, spec *artifact.SectionSpec, f *delta.Field) bool {
	if artifact.IsSystemField(f.Name) || (f.Name == "ref" && e.d.Operation != opAdd) {
		e.row.Fields = append(e.row.Fields, FieldOutcome{Field: f.Name, Outcome: FieldIgnored})
		p.warn(SystemFieldIgnored, "%s: %s belongs to the system; ignored", e, fault.Shown(f.Name))
		return true
	}
	field, isSwitch := strings.CutSuffix(f.Name, "_replace")
	if f.Name != "replace" {
		if _, inTable := spec.Field(field); !isSwitch || !inTable {
			if !isSwitch || e.d.Payload.Find(field) == nil {
				return false
			}
		}
	}
	if _, ok := f.Value.(artifact.Bool); !ok {
		e.refuse(f.Name, "it is neither true nor false")
	}
	return true
}

// asks tells whether the payload says yes to something.
func (e *entry) asks(name string) bool {
	f := e.d.Payload.Find(name)
	return f != nil && f.Value == artifact.Bool(true)
}

func (e *entry) refuse(field, reason string) {
	e.row.Fields = append(e.row.Fields, FieldOutcome{Field: field, Outcome: FieldRefused, Message: reason})
}

// fit makes a value fit its field, or says why it does not. Neither a value nor a
// reason means that there is nothing left of it, and that this was said.
func (e *entry) fit(spec *artifact.FieldSpec, v artifact.Value) (artifact.Value, string) {
	switch spec.Kind {
	case artifact.KindText:
		return fitText(spec, v)
	case artifact.KindFlag:
		if _, ok := v.(artifact.Bool); !ok {
			return nil, "it is neither true nor false"
		}
	case artifact.KindStatus:
		t, ok := v.(artifact.Text)
		if !ok || !slices.Contains(spec.Allowed, string(t)) {
			return nil, fmt.Sprintf("%s is not one of %s", show(v), strings.Join(spec.Allowed, ", "))
		}
	case artifact.KindList:
		return fitList(v)
	case artifact.KindReferences:
		return fitReferences(v)
	case artifact.KindMap:
		return e.fitMap(spec, v, fitOutcome)
	case artifact.KindScore:
		return e.fitMap(spec, v, fitMark)
	}
	return v, ""
}

func fitText(spec *artifact.FieldSpec, v artifact.Value) (artifact.Value, string) {
	if list, ok := v.(artifact.List); ok && spec.Refs {
		// "discriminates" is a text with ids in it; a list of ids says the same.
		words := make([]string, len(list))
		for i, e := range list {
			t, ok := e.(artifact.Text)
			if !ok {
				return nil, "it is neither a text nor a list of texts"
			}
			words[i] = string(t)
		}
		v = artifact.Text(strings.Join(words, " vs "))
	}
	t, ok := v.(artifact.Text)
	if !ok {
		return nil, "it is not a text"
	}
	isName := spec.Name == "name"
	if isName {
		if trimmed := artifact.TrimID(string(t)); len(trimmed) < len(t) {
			t = artifact.Text(trimmed)
			v = t // only then: boxing a text takes memory
		}
	}
	if (spec.Required || isName) && delta.Blank(string(t)) {
		return nil, "it is blank"
	}
	return v, ""
}

func fitList(v artifact.Value) (artifact.Value, string) {
	list, ok := v.(artifact.List)
	if !ok {
		return nil, "it is not a list"
	}
	for _, e := range list {
		if _, ok := e.(artifact.Text); !ok {
			return nil, show(e) + " in it is not a text"
		}
	}
	return v, ""
}

func fitReferences(v artifact.Value) (artifact.Value, string) {
	list, ok := v.(artifact.List)
	if !ok {
		return nil, "it is not a list of {session, item, relation}"
	}
	for _, e := range list {
		m, ok := e.(artifact.Map)
		if !ok || len(m) != 3 {
			return nil, show(e) + " in it is not {session, item, relation}"
		}
		for _, key := range []string{"session", "item", "relation"} {
			v, _ := m.Get(key)
			t, ok := v.(artifact.Text)
			if !ok || delta.Blank(string(t)) {
				return nil, "a reference has no " + key
			}
			if key == "relation" && !slices.Contains(artifact.Relations(), string(t)) {
				return nil, fmt.Sprintf("%s is not one of %s", show(v), strings.Join(artifact.Relations(), ", "))
			}
		}
	}
	return v, ""
}

// fitMap checks a map key by key, since each key is a field of its own.
func (e *entry) fitMap(spec *artifact.FieldSpec, v artifact.Value, check func(*artifact.FieldSpec, artifact.Entry) string) (artifact.Value, string) {
	m, ok := v.(artifact.Map)
	if !ok {
		return nil, "it is not an object"
	}
	var good artifact.Map
	for i, entry := range m {
		reason := check(spec, entry)
		switch {
		case reason == "" && good != nil:
			good = append(good, entry)
		case reason != "":
			if good == nil {
				good = append(make(artifact.Map, 0, len(m)), m[:i]...)
			}
			e.refuse(spec.Name+"."+entry.Key, reason)
		}
	}
	switch {
	case len(m) == 0 && spec.Required:
		return nil, "it is empty"
	case good == nil:
		return v, ""
	case len(good) == 0:
		return nil, ""
	}
	return good, ""
}

func fitOutcome(_ *artifact.FieldSpec, e artifact.Entry) string {
	if _, ok := e.Value.(artifact.Text); !ok {
		return show(e.Value) + " is not a text"
	}
	return ""
}

func fitMark(spec *artifact.FieldSpec, e artifact.Entry) string {
	if !slices.Contains(spec.Allowed, e.Key) {
		return "it is not one of " + strings.Join(spec.Allowed, ", ")
	}
	n, ok := e.Value.(artifact.Number)
	if !ok || n != artifact.Number(int(n)) || n < 0 || n > artifact.ScoreMax {
		return fmt.Sprintf("%s is not a whole number from 0 to %d", show(e.Value), artifact.ScoreMax)
	}
	return ""
}

// show quotes a value in a message.
func show(v artifact.Value) string {
	s := string(artifact.Canonical(v))
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return s
}
