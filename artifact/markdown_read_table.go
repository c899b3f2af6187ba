package artifact

import (
	"slices"
	"strings"

	"brenner/internal/fault"
)

// tableHead is the head of the predictions table.
type tableHead struct {
	keys  []string
	ruled bool // the line of dashes under it was read
}

// tableRow is a row as it stands in the file. Its cells are read at the end, when
// it is known which hypotheses were killed.
type tableRow struct {
	head  *tableHead
	line  int
	cells []string // without the id
}

func (r *mdReader) tableLine(line string) {
	cells, ok := splitRow(line)
	if !ok || !r.inside || r.section != PredictionsTable || len(cells) < 2 {
		r.stray(line)
		return
	}
	r.open = nil
	switch {
	case strings.EqualFold(cells[0], "ID") && strings.EqualFold(cells[1], "Condition"):
		r.head(cells[2:], line)
	case r.table == nil:
		r.stray(line)
	case !r.table.ruled && strings.Trim(line, "|-: \t") == "":
		r.table.ruled = true
	case len(cells) != 2+len(r.table.keys):
		r.unreadable("the row has %d cells, the head of the table %d", len(cells), 2+len(r.table.keys))
	default:
		r.row(cells)
	}
}

func splitRow(line string) ([]string, bool) {
	inside, ok := strings.CutPrefix(line, "|")
	cells := splitPlain(inside, "|")
	last := len(cells) - 1
	return cells[:last], ok && cells[last] == ""
}

func (r *mdReader) head(names []string, line string) {
	head := &tableHead{keys: make([]string, len(names))}
	listed := make(map[string]bool, len(names))
	for i, raw := range names {
		raw, _ = readStruck(raw)
		key := readText(raw)
		if raw == "" || listed[key] {
			r.unreadable("the head of the table names a hypothesis twice or not at all: %s", fault.Shown(line))
			r.table = nil
			return
		}
		head.keys[i] = key
		listed[key] = true
	}
	r.table = head
}

func (r *mdReader) row(cells []string) {
	rawID, struck := readStruck(cells[0])
	d := r.draft(readText(rawID))
	if struck {
		d.Kill = &Kill{}
	}
	d.row = &tableRow{head: r.table, line: r.line, cells: cells[1:]}
}

// setPredictions takes the predictions of a block. Those of the table and of
// other lists join them at the end.
func (r *mdReader) setPredictions(d *draft, v Value, line int) {
	if d.mapped || d.offKind != nil {
		r.problem(UnreadableLines, line, d.ID, "%s has the field predictions twice", d.ID)
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

// finish makes items of the drafts, and looks at what only the whole file shows.
func (r *mdReader) finish() {
	s := &slate{struck: r.doc.Artifact.Struck()}
	for _, d := range r.drafts {
		if d.section == PredictionsTable {
			r.finishPrediction(d, s)
		}
		d.section.Spec().SortFields(d.Fields)
		r.checkScore(d)
		if _, ok := d.Get("name").(Conflict); d.unnamed && !ok {
			r.problem(UnreadableLines, d.line, d.ID, "the name of %s is a %s, but its candidates are missing", d.ID, mdConflict)
		}
	}
	r.checkSections()
	slices.SortStableFunc(r.doc.Problems, func(x, y Problem) int { return x.Line - y.Line })
	if more := r.problems - maxProblems; more > 0 {
		r.doc.Problems = append(r.doc.Problems, Problem{
			Kind: UnreadableLines, Line: r.last, Message: "there are more problems than can be listed",
		})
	}
}

// finishPrediction puts the row and the block of a prediction together.
func (r *mdReader) finishPrediction(d *draft, s *slate) {
	if d.row != nil {
		r.finishCondition(d)
		r.rowCells(d)
	}
	switch {
	case d.offKind != nil:
		if len(d.cells) > 0 {
			r.problem(UnreadableLines, d.line, d.ID, "the cells of %s stand in the table, but its block says something else", d.ID)
		}
		d.Fields = append(d.Fields, Field{Name: "predictions", Value: d.offKind})
	case d.mapped || len(d.cells) > 0:
		m := MapOf(d.cells...)
		if len(m) < len(d.cells) {
			r.problem(UnreadableLines, d.line, d.ID, "a cell of %s stands twice: in the table, in its block or behind N/A", d.ID)
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
			r.problem(UnreadableLines, d.line, d.ID, "the condition of %s is %s, but its block does not hold it", d.ID, raw)
		}
	case has:
		r.problem(UnreadableLines, d.line, d.ID, "%s has the field condition twice", d.ID)
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

// rowCells takes the texts of a row.
func (r *mdReader) rowCells(d *draft) {
	for i, raw := range d.row.cells[1:] {
		switch raw {
		case "", NotApplicable, mdElsewhere, mdConflict:
			continue
		}
		if raw, ok := r.uncross(d, raw); ok {
			d.cells = append(d.cells, Entry{d.row.head.keys[i], Text(readText(raw))})
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
			r.problem(UnreadableLines, d.line, d.ID, "%s: the cell %s was killed twice", d.ID, fault.Shown(cells[i].Key))
		}
	}
}

// checkSigns looks whether what the table only points at is really there.
func (r *mdReader) checkSigns(d *draft, s *slate) {
	view := s.row(d.Item)
	m, isMap := view.predictions.(Map)
	for i, raw := range d.row.cells[1:] {
		key := d.row.head.keys[i]
		v := view.predictions
		if isMap {
			v, _ = m.Get(key)
		}
		_, conflict := v.(Conflict)
		switch {
		case raw == NotApplicable && !view.NotApplicable(key):
			r.problem(UnreadableLines, d.line, d.ID, "%s says N/A for %s, but neither that hypothesis nor the cell was killed", d.ID, fault.Shown(key))
		case raw == mdElsewhere && (v == nil || conflict), raw == mdConflict && !conflict:
			r.problem(UnreadableLines, d.line, d.ID, "%s says %s for %s, but its block does not hold it", d.ID, raw, fault.Shown(key))
		}
	}
}

// checkSections finds the sections that are missing or say nothing.
func (r *mdReader) checkSections() {
	for _, s := range Sections() {
		empty := len(r.doc.Artifact.Sections[s]) == 0
		switch {
		case r.headings[s] == 0:
			r.problem(MissingSection, r.last, s.String(), "the section %s is missing", s.Spec().Title)
		case empty && !r.said[s]:
			r.problem(EmptyNotSaid, r.headings[s], s.String(), "the section %s is empty and does not say %q", s.Spec().Title, s.Spec().Empty)
		case !empty && r.said[s]:
			r.problem(UnreadableLines, r.headings[s], s.String(), "the section %s says %q, but it has items", s.Spec().Title, s.Spec().Empty)
		}
	}
}
