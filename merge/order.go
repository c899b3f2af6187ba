package merge

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/delta"
)

// docket is the batch in processing order, with what is written about it.
type docket struct {
	entries []entry
	rows    []Row
	history *history
}

// arrange puts the batch into processing order. The place of a delta in the
// batch is never a key.
func arrange(batch []delta.Delta, c *court, base *artifact.Artifact, version int) docket {
	keys, standings := c.keys(batch)
	ids := deriveIDs(batch, keys)
	idOf := func(i int32) string {
		if id := batch[i].ID; id != "" {
			return id
		}
		return ids[i]
	}
	repeats := newRepeats(keys)
	history := newHistory(base, repeats)
	sortKeys(keys, func(a, b key) int {
		if c := compareKeys(&a, &b); c != 0 {
			return c
		}
		return compareRest(&batch[a.at], &batch[b.at], idOf(a.at), idOf(b.at))
	})
	// What belongs to one delta stands in the order in which it will be used:
	// in large batches it is memory that takes the time.
	entries, rows := make([]entry, len(batch)), make([]Row, len(batch))
	marks := make([]mark, len(batch))
	for i := range keys {
		k, e, m := &keys[i], &entries[i], &marks[i]
		d := &batch[k.at]
		who := &standings[k.agent()]
		m.stamp = artifact.Stamp{
			Delta: idOf(k.at), Agent: d.Agent, At: d.At, Rank: who.rank, Version: version, Hash: d.Hash(),
		}
		if p := d.Place; p != nil {
			m.stamp.Message, m.stamp.Block = p.Message, p.Block
		}
		m.self[0] = &m.stamp
		e.d, e.who, e.stamp, e.self, e.row = d, who, &m.stamp, &m.self, &rows[i]
		e.index, e.dated = int32(i), k.second != undated
		if repeats.may(k) {
			e.links = &links{}
		}
	}
	link(entries)
	return docket{entries, rows, history}
}

func compareRest(a, b *delta.Delta, idA, idB string) int {
	if c := comparePlaces(a.Place, b.Place); c != 0 {
		return c
	}
	if c := strings.Compare(idA, idB); c != 0 {
		return c
	}
	if a.Hash() != b.Hash() {
		return bytes.Compare(a.Content(), b.Content())
	}
	return slices.Compare(a.Ignored, b.Ignored)
}

func comparePlaces(a, b *delta.Place) int {
	var x, y delta.Place
	if a != nil {
		x = *a
	}
	if b != nil {
		y = *b
	}
	return cmp.Or(
		cmp.Compare(x.Message, y.Message), cmp.Compare(x.Block, y.Block), cmp.Compare(x.Shown, y.Shown),
		cmp.Compare(present(a), present(b)),
	)
}

func present(p *delta.Place) int {
	if p == nil {
		return 0
	}
	return 1
}

// links lead back to earlier entries of the batch. A pass shortens them as it
// goes, past those that turned out to claim nothing.
type links struct {
	sameID *entry // the last one before it with the same id
	echoes *entry // the last one before it with the same content
}

// link finds, for the entries that may repeat something, those before them with
// the same id or the same content. A second pass starts from here again.
func link(entries []entry) {
	byID := make(map[string]*entry)
	byContent := make(map[[sha256.Size]byte]*entry)
	for i := range entries {
		e := &entries[i]
		if e.links == nil {
			continue
		}
		*e.links = links{sameID: byID[e.stamp.Delta], echoes: byContent[e.stamp.Hash]}
		byID[e.stamp.Delta], byContent[e.stamp.Hash] = e, e
	}
}
