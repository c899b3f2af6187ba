package artifact

import (
	"slices"
	"strings"

	"brenner/internal/fault"
)

// Fields for what other tools write about a score.
const (
	scoreText    = "score_text"    // a score on another scale
	scoreNotes   = "score_notes"   // remarks on the marks
	headingScore = "heading_score" // a score in the heading that has no marks
)

// otherScore reads "LR=3, Cost: 2/3, Speed 2 (a week)". What is on another scale is kept verbatim.
func (r *mdReader) otherScore(raw string) (Value, bool) {
	marks, notes, ok := readMarks(splitQuoted(raw, ",;"))
	if !ok {
		r.keepScore(raw, r.line)
		return nil, false
	}
	r.variant("value", raw, "a score")
	if len(notes) > 0 {
		r.setField(scoreNotes, notes, r.line)
	}
	return marks, true
}

// scoreList reads a score of another tool that has a line for each mark.
func (r *mdReader) scoreList(l *listing) {
	lines := l.raw
	parts := make([]string, len(lines))
	for i, line := range lines {
		parts[i], _ = cutBullet(strings.TrimLeft(line, " \t"))
	}
	marks, notes, ok := readMarks(parts)
	if !ok {
		r.keepScore(strings.Join(lines, "\n"), l.line)
		return
	}
	r.setField(l.name, marks, l.line)
	if len(notes) > 0 {
		r.setField(scoreNotes, notes, l.line)
	}
}

func (r *mdReader) keepScore(text string, line int) {
	r.kept(line, "not a score of four marks from 0 to %d, kept as the field %s: %s", ScoreMax, scoreText, fault.Shown(text))
	r.setField(scoreText, Text(text), line)
}

// readMarks reads marks with their remarks.
func readMarks(parts []string) (marks, notes Map, ok bool) {
	names := scoreMarks()
	for _, part := range parts {
		at := strings.IndexAny(part, "0123456789")
		if at < 0 {
			return nil, nil, false
		}
		key := markName(part[:at])
		rest := strings.TrimLeft(part[at:], "0123456789.")
		v, err := ParseValue([]byte(strings.TrimSuffix(part[at:len(part)-len(rest)], ".")), 0)
		number, isNumber := v.(Number)
		rest, ofThree := strings.CutPrefix(strings.TrimLeft(rest, "* "), "/3")
		if err != nil || !isNumber || !slices.Contains(names, key) || number > ScoreMax || (!ofThree && strings.HasPrefix(rest, "/")) || (ofThree && rest != "" && isDigit(rest[0])) {
			return nil, nil, false
		}
		marks = append(marks, Entry{key, number})
		if note := trim(rest); note != "" {
			if inside, whole := strings.CutPrefix(note, "("); whole && strings.Count(note, "(") == 1 && strings.HasSuffix(note, ")") {
				note = strings.TrimSuffix(inside, ")")
			}
			notes = append(notes, Entry{key, Text(note)})
		}
	}
	count := len(marks)
	marks, notes = MapOf(marks...), MapOf(notes...)
	return marks, notes, len(marks) == count && count == len(names)
}

// scoreMarks returns the names of the marks that a score has.
func scoreMarks() []string {
	spec, _ := DiscriminativeTests.Spec().Field("score")
	return spec.Allowed
}

func markName(label string) string {
	switch name := slug(label); name {
	case "lr", "likelihood":
		return "likelihood_ratio"
	default:
		return name
	}
}

// splitQuoted splits at separators outside of brackets and quotation marks. If those are not balanced,
// it splits at every separator.
func splitQuoted(s, separators string) []string {
	var parts []string
	depth, quoted, start := 0, false, 0
	for i, c := range s {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '(' || c == '[' || c == '“':
			depth++
		case c == ')' || c == ']' || c == '”':
			depth--
		case depth == 0 && !quoted && strings.ContainsRune(separators, c) && (i == 0 || s[i-1] != '\\'):
			parts = append(parts, trim(s[start:i]))
			start = i + 1
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 || quoted {
		return splitPlain(s, separators)
	}
	return append(parts, trim(s[start:]))
}

// readQuotedList is readList for a file of another tool, where a comma in brackets or quotation marks
// separates nothing.
func readQuotedList(raw string) List {
	if raw == mdNone {
		return List{}
	}
	list := List{}
	for _, part := range splitQuoted(raw, ",") {
		if part != "" && part != "—" {
			list = append(list, Text(readText(part)))
		}
	}
	return list
}
