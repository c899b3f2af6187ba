package merge

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/delta"
)

// docket is the batch in processing order. What belongs to one delta is filled
// in when its turn comes, or when another one leads to it, and stands beside
// what comes before and after it: in large batches it is memory that takes the
// time.
type docket struct {
	batch     []delta.Delta
	keys      []key
	derived   map[int32]string // ids of those that have none
	standings []standing
	version   int
	scopes    map[scope]*labels
	history   *history
	repeated  []int32 // places of those that may repeat something, or be repeated

	entries []entry
	stamps  []artifact.Stamp
	rows    []Row
	rares   space[rare]
}

// arrange puts the batch into processing order. The place of a delta in the
// batch is never a key.
func arrange(batch []delta.Delta, c *court, base *artifact.Artifact) *docket {
	keys, gists, standings := c.keys(batch)
	d := &docket{
		batch: batch, keys: keys, derived: deriveIDs(batch, keys, gists), standings: standings,
		version: base.Metadata.Version + 1,
		entries: make([]entry, len(batch)), stamps: make([]artifact.Stamp, len(batch)), rows: make([]Row, len(batch)),
	}
	repeats := newSieve(gists)
	d.history = newHistory(base, repeats)
	sortKeys(keys, len(standings), func(a, b key) int { return d.compareRest(&a, &b, gists) })
	d.collectLabels()
	for i := range keys {
		if repeats.repeats(&gists[keys[i].at]) {
			d.repeated = append(d.repeated, int32(i))
		}
	}
	d.link()
	return d
}

func (d *docket) idOf(i int32) string {
	if id := d.batch[i].ID; id != "" {
		return id
	}
	return d.derived[i]
}

// next gives the delta whose turn it is. It fills in those behind it as well:
// then the processor waits for the memory of all of them at once.
func (d *docket) next(i int) *entry {
	const ahead = 16
	if d.entries[i].d == nil {
		for j := i; j < min(i+ahead, len(d.entries)); j++ {
			d.entry(j)
		}
	}
	return &d.entries[i]
}

// entry gives the delta at a place in processing order.
func (d *docket) entry(i int) *entry {
	e := &d.entries[i]
	if e.d != nil {
		return e
	}
	k, s := &d.keys[i], &d.stamps[i]
	e.d, e.stamp, e.row = &d.batch[k.at], s, &d.rows[i]
	e.index, e.agent, e.dated = int32(i), int32(k.agent()), k.second != undated
	s.Delta, s.Agent, s.At, s.Hash = d.idOf(k.at), e.d.Agent, e.d.At, e.d.Hash()
	s.Rank, s.Version = d.standings[e.agent].rank, d.version
	if p := e.d.Place; p != nil {
		s.Message, s.Block = p.Message, p.Block
	}
	e.look()
	if d.scopes != nil {
		if names := d.scopes[scopeOf(e)]; names != nil {
			e.rare = d.rares.one()
			e.rare.labels = names
		}
	}
	return e
}

// look finds out what the delta itself says about its place in the artifact, and
// what is in its payload. All of it could be found out later; but here the memory
// of many deltas is waited for at once.
func (e *entry) look() {
	e.adds, e.section = e.d.Operation == opAdd, noSection
	if section, ok := artifact.ParseSection(e.d.Section); ok {
		e.section = int8(section)
		if n, ok := section.IDNumber(e.d.Target); ok {
			e.number = int32(n)
		}
	}
	rows := len(e.d.Payload)
	for i := range e.d.Payload {
		f := &e.d.Payload[i]
		if m, ok := f.Value.(artifact.Map); ok {
			rows += len(m) + 1 // it may take another shape's place and replace it, too
		}
		e.replaces = e.replaces || strings.HasSuffix(f.Name, "replace")
	}
	e.outcomes = int32(rows)
}

// compareRest compares two deltas of one author and one instant.
func (d *docket) compareRest(a, b *key, gists []gist) int {
	x, y := a.at, b.at
	if p, q := gists[x].prefix, gists[y].prefix; p != q && (a.traits|b.traits)&(placed|nameless) == 0 {
		return cmp.Compare(p, q)
	}
	if c := comparePlaces(d.batch[x].Place, d.batch[y].Place); c != 0 {
		return c
	}
	if c := strings.Compare(d.idOf(x), d.idOf(y)); c != 0 {
		return c
	}
	if d.batch[x].Hash() != d.batch[y].Hash() {
		return bytes.Compare(d.batch[x].Content(), d.batch[y].Content())
	}
	return slices.Compare(d.batch[x].Ignored, d.batch[y].Ignored)
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
