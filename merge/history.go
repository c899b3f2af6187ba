package merge

import (
	"crypto/sha256"
	"fmt"

	"brenner/artifact"
	"brenner/internal/fault"
)

// history indexes the deltas of earlier versions by id and by content.
type history struct {
	byID      map[string]*artifact.Stamp
	byContent map[[sha256.Size]byte]*artifact.Stamp
}

// newHistory indexes the earlier deltas that the batch may repeat.
func newHistory(base *artifact.Artifact, batch *repeatFilter) *history {
	h := &history{
		byID:      make(map[string]*artifact.Stamp),
		byContent: make(map[[sha256.Size]byte]*artifact.Stamp),
	}
	for _, s := range base.Deltas {
		if batch.meets(hashText(s.Delta), contentHash(&s.Hash)) {
			h.byID[s.Delta] = s
			h.byContent[s.Hash] = s
		}
	}
	return h
}

// seenBefore detects deltas that were read before, in this batch or an earlier one, and reports
// whether e is done. A delta refused because of its author claims neither its id nor its content.
func (p *pass) seenBefore(e entry) bool {
	links := e.links()
	if links == nil {
		return false
	}
	first, twin := p.history.byID[e.stamp().Delta], entry{}
	links.shorten()
	if first == nil && !links.sameID.none() {
		first, twin = links.sameID.stamp(), links.sameID
	}
	waited := p.second || !e.waitsFor().none() // merge/1 overlooked an id that was claimed after a wait
	if other := p.overtook[e.stamp().Delta]; first == nil && !other.none() && waited {
		first, twin = other.stamp(), other
	}
	e.recorded = first != nil
	if first != nil && first.Hash != e.stamp().Hash {
		e.reject(DuplicateDeltaID, fmt.Sprintf("the id %s already belongs to another delta", fault.Shown(e.stamp().Delta)))
		return true
	}
	if first == nil {
		first = p.history.byContent[e.stamp().Hash]
	}
	if first == nil && !links.echoes.none() {
		first, twin = links.echoes.stamp(), links.echoes
	}
	if first == nil {
		return false
	}
	e.repeat(p, first, twin)
	return true
}

// repeat marks a duplicate. Labels of a resent message still refer to the original items.
func (e entry) repeat(p *pass, first *artifact.Stamp, twin entry) {
	e.row().Disposition = Duplicate
	e.row().Message = "read before"
	if first.Delta != e.stamp().Delta {
		e.row().Message = "the same was said before by " + fault.Shown(first.Delta)
	}
	switch {
	case !twin.none():
		e.made, e.madeIn = twin.made, twin.madeIn
	case e.d().Operation == opAdd:
		where := p.madeBy(first)
		e.made, e.madeIn = where.place, where.section
	}
	if made := p.madeItem(e); made != nil {
		e.row().TargetID = made.id()
	}
}

// madeItem returns the item that an ADD created, now or when it was first read, or nil.
func (p *pass) madeItem(e entry) *slot {
	if e.made == 0 {
		return nil
	}
	return p.section(artifact.Section(e.madeIn)).slot(e.made)
}

// itemPosition is a position in a section, from 1, and the section.
type itemPosition struct {
	place   int32
	section int8
}

func (p *pass) madeBy(s *artifact.Stamp) itemPosition {
	if p.makers == nil {
		n := 0
		for _, items := range p.base.Sections {
			n += len(items)
		}
		p.makers = make(map[*artifact.Stamp]itemPosition, n)
		for section, items := range p.base.Sections {
			for i, it := range items {
				if it.Created != nil {
					p.makers[it.Created] = itemPosition{int32(i + 1), int8(section)}
				}
			}
		}
	}
	return p.makers[s]
}

// links refer to earlier entries of the batch. A pass shortens them past those that claim nothing.
type links struct {
	sameID entry // the previous entry with the same id
	echoes entry // the previous entry with the same content
}

// link sets the links of the entries that may repeat something, once for both passes.
func (d *orderedBatch) link() {
	byID := make(map[string]entry, len(d.repeated))
	byContent := make(map[[sha256.Size]byte]entry, len(d.repeated))
	all := make([]links, len(d.repeated))
	for i, at := range d.repeated {
		e := d.entry(int(at))
		e.needs().links = &all[i]
		all[i] = links{sameID: byID[e.stamp().Delta], echoes: byContent[e.stamp().Hash]}
		byID[e.stamp().Delta], byContent[e.stamp().Hash] = e, e
	}
}

// shorten skips entries that claim nothing, so that later entries need not examine them.
func (l *links) shorten() {
	for !l.sameID.none() && !l.sameID.claimed {
		l.sameID = l.sameID.links().sameID
	}
	for !l.echoes.none() && !l.echoes.claimed {
		l.echoes = l.echoes.links().echoes
	}
}

// waitFor returns the ADD that an earlier delta with the same id or content waits for.
func (l *links) waitFor() entry {
	for _, other := range [...]entry{l.sameID, l.echoes} {
		if !other.none() && !other.judged && !other.waitsFor().none() {
			return other.waitsFor()
		}
	}
	return entry{}
}
