package merge

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
)

// lateWrite is a write that refers to an item of a later ADD.
type lateWrite struct {
	e      entry
	slot   *slot
	writes []write
}

// writeAll weighs the writes of one delta. Those that refer to an item not yet created are deferred
// to the end of the pass, when all items have ids.
func (p *pass) writeAll(e entry, s *slot, writes []write, mayWait bool) {
	var late []write
	for i := range writes {
		w := &writes[i]
		if !w.refs {
			p.write(e, s, w)
			continue
		}
		resolved, ready := p.resolveRefs(e, w)
		if !ready && mayWait {
			late = append(late, *w)
			continue
		}
		p.writeRefs(e, s, *w, resolved)
	}
	if len(late) > 0 {
		p.late = append(p.late, lateWrite{e, s, late})
	}
}

// ref is one reference in a field: as written, and the id it resolves to.
type ref struct {
	written string
	id      string
	found   finding
	letter  entry // the ADD of an earlier letter that it means, if it is bound to one
}

// resolveRefs resolves the references of a field. ready means that all can be resolved by now.
func (p *pass) resolveRefs(e entry, w *write) (refs []ref, ready bool) {
	ready = true
	for _, written := range p.mentioned(e, w) {
		r := p.resolveRef(e, written)
		if r.found == tooSoon {
			ready = false
		}
		refs = append(refs, r)
	}
	return refs, ready
}

// resolveRef resolves a reference to an item, or to a cell of a row if both of its parts are known.
func (p *pass) resolveRef(e entry, written string) ref {
	if row, hypothesis, ok := p.cellOf(e, written); ok {
		at, of := p.resolveRef(e, row), p.resolveRef(e, hypothesis)
		r := ref{written: written, id: at.id + "." + of.id, found: at.found, letter: at.letter}
		if at.found == known {
			r.found = of.found
		}
		if r.letter.none() {
			r.letter = of.letter
		}
		return r
	}
	s, found, letter := p.mean(e, written)
	r := ref{written: written, id: written, found: found, letter: letter}
	if found == known {
		r.id = s.id()
	}
	return r
}

// cellOf returns the row and the hypothesis of a word in the form of a cell that is not an author's label.
func (p *pass) cellOf(e entry, word string) (row, hypothesis string, ok bool) {
	if !p.fourth || !e.labelledAdd(word).none() {
		return "", "", false
	}
	return cutCell(word)
}

// cutCell returns the parts of a word in the form of a cell ("P3.H4").
func cutCell(word string) (row, hypothesis string, ok bool) {
	row, hypothesis, _ = strings.Cut(word, ".")
	return row, hypothesis, artifact.PredictionsTable.ValidID(row) && artifact.HypothesisSlate.ValidID(hypothesis)
}

// exists reports whether an item or a cell exists.
func (p *pass) exists(name string) bool {
	if row, hypothesis, ok := cutCell(name); ok && p.fourth {
		return p.exists(row) && p.exists(hypothesis)
	}
	section, ok := artifact.SectionOfID(name)
	return ok && p.section(section).find(name) != nil
}

// mentioned returns the words of a field that are references: the author's labels, and words in the
// form of an id. The list is valid until the next call.
func (p *pass) mentioned(e entry, w *write) []string {
	words := p.words[:0]
	switch v := w.Value.(type) {
	case artifact.Map:
		for i := range v {
			if key := v[i].Key; artifact.HypothesisSlate.ValidID(key) || !e.labelledAdd(key).none() || e.in.second && artifact.HypothesisSlate.ValidID(spelledID(key)) {
				words = append(words, key)
			}
		}
	case artifact.List:
		for _, el := range v {
			word := string(el.(artifact.Text))
			_, _, isCell := p.cellOf(e, word)
			if _, isID := artifact.SectionOfID(word); isID || isCell || !e.labelledAdd(word).none() || e.in.second && spelledID(word) != "" {
				words = append(words, word)
			}
		}
	case artifact.Text:
		words = e.mentionedIn(string(v), words)
	}
	p.words = words
	return words
}

func (e entry) mentionedIn(text string, words []string) []string {
	rewriteWords(text, func(word string) (string, bool) {
		isRef := artifact.HypothesisSlate.ValidID(word) || !e.labelledAdd(word).none()
		if isRef {
			words = append(words, word)
		}
		return word, isRef
	})
	slices.Sort(words)
	return slices.Compact(words)
}

