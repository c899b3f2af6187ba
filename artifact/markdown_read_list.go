package artifact

import (
	"strings"

	"brenner/internal/fault"
)

type listKind uint8

const (
	listMap         listKind = iota // "- H1: text"
	listConflict                    // "- Agent (delta): value"
	listWithheld                    // as listMap, hidden by N/A
	listKilledCells                 // "- H1: Agent (time): reason"
)

type listing struct {
	what       listKind
	name       string // of the field
	line       int    // of the label
	own        bool   // the label is the field's own name
	spec       *FieldSpec
	nested     bool     // the label itself is a list entry
	beside     bool     // and the list is at its level
	odd        []string // entries that are not of the form "key: value"
	entries    []Entry
	raw        []string // its lines, valid or not
	candidates Conflict
	inner      bool // the last entry is a conflict whose candidates may follow
}

// depth is how deep an entry may be nested, counted as in the JSON form.
func (l *listing) depth() int {
	if l.what == listWithheld {
		return documentDepth - 6
	}
	return documentDepth - 5
}

// takes reports whether an entry belongs to the list, and not to the list that its label is in. Other
// tools write both at one level.
func (l *listing) takes(labelled, indented bool) bool {
	if l.nested && len(l.raw) == 0 && !indented && !labelled {
		l.nested, l.beside = false, true
	}
	return (!l.nested || indented) && (!l.beside || !labelled)
}

// listLine reads a line of the open list, and reports whether it is one.
func (r *mdReader) listLine(line string) bool {
	text := strings.TrimLeft(line, " \t")
	entry, ok := cutBullet(text)
	indented := len(text) < len(line)
	if !ok || isRule(text) || !r.list.takes(r.isLabelled(entry), indented) {
		return len(r.list.raw) == 0 && !r.list.nested && r.valueBelow(line)
	}
	r.list.raw = append(r.list.raw, line)
	indented = indented && !r.list.nested
	switch l := r.list; {
	case indented && l.inner:
		if c, ok := r.candidate(entry, l.depth()-3); ok {
			last := &l.entries[len(l.entries)-1]
			last.Value = append(last.Value.(Conflict), c)
		}
	case indented && len(l.entries) > 0:
		r.unreadable("this line is indented, but the line above is not a %s", mdConflict)
	case l.what == listConflict:
		if c, ok := r.candidate(entry, documentDepth-7); ok {
			l.candidates = append(l.candidates, c)
		}
	case l.what == listKilledCells:
		r.killedCell(entry)
	default:
		r.closeInner()
		r.mapEntry(entry)
	}
	return true
}

// candidate reads "Agent (delta): value".
func (r *mdReader) candidate(entry string, depth int) (Candidate, bool) {
	agent, rest, ok1 := cutPlain(entry, "(")
	delta, rest, ok2 := cutPlain(rest, ")")
	raw, ok3 := strings.CutPrefix(rest, ":")
	raw = trim(raw)
	if !ok1 || !ok2 || !ok3 || raw == "" {
		r.unreadable("a candidate of a conflict is written `- Agent (delta id): value`, not %s", fault.Shown(entry))
		return Candidate{}, false
	}
	raw, ok := r.unstrike(raw)
	if !ok {
		return Candidate{}, false
	}
	v, ok := r.plainValue(raw, depth, candidateValue)
	return Candidate{Agent: readText(agent), Delta: readText(delta), Value: v}, ok
}

// mapEntry reads "H1: text".
func (r *mdReader) mapEntry(entry string) {
	key, raw, ok := cutEntry(entry)
	l := r.list
	if !ok {
		l.odd = append(l.odd, entry)
		return
	}
	if raw == mdConflict {
		l.entries = append(l.entries, Entry{readText(key), Conflict{}})
		l.inner = true
		return
	}
	if raw, ok = r.unstrike(raw); !ok {
		return
	}
	if v, ok := r.plainValue(raw, l.depth(), cellValue); ok {
		l.entries = append(l.entries, Entry{r.outcomeKey(readText(key)), v})
	}
}

// closeInner ends the candidates of one entry.
func (r *mdReader) closeInner() {
	l := r.list
	if !l.inner {
		return
	}
	l.inner = false
	last := l.entries[len(l.entries)-1]
	if len(last.Value.(Conflict)) < 2 {
		r.problem(UnreadableLines, l.line, r.open.ID, "the %s of %s has fewer than two candidates", mdConflict, fault.Shown(last.Key))
		l.entries = l.entries[:len(l.entries)-1]
	}
}

// killedCell reads "H1: Agent (time): reason".
func (r *mdReader) killedCell(entry string) {
	key, raw, ok := cutPlain(entry, ":")
	c := CellKill{Key: readText(key)}
	rest, read := readKiller(raw, &c.Kill)
	reason, more := strings.CutPrefix(rest, ":")
	if !ok || key == "" || !read || (rest != "" && !more) {
		r.unreadable("a killed cell is written `- H1: Agent (time): reason`, not %s", fault.Shown(entry))
		return
	}
	if reason = trim(reason); reason != "" {
		c.Kill.Reason = readText(reason)
	}
	r.open.rare().Cells = append(r.open.rare().Cells, c)
}

