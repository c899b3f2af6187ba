package project

import (
	"context"
	"fmt"

	"brenner/govern"
	"brenner/patch"
	"brenner/patch/files"
)

// RecordPatches are patches of one record of the store.
type RecordPatches struct {
	Patches files.Sources
	Address string // the record; with an older version, the results need a rebase
	Change  string // what changed, and why; the notes of each patch if empty
	Summary string // of the last version; taken from the text if empty
	DryRun  bool   // PatchRecord puts nothing, and returns the changes as a diff
}

// CheckRecord reports whether patches apply to a record.
func CheckRecord(ctx context.Context, d *govern.Door, who govern.Actor, q *RecordPatches) (*files.Checked, error) {
	r, _, err := patchRecord(ctx, d, who, q, true)
	if err != nil {
		return nil, err
	}
	return r.Checked(), nil
}

// PatchRecord applies patches to a record: all of them or none. Each makes a new version.
func PatchRecord(ctx context.Context, d *govern.Door, who govern.Actor, q *RecordPatches) (*files.Applied, error) {
	r, out, err := patchRecord(ctx, d, who, q, q.DryRun)
	if err != nil {
		return nil, err
	}
	if r.DryRun = q.DryRun; r.OK && q.DryRun {
		name := out.Base.String()
		r.Diff = patch.Unified("a/"+name, "b/"+name, out.Before.Canonical(), out.After.Canonical())
	}
	return r, nil
}

// patchRecord compares no patch with the record if one of them cannot be read.
func patchRecord(ctx context.Context, d *govern.Door, who govern.Actor, q *RecordPatches, try bool) (*files.Applied, *govern.Patched, error) {
	if r := q.Patches.Unapplied(); !r.OK {
		return r, nil, nil
	}
	p := &govern.Patching{Address: q.Address, Change: q.Change, Summary: q.Summary, Try: try}
	for i := range q.Patches {
		p.Patches = append(p.Patches, q.Patches[i].Patch)
	}
	out, err := d.Patch(ctx, who, p)
	if err != nil {
		return nil, nil, err
	}
	hintAtVersion(out)
	r := q.Patches.Compared(out.Base.String(), out.Reports)
	for i := range out.Put {
		made := &out.Put[i].Record
		r.Patches[i].Version, r.Patches[i].Status = made.Ref().String(), made.Status
		r.Written = append(r.Written, r.Patches[i].Version)
	}
	if out.Stuck != nil {
		r.Stalemate, r.Record = out.Stuck.ID, out.Base.ID
	}
	return r, out, nil
}

// hintAtVersion says how a patch for an older version can be kept all the same.
func hintAtVersion(out *govern.Patched) {
	for i := range out.Reports {
		problems := out.Reports[i].Problems
		for j := range problems {
			if p := &problems[j]; p.Behind > 0 {
				p.Hint += fmt.Sprintf("; --record %s@v%d keeps what it makes beside the others", out.Base.ID, out.Base.Version-p.Behind)
			}
		}
	}
}
