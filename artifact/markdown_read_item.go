package artifact

import (
	"slices"
	"strconv"
	"strings"

	"brenner/internal/fault"
)

type draft struct {
	*Item
	section Section
	line    int
	names   map[string]bool // its field names, once there are many

	lined   bool     // it has a label that is a line of its own
	listed  bool     // it has a label that is a list entry
	unnamed bool     // the heading shows CONFLICT instead of a name
	score   string   // "9/12" from the heading
	texts   []string // kept without a label
	known   uint32   // the fields of the table, by rank
	marks   []killMark
	told    []string // what was said of its kill outside of the labels

	// Predictions only.
	row     *tableRow
	block   bool    // a block under the table was read
	cells   []Entry // from the table, the block and the withheld list
	mapped  bool    // the field is present, even without cells
	offKind Value   // the value, if it is not a map
}

func (r *mdReader) draft(id string) *draft {
	d := &draft{Item: &Item{ID: id}, section: r.section, line: r.line}
	s := r.section
	if r.ids[s] == nil {
		r.ids[s] = map[string]*draft{}
	}
	switch {
	case !s.ValidID(id):
		r.problem(BadID, r.line, id, "%s: %s", s, s.wrongID(id, "this item"))
	case r.ids[s][id] != nil:
		r.problem(DuplicateID, r.line, id, "%s: duplicate id %s (first on line %d)", s, id, r.ids[s][id].line)
	}
	if r.ids[s][id] == nil {
		r.ids[s][id] = d
		if r.doc.Lines[id] == 0 {
			r.doc.Lines[id] = r.line
		}
	}
	r.drafts = append(r.drafts, d)
	r.doc.Artifact.Sections[s] = append(r.doc.Artifact.Sections[s], d.Item)
	return d
}

// itemHeading reads "H1: name", struck through and marked if the item was killed.
func (r *mdReader) itemHeading(text string) {
	r.open, r.lead = nil, ""
	whole := text
	text, marked := cutMark(text)
	words, crossed := "", false
	inside, struck := readStruck(text)
	if plain, all := readStrikes(text); struck && plain == inside {
		text = inside
	} else if struck = false; all {
		text, crossed = plain, true
	} else {
		text, words, crossed = r.killedHead(text)
	}
	score := ""
	if r.section == DiscriminativeTests {
		text, score = cutScore(text)
	}
	rawID, rawName, _ := cutPlain(text, ":")
	remark := ""
	if h, ok := otherHead(r.section, text); ok && !r.section.ValidID(readText(rawID)) {
		r.variant("heading", text, h.id)
		rawID, rawName, remark = h.id, h.name, h.remark
	}
	d := r.itemOf(readText(rawID), marked || struck || crossed)
	d.score = score
	r.open = d
	if crossed {
		r.kill("heading", whole, words)
	}
	if strings.HasPrefix(whole, mdKilled) {
		r.variant("heading", whole, "a kill of "+d.ID)
	}
	if rawName == mdConflict && d.section.Spec().HasName() {
		d.unnamed = true
		rawName = ""
	}
	r.headTexts(head{name: rawName, remark: remark})
	if strings.Contains(whole, "❌") || strings.HasPrefix(whole, mdStrike) {
		r.doubt("heading", whole)
	}
}

// itemOf returns the draft for a heading: a new one, or that of a table row.
func (r *mdReader) itemOf(id string, killed bool) *draft {
	d := r.ids[r.section][id]
	if r.section != PredictionsTable || d == nil || d.block {
		d = r.draft(id)
	} else if killed != d.Killed() {
		r.problem(UnreadableLines, r.line, id, "%s is struck through in the table or in its heading, but not in both", id)
	}
	d.block = true
	if killed && d.Kill == nil {
		d.Kill = &Kill{}
	}
	return d
}

// cutMark splits off the mark of a killed item. Other tools write it in front.
func cutMark(text string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, mdKilled); ok {
		return trim(rest), true
	}
	rest, ok := strings.CutSuffix(text, mdKilled)
	if !ok || strings.HasSuffix(rest, `\`) {
		return text, false
	}
	return trim(rest), true
}

// cutScore splits "(Score: 9/12)" off a heading. In a name the bracket would be escaped.
func cutScore(text string) (rest, score string) {
	at := strings.LastIndex(text, " "+mdScore)
	if at < 0 || !strings.HasSuffix(text, ")") {
		return text, ""
	}
	return trim(text[:at]), text[at+1+len(mdScore) : len(text)-1]
}

// readLabelled reads "**Claim**: text", and reports whether the line has that form.
func (r *mdReader) readLabelled(line string, bulleted bool) bool {
	label, raw, own, ok := cutLabel(line)
	if !ok || (!own && label == "") {
		return false
	}
	if r.open == nil && r.section == ResearchThread && r.ids[ResearchThread] == nil {
		r.open, r.level = r.draft(ThreadID), 2 // the only possible item; its heading may be omitted
	}
	if r.open == nil {
		return r.saidLabelled(label, raw)
	}
	r.closeRun()
	r.lead = ""
	r.open.listed, r.open.lined = r.open.listed || bulleted, r.open.lined || !bulleted
	if own {
		r.ownField(label, raw)
		return true
	}
	if r.killedStatus(label, raw) {
		return true
	}
	if spec, ok := r.fieldOf(label); ok {
		r.field(spec, raw)
	} else if !r.systemLabel(label, raw) {
		r.unknownField(label, raw, bulleted)
	}
	if r.list != nil {
		r.list.nested = bulleted
	}
	return true
}

// fieldOf returns the field of the open item with the given label or one of its variants.
func (r *mdReader) fieldOf(label string) (*FieldSpec, bool) {
	f, ok := r.open.section.Spec().labelled(label)
	if !ok || strings.EqualFold(f.Title, label) {
		return f, ok
	}
	if r.open.knows(f.Name) {
		return nil, false // kept under its own label
	}
	r.variant("label", label, f.Title)
	return f, true
}

// cutLabel splits a line after its label. own means that the label is a name in a code span.
func cutLabel(line string) (label, raw string, own, ok bool) {
	inside := line[len("**"):]
	if name, isSpan := strings.CutPrefix(inside, "`"); isSpan {
		name, rest, closed := strings.Cut(name, "`")
		raw, ok = strings.CutPrefix(rest, "**:")
		return name, trim(raw), true, closed && ok
	}
	label, rest, closed := strings.Cut(inside, "**")
	if !closed {
		return "", "", false, false
	}
	if raw, ok = strings.CutPrefix(rest, ":"); ok {
		return trim(label), trim(raw), false, true
	}
	if label, ok = strings.CutSuffix(label, ":"); ok || rest == "" && isBrief(label) { // "**Claim:** text" and "**Claim**" are accepted, too
		return trim(label), trim(rest), false, true
	}
	if remark, after, closed := strings.Cut(rest, "):"); closed && strings.HasPrefix(remark, " (") {
		return trim(label) + remark + ")", trim(after), false, true
	}
	return "", "", false, false
}