// closeList ends the open list and stores its entries in the item.
func (r *mdReader) closeList() {
	l := r.list
	if l == nil {
		return
	}
	r.closeInner()
	r.list = nil
	switch l.what {
	case listConflict:
		if len(l.candidates) < 2 {
			r.problem(UnreadableLines, l.line, r.open.ID, "the %s of %s has fewer than two candidates", mdConflict, fault.Shown(l.name))
			return
		}
		r.setField(l.name, l.candidates, l.line)
	case listWithheld:
		r.open.cells = append(r.open.cells, l.entries...)
	case listMap:
		r.closeMap(l)
	}
}

func (r *mdReader) closeMap(l *listing) {
	if len(l.raw) == 0 {
		if l.own { // an empty known label is harmless; an empty unknown one lacks its value
			r.problem(UnreadableLines, l.line, r.open.ID, "the field %s has no value", fault.Shown(l.name))
		}
		return
	}
	if r.otherList(l) {
		return
	}
	if r.open.section == PredictionsTable && l.name == "predictions" {
		r.setPredictions(r.open, Map(l.entries), l.line)
		return
	}
	m := MapOf(l.entries...)
	if len(m) < len(l.entries) {
		r.problem(UnreadableLines, l.line, r.open.ID, "%s: duplicate key in %s", r.open.ID, fault.Shown(l.name))
	}
	r.setField(l.name, m, l.line)
}

// unstrike removes the strike-through of a killed item's value. In other items it is an error.
func (r *mdReader) unstrike(raw string) (string, bool) {
	inside, struck := readStruck(raw)
	if struck && r.open.Kill == nil {
		r.unreadable("the value is struck through, but the heading of %s is not", r.open.ID)
		return "", false
	}
	return inside, true
}

// value reads a value on one line. A value that does not fit its kind is a text.
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
		if r.isForeign() {
			return readQuotedList(raw), true
		}
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
		if spec.Kind == KindScore {
			return r.otherScore(raw)
		}
	}
	return Text(readText(raw)), true
}

// plainValue reads a value without a kind: an entry or a candidate.
func (r *mdReader) plainValue(raw string, depth int, check func(Value) (Value, error)) (Value, bool) {
	if span, ok := readSpan(raw); ok {
		return r.spanValue(span, depth, check)
	}
	return Text(readText(raw)), true
}

func (r *mdReader) spanValue(span string, depth int, check func(Value) (Value, error)) (Value, bool) {
	v, err := ParseValue([]byte(span), depth)
	if err == nil {
		v, err = check(v)
	}
	if err != nil && strings.IndexByte("{[\"", span[0]) < 0 {
		r.variant("code span", span, "a text")
		return Text("`" + span + "`"), true
	}
	if err != nil {
		r.unreadable("the code span is not the JSON of a value (%s): %s", fault.Shown(err.Error()), fault.Shown(span))
		return nil, false
	}
	return v, true
}

// candidateValue checks a candidate's value, which cannot itself be a conflict.
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

// systemLabel reads a label that is not a field, and reports whether it knows the label.
func (r *mdReader) systemLabel(label, raw string) bool {
	d := r.open
	prediction := d.section == PredictionsTable
	switch {
	case strings.EqualFold(label, mdUnresolved) && d.Unresolved() == nil:
		for _, v := range readList(raw) {
			d.rare().Unresolved = append(d.rare().Unresolved, string(v.(Text)))
		}
	case strings.EqualFold(label, mdRenumbered): // from the provenance, which Markdown does not have
		r.doc.Unkept = append(r.doc.Unkept, Problem{Kind: Unkept, Line: r.line, Item: d.ID, Message: trim(raw) + "; only an artifact in JSON keeps this"})
	case strings.EqualFold(label, mdWithheld) && prediction && raw == "":
		r.list = &listing{what: listWithheld, name: "predictions", line: r.line}
	case strings.EqualFold(label, mdKilledCells) && prediction && raw == "":
		r.list = &listing{what: listKilledCells, line: r.line}
	case strings.EqualFold(label, mdKilledBy):
		r.killedBy(raw)
	case strings.EqualFold(label, mdReason):
		if d.Kill == nil || d.Kill.Reason != "" {
			r.unreadable("only an item with a struck heading and %s has a reason, once", mdKilled)
			return true
		}
		d.Kill.Reason = readText(raw)
	default:
		return r.otherKill(label, raw)
	}
	return true
}

func (r *mdReader) killedBy(raw string) {
	k := r.open.Kill
	if k == nil || k.By != "" || !k.At.IsZero() {
		r.unreadable("only an item with a struck heading and %s has a killer, once", mdKilled)
		return
	}
	if rest, ok := readKiller(raw, k); !ok || rest != "" {
		r.unreadable("not an agent and a time in brackets: %s", fault.Shown(raw))
	}
}

// readKiller reads "GreenDog (2025-12-30T12:10:00Z)" and returns the rest.
func readKiller(raw string, k *Kill) (rest string, ok bool) {
	at := indexPlain(raw, "(:")
	if at < 0 {
		at = len(raw)
	}
	if by := trim(raw[:at]); by != "" {
		k.By = readText(by)
	}
	rest, timed := strings.CutPrefix(raw[at:], "(")
	if !timed {
		return rest, true
	}
	instant, rest, closed := strings.Cut(rest, ")")
	t, err := ParseInstant(instant)
	k.At = t
	return trim(rest), closed && err == nil
}
