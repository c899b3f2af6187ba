package artifact

import (
	"slices"
	"strings"

	"brenner/internal/fault"
)

// tableLine reads a line of a table, and reports whether it is one.
func (r *mdReader) tableLine(line string) bool {
	cells, ok := splitRow(line)
	if !ok || len(cells) < 2 {
		return false
	}
	isHead := strings.EqualFold(cells[0], "ID") || cells[0] == "#"
	if !isHead && r.table == nil {
		return false
	}
	r.closeRun()
	r.open = nil
	switch {
	case isHead:
		r.head(cells, line)
	case !r.table.ruled && strings.Trim(line, "|-: \t") == "":
		r.table.ruled = true
	case len(cells) != r.table.width():
		r.unreadable("the row has %d cells, the table's header %d", len(cells), r.table.width())
	default:
		r.row(cells)
	}
	return true
}

func splitRow(line string) ([]string, bool) {
	inside, ok := strings.CutPrefix(line, "|")
	cells := splitPlain(inside, "|")
	last := len(cells) - 1
	return cells[:last], ok && cells[last] == ""
}

func (h *tableHead) width() int {
	n := 1 + len(h.keys)
	if h.condition > 0 {
		n++
	}
	return n
}

func (r *mdReader) head(cells []string, line string) {
	head := &tableHead{}
	listed := make(map[string]bool, len(cells))
	r.table = nil
	if r.section != PredictionsTable {
		r.variant("table", line, "items")
	}
	for i, raw := range cells[1:] {
		raw, _ = readStruck(raw)
		switch {
		case r.section == PredictionsTable && head.condition == 0 && r.isCondition(raw, head):
			head.condition = i + 1
			continue
		case r.section == PredictionsTable && r.addHypothesis(raw, head):
		default:
			r.addColumn(raw, head)
		}
		last := len(head.keys) - 1
		key := head.keys[last] + "." + head.fields[last].Name
		if raw == "" || listed[key] {
			r.unreadable("missing or duplicate hypothesis in the table's header: %s", fault.Shown(line))
			return
		}
		listed[key] = true
	}
	r.table = head
}

func (r *mdReader) row(cells []string) {
	rawID, struck := readStruck(cells[0])
	id := readText(rawID)
	h, other := otherHead(r.section, rawID)
	if other = other && !r.section.ValidID(id); other {
		r.variant("row", rawID, h.id)
		id = h.id
	}
	d := r.draft(id)
	if struck {
		d.Kill = &Kill{}
	}
	switch c := r.table.condition; c {
	case 0:
		cells[0] = ""
	case 1:
		cells = cells[1:]
	default:
		cells = slices.Concat(cells[c:c+1], cells[1:c], cells[c+1:])
	}
	d.row = &tableRow{head: r.table, line: r.line, cells: cells}
	r.open = d
	r.rowFields(d)
	if other {
		r.headTexts(h)
	}
	r.open, r.lead = nil, ""
}

// setPredictions takes the predictions of a block. finish adds those of the table.
func (r *mdReader) setPredictions(d *draft, v Value, line int) {
	if d.mapped || d.offKind != nil {
		r.problem(UnreadableLines, line, d.ID, "%s: duplicate field predictions", d.ID)
		return
	}
	r.place(d, "predictions", line)
	if m, ok := v.(Map); ok {
		d.mapped = true
		d.cells = append(d.cells, m...)
		return
	}
	d.offKind = v
}

// finish turns the drafts into items and makes the checks that need the whole file.
func (r *mdReader) finish() {
	s := &slate{struck: r.doc.Artifact.Struck()}
	for _, d := range r.drafts {
		if d.section == PredictionsTable {
			r.finishPrediction(d, s)
		}
		r.finishKill(d)
		d.keepTexts()
		r.checkScore(d)
		d.section.Spec().SortFields(d.Fields)
		if _, ok := d.Get("name").(Conflict); d.unnamed && !ok {
			r.problem(UnreadableLines, d.line, d.ID, "the name of %s is a %s, but its candidates are missing", d.ID, mdConflict)
		}
	}
	r.checkSections()
	r.doc.Artifact.Metadata.keep(otherText, r.others...)
	slices.SortStableFunc(r.doc.Problems, func(x, y Problem) int { return x.Line - y.Line })
	if more := r.problems - maxProblems; more > 0 {
		r.doc.Problems = append(r.doc.Problems, Problem{
			Kind: UnreadableLines, Line: r.last, Message: "too many problems to list",
		})
	}
}

