package govern

import (
	"context"
	"slices"

	"brenner/internal/fault"
	"brenner/patch"
	"brenner/store"
	"brenner/store/record"
)

// Patching is a row of patches of one record, each on what those before it make.
type Patching struct {
	// Address is the record. With a version that others went on from, what the patches
	// make of it is kept beside theirs, and needs a rebase.
	Address string
	Patches []patch.Patch
	Change  string   // what changed, and why; for all of them
	Summary string   // of what they make together; taken from the text if it is empty
	Tags    []string // beside those that the record has
	Try     bool     // only say what would come of it
}

// Patched is what came of patches.
type Patched struct {
	Base   record.Ref // the version that they were held against
	Behind int        // how many versions it is behind the latest
	Before *patch.Text
	After  *patch.Text // nil where not all of them apply
	// Reports are about the patches, in their order; those after one that does not
	// apply were held against what those before it made.
	Reports []patch.Report
	Put     []Put
	// Stuck is the request for a ruling, where the same was refused too often.
	Stuck *record.Ref
}

// Text gives the text of a version for patches, to somebody who may read it. Without
// a version it is the end of the way that the record goes; see onWay.
func (d *Door) Text(ctx context.Context, who Actor, address string) (record.Record, record.Head, *patch.Text, error) {
	return d.textFor(ctx, who, address, "")
}

// textFor is Text for a patch of the base with a hash: where a record goes several
// ways and none is named, the hash says which one is meant.
func (d *Door) textFor(ctx context.Context, who Actor, address, base string) (record.Record, record.Head, *patch.Text, error) {
	r, h, err := d.Find(ctx, address)
	if err == nil && h.Forked() && d.mayRead(who, r.Type) {
		r, err = d.onWay(ctx, r, h, address, base)
	}
	if err != nil {
		return r, h, nil, err
	}
	if !d.mayRead(who, r.Type) {
		return r, h, nil, d.refuse(ctx, who, "read", r.Type, r.ID)
	}
	if r.Type == record.ResearchArtifact && d.Artifact != nil {
		return r, h, nil, bySessions("patch", r.ID)
	}
	t, err := d.text(ctx, &r)
	return r, h, t, err
}

// onWay chooses, of a record that goes several ways, the version that an address
// without one means: that with a hash, else the newest that is not set aside. A patch
// that was kept with needs_rebase is the latest version, but not what others patch.
func (d *Door) onWay(ctx context.Context, latest record.Record, h record.Head, address, base string) (record.Record, error) {
	if a, err := record.ParseAddress(address); err != nil || a.Version > 0 || a.Canonical || a.Latest {
		return latest, err
	}
	tips, err := d.Store.Tips(ctx, h.ID)
	if err != nil {
		return latest, err
	}
	chosen, found := latest, false
	for _, n := range slices.Backward(tips) {
		r, err := d.version(ctx, record.Ref{ID: h.ID, Version: n}, h.Latest)
		if err != nil {
			return latest, err
		}
		if base != "" {
			t, err := d.text(ctx, &r)
			if err != nil {
				return latest, err
			}
			if t.Hash() == base {
				return r, nil
			}
		}
		if !found && !setAside(r.Status, true) {
			chosen, found = r, true
		}
	}
	return chosen, nil
}

func (d *Door) text(ctx context.Context, r *record.Record) (*patch.Text, error) {
	data, err := d.Store.Blob(ctx, r.Content)
	if err != nil {
		return nil, err
	}
	t, problems := patch.NewText(data)
	if len(problems) > 0 {
		return nil, &fault.Error{Code: BadRecord, Op: "patch " + r.Ref().String(), Cause: patch.Err(problems), Hint: "only texts can be patched"}
	}
	return t, nil
}

// Patch applies patches to a record: all of them or none. Each makes a new version. A
// patch for an older version than the one that is patched is never applied.
func (d *Door) Patch(ctx context.Context, who Actor, p *Patching) (*Patched, error) {
	r, _, _, err := d.Text(ctx, who, p.Address)
	if err == nil && !p.Try {
		err = d.mayPut(ctx, who, &Draft{ID: r.ID, Type: r.Type})
	}
	if err != nil {
		return nil, err
	}
	var out *Patched
	err = d.write(ctx, func() (*change, error) {
		b := d.putting(who)
		var err error
		if out, err = b.patched(ctx, p); err != nil || p.Try || out.After == nil {
			return nil, err
		}
		b.c.event = b.event()
		return b.c, nil
	})
	if err == nil && !p.Try && out.After == nil {
		err = d.refused(ctx, who, p, out)
	}
	return out, err
}

// patched works patches out on what the store holds now.
func (b *putting) patched(ctx context.Context, p *Patching) (*Patched, error) {
	base := ""
	if len(p.Patches) > 0 {
		base = p.Patches[0].Base
	}
	r, h, text, err := b.textFor(ctx, b.who, p.Address, base)
	if err != nil {
		return nil, err
	}
	out := &Patched{Base: r.Ref(), Before: text}
	tips, err := b.Store.Tips(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(tips, r.Version) { // the end of a way of a fork is behind nothing
		out.Behind = h.Latest - r.Version
	}
	now, failed, parent := text, false, r.Version
	for i := range p.Patches {
		one := &p.Patches[i]
		next, report := one.ApplyTo(now, r.Version, nil)
		if slices.ContainsFunc(report.Problems, func(q patch.Problem) bool { return q.Code == patch.BaseMismatch }) {
			known, err := b.known(ctx, r.Ref())
			if err != nil {
				return nil, err
			}
			_, report = one.ApplyTo(now, r.Version, known)
		}
		out.Reports = append(out.Reports, report)
		if next == nil {
			failed = true
			continue
		}
		if now = next; p.Try || failed {
			continue
		}
		draft := &Draft{ID: r.ID, Parent: parent, Content: next.Bytes(), Change: changeOf(p, one), rebase: out.Behind > 0}
		if i == len(p.Patches)-1 {
			draft.Summary = p.Summary
		}
		if len(p.Tags) > 0 {
			draft.Tags = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Tags, p.Tags))))
		}
		put, err := b.put(ctx, draft)
		if err != nil {
			return nil, err
		}
		parent = put.Record.Version
		out.Put = append(out.Put, put)
	}
	if failed {
		out.Put = nil
		return out, nil
	}
	out.After = now
	return out, nil
}

// changeOf says what a patch changes: what was said for all of them, or what its
// author noted in it.
func changeOf(p *Patching, one *patch.Patch) string {
	if p.Change != "" {
		return p.Change
	}
	return one.Notes()
}

// known gives the versions of a record before one, by the hashes of their texts.
func (b *putting) known(ctx context.Context, before record.Ref) ([]patch.Version, error) {
	all, err := b.Store.Records(ctx, store.Query{ID: before.ID})
	if err != nil {
		return nil, err
	}
	var out []patch.Version
	hashes := make(map[string]string) // of contents that were looked at
	for i := range all {
		r := &all[i]
		if r.Version >= before.Version {
			continue
		}
		if _, seen := hashes[r.Content]; !seen {
			t, err := b.text(ctx, r)
			if err != nil {
				return nil, err
			}
			hashes[r.Content] = t.Hash()
		}
		out = append(out, patch.Version{Number: r.Version, Hash: hashes[r.Content]})
	}
	return out, nil
}

// bySessions is what is said to those who would write an artifact by other means.
func bySessions(op, id string) error {
	return &fault.Error{
		Code: BadRecord, Op: op + " " + fault.Shown(id), Detail: "research artifacts are written by sessions",
		Hint: "`brenner session start` begins one, `brenner session apply` changes one",
	}
}
