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

// Agree does the same random operations on a reference store and on another one,
// new ones each time: every answer has to be the same, the codes of errors
// included.
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
		p.Fatalf("%s: the reference says %v, the other %v", op, refErr, otherErr)
	}
	if diff := cmp.Diff(ref, other, cmpopts.EquateEmpty()); diff != "" {
		p.Fatalf("%s: -reference +other\n%s", op, diff)
	}
}

// The names are few, so that operations meet, and awkward, so that they bite.
func anyName(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "a%", "a_", "ab", "A", "\x00", "", "é"}).Draw(t, "name")
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

// anyAppend follows the stream's head mostly, or an older one, and is sometimes broken.
func (p *pair) anyAppend(t *rapid.T) store.Append {
	a := store.Append{Stream: anyName(t)}
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

// anyRecord is the next version mostly, or the one beside it.
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

// anyMark is one that can be made mostly.
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
		q.Besides = []record.Ref{{ID: anyName(t), Version: rapid.IntRange(1, 3).Draw(t, "besides whom")}}
	}
	for name, field := range map[string]*bool{"live": &q.Live, "canonical": &q.Canonical, "forked": &q.Forked, "unreferenced": &q.Unreferenced} {
		*field = rapid.IntRange(0, 3).Draw(t, name) == 0
	}
	if rapid.IntRange(0, 3).Draw(t, "bounds") == 0 {
		q.After, q.Before = Instant(rapid.IntRange(0, 2).Draw(t, "after")), Instant(rapid.IntRange(1, 4).Draw(t, "before"))
	}
	ref, refErr := p.ref.Heads(p.ctx, q)
	other, otherErr := p.other.Heads(p.ctx, q)
	p.agree(fmt.Sprintf("heads %+v", q), refErr, otherErr, ref, other)
	counts, refErr := p.ref.Census(p.ctx)
	others, otherErr := p.other.Census(p.ctx)
	p.agree("census", refErr, otherErr, counts, others)
}

func (p *pair) links(t *rapid.T) {
	one := func(name string) record.Ref {
		return record.Ref{ID: anyName(t), Version: rapid.IntRange(0, 3).Draw(t, name)}
	}
	q := store.EdgeQuery{From: []record.Ref{one("from"), one("from")}, To: []record.Ref{one("to")}}
	ref, refErr := p.ref.Edges(p.ctx, q)
	other, otherErr := p.other.Edges(p.ctx, q)
	p.agree(fmt.Sprintf("edges %+v", q), refErr, otherErr, ref, other)
	marks, refErr := p.ref.Marks(p.ctx, q.From[0].ID)
	otherMarks, otherErr := p.other.Marks(p.ctx, q.From[0].ID)
	p.agree("marks", refErr, otherErr, marks, otherMarks)
	tips, refErr := p.ref.Tips(p.ctx, q.From[0].ID)
	otherTips, otherErr := p.other.Tips(p.ctx, q.From[0].ID)
	p.agree("tips", refErr, otherErr, tips, otherTips)
}

func (p *pair) blob(t *rapid.T) {
	hash := rapid.SampledFrom([]string{store.Hash(anyBlob(t)), "", "x"}).Draw(t, "hash")
	ref, refErr := p.ref.Blob(p.ctx, hash)
	other, otherErr := p.other.Blob(p.ctx, hash)
	p.agree("blob "+hash, refErr, otherErr, ref, other)
}

func (p *pair) entries(t *rapid.T) {
	stream, after := anyName(t), rapid.IntRange(-1, 5).Draw(t, "after")
	ref, refErr := p.ref.Entries(p.ctx, stream, after)
	other, otherErr := p.other.Entries(p.ctx, stream, after)
	p.agree("entries of "+stream, refErr, otherErr, ref, other)
}

func (p *pair) streams(t *rapid.T) {
	prefix := anyName(t)
	ref, refErr := p.ref.Streams(p.ctx, prefix)
	other, otherErr := p.other.Streams(p.ctx, prefix)
	p.agree("streams "+prefix, refErr, otherErr, ref, other)
}

func (p *pair) records(t *rapid.T) {
	q := store.Query{
		ID: anyName(t), Type: rapid.SampledFrom([]string{"", "memo", "brief"}).Draw(t, "type"), Latest: rapid.Bool().Draw(t, "latest"),
		Status:  rapid.SampledFrom([]string{"", "", record.Draft, record.NeedsRebase, record.Deprecated}).Draw(t, "status"),
		Version: rapid.IntRange(0, 2).Draw(t, "version"), Stale: rapid.IntRange(0, 4).Draw(t, "stale") == 0,
	}
	ref, refErr := p.ref.Records(p.ctx, q)
	other, otherErr := p.other.Records(p.ctx, q)
	p.agree(fmt.Sprintf("records %+v", q), refErr, otherErr, ref, other)
}
