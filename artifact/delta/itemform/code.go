package itemform

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"

	"brenner/internal/pattern"
)

// calls matches a call of a function that changes an item.
var calls = pattern.New(`(?m)^[ \t>$]*(?:await[ \t]+)?(?:(\w+)\.){0,3}(kill|add|edit|update|remove|delete|retire|drop)(_\w+)?\([ \t]*(?:\w+[ \t]*=[ \t]*)?["'](\w+)["'](.*)`)

// inCalls returns the changes in calls of functions.
func inCalls(text []byte) (all []Attempt) {
	if !bytes.Contains(text, []byte("(")) || !pattern.HasAny(text, "kill", "add", "edit", "update", "remove", "delete", "retire", "drop") {
		return nil
	}
	for _, m := range calls.FindAllSubmatchIndex(text, -1) {
		group := func(n int) string { return string(text[max(0, m[2*n]):max(0, m[2*n+1])]) }
		owner, kind, what := strings.ToLower(group(1)), strings.TrimPrefix(group(3), "_"), group(4)
		a := Attempt{At: m[4], Operation: operationOf(group(2)), Says: group(5)}
		isOwn := slices.Contains([]string{"session", "artifact", "slate", "delta", "deltas", "brenner", "register", "ledger", "thread", "hypotheses", "tests", "client", "api"}, owner)
		named, isNamed := synonyms.Section(kind)
		isNamed = isNamed && len(kind) > 3 || kind == "item"
		s, isKnown := artifact.SectionOfID(what)
		switch {
		case a.Operation != add:
			a.ID = what
		case isNamed:
			s, isKnown, a.Says = named, true, what+" "+a.Says
		default:
			s, isKnown = synonyms.Section(what)
			isKnown = isKnown && len(what) > 3
		}
		if a.Section = s.String(); isKnown && (isOwn || isNamed || group(2) == "kill") {
			all = append(all, a)
		}
	}
	return all
}

// operationOf returns the operation for a word, in any case, or "".
func operationOf(word string) string {
	switch strings.ToLower(word) {
	case "add", "create", "insert", "new":
		return add
	case "edit", "update", "modify", "revise", "change":
		return edit
	case "kill", "remove", "delete", "retire", "drop", "discard":
		return kill
	}
	return ""
}

// inCells returns the changes in lines with an operation and an id, or a section, between commas or the like.
func inCells(text []byte) (all []Attempt) {
	at := 0
	for line := range bytes.Lines(text) {
		start := at
		at += len(line)
		cells := strings.FieldsFunc(string(line[:min(len(line), 400)]), func(c rune) bool { return strings.ContainsRune(",;\t|\n\r", c) })
		if len(cells) < 2 {
			continue
		}
		a := Attempt{At: start, Says: strings.Join(cells, " ")}
		known := false
		for _, cell := range cells[:min(len(cells), 6)] {
			cell = strings.Trim(cell, "\"' `")
			s, isID := artifact.SectionOfID(cell)
			if !isID && len(cell) > 3 && a.Operation == add {
				s, isID = synonyms.Section(strings.ToLower(cell))
			} else if isID {
				a.ID = cell
			}
			switch op := operationOf(cell); {
			case op != "" && a.Operation == "":
				a.Operation = op
			case isID && !known:
				a.Section, known = s.String(), true
			}
		}
		if known && a.Operation != "" {
			all = append(all, a)
		}
	}
	return all
}

// The parts of queries.
var (
	queries  = pattern.New(`(?i)\b(delete\s+from|update|insert\s+into)\s+["\x60]?(\w+)[^;]{0,400}`)
	quotedID = pattern.New(`["'\x60]([A-Z]{1,2}\d{1,3})["'\x60]`)
)

// inQueries returns the changes in queries of a database.
func inQueries(text []byte) (all []Attempt) {
	for _, m := range queries.FindAllSubmatchIndex(text, -1) {
		verb, table, whole := strings.ToLower(string(text[m[2]:m[3]])), strings.ToLower(string(text[m[4]:m[5]])), text[m[0]:m[1]]
		a := Attempt{At: m[0], Says: string(whole)}
		s, known := synonyms.Section(table)
		if verb[0] == 'i' {
			a.Operation = add
		} else if id := quotedID.FindSubmatch(whole); id == nil {
			continue
		} else {
			a.ID = string(id[1])
			s, known = artifact.SectionOfID(a.ID)
			if a.Operation = edit; verb[0] == 'd' || bytes.Contains(whole, []byte("'killed'")) {
				a.Operation = kill
			}
		}
		if a.Section = s.String(); known {
			all = append(all, a)
		}
	}
	return all
}

// inPatches returns the changed fields between the lines that begin and end a patch.
func inPatches(text []byte) (all []Attempt) {
	at := bytes.Index(text, []byte("*** Begin Patch"))
	for at >= 0 {
		end := bytes.Index(text[at:], []byte("*** End Patch"))
		if end < 0 {
			end = len(text) - at
		}
		for _, a := range inDiff(text[at:at+end], nil) {
			a.At += at
			all = append(all, a)
		}
		next := bytes.Index(text[at+end:], []byte("*** Begin Patch"))
		if next < 0 {
			break
		}
		at += end + next
	}
	return all
}

// InText returns the changes in a running text that are written as objects, or as patches, and those in other notations
// if they count.
func InText(text []byte, rules Rules) (all []Attempt) {
	if rules.Noted {
		all = slices.Concat(inLines(text), inAdded(text), inHunks(text), inFiles(text))
	}
	if rules.Keyed {
		all = slices.DeleteFunc(all, func(a Attempt) bool { return isDoubtedAt(text, a.At) })
		all = slices.Concat(all, inNewCalls(text, all), inDashed(text), inBareCalls(text, all), inNewHeadings(text))
	}
	if bytes.Contains(text, []byte("*** Begin Patch")) {
		all = append(all, inPatches(text)...)
	}
	at := -1
	if start := unspaced(text, 0); start < len(text) && (text[start] == '{' || text[start] == '[') {
		at = start
	} else if i := bytes.Index(text, []byte("\n{")); i >= 0 {
		at = i + 1
	}
	if at < 0 {
		return all
	}
	lead := leadOf(text[:at])
	if standing.Match(lead) {
		return all
	}
	f := finder{lead: lead, src: text[at:], rules: rules}
	f.readJSON()
	for _, a := range f.all {
		a.At += at
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b Attempt) int { return a.At - b.At })
	return all
}

func unspaced(text []byte, at int) int {
	return len(text) - len(bytes.TrimLeft(text[at:], " \t\r\n"))
}
