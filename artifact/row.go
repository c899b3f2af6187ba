package artifact

// Row is a prediction with what decides which of its cells are N/A.
type Row struct {
	*Item
	killed  map[string]bool // cells that were killed one by one
	struck  map[string]bool // hypotheses that were killed
	doubted map[string]bool
}

// RowOf gives a prediction beside the hypotheses that were killed.
func RowOf(it *Item, struck map[string]bool) Row {
	r := Row{Item: it, struck: struck, doubted: it.Doubts()}
	if cells := it.Cells(); len(cells) > 0 {
		r.killed = make(map[string]bool, len(cells))
		for _, c := range cells {
			r.killed[c.Key] = true
		}
	}
	return r
}

// NotApplicable tells whether a cell is N/A: its hypothesis was killed, or the
// cell itself. A key that never meant an existing hypothesis is not its cell.
func (r *Row) NotApplicable(key string) bool {
	return r.killed[key] || (r.struck[key] && !r.InDoubt(key))
}

// InDoubt tells whether a key named no hypothesis when it was written.
func (r *Row) InDoubt(key string) bool {
	return len(r.doubted) > 0 && r.doubted["predictions."+key]
}

// Struck gives the ids of the hypotheses that were killed.
func (a *Artifact) Struck() map[string]bool {
	struck := make(map[string]bool)
	for _, h := range a.Sections[HypothesisSlate] {
		if h.Killed() {
			struck[h.ID] = true
		}
	}
	return struck
}

// Doubts gives the places of an item that name what did not exist when they were
// written. A set, because an item may have any number of them.
func (it *Item) Doubts() map[string]bool {
	places := it.Unresolved()
	if len(places) == 0 {
		return nil
	}
	set := make(map[string]bool, len(places))
	for _, place := range places {
		set[place] = true
	}
	return set
}
