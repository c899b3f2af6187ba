package artifact

import (
	"slices"
	"strings"

	"brenner/internal/fault"
)

// maxColumns is the maximum number of hypothesis columns in the predictions table. A slate has at
// most six active ones; the limit keeps a hostile file with thousands from growing a table of
// millions of cells. Keys of hypotheses without a column are written in the blocks below the table.
const maxColumns = 64

// slate holds what the predictions table needs about the hypotheses.
type slate struct {
	columns []*Item
	column  map[string]bool // ids with a column
	struck  map[string]bool
}

func (a *Artifact) slate() *slate {
	s := &slate{column: map[string]bool{}, struck: a.Struck()}
	for _, h := range a.Sections[HypothesisSlate] {
		if len(s.columns) < maxColumns && !s.column[h.ID] {
			s.columns = append(s.columns, h)
			s.column[h.ID] = true
		}
	}
	return s
}

// row is one prediction with the data that decides where each cell is written.
type row struct {
	Row
	slate       *slate
	predictions Value // nil if the field is absent
}

func (s *slate) row(it *Item) row {
	return row{Row: RowOf(it, s.struck), slate: s, predictions: it.Get("predictions")}
}

// inTable reports whether the table itself shows the value of a key.
func (r *row) inTable(e Entry) bool {
	_, isText := e.Value.(Text)
	return isText && r.slate.column[e.Key] && !r.InDoubt(e.Key)
}

func (w *mdWriter) predictions(a *Artifact) {
	s := a.slate()
	w.end()
	w.tableHead(s)
	for _, it := range a.Sections[PredictionsTable] {
		r := s.row(it)
		w.tableRow(&r)
	}
	for _, it := range a.Sections[PredictionsTable] {
		r := s.row(it)
		w.block(&r)
	}
}

func (w *mdWriter) tableHead(s *slate) {
	w.put("| ID | Condition |")
	for _, h := range s.columns {
		w.put(" ")
		w.strike(h.Killed())
		w.text(h.ID, inCell)
		w.strike(h.Killed())
		w.put(" |")
	}
	w.end()
	w.put("|---|---|")
	for range s.columns {
		w.put("---|")
	}
	w.end()
}

func (w *mdWriter) tableRow(r *row) {
	w.mark(r.ID)
	if r.predictions != nil {
		w.markField(r.Item, "predictions")
	}
	condition := r.Get("condition")
	if condition != nil {
		w.markField(r.Item, "condition")
	}
	w.put("|")
	w.cell(Text(r.ID), r.Killed())
	w.cell(condition, r.Killed())
	for _, h := range r.slate.columns {
		w.predictionCell(r, h.ID)
	}
	w.end()
}

func (w *mdWriter) predictionCell(r *row, key string) {
	m, isMap := r.predictions.(Map)
	switch {
	case !isMap:
		w.offKindCell(r.predictions)
	case r.NotApplicable(key):
		w.put(" " + NotApplicable + " |")
	case r.InDoubt(key):
		w.put(" |")
	default:
		v, _ := m.Get(key)
		w.cell(v, r.Killed())
	}
}

// cell writes one cell: a text, nothing, or a sign that the value is below.
func (w *mdWriter) cell(v Value, killed bool) {
	switch v := v.(type) {
	case nil:
	case Text:
		w.put(" ")
		w.strike(killed)
		w.text(string(v), inCell)
		w.strike(killed)
	case Conflict:
		w.put(" " + mdConflict)
	default:
		w.put(" " + mdElsewhere)
	}
	w.put(" |")
}

// offKindCell writes a cell of a row whose predictions are not a map.
func (w *mdWriter) offKindCell(predictions Value) {
	switch predictions.(type) {
	case nil, Conflict:
		w.cell(predictions, false)
	default:
		w.put(" " + mdElsewhere + " |")
	}
}

// block writes the parts of a prediction that the table cannot hold.
func (w *mdWriter) block(r *row) {
	start, ended := len(w.buf), w.ended
	w.end()
	w.heading(PredictionsTable.Spec(), r.Item)
	body := len(w.buf)
	for i := range r.Fields {
		w.blockField(r, &r.Fields[i])
	}
	if m, ok := r.predictions.(Map); ok {
		w.withheld(r, m)
		w.killedCells(r)
	}
	w.system(PredictionsTable, r.Item)
	w.afterList = false
	if len(w.buf) == body && !r.Killed() {
		w.buf, w.ended = w.buf[:start], ended
	}
}

func (w *mdWriter) blockField(r *row, f *Field) {
	spec := PredictionsTable.Spec()
	m, isMap := f.Value.(Map)
	switch {
	case f.Name == "condition":
		if _, ok := f.Value.(Text); ok {
			return
		}
	case f.Name == "predictions" && isMap && len(m) > 0:
		var below Map
		for _, e := range m {
			if !r.inTable(e) && !r.NotApplicable(e.Key) {
				below = append(below, e)
			}
		}
		if len(below) == 0 {
			return
		}
		w.field(spec, r.Item, &Field{Name: f.Name, Value: below})
		return
	}
	w.field(spec, r.Item, f)
}

func (w *mdWriter) withheld(r *row, m Map) {
	labelled := false
	for _, e := range m {
		if !r.NotApplicable(e.Key) {
			continue
		}
		if !labelled {
			w.label(mdWithheld)
			w.end()
			labelled = true
		}
		w.entry(e, r.Killed())
		w.afterList = true
	}
}

func (w *mdWriter) killedCells(r *row) {
	if len(r.Cells()) == 0 {
		return
	}
	w.label(mdKilledCells)
	w.end()
	for _, c := range sortedCells(r.Cells()) {
		w.put("- ")
		w.text(c.Key, inKey)
		w.put(":")
		w.killer(&c.Kill)
		if c.Kill.Reason != "" {
			w.put(": ")
			w.text(c.Kill.Reason, inField)
		}
		w.end()
	}
	w.afterList = true
}

func sortedCells(cells []CellKill) []CellKill {
	sorted := slices.Clone(cells)
	slices.SortStableFunc(sorted, func(x, y CellKill) int { return CompareKeys(x.Key, y.Key) })
	return sorted
}

type tableHead struct {
	condition int         // its column; 0 if there is none
	keys      []string    // the hypotheses of the other columns, "" for a field
	fields    []FieldSpec // the fields of the other columns
	ruled     bool        // the line of dashes below it was read
	other     bool        // a header of another tool
}

// tableRow is a row of the file. Its cells are read at the end, when the kills are known.
type tableRow struct {
	head  *tableHead
	line  int
	cells []string // without the id: the condition, then the others
}

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
