// Package itemform knows the forms in which agents write changes of items besides deltas: items in JSON or YAML without
// an operation, calls of functions, differences of two texts, rewritten sections, and sentences.
//
// The package is pure.
package itemform

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"

	"brenner/internal/pattern"
)

// The operations.
const (
	add  = "ADD"
	edit = "EDIT"
	kill = "KILL"
)

// Attempt is a change in another form than a delta.
type Attempt struct {
	At        int
	Operation string // "" if it may be an ADD or an EDIT
	Section   string // "" if it is unknown
	ID        string // its target, or the label of an ADD
	Field     string // that an EDIT changes, if it is one
	Name      string // of an ADD whose text may be that of a block in other words, or ""
	Says      string // what it says
}

// InFence returns the changes in the text of a fence with a word, below some lines.
func InFence(word string, text, above []byte, rules Rules) []Attempt {
	lead := leadOf(above)
	if standing.Match(lead) {
		return nil
	}
	if rules.Keyed {
		if all := inBareCalls(text, nil); len(all) > 0 {
			return all
		}
	}
	if rules.Noted {
		if all := inNamed(word, text, lead); len(all) > 0 {
			return all
		}
	}
	switch strings.ToLower(word) {
	case "diff", "patch":
		all := inDiff(text, lead)
		if rules.Keyed {
			all = append(all, inItemDiff(text, all)...)
		}
		return all
	case "", "json", "jsonc", "json5", "jsonl", "ndjson", "js", "javascript", "yaml", "yml":
		f := finder{lead: lead, src: text, rules: rules}
		if start := bytes.TrimLeft(text, " \t\r\n"); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
			f.readJSON()
		} else if mayBeYAML(text) {
			f.readYAML()
		}
		if len(f.all) > 0 {
			slices.SortStableFunc(f.all, func(a, b Attempt) int { return a.At - b.At })
			return f.all
		}
	case "toml", "ini":
		f := finder{lead: lead, src: text}
		f.readTOML()
		return f.all
	case "sql":
		return inQueries(text)
	case "csv", "tsv":
		return inCells(text)
	}
	all := append(inPatches(text), inCalls(text)...)
	if rules.Keyed {
		all = inKeyed(text, all)
	}
	if word == "" || strings.EqualFold(word, "text") {
		all = append(all, inCells(text)...)
	}
	return all
}

// inKeyed returns the changes in code that the fifth reader knows, besides others.
func inKeyed(text []byte, all []Attempt) []Attempt {
	all = append(all, inNewCalls(text, all)...)
	if all = append(all, inCodeCalls(text, all)...); len(all) > 0 {
		return all
	}
	return inLoose(text)
}

// standing matches words above a text that is not a change: what there is, an example, or the words of others.
var standing = pattern.New(`(?i)\b(?:as it (?:stands|is|was)|current(?:ly)?|existing|for reference|reminder|recap|unchanged|original(?:ly)?|so far|before|previous(?:ly)?|now reads|reads now|state of|` +
	`as (?:given|shown|sent|quoted)|in the (?:artifact|kickoff|slate)|quot\w+|examples?|e\.g|template|schema|format|shape|placeholder|hypothetical(?:ly)?|results?|data|output|input|parameters?|config\w*|log|reject\w*|discard\w*|withdrawn|considered|next round|later|not propos\w+)\b`)

// leadOf returns the last line of a text, and the heading above it if it is near.
func leadOf(above []byte) []byte {
	const near = 400
	above = bytes.TrimRight(above[max(0, len(above)-near):], " \t\r\n")
	last := above[bytes.LastIndexByte(above, '\n')+1:]
	if isFenceLine(last) {
		return nil // it is about the fence above
	}
	if i := bytes.LastIndex(above[:len(above)-len(last)], []byte("\n#")); i >= 0 && !bytes.HasPrefix(last, []byte("#")) && !bytes.Contains(above[i:], []byte("```")) {
		heading, _, _ := bytes.Cut(above[i+1:], []byte("\n"))
		return slices.Concat(heading, []byte("\n"), last)
	}
	return last
}

func isFenceLine(line []byte) bool {
	line = bytes.TrimLeft(line, " \t>-")
	return bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
}

// sectionIn returns the section that a line names.
func sectionIn(line []byte) (artifact.Section, bool) {
	for word := range bytes.FieldsFuncSeq(line, func(c rune) bool { return c < 0x80 && !isWord(byte(c)) }) {
		if s, ok := synonyms.Section(string(word)); ok && len(word) > 3 {
			return s, true
		}
	}
	return 0, false
}