// writeRefs writes a field with its references resolved.
func (p *pass) writeRefs(e entry, s *slot, w write, refs []ref) {
	var lost []ref
	var displaced []string
	d := p.open(s)
	swap := make(map[string]string, len(refs))
	for _, r := range refs {
		switch {
		case r.found == known:
			if r.id != r.written {
				swap[r.written] = r.id
			}
			if !r.letter.none() {
				p.warnBound(e, d, w.Name, r)
			}
		case p.isExistingID(d, w, r.written):
			// The row has a real cell of that name. The author's is kept under a distinct name.
			name := displacedName(r.written, e.d().Agent)
			swap[r.written], displaced = name, append(displaced, name)
			p.warnRef(e, d, w.Name, r.written, "kept as "+fault.Shown(name))
		default:
			lost = append(lost, r)
		}
	}
	if len(swap) > 0 {
		w.Field = changed(w.Field, e.renameRefs(w, swap))
	}
	if m, ok := w.Value.(artifact.Map); ok && w.Name == "predictions" && e.made == 0 {
		w.Field = changed(w.Field, p.withoutKilled(e, s, w, m))
	}
	for _, r := range refs {
		if r.found == known {
			p.takeOver(d, w.Name, r.id)
		}
	}
	p.write(e, s, &w)
	placeOf := func(ref string) place {
		if shapeOf(w.Value) == scalar {
			return place{field: w.Name, ref: ref, by: e.stamp()}
		}
		return place{field: w.Name, ref: ref}
	}
	for _, name := range displaced {
		if p.third {
			d.unresolved.add(placeOf(name), false)
		}
	}
	for _, r := range lost {
		key := placeOf(r.written)
		pending := d.unresolved.add(key, e.d().Place == nil && e.labelledAdd(r.written).none())
		pending.e = e
		p.awaited = p.awaited || pending.open
		if !pending.open {
			p.warnRef(e, d, w.Name, r.written, keptAsWritten)
		}
	}
}

const keptAsWritten = "kept as written"

// takeOver frees a key or an element for the item that it names from now on. The existing value was
// written without knowledge of that item; it moves aside, under a name that cannot be an id.
func (p *pass) takeOver(d *draft, field, ref string) {
	f := d.find(field)
	if f == nil || f.shape == scalar || !d.unresolved.has(field, ref) {
		return
	}
	d.unresolved.resolve(place{field: field, ref: ref})
	name := displacedName(ref, f.authorOf(ref))
	f.rename(ref, name)
	if p.third {
		d.unresolved.add(place{field: field, ref: name}, false)
	}
}

// displacedName returns the name for something that was called by the id of another item.
func displacedName(ref, agent string) string {
	if agent == "" {
		return ref + " (unresolved)"
	}
	return fmt.Sprintf("%s (%s's)", ref, agent)
}

// authorOf returns the author of a key or an element, as far as known.
func (f *field) authorOf(ref string) string {
	var s *artifact.Stamp
	if c := f.key(ref); f.shape == mapping && c != nil {
		s = c.first.stamp
	}
	if at := f.element(artifact.Text(ref)); f.shape == union && at >= 0 && len(f.list[at].by) > 0 {
		s = f.list[at].by[0]
	}
	if s == nil {
		return ""
	}
	return s.Agent
}

// isExistingID reports whether an unresolved name is nevertheless the id of an existing item.
func (p *pass) isExistingID(d *draft, w write, name string) bool {
	if f := d.find(w.Name); f != nil && f.has(name) && !d.unresolved.has(w.Name, name) {
		return true
	}
	return p.exists(name)
}

func (p *pass) warnRef(e entry, d *draft, field, name, kept string) {
	why := "its author cannot have known"
	advice := p.letterAdvice(e, name)
	switch candidates := p.candidates(e, name); {
	case len(candidates) > 1:
		why = "may mean " + strings.Join(candidates, " or ")
	case advice != "":
		why = "earlier letters leave open"
	case p.second && spelledID(name) != name && spelledID(name) != "":
		why = "is not an id as it stands"
		_, advice = p.readAs(e, name)
	}
	p.warn(UnresolvedRef, "%s: %s of %s names %s, which %s; %s%s", e, field, d.id, fault.Shown(name), why, kept, advice).Delta = e.stamp().Delta
}

func (p *pass) warnBound(e entry, d *draft, field string, r ref) {
	p.warn(RefBound, "%s: %s of %s names %s; bound to %s, which %s called so in an earlier letter", e, field, d.id, r.written, r.id, fault.Shown(r.letter.d().Agent)).Delta = e.stamp().Delta
}

// withoutKilled removes the cells of killed hypotheses from an EDIT.
func (p *pass) withoutKilled(e entry, row *slot, w write, m artifact.Map) artifact.Map {
	kept := make(artifact.Map, 0, len(m))
	for _, entry := range m {
		if p.cellGone(e, row, entry.Key) && !row.draft.unresolved.has(w.Name, entry.Key) {
			e.row().Fields = append(e.row().Fields, FieldOutcome{
				Field: w.Name + "." + entry.Key, Outcome: FieldSkipped, Message: "the cell is " + artifact.NotApplicable,
			})
			continue
		}
		kept = append(kept, entry)
	}
	return kept
}

