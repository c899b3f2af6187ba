package govern

import (
	"cmp"
	"context"
	"slices"

	"brenner/internal/fault"
	"brenner/patch"
	"brenner/store"
	"brenner/store/record"
)

// Patching is a sequence of patches of one record, each applied to the result of those before it.
type Patching struct {
	// Address is the record. If it names an older version, the result becomes a separate branch
	// that needs a rebase.
	Address string
	Patches []patch.Patch
	Change  string   // what changed, and why; for all patches
	Summary string   // of the final result; extracted from the text if empty
	Tags    []string // in addition to the record's
	Try     bool     // only report the result

	inputs []record.Ref // what its author was shown
	source record.Ref   // the reply that it was in, or zero
	task   string       // the task that it was made for, or ""
}

// Patched is the result of patches.
type Patched struct {
	Base   record.Ref // the version they were applied to
	Behind int        // how many versions it is behind the latest
	Before *patch.Text
	After  *patch.Text // nil unless all of them apply
	// Reports are in patch order; each patch sees the result of the applied ones before it.
	Reports []patch.Report
	Put     []Put
	// Stuck is the request for a ruling, if the same patch was refused too often.
	Stuck *record.Ref
	Ruled *Stalemate // the last ruling about the version, unless one is open
}

// Text returns the text of a version for patches, to an actor who may read it.
func (rs *Records) Text(ctx context.Context, who Actor, address string) (record.Record, record.Head, *patch.Text, error) {
	return rs.textFor(ctx, who, address, "")
}

// textFor is Text for a patch of a base with a hash, which selects one of several tips.
func (rs *Records) textFor(ctx context.Context, who Actor, address, base string) (record.Record, record.Head, *patch.Text, error) {
	r, h, err := rs.Find(ctx, address)
	if err == nil && h.Forked() && rs.mayRead(who, r.Type) {
		r, err = rs.onBranch(ctx, r, h, address, base)
	}
	if err != nil {
		return r, h, nil, err
	}
	if !rs.mayRead(who, r.Type) {
		return r, h, nil, rs.refuse(ctx, who, "read", r.Type, r.ID)
	}
	if r.Type == record.ResearchArtifact && rs.Artifact != nil {
		return r, h, nil, bySessions("patch", r.ID)
	}
	t, err := rs.text(ctx, &r)
	return r, h, t, err
}

// onBranch returns the version that an address without a version means if the record has several
// branches: the tip with the hash base, else the newest tip that is not set aside. A version
// kept with needs_rebase may be the latest, but is not the default for patches.
func (rs *Records) onBranch(ctx context.Context, latest record.Record, h record.Head, address, base string) (record.Record, error) {
	if a, err := record.ParseAddress(address); err != nil || a.Version > 0 || a.Canonical || a.Latest {
		return latest, err
	}
	tips, err := rs.Store.Tips(ctx, h.ID)
	if err != nil {
		return latest, err
	}
	chosen, found := latest, false
	for _, n := range slices.Backward(tips) {
		r, err := rs.Version(ctx, record.Ref{ID: h.ID, Version: n}, h.Latest)
		if err != nil {
			return latest, err
		}
		if base != "" {
			t, err := rs.text(ctx, &r)
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

func (rs *Records) text(ctx context.Context, r *record.Record) (*patch.Text, error) {
	data, err := rs.Store.Blob(ctx, r.Content)
	if err != nil {
		return nil, err
	}
	t, problems := patch.NewText(data)
	if len(problems) > 0 {
		return nil, &fault.Error{Code: BadRecord, Op: "patch " + r.Ref().String(), Cause: patch.Err(problems), Hint: "only text can be patched"}
	}
	return t, nil
}

// Patch applies patches to a record, all or none; each makes a new version. A patch for an
// older version is never applied.
func (rs *Records) Patch(ctx context.Context, who Actor, p *Patching) (*Patched, error) {
	r, _, _, err := rs.Text(ctx, who, p.Address)
	if err == nil && !p.Try {
		err = rs.mayPut(ctx, who, &Draft{ID: r.ID, Type: r.Type})
	}
	if err != nil {
		return nil, err
	}
	var out *Patched
	err = rs.putAll(ctx, who, func(b *putting) (err error) {
		out, err = b.patched(ctx, p)
		return err
	})
	if err == nil && !p.Try && out.After == nil {
		err = rs.logRefusedPatches(ctx, who, p, out)
	}
	return out, err
}

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
	if !slices.Contains(tips, r.Version) { // a tip of a fork is not behind
		out.Behind = h.Latest - r.Version
	}
	moved, err := b.Graph().NoLongerHold(ctx, r.ID, p.inputs)
	if err != nil {
		return nil, err
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
		draft := &Draft{ID: r.ID, Parent: parent, Content: next.Bytes(), Change: cmp.Or(p.Change, one.Notes()), rebase: out.Behind > 0 || len(moved) > 0, shown: p.inputs, source: p.source, patchTask: p.task}
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
		out.Put, b.c.records = nil, nil // all of them, or none
		return out, nil
	}
	out.After = now
	return out, nil
}

// known returns the earlier versions, by the hashes of their texts.
func (b *putting) known(ctx context.Context, before record.Ref) ([]patch.Version, error) {
	all, err := b.Store.Records(ctx, store.Query{ID: before.ID})
	if err != nil {
		return nil, err
	}
	var out []patch.Version
	hashes := make(map[string]string) // of contents already read
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

// bySessions is the error for an artifact, which only sessions write.
func bySessions(op, id string) error {
	return &fault.Error{
		Code: BadRecord, Op: op + " " + fault.Shown(id), Detail: "research artifacts are written by sessions",
		Hint: "create one with `brenner session start`, change one with `brenner session apply`",
	}
}
