package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Source is what is verified.
type Source struct {
	Store  store.Store
	Others []string // further journals about the records, whose chains are verified, too
	// Vouched reports whether another journal proves a version that this one does not have; nil for none.
	Vouched func(context.Context, record.Ref) (bool, error)
}

// Proof is the result of verifying the records.
type Proof struct {
	Entries  int `json:"entries"`
	Versions int `json:"versions"`
	Marks    int `json:"marks"`
	// Head is the end of the journal of changes. A kept copy of it reveals a rewritten journal.
	// Streams has the ends of the other journals, too.
	Head    string         `json:"head"`
	Streams []ProvenStream `json:"streams"`
	Faults  store.Faults   `json:"faults"`

	listed []record.Head // the examined records; nil for none
	marked []record.Ref  // the marked versions, in the order of the journal
}

// ProvenStream is one journal of the package, and where it ends.
type ProvenStream struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
	Head    string `json:"head"` // "" if it has no entry
}

// Verify verifies the records against their journal, both ways, and the store's lists against
// versions and marks. Other processes may write meanwhile.
func (s *Source) Verify(ctx context.Context) (*Proof, error) {
	const most = 5
	for try := 1; ; try++ {
		p, err := s.verify(ctx)
		if err != nil || len(p.Faults) == 0 || try == most {
			return p, err
		}
		if moved, err := s.movedSince(ctx, p); err != nil || !moved {
			return p, err
		}
		// Another process wrote meanwhile: mismatches may be due to that.
	}
}

func (s *Source) movedSince(ctx context.Context, p *Proof) (bool, error) {
	now, err := store.HeadOf(ctx, s.Store, Stream)
	if err != nil || now.Hash != p.Head || p.listed == nil {
		return now.Hash != p.Head, err
	}
	heads, err := s.Store.Heads(ctx, store.HeadQuery{})
	return !slices.Equal(heads, p.listed), err
}

func (s *Source) verify(ctx context.Context) (*Proof, error) {
	p := &Proof{}
	var changes []journal.Entry
	intact := true
	for _, stream := range append([]string{Stream}, s.Others...) {
		entries, err := s.Store.Entries(ctx, stream, 0)
		if err != nil {
			return nil, err
		}
		p.Entries += len(entries)
		p.Streams = append(p.Streams, ProvenStream{stream, len(entries), journal.HeadOf(entries).Hash})
		err = journal.Check(stream, journal.Head{}, entries)
		p.Faults.Add(err)
		if stream == Stream {
			p.Head, changes, intact = journal.HeadOf(entries).Hash, entries, err == nil
		}
	}
	if !intact {
		return p, nil // nothing after a broken link of the chain can be trusted
	}
	all, err := p.read(changes)
	if err != nil {
		return nil, err
	}
	return p, s.prove(ctx, p, all)
}

// journaledRecord is one record according to the journal: its puts and marks, in order.
type journaledRecord struct {
	puts  map[int]PutEntry
	marks []journaledMark
	steps []step
}

type journaledMark struct {
	MarkEntry
	by string
}

type step struct {
	version int
	status  string // "" for a put
}

func (p *Proof) read(entries []journal.Entry) (map[string]*journaledRecord, error) {
	all := make(map[string]*journaledRecord)
	of := func(id string) *journaledRecord {
		if all[id] == nil {
			all[id] = &journaledRecord{puts: make(map[int]PutEntry)}
		}
		return all[id]
	}
	for i := range entries {
		switch entries[i].Kind {
		case KindPut:
			e, err := journal.Decode[PutEvent](&entries[i], journal.BrokenChain)
			if err != nil {
				return nil, err
			}
			for _, r := range e.Records {
				p.Versions++
				t := of(r.ID)
				t.puts[r.Version] = r
				t.steps = append(t.steps, step{version: r.Version})
			}
		default:
			e, err := journal.Decode[MarkEvent](&entries[i], journal.BrokenChain)
			if err != nil {
				return nil, err
			}
			for _, m := range e.Marks {
				p.Marks++
				p.marked = append(p.marked, record.Ref{ID: m.ID, Version: m.Version})
				t := of(m.ID)
				t.marks = append(t.marks, journaledMark{m, e.By})
				t.steps = append(t.steps, step{m.Version, m.Status})
			}
		}
	}
	return all, nil
}

