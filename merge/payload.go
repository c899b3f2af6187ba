package merge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/artifact/delta/fieldform"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// write is one checked field of a payload. Most are short-lived, so it is small: one pointer, and a
// few bits from the section table.
type write struct {
	*delta.Field       // of the payload, unless its value had to change
	rank         int32 // index in the section table; unknown fields come after it
	known        bool  // the table has it
	free         bool  // it may hold anything, including a conflict
	refs         bool  // it holds references
	replace      bool
}

func changed(f *delta.Field, to artifact.Value) *delta.Field {
	return &delta.Field{Name: f.Name, Value: to}
}

// usual is stack space for the writes of most deltas.
type usual [8]write

// adds returns how many parts a write adds: 0 for an empty list or map that replaces nothing.
func (w *write) adds() int {
	switch v := w.Value.(type) {
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

// check adds the fields of a payload to the writes. It refuses invalid fields one by one.
func (p *pass) check(e entry, spec *artifact.SectionSpec, writes []write) []write {
	replaceAll := e.is(replaces) && e.asks("replace")
	payload := e.d().Payload
	for i := range payload {
		f := &payload[i]
		rank := spec.Rank(f.Name)
		ok := rank < len(spec.Fields)
		if !ok && p.takeSpecial(e, spec, f) {
			continue
		}
		w, reason := write{Field: f, rank: int32(rank), known: ok, free: !ok}, f.Bad
		if ok && reason == "" {
			known := &spec.Fields[rank]
			w.refs, w.free = known.Refs, known.Kind == artifact.KindAny
			w.Field, reason = e.fit(known, f)
		}
		if reason != "" {
			e.refuse(f.Name, reason)
			continue
		}
		if w.Field == nil || w.Value == nil {
			continue // its keys were refused one by one
		}
		w.replace = replaceAll || e.is(replaces) && shapeOf(w.Value) != scalar && e.asks(f.Name+"_replace")
		writes = append(writes, w)
	}
	return writes
}

// takeSpecial handles f if it is a system field or a switch for replacing, and reports whether it
// is one.
func (p *pass) takeSpecial(e entry, spec *artifact.SectionSpec, f *delta.Field) bool {
	if artifact.IsSystemField(f.Name) || (f.Name == "ref" && e.d().Operation != opAdd) {
		e.row().Fields = append(e.row().Fields, FieldOutcome{Field: f.Name, Outcome: FieldIgnored})
		p.warn(SystemFieldIgnored, "%s: %s belongs to the system; ignored", e, fault.Shown(f.Name))
		return true
	}
	field, isSwitch := strings.CutSuffix(f.Name, "_replace")
	if f.Name != "replace" {
		if _, inTable := spec.Field(field); !isSwitch || !inTable {
			if !isSwitch || e.d().Payload.Find(field) == nil {
				return false
			}
		}
	}
	if _, ok := f.Value.(artifact.Bool); !ok {
		e.refuse(f.Name, "it is neither true nor false")
	}
	return true
}

func (e entry) asks(name string) bool {
	f := e.d().Payload.Find(name)
	return f != nil && f.Value == artifact.Bool(true)
}

func (e entry) refuse(field, reason string) {
	e.row().Fields = append(e.row().Fields, FieldOutcome{Field: field, Outcome: FieldRefused, Message: reason})
}

// fit makes a field conform to the table. It returns f itself if nothing has to change, or the
// reason why it does not fit. Neither means that nothing is left of it, which was already reported.
func (e entry) fit(spec *artifact.FieldSpec, f *delta.Field) (*delta.Field, string) {
	switch spec.Kind {
	case artifact.KindText:
		return e.fitText(spec, f)
	case artifact.KindFlag:
		if _, ok := f.Value.(artifact.Bool); !ok {
			return nil, "it is neither true nor false"
		}
	case artifact.KindStatus:
		t, ok := f.Value.(artifact.Text)
		if !ok || !slices.Contains(spec.Allowed, string(t)) {
			return nil, fmt.Sprintf("%s is not one of %s", show(f.Value), strings.Join(spec.Allowed, ", "))
		}
	case artifact.KindList:
		return f, badList(f.Value)
	case artifact.KindReferences:
		if e.in.second {
			return e.fitReferences(f)
		}
		return f, badReferences(f.Value)
	case artifact.KindMap:
		return e.fitMap(spec, f, badOutcome)
	case artifact.KindScore:
		return e.fitMap(spec, f, badMark)
	}
	return f, ""
}

func (e entry) fitText(spec *artifact.FieldSpec, f *delta.Field) (*delta.Field, string) {
	if list, ok := f.Value.(artifact.List); ok && spec.Refs {
		// "discriminates" is a text with ids; a list of ids means the same.
		text, ok := fieldform.JoinContrasted(list)
		if !ok {
			return nil, "it is neither a text nor a list of texts"
		}
		f = changed(f, text)
	}
	t, ok := f.Value.(artifact.Text)
	if !ok {
		return nil, "it is not a text"
	}
	isName := spec.Name == "name"
	if isName {
		trimmed := string(t)
		if e.in.second && e.is(adds) {
			trimmed = artifact.TrimIDBeforeBrackets(trimmed)
		}
		if trimmed = artifact.TrimID(trimmed); len(trimmed) < len(t) {
			t = artifact.Text(trimmed)
			f = changed(f, t)
		}
	}
	if (spec.Required || isName) && delta.Blank(string(t)) {
		return nil, "it is blank"
	}
	return f, ""
}

func badList(v artifact.Value) string {
	list, ok := v.(artifact.List)
	if !ok {
		return "it is not a list"
	}
	for _, e := range list {
		if _, ok := e.(artifact.Text); !ok {
			return show(e) + " in it is not a text"
		}
	}
	return ""
}

func badReferences(v artifact.Value) string {
	list, ok := v.(artifact.List)
	if !ok {
		return "it is not a list of {session, item, relation}"
	}
	for _, e := range list {
		if reason := badReference(e); reason != "" {
			return reason
		}
	}
	return ""
}

func badReference(e artifact.Value) string {
	m, ok := e.(artifact.Map)
	if !ok || len(m) != 3 {
		return show(e) + " in it is not {session, item, relation}"
	}
	for _, key := range []string{"session", "item", "relation"} {
		v, _ := m.Get(key)
		t, ok := v.(artifact.Text)
		if !ok || delta.Blank(string(t)) {
			return "a reference has no " + key
		}
		if key == "relation" && !slices.Contains(artifact.Relations(), string(t)) {
			return fmt.Sprintf("%s is not one of %s", show(v), strings.Join(artifact.Relations(), ", "))
		}
	}
	return ""
}

// fitReferences checks references one by one, as merge/2 does: an invalid one is refused, the others
// stand. The item must be an id.
func (e entry) fitReferences(f *delta.Field) (*delta.Field, string) {
	list, ok := f.Value.(artifact.List)
	if !ok {
		return nil, badReferences(f.Value)
	}
	good := make(artifact.List, 0, len(list))
	for i, v := range list {
		reason := badReference(v)
		if reason == "" {
			item, _ := v.(artifact.Map).Get("item")
			if _, isID := artifact.SectionOfID(string(item.(artifact.Text))); !isID {
				reason = show(item) + " is not the id of an item"
			}
		}
		if reason == "" {
			good = append(good, v)
			continue
		}
		e.refuse(f.Name+"."+strconv.Itoa(i+1), reason)
	}
	switch {
	case len(good) == len(list):
		return f, ""
	case len(good) == 0:
		return nil, ""
	}
	return changed(f, good), ""
}

// fitMap checks a map key by key, because each key is a field of its own.
func (e entry) fitMap(spec *artifact.FieldSpec, f *delta.Field, bad func(*artifact.FieldSpec, artifact.Entry) string) (*delta.Field, string) {
	m, ok := f.Value.(artifact.Map)
	if !ok {
		return nil, "it is not an object"
	}
	var good artifact.Map
	for i, entry := range m {
		reason := bad(spec, entry)
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
		return f, ""
	case len(good) == 0:
		return nil, ""
	}
	return changed(f, good), ""
}

func badOutcome(_ *artifact.FieldSpec, e artifact.Entry) string {
	if _, ok := e.Value.(artifact.Text); !ok {
		return show(e.Value) + " is not a text"
	}
	return ""
}

func badMark(spec *artifact.FieldSpec, e artifact.Entry) string {
	if !slices.Contains(spec.Allowed, e.Key) {
		return "it is not one of " + strings.Join(spec.Allowed, ", ")
	}
	n, ok := e.Value.(artifact.Number)
	if !ok || n != artifact.Number(int(n)) || n < 0 || n > artifact.ScoreMax {
		return fmt.Sprintf("%s is not a whole number from 0 to %d", show(e.Value), artifact.ScoreMax)
	}
	return ""
}

func show(v artifact.Value) string {
	return text.Beginning(string(artifact.Canonical(v)), 60)
}
