package artifact

import "slices"

// maxColumns is how many hypotheses have a column in the predictions table. A
// slate has six active ones at most; the limit keeps a hostile file with
// thousands of them from growing a table of millions of cells. The keys of
// hypotheses without a column stand in the blocks under the table.
const maxColumns = 64

// slate is what the predictions table has to know of the hypotheses.
type slate struct {
	columns []*Item
	column  map[string]bool // ids that have a column
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

// row is one prediction, with what decides where each of its cells is written.
type row struct {
	Row
	slate       *slate
	predictions Value // nil where the field is absent
}

func (s *slate) row(it *Item) row {
	return row{Row: RowOf(it, s.struck), slate: s, predictions: it.Get("predictions")}
}

// inTable tells whether the table itself shows the value of a key.
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

// cell writes one cell: a text, nothing, or a sign that the value stands below.
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

// offKindCell is a cell of a row whose predictions are no map at all.
func (w *mdWriter) offKindCell(predictions Value) {
	switch predictions.(type) {
	case nil, Conflict:
		w.cell(predictions, false)
	default:
		w.put(" " + mdElsewhere + " |")
	}
}

// block writes what the table cannot hold of a prediction, if there is any.
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
	w.system(r.Item)
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

// withheld writes the texts behind N/A.
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

// killedCells writes who killed which cell, when and why.
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
