package merge

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
)

// orderedBatch is the batch in processing order. The data of a delta is filled in when it is needed,
// and stored next to that of its neighbours: large batches are bound by memory access.
type orderedBatch struct {
	batch       []delta.Delta
	derived     map[int32]string // ids of deltas without one
	authors     []author
	version     int
	scopes      map[scope]labels
	letterNames letterNames
	known       map[string]meaning   // labels that read as items of the base
	memory      map[assumed][]string // items of the base by the ids that their authors assumed
	second      bool                 // the rules are those of merge/2 or later
	third       bool                 // the rules are those of merge/3 or later
	fourth      bool                 // … of merge/4 or later
	history     *history
	repeated    []int32 // indices of deltas that may repeat something, or be repeated

	facts  []facts
	stamps []artifact.Stamp
	rows   []Row
	rares  []rare
}

// arrange puts the batch into processing order. The index in the batch is never a sort key.
func arrange(batch []delta.Delta, c *ruleIndex, base *artifact.Artifact) *orderedBatch {
	d := &orderedBatch{batch: batch, second: c.rules.second(), third: c.rules.third(), fourth: c.rules.fourth(), version: base.Metadata.Version + 1, facts: make([]facts, len(batch))}
	gists, ends, ordered := d.survey(c)
	d.derived = deriveIDs(batch, d.facts, gists)
	repeats := newRepeatFilter(gists)
	d.history = newHistory(base, repeats)
	d.sort(ends, ordered, func(a, b key) int { return d.compareRest(&a, &b, gists) })
	d.stamps, d.rows = make([]artifact.Stamp, len(batch)), make([]Row, len(batch))
	d.collectLabels(base)
	for i := range d.facts {
		if repeats.repeats(&gists[d.facts[i].at]) {
			d.repeated = append(d.repeated, int32(i))
		}
	}
	d.link()
	return d
}

func (d *orderedBatch) idOf(i int32) string {
	if id := d.batch[i].ID; id != "" {
		return id
	}
	return d.derived[i]
}

// next returns the delta at i. It also fills in those after it, so that memory accesses overlap.
func (d *orderedBatch) next(i int) entry {
	const ahead = 16
	if !d.facts[i].is(read) {
		for j := i; j < min(i+ahead, len(d.facts)); j++ {
			d.entry(j)
		}
	}
	return entry{&d.facts[i], d}
}

func (d *orderedBatch) entry(i int) entry {
	e := entry{&d.facts[i], d}
	if e.is(read) {
		return e
	}
	s, from := &d.stamps[i], &d.batch[e.at]
	s.Delta, s.Agent, s.At, s.Hash = d.idOf(e.at), from.Agent, from.At, from.Hash()
	s.Rank, s.Version = d.authors[e.agent].rank, d.version
	if p := from.Place; p != nil {
		s.Message, s.Block = p.Message, p.Block
	}
	e.look(from)
	if d.scopes != nil {
		if names := d.scopes[scopeOf(from)]; names != nil {
			e.needs().labels = names
		}
	}
	return e
}

// look extracts the section and target of the delta and the traits of its payload. It is done early
// so that the memory accesses of many deltas overlap.
func (f *facts) look(d *delta.Delta) {
	f.traits, f.section = f.traits|read, noSection
	if d.Operation == opAdd {
		f.traits |= adds
	}
	if section, ok := artifact.ParseSection(d.Section); ok {
		f.section = int8(section)
		if n, ok := section.IDNumber(d.Target); ok {
			f.number = int32(n)
		}
	}
	for i := range d.Payload {
		if strings.HasSuffix(d.Payload[i].Name, "replace") {
			f.traits |= replaces
		}
	}
}

// compareRest compares two deltas of one author and one instant.
func (d *orderedBatch) compareRest(a, b *key, gists []gist) int {
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
		cmp.Compare(present(a != nil), present(b != nil)), compareLetters(x.Letter, y.Letter),
		cmp.Compare(present(x.Unrecorded), present(y.Unrecorded)),
	)
}

func compareLetters(a, b *delta.Letter) int {
	var x, y delta.Letter
	if a != nil {
		x = *a
	}
	if b != nil {
		y = *b
	}
	return cmp.Or(
		x.Sent.Compare(y.Sent), slices.Compare(x.To, y.To),
		cmp.Compare(present(a != nil), present(b != nil)), cmp.Compare(present(x.Direct), present(y.Direct)),
		slices.CompareFunc(x.Before, y.Before, time.Time.Compare),
	)
}

func present(there bool) int {
	if there {
		return 1
	}
	return 0
}

// entry is one delta in the merge: its facts, and where to find the delta, its stamp and its row.
type entry struct {
	*facts
	in *orderedBatch
}

// facts are the data of one delta. They are small and free of pointers, because a large batch is
// bound by memory access and garbage collection. Rarely used data is in rare.
type facts struct {
	index   int32 // index in processing order
	at      int32 // index in the batch
	agent   int32 // index of its author in authors
	number  int32 // of its target, if that is an id of its section; else 0
	rare    int32 // index of its rare data, from 1; 0 for nearly all
	made    int32 // position in its section, from 1, of the item that this ADD created, now or when it was first read
	madeIn  int8  // the section of that item
	section int8  // or noSection
	traits  traits

	// Set during a pass, as are made and the queue; reset before each pass.
	judged   bool
	claimed  bool // its id and content count as read
	recorded bool // its id was recorded before
	changed  bool
}

const noSection = -1

func (f *facts) is(what traits) bool { return f.traits&what != 0 }

func (e entry) none() bool { return e.facts == nil }

func (e entry) d() *delta.Delta { return &e.in.batch[e.at] }

func (e entry) stamp() *artifact.Stamp { return &e.in.stamps[e.index] }

func (e entry) row() *Row { return &e.in.rows[e.index] }

func (e entry) author() *author { return &e.in.authors[e.agent] }

// rare is the data that few deltas need.
type rare struct {
	labels labels
	links  *links // nil if the delta is certainly new
	queue  *queue // nil unless the delta waits or is waited for
}

type queue struct {
	waiting  []entry // deltas that address the item of this ADD
	waitsFor entry   // the ADD that this one waits for
}

func (e entry) reset() {
	e.made = 0
	if e.rare != 0 {
		e.needs().queue = nil
	}
	e.judged, e.claimed, e.recorded, e.changed = false, false, false, false
	*e.row() = Row{}
}

// needs returns the delta's rare data, allocating it if needed. It is valid until the next call.
func (e entry) needs() *rare {
	if e.rare == 0 {
		e.in.rares = append(e.in.rares, rare{})
		e.rare = int32(len(e.in.rares))
	}
	return &e.in.rares[e.rare-1]
}

func (e entry) labels() labels {
	if e.rare == 0 {
		return nil
	}
	return e.needs().labels
}

func (e entry) links() *links {
	if e.rare == 0 {
		return nil
	}
	return e.needs().links
}

func (e entry) queue() *queue {
	if e.rare == 0 {
		return nil
	}
	return e.needs().queue
}

func (e entry) queued() *queue {
	r := e.needs()
	if r.queue == nil {
		r.queue = &queue{}
	}
	return r.queue
}

// waitsFor returns the ADD that this delta waits or waited for.
func (e entry) waitsFor() entry {
	if q := e.queue(); q != nil {
		return q.waitsFor
	}
	return entry{}
}
