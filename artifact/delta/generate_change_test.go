package delta_test

import (
	"fmt"
	"strings"
)

// source chooses: a seeded random number generator, or the bytes of a fuzz target.
type source interface{ IntN(n int) int }

// change is a change that a reply proposes.
type change struct {
	op, section, target string
	label               string // the author's name for the item that an ADD creates
	token               string // unique in the reply, part of text
	field, text         string // the main field, or the reason of a KILL
	more                []pair // further fields
}

// pair is one entry of an object.
type pair struct {
	key   string
	value any // string, bool, []string, []pair, or raw
}

// raw is JSON, or what an agent wrote in its place.
type raw string

// sections are the sections with the main field of an item, and items that the base has. The last
// hypothesis is for examples only.
var sections = []struct {
	name, field string
	ids         []string
	more        []pair
}{
	{"hypothesis_slate", "claim", []string{"H1", "H2", "H3"}, []pair{{"anchors", []string{"§12", "inference"}}}},
	{"predictions_table", "condition", []string{"P1", "P2"}, []pair{{"predictions", []pair{{"H1", "it grows"}, {"H2", "it stays"}}}}},
	{"discriminative_tests", "procedure", []string{"T1", "T2"}, []pair{{"name", "Transplant"}, {"expected_outcomes", []pair{{"H1", "it grows"}, {"H2", "it stays"}}}}},
	{"assumption_ledger", "statement", []string{"A1", "A2", "A10", "A12"}, []pair{{"name", "Scale"}, {"load", "H1 falls with it"}}},
	{"anomaly_register", "observation", []string{"X1", "X2"}, []pair{{"name", "Late cells"}}},
	{"adversarial_critique", "attack", []string{"C1", "C2"}, []pair{{"name", "Framing"}, {"evidence", "none yet"}}},
	{"research_thread", "statement", []string{"RT"}, nil},
}

// exampleTarget is the item that the kickoff's examples change, and no planted change does.
const exampleTarget = "H4"

// changeKinds is the number of operations on sections: the research thread can only be edited.
var changeKinds = 3*len(sections) - 2

// newChange returns a change of a kind below changeKinds.
func (g *composer) newChange(kind int) change {
	g.tokens++
	token := fmt.Sprintf("zq%02dw", g.tokens)
	op := []string{"EDIT", "ADD", "KILL"}[min(kind/len(sections), 1)+(kind+1)/(2*len(sections))]
	at := map[string]int{"EDIT": kind, "ADD": kind - len(sections), "KILL": kind - 2*len(sections) + 1}[op]
	s := sections[at]
	c := change{op: op, section: s.name, token: token, field: s.field, text: g.words(token)}
	switch op {
	case "ADD":
		c.more = s.more
	case "KILL":
		c.field = "reason"
	}
	if op != "ADD" {
		c.target = s.ids[g.IntN(len(s.ids))]
	}
	return c
}

// anyChange returns a change of any kind, and ADDs more often.
func (g *composer) anyChange() change {
	if g.records && g.IntN(2) == 0 {
		return g.newRecord()
	}
	if g.IntN(3) == 0 {
		return g.adding()
	}
	return g.newChange(g.IntN(changeKinds))
}

// adding returns an ADD.
func (g *composer) adding() change { return g.newChange(len(sections) + g.IntN(len(sections)-1)) }

// words returns a text with a token.
func (g *composer) words(token string) string {
	return []string{
		token + " says that cells count their divisions",
		"Cells read a gradient, as " + token + " says, and then divide",
		"The distance is 3 < 5 µm; " + token,
	}[g.IntN(3)]
}

// object returns the change as the specification writes it, in one of several orders of its keys.
func (c *change) object(order int) []pair {
	payload := append([]pair{{c.field, c.text}}, c.more...)
	var target any = raw("null")
	if c.target != "" {
		target = c.target
	}
	op, section, content := pair{"operation", c.op}, pair{"section", c.section}, pair{"payload", payload}
	o := []pair{op, section, {"target_id", target}, content, {"rationale", "it follows from the data"}}
	switch order % 4 {
	case 1:
		o = []pair{op, {"target_id", target}, section, content}
	case 2:
		o = []pair{section, op, content, {"target_id", target}}
	case 3:
		o = []pair{{"delta_id", "d-7"}, {"timestamp", "2025-12-30T12:00:00Z"}, {"agent", "RedCreek"}, op, section, {"target_id", target}, content}
	}
	if c.label != "" {
		o = append(o, pair{"ref", c.label})
	}
	return o
}

// style is a way to write an object.
type style struct {
	open, end string // quotation marks
	bare      bool   // keys without them
	indent    string // "": on one line
	sep       string // after a colon
	comma     bool   // after the last entry
	comment   string // behind the first entry
	python    bool   // None and True
}

var exact = style{open: `"`, end: `"`, sep: " "}

// write returns a value in a style.
func (s style) write(v any, depth int) string {
	var parts []string
	marks := "{}"
	switch v := v.(type) {
	case raw:
		if s.python && v == "null" {
			return "None"
		}
		return string(v)
	case string:
		return s.open + v + s.end
	case []string:
		marks = "[]"
		for _, t := range v {
			parts = append(parts, s.write(t, depth+1))
		}
	case []pair:
		for _, p := range v {
			key := s.open + p.key + s.end
			if s.bare {
				key = p.key
			}
			parts = append(parts, key+":"+s.sep+s.write(p.value, depth+1))
		}
	default:
		panic(fmt.Sprintf("no way to write %T", v))
	}
	last := ""
	if s.comma {
		last = ","
	}
	if s.indent == "" || marks == "[]" {
		return marks[:1] + strings.Join(parts, ","+s.sep) + last + marks[1:]
	}
	in := "\n" + strings.Repeat(s.indent, depth+1)
	first := ","
	if depth == 0 && s.comment != "" {
		first += " " + s.comment
	}
	text := strings.Join(parts, ","+in)
	if depth == 0 {
		text = strings.Replace(text, ","+in, first+in, 1)
	}
	return marks[:1] + in + text + last + "\n" + strings.Repeat(s.indent, depth) + marks[1:]
}
