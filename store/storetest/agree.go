package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Agree runs the same random operations on a new reference store and a new other one. All results
// must be equal, including error codes.
func Agree(t *testing.T, ref, other func(t *testing.T) store.Store) {
	t.Helper()
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		p := pair{T: rt, ctx: ctx, ref: ref(t), other: other(t)}
		defer func() { p.agree("close", p.ref.Close(), p.other.Close(), nil, nil) }()
		do := []func(*rapid.T){p.write, p.write, p.write, p.blob, p.entries, p.streams, p.records, p.heads, p.heads, p.links}
		for range rapid.IntRange(1, 12).Draw(rt, "operations") {
			rapid.SampledFrom(do).Draw(rt, "operation")(rt)
		}
	})
}

type pair struct {
	*rapid.T
	ctx        context.Context
	ref, other store.Store
}

func (p *pair) agree(op string, refErr, otherErr error, ref, other any) {
	if fault.CodeOf(refErr) != fault.CodeOf(otherErr) || (refErr == nil) != (otherErr == nil) {
		p.Fatalf("%s: the reference returns %v, the other %v", op, refErr, otherErr)
	}
	if diff := cmp.Diff(ref, other, cmpopts.EquateEmpty()); diff != "" {
		p.Fatalf("%s: -reference +other\n%s", op, diff)
	}
}

// both runs a query on both stores and requires equal results.
func both[T any](p *pair, op string, ask func(store.Store) (T, error)) {
	ref, refErr := ask(p.ref)
	other, otherErr := ask(p.other)
	p.agree(op, refErr, otherErr, ref, other)
}

// The names are few, so that operations collide, and contain awkward characters.
func anyName(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "a%", "a_", "ab", "A", "\x01", "", "é"}).Draw(t, "name")
}

func anyBlob(t *rapid.T) []byte {
	return rapid.SampledFrom([][]byte{nil, {0}, []byte("a"), []byte("\xff"), make([]byte, 5000)}).Draw(t, "blob")
}

func (p *pair) write(t *rapid.T) {
	var b store.Batch
	for range rapid.IntRange(0, 2).Draw(t, "blobs") {
		b.Blobs = append(b.Blobs, anyBlob(t))
	}
	for range rapid.IntRange(0, 2).Draw(t, "appends") {
		b.Appends = append(b.Appends, p.anyAppend(t))
	}
	for range rapid.IntRange(0, 2).Draw(t, "records") {
		b.Records = append(b.Records, p.anyRecord(t))
	}
	for range rapid.IntRange(0, 2).Draw(t, "marks") {
		b.Marks = append(b.Marks, p.anyMark(t))
	}
	p.agree(fmt.Sprintf("write %+v", b), p.ref.Write(p.ctx, b), p.other.Write(p.ctx, b), nil, nil)
}

// anyAppend mostly follows the stream's head, sometimes an older one, and is sometimes broken.
func (p *pair) anyAppend(t *rapid.T) store.Append {
	a := store.Append{Stream: anyName(t), Summary: anyName(t)}
	have, err := p.ref.Entries(p.ctx, a.Stream, 0)
	if err != nil {
		t.Fatal(err)
	}
	cut := max(0, len(have)-rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2}).Draw(t, "behind"))
	a.After = journal.HeadOf(have[:cut])
	head := a.After
	for range rapid.IntRange(0, 3).Draw(t, "entries") {
		e, err := head.Next(a.Stream, Instant(rapid.IntRange(0, 100).Draw(t, "at")), anyName(t), []byte(`{"a":"\u0000"}`))
		if err != nil {
			t.Fatal(err)
		}
		a.Entries, head = append(a.Entries, e), e.Head()
	}
	if len(a.Entries) > 0 && rapid.IntRange(0, 15).Draw(t, "broken") == 0 {
		a.Entries[0].Kind += "!"
	}
	return a
}