func (p *Proof) addFault(place, format string, args ...any) {
	p.Faults.Add(&fault.Error{
		Code: store.Damaged, Place: place, Detail: fmt.Sprintf(format, args...), Hint: "the store was modified by another program",
	})
}

func (s *Source) prove(ctx context.Context, p *Proof, all map[string]*journaledRecord) error {
	heads, err := s.Store.Heads(ctx, store.HeadQuery{})
	if err != nil {
		return err
	}
	p.listed = heads
	listed := make(map[string]*record.Head, len(heads))
	for i := range heads {
		listed[heads[i].ID] = &heads[i]
		if all[heads[i].ID] == nil {
			all[heads[i].ID] = &journaledRecord{}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if err := s.proveRecord(ctx, p, id, all[id], listed[id]); err != nil {
			return err
		}
	}
	if len(p.Faults) > 0 {
		return nil
	}
	marks, err := s.Store.Marks(ctx, "")
	if err == nil && !slices.EqualFunc(marks, p.marked, func(m record.Mark, ref record.Ref) bool { return m.Ref() == ref }) {
		p.addFault(Stream, "the marks of the records are in another order than in the journal")
	}
	return err
}

func (s *Source) proveRecord(ctx context.Context, p *Proof, id string, t *journaledRecord, head *record.Head) error {
	versions, err := s.Store.Records(ctx, store.Query{ID: id})
	if err != nil {
		return err
	}
	marks, err := s.Store.Marks(ctx, id)
	if err != nil {
		return err
	}
	before := len(p.Faults)
	p.proveMarks(id, t.marks, marks)
	if len(marks) > 0 {
		if err := s.proveFirst(ctx, p, id, t); err != nil {
			return err
		}
	}
	if err := s.proveVersions(ctx, p, id, t, versions, marks); err != nil {
		return err
	}
	if len(p.Faults) > before {
		return ctx.Err() // faults that follow from them would be reported twice
	}
	tips, err := s.Store.Tips(ctx, id)
	if err != nil {
		return err
	}
	p.proveHead(id, t, versions, head, tips)
	return ctx.Err()
}

func (p *Proof) proveMarks(id string, want []journaledMark, have []record.Mark) {
	is := MarkEntries(have)
	for i, m := range have {
		if i >= len(want) {
			p.addFault(m.Ref().String(), "its mark %s is not in the journal", m.Status)
			return
		}
		w := want[i]
		switch {
		case w.MarkEntry != is[i]:
			p.addFault(m.Ref().String(), "its mark %s differs from the journal", m.Status)
			return
		case w.by != m.By:
			p.addFault(m.Ref().String(), "its mark %s is by %s, but by %s in the journal", m.Status, fault.Shown(m.By), fault.Shown(w.by))
			return
		}
	}
	if len(have) < len(want) {
		p.addFault(id, "marks are missing: the journal has %d, the store %d", len(want), len(have))
	}
}

// proveFirst compares the status that each version was stored with, which marks hide. Versions of
// other journals are proven with those.
func (s *Source) proveFirst(ctx context.Context, p *Proof, id string, t *journaledRecord) error {
	first, err := s.Store.Records(ctx, store.Query{ID: id, Initial: true})
	for i := range first {
		r := &first[i]
		if want, put := t.puts[r.Version]; put && r.Status != want.Status {
			p.addFault(r.Ref().String(), "it was stored with the status %s, but with %s in the journal", fault.Shown(r.Status), fault.Shown(want.Status))
		}
	}
	return err
}

func (s *Source) proveVersions(ctx context.Context, p *Proof, id string, t *journaledRecord, have []record.Record, marks []record.Mark) error {
	status := make(map[int]string)
	for _, m := range marks {
		status[m.Version] = m.Status
	}
	there := make(map[int]bool)
	for i := range have {
		r := &have[i]
		there[r.Version] = true
		want, put := t.puts[r.Version]
		if !put {
			vouched, err := s.vouched(ctx, r.Ref())
			if err != nil {
				return err
			}
			if !vouched {
				p.addFault(r.Ref().String(), "it is in no journal")
				continue
			}
		}
		marked, is := status[r.Version]
		switch {
		case put && Hash(r) != want.Hash:
			p.addFault(r.Ref().String(), "it differs from the journal")
		case is && r.Status != marked, !is && put && r.Status != want.Status:
			p.addFault(r.Ref().String(), "its status %s does not follow from its marks", fault.Shown(r.Status))
		}
		if !put {
			continue // its own journal proves its content
		}
		if _, err := s.Store.Blob(ctx, r.Content); err != nil {
			p.Faults.Add(&fault.Error{Code: fault.CodeOf(err), Place: r.Ref().String(), Detail: "its content is missing or changed", Cause: err})
		}
	}
	for _, version := range slices.Sorted(maps.Keys(t.puts)) {
		if !there[version] {
			p.addFault(record.Ref{ID: id, Version: version}.String(), "it is in the journal, but missing in the store")
		}
	}
	return nil
}

func (s *Source) vouched(ctx context.Context, ref record.Ref) (bool, error) {
	if s.Vouched == nil {
		return false, nil
	}
	return s.Vouched(ctx, ref)
}

// proveHead computes the list entries of a record again, and compares.
func (p *Proof) proveHead(id string, t *journaledRecord, versions []record.Record, have *record.Head, tips []int) {
	switch {
	case have == nil:
		p.addFault(id, "it is missing in the index")
		return
	case len(versions) == 0:
		p.addFault(id, "it is in the index, but has no version")
		return
	}
	want, branches := headOf(id, t, versions)
	for _, c := range []struct {
		what      string
		is, wants any
	}{
		{"latest version", have.Latest, want.Latest},
		{"canonical version", have.Canonical, want.Canonical},
		{"type", have.Type, want.Type},
		{"module", have.Module, want.Module},
		{"status", have.Status, want.Status},
		{"summary", have.Summary, want.Summary},
		{"number of branches", have.Tips, want.Tips},
		{"time", have.At.UTC(), want.At.UTC()},
	} {
		if c.is != c.wants {
			p.addFault(id, "its %s is %s in the index, but %s by its versions and marks", c.what, shown(c.is), shown(c.wants))
		}
	}
	if !slices.Equal(tips, branches) {
		p.addFault(id, "its tips are %v in the index, but %v by its versions and marks", tips, branches)
	}
}

func shown(v any) string { return fault.Shown(fmt.Sprint(v)) }

// headOf returns the expected list entry of a record, and its tips. Versions of other journals
// come first: their order does not matter.
func headOf(id string, t *journaledRecord, versions []record.Record) (record.Head, []int) {
	byNumber := make(map[int]*record.Record, len(versions))
	var steps []step
	for i := range versions {
		byNumber[versions[i].Version] = &versions[i]
		if _, put := t.puts[versions[i].Version]; !put {
			steps = append(steps, step{version: versions[i].Version})
		}
	}
	canonical := 0
	var tips []int
	end := func(n int) { tips = slices.DeleteFunc(tips, func(tip int) bool { return tip == n }) }
	for _, s := range append(steps, t.steps...) {
		switch {
		case s.status == "":
			r := byNumber[s.version]
			end(r.Parent)
			for _, l := range r.Links {
				if l.Relation == record.Supersedes && l.ID == id {
					end(l.Version)
				}
			}
			tips = append(tips, s.version)
			continue
		case s.status == record.Canonical:
			canonical = s.version
		case canonical == s.version && !record.KeepsCanonical(s.status):
			canonical = 0
		}
		if s.status == record.Deprecated && len(tips) > 1 {
			end(s.version)
		}
	}
	slices.Sort(tips)
	last := &versions[len(versions)-1]
	h := record.Head{ID: id, Latest: last.Version, Canonical: canonical, Tips: len(tips), At: last.At}
	if len(tips) > 0 {
		h.Tip = tips[len(tips)-1]
	}
	if r := byNumber[h.Standing().Version]; r != nil {
		h.Type, h.Module, h.Status, h.Summary = r.Type, r.Module, r.Status, r.Summary
	}
	return h, tips
}
