package artifact

import (
	"strings"

	"brenner/internal/fault"
)

// listKind says what the lines of a list under a label are.
type listKind uint8

const (
	listMap         listKind = iota // "- H1: text"
	listConflict                    // "- Agent (delta): value"
	listWithheld                    // as listMap, behind N/A
	listKilledCells                 // "- H1: Agent (time): reason"
)

// listing is a list while it is read.
type listing struct {
	what       listKind
	name       string // of the field
	line       int    // of the label
	own        bool   // the label is a field's own name
	entries    []Entry
	lines      int // of the list, read or not
	candidates Conflict
	inner      bool // the last entry is a conflict whose candidates may follow
}

// depth is how deep an entry may be nested, counted as the JSON form counts.
func (l *listing) depth() int {
	if l.what == listWithheld {
		return documentDepth - 6
	}
	return documentDepth - 5
}

// listLine reads a line of the open list, and tells whether it is one.
func (r *mdReader) listLine(line string) bool {
	text := strings.TrimLeft(line, " \t")
	entry, ok := strings.CutPrefix(text, "- ")
	if !ok {
		return false
	}
	r.list.lines++
	indented := len(text) < len(line)
	switch l := r.list; {
	case indented && l.inner:
		if c, ok := r.candidate(entry, l.depth()-3); ok {
			last := &l.entries[len(l.entries)-1]
			last.Value = append(last.Value.(Conflict), c)
		}
	case indented && len(l.entries) > 0:
		r.unreadable("this line is indented, but what stands above it is no %s", mdConflict)
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
	key, raw, ok := cutPlain(entry, ":")
	if !ok || key == "" || raw == "" {
		r.unreadable("an entry is written `- key: value`, not %s", fault.Shown(entry))
		return
	}
	l := r.list
	if raw == mdConflict {
		l.entries = append(l.entries, Entry{readText(key), Conflict{}})
		l.inner = true
		return
	}
	if raw, ok = r.unstrike(raw); !ok {
		return
	}
	if v, ok := r.plainValue(raw, l.depth(), cellValue); ok {
		l.entries = append(l.entries, Entry{readText(key), v})
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
		r.problem(UnreadableLines, l.line, r.open.ID, "the %s of %s has no two candidates under it", mdConflict, fault.Shown(last.Key))
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

// closeList ends the open list and gives its item what stood in it.
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
			r.problem(UnreadableLines, l.line, r.open.ID, "the %s of %s has no two candidates under it", mdConflict, fault.Shown(l.name))
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
	if l.lines == 0 {
		if l.own { // a known label with nothing behind it says nothing; an unknown one should have said something
			r.problem(UnreadableLines, l.line, r.open.ID, "the field %s has no value", fault.Shown(l.name))
		}
		return
	}
	if r.open.section == PredictionsTable && l.name == "predictions" {
		r.setPredictions(r.open, Map(l.entries), l.line)
		return
	}
	m := MapOf(l.entries...)
	if len(m) < len(l.entries) {
		r.problem(UnreadableLines, l.line, r.open.ID, "%s: a key of %s stands twice", r.open.ID, fault.Shown(l.name))
	}
	r.setField(l.name, m, l.line)
}