// anyRecord is mostly the next version, sometimes an adjacent one.
func (p *pair) anyRecord(t *rapid.T) record.Record {
	r := Record(anyName(t), 1)
	have, err := p.ref.Records(p.ctx, store.Query{ID: r.ID, Latest: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(have) > 0 && r.ID != "" {
		r.Version = have[0].Version + 1
	}
	r.Version += rapid.SampledFrom([]int{0, 0, 0, 0, -1, 1}).Draw(t, "beside")
	r.Parent = rapid.IntRange(0, max(0, r.Version-1)).Draw(t, "parent")
	r.Type = rapid.SampledFrom([]string{"memo", "brief"}).Draw(t, "type")
	r.Summary = rapid.String().Draw(t, "summary")
	r.Status = rapid.SampledFrom([]string{record.Draft, record.NeedsRebase}).Draw(t, "status")
	r.Module = rapid.SampledFrom([]string{"cells", "fate"}).Draw(t, "module")
	r.At = Instant(rapid.IntRange(0, 3).Draw(t, "at"))
	r.Tags = rapid.SliceOfN(rapid.OneOf(rapid.Just("tag"), rapid.String()), 0, 2).Draw(t, "tags")
	if rapid.IntRange(0, 3).Draw(t, "stale") == 0 {
		r.SummaryOf = store.Hash([]byte("another"))
	}
	for range rapid.IntRange(0, 2).Draw(t, "links") {
		relation := rapid.SampledFrom([]string{record.Cites, record.Supersedes}).Draw(t, "relation")
		r.Links = append(r.Links, record.Link{Relation: relation, ID: anyName(t), Version: rapid.IntRange(0, 3).Draw(t, "version")})
	}
	return r
}

func (p *pair) anyMark(t *rapid.T) record.Mark {
	m := record.Mark{
		ID: anyName(t), Version: rapid.IntRange(1, 3).Draw(t, "marked"), Status: rapid.SampledFrom(record.Statuses()).Draw(t, "mark"),
		By: "Sydney", Reason: "so", At: Instant(1),
	}
	heads, err := p.ref.Heads(p.ctx, store.HeadQuery{Prefix: m.ID})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range heads {
		if h.ID == m.ID {
			m.Was = h.Canonical
		}
	}
	m.Was += rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "beside")
	return m
}

func (p *pair) heads(t *rapid.T) {
	q := store.HeadQuery{
		Types: rapid.SampledFrom([][]string{nil, {"memo"}, {"memo", "brief"}}).Draw(t, "types"), Tag: rapid.SampledFrom([]string{"", "", "tag"}).Draw(t, "tag"),
		Modules: rapid.SampledFrom([][]string{nil, {"cells"}}).Draw(t, "modules"), Status: rapid.SampledFrom([]string{"", "", record.Draft}).Draw(t, "status"),
		Newest: rapid.Bool().Draw(t, "newest"), Limit: rapid.IntRange(0, 3).Draw(t, "limit"),
	}
	if rapid.IntRange(0, 3).Draw(t, "one id") == 0 {
		q.ID = anyName(t)
	}
	if rapid.IntRange(0, 2).Draw(t, "besides") == 0 {
		q.Besides = []record.Ref{{ID: anyName(t), Version: rapid.IntRange(1, 3).Draw(t, "besides version")}}
	}
	for name, field := range map[string]*bool{"live": &q.Live, "canonical": &q.Canonical, "forked": &q.Forked, "unreferenced": &q.Unreferenced} {
		*field = rapid.IntRange(0, 3).Draw(t, name) == 0
	}
	if rapid.IntRange(0, 3).Draw(t, "bounds") == 0 {
		q.After, q.Before = Instant(rapid.IntRange(0, 2).Draw(t, "after")), Instant(rapid.IntRange(1, 4).Draw(t, "before"))
	}
	both(p, fmt.Sprintf("heads %+v", q), func(s store.Store) ([]record.Head, error) { return s.Heads(p.ctx, q) })
	both(p, "census", func(s store.Store) ([]record.Count, error) { return s.Census(p.ctx) })
}

func (p *pair) links(t *rapid.T) {
	one := func(name string) record.Ref {
		return record.Ref{ID: anyName(t), Version: rapid.IntRange(0, 3).Draw(t, name)}
	}
	q := store.EdgeQuery{From: []record.Ref{one("from"), one("from")}, To: []record.Ref{one("to")}}
	both(p, fmt.Sprintf("edges %+v", q), func(s store.Store) ([]record.Edge, error) { return s.Edges(p.ctx, q) })
	both(p, "marks", func(s store.Store) ([]record.Mark, error) { return s.Marks(p.ctx, q.From[0].ID) })
	both(p, "tips", func(s store.Store) ([]int, error) { return s.Tips(p.ctx, q.From[0].ID) })
}

func (p *pair) blob(t *rapid.T) {
	hash := rapid.SampledFrom([]string{store.Hash(anyBlob(t)), "", "x"}).Draw(t, "hash")
	both(p, "blob "+hash, func(s store.Store) ([]byte, error) { return s.Blob(p.ctx, hash) })
}

func (p *pair) entries(t *rapid.T) {
	stream, after := anyName(t), rapid.IntRange(-1, 5).Draw(t, "after")
	both(p, "entries of "+stream, func(s store.Store) ([]journal.Entry, error) { return s.Entries(p.ctx, stream, after) })
}

func (p *pair) streams(t *rapid.T) {
	prefix := anyName(t)
	both(p, "streams "+prefix, func(s store.Store) ([]store.Stream, error) { return s.Streams(p.ctx, prefix) })
}

func (p *pair) records(t *rapid.T) {
	q := store.Query{
		ID: anyName(t), Type: rapid.SampledFrom([]string{"", "memo", "brief"}).Draw(t, "type"), Latest: rapid.Bool().Draw(t, "latest"),
		Status:  rapid.SampledFrom([]string{"", "", record.Draft, record.NeedsRebase, record.Deprecated}).Draw(t, "status"),
		Version: rapid.IntRange(0, 2).Draw(t, "version"), Stale: rapid.IntRange(0, 4).Draw(t, "stale") == 0,
	}
	both(p, fmt.Sprintf("records %+v", q), func(s store.Store) ([]record.Record, error) { return s.Records(p.ctx, q) })
}
