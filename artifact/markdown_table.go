package artifact

import "slices"

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
