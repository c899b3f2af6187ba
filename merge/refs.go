package merge

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/fault"
)

// lateWrite is a write that names an item which an ADD further on makes.
type lateWrite struct {
	e      *entry
	slot   *slot
	writes []write
}

// writeAll weighs the writes of one delta. Those that refer to an item not made
// yet are put off to the end of the pass, when all items have their ids.
func (p *pass) writeAll(e *entry, s *slot, writes []write, mayWait bool) {
	var late []write
	for _, w := range writes {
		if w.spec != nil && w.spec.Refs {
			resolved, ready := p.resolveRefs(e, w)
			if !ready && mayWait {
				late = append(late, w)
				continue
			}
			p.writeRefs(e, s, w, resolved)
			continue
		}
		p.write(e, s, w)
	}
	if len(late) > 0 {
		p.late = append(p.late, lateWrite{e, s, late})
	}
}

// ref is one reference in a field: as it was written, and the id it means.
type ref struct {
	written string
	id      string
	found   finding
}

// resolveRefs finds what every reference of a field means; ready tells that all
// of them can be known by now.
func (p *pass) resolveRefs(e *entry, w write) (refs []ref, ready bool) {
	ready = true
	for _, written := range p.mentioned(e, w) {
		s, found := p.refer(e, written)
		r := ref{written: written, id: written, found: found}
		if found == known {
			r.id = s.id
		}
		if found == tooSoon {
			ready = false
		}
		refs = append(refs, r)
	}
	return refs, ready
}

// mentioned gives the words of a field that are references: labels of the
// author, and what looks like an id.
func (p *pass) mentioned(e *entry, w write) []string {
	var words []string
	take := func(word string, isID bool) {
		if isID || e.labelled(word) != nil {
			words = append(words, word)
		}
	}
	switch v := w.value.(type) {
	case artifact.Map:
		for _, entry := range v {
			take(entry.Key, artifact.HypothesisSlate.ValidID(entry.Key))
		}
	case artifact.List:
		for _, el := range v {
			word := string(el.(artifact.Text))
			_, isID := artifact.SectionOfID(word)
			take(word, isID)
		}
	case artifact.Text:
		found := tokens(string(v))
		slices.Sort(found)
		for _, word := range slices.Compact(found) {
			take(word, artifact.HypothesisSlate.ValidID(word))
		}
	}
	return words
}

// writeRefs writes a field with its references put in order.
func (p *pass) writeRefs(e *entry, s *slot, w write, refs []ref) {
	var lost []ref
	d := s.open()
	swap := make(map[string]string, len(refs))
	for _, r := range refs {
		switch {
		case r.found == known:
			if r.id != r.written {
				swap[r.written] = r.id
			}
		case p.taken(d, w, r.written):
			// The row has a real cell of that name. What the author called
			// so is something else, and is kept under a name that says so.
			swap[r.written] = fmt.Sprintf("%s (%s's)", r.written, e.d.Agent)
			p.warnRef(e, d, w.name, r.written)
		default:
			lost = append(lost, r)
		}
	}
	w.value = renameRefs(w.value, swap)
	if m, ok := w.value.(artifact.Map); ok && w.name == "predictions" && e.made == nil {
		w.value = p.withoutKilled(e, s, w, m)
	}
	for _, r := range refs {
		if r.found == known {
			d.takeOver(w.name, r.id)
		}
	}
	p.write(e, s, w)
	for _, r := range lost {
		open := e.d.Place == nil && e.labelled(r.written) == nil
		d.unresolved.add(w.name, r.written, open).e = e
		if !open {
			p.warnRef(e, d, w.name, r.written)
		}
	}
}

// takeOver gives a place to the item that it names from now on. What stood there
// was written by somebody who could not know that item, and never meant it.
func (d *draft) takeOver(field, ref string) {
	if !d.unresolved.has(field, ref) {
		return
	}
	d.unresolved.resolve(field, ref)
	if f := d.field(field); f.shape == mapping {
		f.clearKey(ref)
	}
}

// taken tells whether a name that means nothing to its author stands for an
// existing item all the same.
func (p *pass) taken(d *draft, w write, name string) bool {
	if f := d.find(w.name); f != nil && f.has(name) && !d.unresolved.has(w.name, name) {
		return true
	}
	section, ok := artifact.SectionOfID(name)
	return ok && p.shelf(section).byID[name] != nil
}

func (p *pass) warnRef(e *entry, d *draft, field, name string) {
	p.warn(UnresolvedRef, "%s: %s of %s names %s, which its author cannot have known; kept as written", e, field, d.id, fault.Shown(name))
}

// withoutKilled takes the cells of killed hypotheses out of an EDIT.
func (p *pass) withoutKilled(e *entry, row *slot, w write, m artifact.Map) artifact.Map {
	kept := make(artifact.Map, 0, len(m))
	for _, entry := range m {
		if p.cellGone(row, entry.Key) && !row.draft.unresolved.has(w.name, entry.Key) {
			e.outcomes = append(e.outcomes, FieldOutcome{
				Field: w.name + "." + entry.Key, Outcome: FieldSkipped, Code: TargetKilled,
				Message: "the cell is " + artifact.NotApplicable,
			})
			continue
		}
		kept = append(kept, entry)
	}
	return kept
}

// renameRefs puts ids in the place of labels. Where two keys become one, the
// later in order stands, since one author wrote both.
func renameRefs(v artifact.Value, swap map[string]string) artifact.Value {
	if len(swap) == 0 {
		return v
	}
	to := func(word string) string {
		if id, ok := swap[word]; ok {
			return id
		}
		return word
	}
	switch v := v.(type) {
	case artifact.Map:
		entries := make([]artifact.Entry, len(v))
		for i, e := range v {
			entries[i] = artifact.Entry{Key: to(e.Key), Value: e.Value}
		}
		return artifact.MapOf(entries...)
	case artifact.List:
		list := make(artifact.List, len(v))
		for i, e := range v {
			list[i] = artifact.Text(to(string(e.(artifact.Text))))
		}
		return list
	case artifact.Text:
		return artifact.Text(replaceTokens(string(v), to))
	}
	return v
}

func replaceTokens(text string, to func(string) string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if !isTokenRune(r) {
			b.WriteString(text[:size])
			text = text[size:]
			continue
		}
		end := strings.IndexFunc(text, func(r rune) bool { return !isTokenRune(r) })
		if end < 0 {
			end = len(text)
		}
		b.WriteString(to(text[:end]))
		text = text[end:]
	}
	return b.String()
}

// settleRefs looks once more at what deltas from files named before it existed:
// such a file may well speak of items that the same batch adds.
func (p *pass) settleRefs() {
	for _, shelf := range p.shelves {
		if shelf == nil {
			continue
		}
		for _, sl := range shelf.slots {
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
		section, ok := artifact.SectionOfID(u.ref)
		if ok && p.shelf(section).byID[u.ref] != nil {
			d.unresolved.resolve(u.field, u.ref)
			continue
		}
		p.warnRef(u.e, d, u.field, u.ref)
	}
}