// finishPrediction joins the row and the block of a prediction.
func (r *mdReader) finishPrediction(d *draft, s *slate) {
	if d.row != nil {
		r.finishCondition(d)
		r.rowCells(d, s)
	}
	switch {
	case d.offKind != nil:
		if len(d.cells) > 0 {
			r.problem(UnreadableLines, d.line, d.ID, "the cells of %s in the table differ from its block", d.ID)
		}
		d.Fields = append(d.Fields, Field{Name: "predictions", Value: d.offKind})
	case d.mapped || len(d.cells) > 0:
		m := MapOf(d.cells...)
		if len(m) < len(d.cells) {
			r.problem(UnreadableLines, d.line, d.ID, "duplicate cell of %s: in the table, in its block or after N/A", d.ID)
		}
		d.Fields = append(d.Fields, Field{Name: "predictions", Value: m})
		r.place(d, "predictions", d.line)
	}
	r.finishKilledCells(d)
	if d.row != nil {
		r.checkSigns(d, s)
	}
}

func (r *mdReader) finishCondition(d *draft) {
	raw, has := d.row.cells[0], d.has("condition")
	switch {
	case raw == "" && !has:
	case raw == mdElsewhere || raw == mdConflict:
		_, conflict := d.Get("condition").(Conflict)
		if !has || conflict != (raw == mdConflict) {
			r.problem(UnreadableLines, d.line, d.ID, "the condition of %s is %s, but its block has no condition", d.ID, raw)
		}
	case has:
		r.problem(UnreadableLines, d.line, d.ID, "%s: duplicate field condition", d.ID)
	default:
		if raw, ok := r.uncross(d, raw); ok {
			d.Fields = append(d.Fields, Field{Name: "condition", Value: Text(readText(raw))})
			r.place(d, "condition", d.line)
		}
	}
}

// uncross is unstrike for a cell.
func (r *mdReader) uncross(d *draft, raw string) (string, bool) {
	inside, struck := readStruck(raw)
	if struck && d.Kill == nil {
		r.problem(UnreadableLines, d.line, d.ID, "a cell is struck through, but %s is not", d.ID)
		return "", false
	}
	return inside, true
}

func (r *mdReader) rowCells(d *draft, s *slate) {
	for i, raw := range d.row.cells[1:] {
		key := d.row.head.keys[i]
		if key == "" || d.row.head.noValue(raw) {
			continue
		}
		switch raw {
		case NotApplicable:
			if !d.row.head.other || s.struck[key] {
				continue
			}
		case "", mdElsewhere, mdConflict:
			continue
		}
		if raw, ok := r.uncross(d, raw); ok {
			d.cells = append(d.cells, Entry{key, Text(readText(raw))})
		}
	}
}

func (r *mdReader) finishKilledCells(d *draft) {
	if len(d.Cells()) == 0 {
		return
	}
	cells := sortedCells(d.Cells())
	d.rare().Cells = cells
	if _, ok := d.Get("predictions").(Map); !ok {
		r.problem(UnreadableLines, d.line, d.ID, "%s has killed cells but no predictions", d.ID)
	}
	for i := 1; i < len(cells); i++ {
		if cells[i].Key == cells[i-1].Key {
			r.problem(UnreadableLines, d.line, d.ID, "%s: duplicate kill of the cell %s", d.ID, fault.Shown(cells[i].Key))
		}
	}
}

// checkSigns checks that the values the table refers to exist.
func (r *mdReader) checkSigns(d *draft, s *slate) {
	view := s.row(d.Item)
	m, isMap := view.predictions.(Map)
	for i, raw := range d.row.cells[1:] {
		key := d.row.head.keys[i]
		if key == "" {
			continue
		}
		v := view.predictions
		if isMap {
			v, _ = m.Get(key)
		}
		_, conflict := v.(Conflict)
		switch {
		case raw == NotApplicable && !d.row.head.other && !view.NotApplicable(key):
			r.problem(UnreadableLines, d.line, d.ID, "%s has N/A for %s, but neither that hypothesis nor the cell was killed", d.ID, fault.Shown(key))
		case raw == mdElsewhere && (v == nil || conflict), raw == mdConflict && !conflict:
			r.problem(UnreadableLines, d.line, d.ID, "%s has %s for %s, but its block has no such cell", d.ID, raw, fault.Shown(key))
		}
	}
}

// checkSections reports sections that are missing or empty.
func (r *mdReader) checkSections() {
	for _, s := range Sections() {
		empty := len(r.doc.Artifact.Sections[s]) == 0
		switch {
		case r.headings[s] == 0:
			r.problem(MissingSection, r.last, s.String(), "the section %s is missing", s.Spec().Title)
		case empty && r.said[s] == notSaid:
			r.problem(EmptyNotStated, r.headings[s], s.String(), "the section %s is empty without the line %q", s.Spec().Title, s.Spec().Empty)
		case !empty && r.said[s] == saidSo:
			r.problem(UnreadableLines, r.headings[s], s.String(), "the section %s has the line %q, but also items", s.Spec().Title, s.Spec().Empty)
		}
	}
}