func (e entry) renameRefs(w write, swap map[string]string) artifact.Value {
	to := func(word string) string {
		if id, ok := swap[word]; ok {
			return id
		}
		return word
	}
	switch v := w.Value.(type) {
	case artifact.Map:
		return e.renameKeys(w.Name, v, to)
	case artifact.List:
		list := make(artifact.List, len(v))
		for i, el := range v {
			list[i] = artifact.Text(to(string(el.(artifact.Text))))
		}
		return list
	case artifact.Text:
		return artifact.Text(rewriteWords(string(v), func(word string) (string, bool) {
			id, ok := swap[word]
			return id, ok
		}))
	}
	return w.Value
}

// renameKeys replaces labels with ids. If two keys resolve to one item, the second wins, as with
// two blocks of one author, and the report shows what happened to the first.
func (e entry) renameKeys(field string, m artifact.Map, to func(string) string) artifact.Map {
	last := make(map[string]int, len(m))
	for i, entry := range m {
		last[to(entry.Key)] = i
	}
	entries := make([]artifact.Entry, 0, len(m))
	for i, entry := range m {
		id := to(entry.Key)
		if last[id] != i {
			out := e.outcome(field + "." + entry.Key)
			out.Outcome, out.Message = FieldSuperseded, "it means "+id+", which this payload names once more"
			continue
		}
		entries = append(entries, artifact.Entry{Key: id, Value: entry.Value})
	}
	return artifact.MapOf(entries...)
}

// settleRefs resolves once more what deltas from files named before it existed: such a file may
// refer to items that the same batch adds.
func (p *pass) settleRefs() {
	if !p.awaited {
		return
	}
	for _, state := range p.sections {
		if state == nil {
			continue
		}
		for sl := range state.slots {
			if sl.draft != nil {
				p.settleDraft(sl.draft)
			}
		}
	}
}

func (p *pass) settleDraft(d *draft) {
	for i := range d.unresolved.list {
		u := &d.unresolved.list[i]
		if !u.open || u.gone {
			continue
		}
		if p.exists(u.ref) {
			d.unresolved.resolve(u.place)
			continue
		}
		p.warnRef(u.e, d, u.field, u.ref, keptAsWritten)
	}
}

// unresolved holds the places of an item that name something which did not exist when they were
// written. They never refer to a later item of that name.
type unresolved struct {
	list  []pendingRef
	at    map[place]int
	third bool // the rules are those of merge/3 or later
}

// place is a name in a field: a key, an element, or a word of a text. A word of a text belongs to
// the delta that wrote it, because another delta may write the same word and know the item. by is
// nil for keys, elements and texts of the base.
type place struct {
	field, ref string
	by         *artifact.Stamp
}

type pendingRef struct {
	place
	open bool // it may still resolve to an item that this batch adds
	gone bool
	e    entry
}

func (u *unresolved) add(key place, open bool) *pendingRef {
	if u.at == nil {
		u.at = make(map[place]int)
	}
	i, ok := u.at[key]
	if !ok {
		i = len(u.list)
		u.list = append(u.list, pendingRef{place: key, open: open})
		u.at[key] = i
	}
	u.list[i].open = u.list[i].open && open
	return &u.list[i]
}

func (u *unresolved) has(field, ref string) bool {
	_, ok := u.at[place{field: field, ref: ref}]
	return ok
}

// resolve removes a place that turned out to name a real item.
func (u *unresolved) resolve(key place) {
	if i, ok := u.at[key]; ok {
		u.list[i].gone = true
		delete(u.at, key)
	}
}

// close returns the places that still name something unknown.
func (u *unresolved) close(d *draft) []string {
	var places []string
	texts := make(map[string]textWords) // of a field, taken apart once
	for _, p := range u.list {
		f := d.find(p.field)
		if p.gone || f == nil {
			continue
		}
		named := f.has(p.ref)
		if f.shape == scalar {
			if texts[p.field] == nil {
				texts[p.field] = f.words()
			}
			named = texts[p.field][authoredWord{p.ref, p.by}] || u.third && f.quotes(p.place)
		}
		if named {
			places = append(places, p.field+"."+p.ref)
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// quotes reports whether the text of a field has a name of several words, by the same writer.
func (f *field) quotes(p place) bool {
	if !strings.Contains(p.ref, " ") {
		return false
	}
	for w := range f.cell.writers {
		t, _ := w.value.(artifact.Text)
		if strings.Contains(string(t), p.ref) && (p.by == nil) == (w.out == nil) && (p.by == nil || p.by == w.stamp) {
			return true
		}
	}
	return false
}

// textWords are the words of a text, each with the delta that wrote it, if not the base.
type textWords map[authoredWord]bool

type authoredWord struct {
	word string
	by   *artifact.Stamp
}

func (f *field) words() textWords {
	words := make(textWords)
	for w := range f.cell.writers {
		t, _ := w.value.(artifact.Text)
		by := w.stamp
		if w.out == nil {
			by = nil
		}
		rewriteWords(string(t), func(word string) (string, bool) {
			words[authoredWord{word, by}] = true
			return "", false
		})
	}
	return words
}
