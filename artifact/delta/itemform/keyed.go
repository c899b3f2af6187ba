package itemform

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/pattern"
)

// Rules are those of a reader: which forms count.
type Rules struct {
	Noted bool // other notations, which the fourth reader knows
	Keyed bool // items as keys, calls that add, differences of whole items: the fifth one

	Nulled bool // items as keys without a value: the seventh one
}

// underID adds the id that is the key of an object to its fields, if it has none: {"H2": {"status": "killed"}}.
func (o *frame) underID() {
	id := strings.ToUpper(o.under)
	if _, ok := artifact.SectionOfID(id); ok && o.id() == "" {
		o.fields = append(o.fields, pair{"id", id})
	}
}

// newCalls matches a call of a function that adds an item.
var newCalls = pattern.New(`(?m)^[ \t>$\x60-]*(?:await[ \t]+)?(?:\w+\.){0,3}(?:add|create|register|insert)_([a-z]+)\(([^\n]*["'][^\n]*)`)

// inNewCalls returns the items that calls of functions add, but for those at known places.
func inNewCalls(text []byte, known []Attempt) (all []Attempt) {
	if !bytes.Contains(text, []byte("_")) || !pattern.HasAny(text, "add_", "create_", "register_", "insert_") {
		return nil
	}
	for _, m := range newCalls.FindAllSubmatchIndex(text, -1) {
		isKnown := slices.ContainsFunc(known, func(a Attempt) bool { return a.At >= m[0] && a.At <= m[1] })
		if s, ok := synonyms.Section(string(text[m[2]:m[3]])); ok && m[3]-m[2] > 3 && !isKnown {
			all = append(all, Attempt{At: m[2], Operation: add, Section: s.String(), Says: string(text[m[4]:m[5]])})
		}
	}
	return all
}

// dashed matches a change whose keys have dashes behind them: "Operation – EDIT", with its target or section in the next lines.
var dashed = pattern.New(`(?m)^[ \t>*_•-]*(?i:operation|action)[*_]*[ \t]*(?:–|—|-|→|=>)[ \t]*[*_\x60]*(ADD|EDIT|KILL)\b[^\n]*((?:\n[^\n]+){0,6})`)

var dashedTarget = pattern.New(`(?i)\n[ \t>*_•-]*(?:target(?:[_ ]id)?|id|item|section)[*_]*[ \t]*(?:–|—|-|→|=>|:)[ \t*_\x60]*([\w ]{1,30})`)

// inDashed returns the changes with such keys.
func inDashed(text []byte) (all []Attempt) {
	if !pattern.HasAny(text, "peration", "ction –", "ction —", "ction - ", "PERATION") {
		return nil
	}
	for _, m := range dashed.FindAllSubmatchIndex(text, -1) {
		target := dashedTarget.FindSubmatch(text[m[4]:m[5]])
		if target == nil {
			continue
		}
		what := strings.TrimSpace(string(target[1]))
		s, ok := artifact.SectionOfID(what)
		a := Attempt{At: m[2], Operation: string(text[m[2]:m[3]]), ID: what, Says: string(text[m[4]:m[5]])}
		if !ok {
			a.ID = ""
			s, ok = synonyms.Section(what)
		}
		if a.Section = s.String(); ok {
			all = append(all, a)
		}
	}
	return all
}

// isStruck matches the mark of an item that is killed.
var isStruck = pattern.New(`~~|(?i)\b(?:killed|removed|retired|deleted)\b`)

// inItemDiff returns the items that a difference of two texts changes by their titles: "-H2: …" and "+H2: …".
func inItemDiff(text []byte, known []Attempt) (all []Attempt) {
	type item struct {
		at               int
		removed, written string
	}
	var order []string
	items := make(map[string]*item)
	at := 0
	for line := range bytes.Lines(text) {
		start := at
		at += len(line)
		if len(line) < 3 || line[0] != '-' && line[0] != '+' || line[1] == line[0] {
			continue
		}
		head := bytes.TrimLeft(line[1:], " \t#*-~`>|[\"")
		m := ids.FindIndex(head[:min(len(head), 8)])
		if len(m) == 0 || m[0] > 0 {
			continue
		}
		id := string(head[:m[1]])
		if _, ok := artifact.SectionOfID(id); !ok || slices.ContainsFunc(known, func(a Attempt) bool { return a.ID == id }) {
			continue
		}
		if items[id] == nil {
			items[id] = &item{at: start}
			order = append(order, id)
		}
		if said := strings.TrimSpace(string(line[1:])); line[0] == '-' {
			items[id].removed = said
		} else {
			items[id].written = said
		}
	}
	for _, id := range order {
		i := items[id]
		s, _ := artifact.SectionOfID(id)
		a := Attempt{At: i.at, Operation: edit, Section: s.String(), ID: id, Says: i.written}
		switch {
		case i.removed == i.written:
			continue
		case i.written == "" || isStruck.MatchString(i.written):
			a.Operation = kill
		case i.removed == "":
			a.Operation = add
		}
		all = append(all, a)
	}
	return all
}
