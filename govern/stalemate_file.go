package govern

import (
	"context"
	"strings"

	"brenner/patch"
	"brenner/store"
	"brenner/store/record"
)

// PatchedFile is a file of the project that patches were applied to.
type PatchedFile struct {
	Path    string // from the project's directory, with slashes
	Text    *patch.Text
	Refused []patch.Patch // none if it was changed
	Reports []patch.Report
}

// FileID returns the id of the record that keeps a file which refused patches, by its path.
func FileID(path string) string {
	plain := strings.Map(func(r rune) rune {
		if CheckID("", "a"+string(r)) != nil {
			return '-'
		}
		return r
	}, path)
	return derivedID("file-", plain+"-"+store.Hash([]byte(path))[:8])
}

// RefuseFile records patches that a file refused. The result has the request for a ruling when their author is
// stuck on this text of the file.
func (rs *Records) RefuseFile(ctx context.Context, who Actor, f *PatchedFile) (*Patched, error) {
	ref, err := rs.KeepFile(ctx, who, f.Path, f.Text, true)
	if err != nil {
		return nil, err
	}
	out := &Patched{Base: ref, Before: f.Text, Reports: f.Reports}
	return out, rs.logRefusedPatches(ctx, who, &Patching{Patches: f.Refused}, out)
}

// KeepFile puts the text of a file as a version, if it is new; a file without a record gets one only if create
// is set. Stalemates about another text of the file expire by that.
func (rs *Records) KeepFile(ctx context.Context, who Actor, path string, text *patch.Text, create bool) (ref record.Ref, err error) {
	id := FileID(path)
	err = rs.putAll(ctx, who, func(b *putting) error {
		h, err := b.headOf(ctx, id)
		if err != nil || h.Latest == 0 && !create {
			return err
		}
		ref = record.Ref{ID: id, Version: h.Latest}
		if now, err := rs.Lookup(ctx, ref); err != nil || now != nil && now.Content == store.Hash(text.Bytes()) {
			return err
		}
		put, err := b.put(ctx, &Draft{
			ID: id, Type: record.PatchedFile, Parent: h.Latest, Module: record.Project, Content: text.Bytes(), Tags: []string{path},
			Summary: record.Extract([]byte("The file " + path)), Change: "as it stood", summaryBy: record.Extracted, internal: true,
		})
		ref = put.Record.Ref()
		return err
	})
	return ref, err
}