// isBrief reports whether a text in bold can be a label rather than a sentence.
func isBrief(text string) bool {
	const most = 4
	return len(strings.Fields(text)) <= most && strings.TrimRight(text, ".?!…") == text
}

// ownField reads a field labelled by its name.
func (r *mdReader) ownField(label, raw string) {
	name := label
	if strings.HasPrefix(label, `"`) {
		v, err := ParseValue([]byte(label), 0)
		t, ok := v.(Text)
		if err != nil || !ok {
			r.unreadable("the field name %s is not a JSON string", fault.Shown(label))
			return
		}
		name = string(t)
	}
	switch name {
	case "id", "killed", "killed_at", "killed_by", "kill_reason", "unresolved", "withheld":
		r.unreadable("%s is not the name of a field", name)
		return
	}
	if spec, ok := r.open.section.Spec().Field(name); ok {
		r.field(spec, raw)
		return
	}
	r.field(&FieldSpec{Name: name, Kind: KindAny}, raw)
}

// field reads the value of a field, or opens the list below it.
func (r *mdReader) field(spec *FieldSpec, raw string) {
	switch raw {
	case "":
		r.list = &listing{what: listMap, name: spec.Name, line: r.line, own: spec.Title == "", spec: spec}
		return
	case mdConflict:
		r.list = &listing{what: listConflict, name: spec.Name, line: r.line}
		return
	}
	raw, ok := r.unstrike(raw)
	if !ok {
		return
	}
	v, ok := r.value(spec, raw, documentDepth-4)
	_, isText := v.(Text)
	switch {
	case !ok:
	case v == (Null{}):
		r.unreadable("null is not a valid value; remove the line")
	case isText && (spec.Kind == KindText || spec.Kind == KindStatus):
		r.setLead(spec.Name, v)
	default:
		r.setField(spec.Name, v, r.line)
	}
}

func (r *mdReader) setField(name string, v Value, line int) {
	d := r.open
	if d.section == PredictionsTable && name == "predictions" {
		r.setPredictions(d, v, line)
		return
	}
	if d.has(name) {
		if _, flag := v.(Bool); flag && d.Get(name) == v {
			return // it says the same
		}
		r.problem(UnreadableLines, line, d.ID, "%s: duplicate field %s", d.ID, fault.Shown(name))
		return
	}
	d.Fields = append(d.Fields, Field{Name: name, Value: v})
	d.known |= 1 << d.section.Spec().Rank(name)
	r.place(d, name, line)
}

// knows reports whether the item has a field of the table.
func (d *draft) knows(name string) bool { return d.known>>d.section.Spec().Rank(name)&1 != 0 }

func (d *draft) has(name string) bool {
	const few = 16
	if len(d.Fields) < few {
		return slices.ContainsFunc(d.Fields, func(f Field) bool { return f.Name == name })
	}
	if d.names == nil {
		d.names = make(map[string]bool, 2*few)
		for i := range d.Fields {
			d.names[d.Fields[i].Name] = true
		}
	}
	known := d.names[name]
	d.names[name] = true
	return known
}

// place records the line of a field. A field shown in the table is on its row's line.
func (r *mdReader) place(d *draft, name string, line int) {
	if d.row != nil && (name == "condition" || name == "predictions") {
		line = d.row.line
	}
	if key := d.ID + "." + name; r.doc.Lines[key] == 0 {
		r.doc.Lines[key] = line
	}
}

// checkScore compares the score in a test's heading with its marks.
func (r *mdReader) checkScore(d *draft) {
	if d.score == "" {
		return
	}
	total, scored := d.Score()
	want := strconv.Itoa(total) + "/" + strconv.Itoa(ScoreTotal())
	switch {
	case scored && d.score == want:
	case scored && !r.isForeign():
		r.problem(UnreadableLines, d.line, d.ID, "the heading of %s has the score %s, its parts add up to %s", d.ID, fault.Shown(d.score), want)
	default:
		r.problem(Kept, d.line, d.ID, "the heading of %s has the score %s, which its parts do not add up to; kept as the field %s", d.ID, fault.Shown(d.score), headingScore)
		if !d.has(headingScore) {
			d.Fields = append(d.Fields, Field{Name: headingScore, Value: Text(d.score)})
		}
	}
}
