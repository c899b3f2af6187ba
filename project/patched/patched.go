// Package patched keeps, in a project's store, the files to which patches were applied: what they refused is counted, and
// the third refusal of a file for the same reason is a stalemate about it.
//
// It promises that patches are applied whether or not there is a store. It must not know commands.
package patched

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner/govern"
	"brenner/internal/fault"
	"brenner/patch"
	patchfiles "brenner/patch/files"
	"brenner/project"
	"brenner/store"
)

// Apply applies patches to files. The store of the project, if there is one, counts what its files refuse: the
// third refusal of a file for the same reason is a stalemate about it. open returns the project, or an error outside of one.
func Apply(ctx context.Context, q *patchfiles.Request, open func() (*project.Project, error)) (*patchfiles.Applied, error) {
	r, err := patchfiles.Apply(q)
	if r == nil || q.DryRun {
		return r, err
	}
	p, none := open()
	if none != nil {
		return r, err
	}
	has, failed := p.HasStore(ctx)
	if has {
		failed = countRefusals(ctx, p, r)
	}
	if failed != nil {
		p.Log.Warn().Err(failed).Msg("cannot keep what became of the patches in the store; refusals are not counted")
	}
	return r, err
}

// countRefusals records what files of the project refused, and that others changed.
func countRefusals(ctx context.Context, p *project.Project, r *patchfiles.Applied) error {
	var all []govern.PatchedFile
	for i := range r.Patches {
		one := &r.Patches[i]
		name, inside := pathOf(p, one.Actual)
		if !inside || slices.ContainsFunc(all, func(f govern.PatchedFile) bool { return f.Path == name }) {
			continue // of several refusals by one file the first is the cause
		}
		switch {
		case !one.OK && strings.TrimSpace(one.Before.Canonical()) != "":
			report := patch.Report{Problems: one.Problems}
			all = append(all, govern.PatchedFile{Path: name, Text: one.Before, Refused: []patch.Patch{one.Patch}, Reports: []patch.Report{report}})
		case r.OK && len(r.Written) > 0:
			all = append(all, govern.PatchedFile{Path: name, Text: one.After})
		}
	}
	if len(all) == 0 {
		return nil
	}
	d, err := p.OpenRecords(ctx, project.RecordsOptions{Write: true})
	if err != nil {
		return err
	}
	defer p.CloseStore(d.Store)
	for i := range all {
		f := &all[i]
		if f.Refused == nil {
			if _, err := d.Records.KeepFile(ctx, d.Actor, f.Path, f.Text, false); err != nil {
				return err
			}
			continue
		}
		out, err := d.RefuseFile(ctx, d.Actor, f)
		if err != nil {
			return err
		}
		project.AddRuling(r, out, f.Path)
	}
	return nil
}

// pathOf returns the path of a file from the project's directory, with slashes, and whether it is inside.
func pathOf(p *project.Project, file string) (string, bool) {
	if file == "" {
		return "", false
	}
	dir, err := filepath.EvalSymlinks(p.Config.Project.Dir)
	if err != nil {
		return "", false
	}
	actual, err := filepath.Abs(file)
	if target, failed := filepath.EvalSymlinks(actual); failed == nil {
		actual = target
	}
	name, failed := filepath.Rel(dir, actual)
	return filepath.ToSlash(name), err == nil && failed == nil && filepath.IsLocal(name)
}

// Subject returns the id of the record that keeps a file which refused patches, or "" if an argument does not
// name such a file, from the working directory or from the project's. The file may be gone.
func Subject(ctx context.Context, p *project.Project, arg string) (string, error) {
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer p.CloseStore(st)
	for _, file := range []string{arg, filepath.Join(p.Config.Project.Dir, arg)} {
		name, inside := pathOf(p, file)
		if !inside {
			continue
		}
		h, err := p.Records(st).HeadByID(ctx, govern.FileID(name))
		if err != nil || h.Latest > 0 {
			return h.ID, err
		}
	}
	return "", nil
}

// Keep keeps the text of a file for a stalemate about it, and returns the id of its record.
func Keep(ctx context.Context, r *project.Records, file string) (string, error) {
	name, inside := pathOf(r.Project, file)
	if !inside {
		return "", &fault.Error{Code: fault.Usage, Detail: fault.Shown(file) + " is not a file of this project", Hint: "run the command in the project of the file"}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	text, problems := patch.NewText(data)
	if len(problems) > 0 {
		return "", fault.InFile("read", file, patch.Err(problems))
	}
	ref, err := r.Records.KeepFile(ctx, r.Actor, name, text, true)
	return ref.ID, err
}