func isWord(c byte) bool { return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// ids matches the ids of items.
var ids = pattern.New(`\b[A-Z]{1,2}\d{1,3}\b`)

// idIn returns the only id of an item in a line, or "".
func idIn(line []byte) string {
	found := ""
	for _, m := range ids.FindAll(line, 2) {
		if _, ok := artifact.SectionOfID(string(m)); ok {
			if found != "" && found != string(m) {
				return ""
			}
			found = string(m)
		}
	}
	return found
}

// changedField matches a line of a difference that has a field, in JSON or Markdown.
var changedField = pattern.New(`^\+[ \t]*(?:[-*][ \t]+)?["*_]{0,3}([A-Za-z][A-Za-z_ ]{1,30}?)["*_]{0,3}[ \t]*:["*_]{0,3}[ \t]*(\S.*)`)

// inDiff returns the changed fields in a difference of two texts.
func inDiff(text, lead []byte) (all []Attempt) {
	id, at := idIn(lead), 0
	for line := range bytes.Lines(text) {
		start := at
		at += len(line)
		head := bytes.TrimLeft(line, "+-@ \t#*\"'")
		if in := idIn(head[:min(len(head), 40)]); in != "" && (bytes.HasPrefix(head, []byte(in)) || bytes.HasPrefix(head, []byte(`id"`))) {
			id = in
		}
		m := changedField.FindSubmatch(line)
		if m == nil {
			continue
		}
		s, known := artifact.SectionOfID(id)
		key := synonyms.PlainKey(string(m[1]))
		a := Attempt{At: start, Says: string(m[2])}
		if known {
			a.Operation, a.Section, a.ID, a.Field = edit, s.String(), id, key
		}
		if known && hasField(s, key) || !known && slices.ContainsFunc(artifact.Sections(), func(s artifact.Section) bool { return hasField(s, key) }) {
			all = append(all, a)
		}
	}
	return all
}

// hasField reports whether items of a section have a field by which one is recognised.
func hasField(s artifact.Section, name string) bool {
	switch name {
	case "name", "anchors", "references", "labels":
		return false
	}
	return slices.ContainsFunc(s.Spec().Fields, func(f artifact.FieldSpec) bool { return f.Name == name })
}

// rewritten matches the title of a section that is written again in full, and heading one of an item in it.
var (
	rewritten = pattern.New(`(?im)^.{0,60}\b(?:updated|revised|rewritten)\b.{0,20}\b(?:slate|artifact|hypotheses|tests|assumptions|anomalies|critiques?|ledger|register)\b[^.\n]{0,40}:?[ \t]*\r?$`)
	heading   = pattern.New(`^#{1,6}[ \t]+\**([A-Z]{1,2}\d{1,3})\b[.:)\] *—–-]*(.*)`)
	resulting = pattern.New(`(?i)\b(?:after|with|following|given|including|resulting|would)\b`)
	field     = pattern.New(`^[-*\s]*\**([A-Z][A-Za-z ]{1,30})\**:\**[ \t]*\S`)
)

// InRewritten returns the items of sections that a text has in full, with their fields below headings.
func InRewritten(text []byte, rules Rules) (all []Attempt) {
	if !bytes.Contains(text, []byte("\n#")) || !pattern.HasAny(text, "pdated", "evised", "ewritten") {
		return nil
	}
	title := rewritten.FindIndex(text)
	if len(title) == 0 || standing.Match(text[title[0]:title[1]]) || resulting.Match(text[title[0]:title[1]]) || rules.Keyed && restated.Match(text[title[0]:title[1]]) {
		return nil
	}
	return inHeadings(text, title[1])
}

// inHeadings returns the items that a text has from an offset on, with their fields below headings.
func inHeadings(text []byte, from int) (all []Attempt) {
	at, open := from, false
	for line := range bytes.Lines(text[from:]) {
		start := at
		at += len(line)
		if m := heading.FindSubmatch(line); m != nil {
			s, ok := artifact.SectionOfID(string(m[1]))
			if open = ok; ok {
				all = append(all, Attempt{At: start, Section: s.String(), ID: string(m[1]), Says: string(bytes.TrimSpace(m[2]))})
			}
			continue
		}
		if m := field.FindSubmatch(line); open && m != nil && len(all) > 0 {
			last := &all[len(all)-1]
			if s, _ := artifact.ParseSection(last.Section); hasField(s, synonyms.PlainKey(string(m[1]))) {
				_, value, _ := bytes.Cut(line, []byte(":"))
				last.Field, last.Says = "fields", last.Says+" "+string(bytes.TrimSpace(value))
			}
		}
	}
	all = slices.DeleteFunc(all, func(a Attempt) bool { return a.Field == "" })
	for i := range all {
		all[i].Field = ""
	}
	return all
}
