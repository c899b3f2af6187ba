package artifact

import (
	"fmt"
	"strings"

	"brenner/internal/fault"
)

// foreign is the state that reading a file of another tool needs. What the writer writes never uses it:
// every variant is a form that the writer escapes or does not have.
type foreign struct {
	shown  []shown // what the rest of the file only shows
	code   bool    // the line is part of it
	gap    []byte  // blank lines and rules since the last line
	run    *run
	lead   string          // the text field that a further line continues
	loose  bool            // below a heading that means nothing
	headed map[string]bool // the ids in the headings of the rest of the section; nil if not known
	under  int             // the line that underlines a heading
	noted  map[string]bool
	others []Value // texts outside of items

	literal bool // names and states are what they say; they kill nothing
	guessed bool // a kill was read, or doubted, that the writer may have written as a name
}

// run is a text of several lines.
type run struct {
	to       *draft     // nil: outside of items
	spec     *FieldSpec // the field whose value it is; nil: a text without a label
	more     bool       // it continues the value
	verbatim bool
	nested   bool // the label above it is a list entry
	section  string
	line     int
	text     strings.Builder
}

// variant notes, once, that one form is read as another.
func (r *mdReader) variant(what, was, is string) {
	message := fmt.Sprintf("the %s %s is read as %s", what, fault.Shown(was), is)
	if r.noted == nil {
		r.noted = map[string]bool{}
	}
	if r.noted[message] {
		return
	}
	r.noted[message] = true
	r.problem(Variant, r.line, r.item(), "%s", message)
}

// isForeign reports whether the file has shown that another tool wrote it.
func (r *mdReader) isForeign() bool { return len(r.noted) > 0 }

func (r *mdReader) kept(line int, format string, args ...any) {
	r.problem(Kept, line, r.item(), format, args...)
}

// keepLine keeps a line that is not part of the form.
func (r *mdReader) keepLine(line string) {
	if r.run == nil {
		r.run = r.newRun(line)
		if !r.run.more {
			r.gap = r.gap[:0]
		}
	}
	b := &r.run.text
	if r.run.more || b.Len() > 0 {
		b.WriteByte('\n')
	}
	b.Write(r.gap)
	r.gap = r.gap[:0]
	if !r.run.verbatim && !r.code {
		line = readText(trim(line))
	}
	b.WriteString(line)
}

func (r *mdReader) newRun(line string) *run {
	switch {
	case r.open == nil:
		r.kept(r.line, "not part of an artifact, kept in the metadata under %s: %s", otherText, fault.Shown(line))
		return &run{section: r.item(), line: r.line, verbatim: true}
	case r.lead != "":
		spec, known := r.open.section.Spec().Field(r.lead)
		if !known {
			spec = &FieldSpec{Name: r.lead}
		}
		r.problem(Variant, r.line, r.open.ID, "further lines are read as part of %s", fault.Shown(r.lead))
		return &run{to: r.open, spec: spec, more: true, line: r.line, verbatim: !known}
	}
	r.kept(r.line, "text without a label, kept as a field of its own: %s", fault.Shown(line))
	return &run{to: r.open, line: r.line, verbatim: true}
}

// closeRun ends a text of several lines and stores it.
func (r *mdReader) closeRun() {
	run := r.run
	r.run, r.gap = nil, r.gap[:0]
	if run == nil {
		return
	}
	text := run.text.String()
	switch {
	case run.to == nil:
		r.others = append(r.others, otherEntry(run.section, text))
	case run.more:
		at := len(run.to.Fields) - 1 // the field that was read last
		value, _ := run.to.Fields[at].Value.(Text)
		run.to.Fields[at].Value = value + Text(text)
	case run.spec != nil:
		r.setField(run.spec.Name, r.valueOf(run, text), run.line)
	default:
		run.to.texts = append(run.to.texts, text)
	}
	r.lead = ""
}

func otherEntry(section, text string) Value {
	if section == "" {
		return MapOf(Entry{"text", Text(text)})
	}
	return MapOf(Entry{"section", Text(section)}, Entry{"text", Text(text)})
}

func (r *mdReader) valueOf(run *run, text string) Value {
	if run.spec.Kind == KindList {
		return readQuotedList(text)
	}
	return Text(text)
}

// keepTexts stores the texts of an item that have no label.
func (d *draft) keepTexts() {
	if len(d.texts) == 0 {
		return
	}
	name := "text"
	for d.has(name) {
		name = "other_" + name
	}
	d.Fields = append(d.Fields, Field{Name: name, Value: Text(strings.Join(d.texts, "\n\n"))})
}

// valueBelow reads the value of a label from the line below it.
func (r *mdReader) valueBelow(line string) bool {
	l := r.list
	if l.what != listMap || line[0] == '#' || line[0] == '|' || isRule(line) || strings.HasPrefix(line, "**") {
		return false
	}
	r.list = nil
	r.run = &run{to: r.open, spec: l.spec, line: l.line, verbatim: l.own}
	r.gap = r.gap[:0]
	r.keepLine(line)
	return true
}

// unknownField keeps a field with a label that is not in the table.
func (r *mdReader) unknownField(label, raw string, nested bool) {
	name := ownName(label)
	r.kept(r.line, "unknown label %s, kept as the field %s", fault.Shown(label), fault.Shown(name))
	if raw == "" {
		r.run = &run{to: r.open, spec: &FieldSpec{Name: name}, line: r.line, verbatim: true, nested: nested}
		return
	}
	if inside, struck := readStruck(raw); struck && r.open.Kill != nil {
		raw = inside
	}
	r.setLead(name, Text(raw))
}

// setLead sets a text field that further lines may continue.
func (r *mdReader) setLead(name string, v Value) {
	before := len(r.open.Fields)
	r.setField(name, v, r.line)
	if len(r.open.Fields) > before {
		r.lead = name
	}
}

// saidLabelled reads "**None registered**: a remark", which stands for an item.
func (r *mdReader) saidLabelled(label, raw string) bool {
	if r.said[r.section] != notSaid || !saysEmpty(r.section, label) {
		return false
	}
	if r.said[r.section] = saidSo; raw != "" {
		r.said[r.section] = saidOther
		r.keepLine("**" + label + "**: " + raw)
		r.closeRun()
	}
	return true
}

// saysNothing reports whether a line says that a section is empty.
func saysNothing(line string) bool {
	words := strings.ToLower(strings.Trim(line, "*_() ."))
	for _, begin := range []string{"no ", "none", "nothing", "n/a", "—"} {
		if strings.HasPrefix(words, begin) {
			return true
		}
	}
	return words == ""
}

// headTexts takes what a heading or a row has beside the id.
func (r *mdReader) headTexts(h head) {
	if h.remark != "" {
		r.headRemark(h.remark)
	}
	h.name = r.killedName(h.name)
	if plain, _ := readStrikes(h.name); plain != h.name {
		r.variant("name", h.name, fault.Shown(plain))
		h.name = plain
	}
	switch {
	case h.name == "":
	case r.open.section.Spec().HasName() && r.open.Get("name") == nil:
		r.setField("name", Text(readText(h.name)), r.line)
	default:
		r.headRemark(readText(h.name))
	}
}

// headRemark takes a text in a heading that is not a name.
func (r *mdReader) headRemark(remark string) {
	if r.section == HypothesisSlate && strings.Contains(strings.ToLower(remark), "third alternative") {
		r.setField("third_alternative", Bool(true), r.line)
		return
	}
	if words, ok := killWords(remark); ok {
		r.kill("remark", remark, words)
		return
	}
	r.doubt("heading", remark)
	name := "heading_remark"
	for r.open.Get(name) != nil {
		name = "other_" + name
	}
	r.kept(r.line, "text beside the id, kept as the field %s: %s", name, fault.Shown(remark))
	r.setField(name, Text(remark), r.line)
}

// isCondition reports whether a column holds the conditions of a predictions table.
func (r *mdReader) isCondition(title string, head *tableHead) bool {
	if strings.EqualFold(title, "Condition") {
		return true
	}
	switch slug(title) {
	case "observation_condition", "condition_observation", "observation", "conditions", "observable", "condition_if":
		head.other = true
		r.variant("column", title, "Condition")
		return true
	}
	return false
}

// addHypothesis adds a column with the outcomes of a hypothesis.
func (r *mdReader) addHypothesis(raw string, head *tableHead) bool {
	key := readText(raw)
	if !HypothesisSlate.ValidID(key) {
		id, ok := conditionalID(raw)
		if h, other := otherHead(HypothesisSlate, raw); !ok && other {
			id, ok = h.id, true
		}
		if !ok {
			return false
		}
		head.other = true
		r.variant("column", raw, id)
		key = id
	}
	head.keys, head.fields = append(head.keys, key), append(head.fields, FieldSpec{})
	return true
}

// addColumn adds a column with a field of the items.
func (r *mdReader) addColumn(raw string, head *tableHead) {
	spec, ok := r.section.Spec().labelled(raw)
	if !ok {
		spec = &FieldSpec{Name: ownName(raw)}
		r.kept(r.line, "unknown column %s, kept as the field %s", fault.Shown(raw), fault.Shown(spec.Name))
	} else if !strings.EqualFold(spec.Title, raw) {
		r.variant("column", raw, spec.Title)
	}
	head.keys, head.fields = append(head.keys, ""), append(head.fields, *spec)
}

// noValue reports whether a cell of another tool's table stands for no value.
func (h *tableHead) noValue(cell string) bool {
	return h.other && (cell == "—" || cell == "–" || cell == "-")
}

// rowFields reads the cells of a row that are fields.
func (r *mdReader) rowFields(d *draft) {
	for i, raw := range d.row.cells[1:] {
		spec := &d.row.head.fields[i]
		if raw == "" || spec.Name == "" || d.row.head.noValue(raw) {
			continue
		}
		raw, ok := r.uncross(d, raw)
		if !ok || r.killedStatus(spec.Name, raw) {
			continue
		}
		if spec.Title == "" {
			r.setField(spec.Name, Text(raw), r.line)
		} else {
			r.field(spec, raw)
		}
	}
}
