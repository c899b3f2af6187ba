package patchcmd

import (
	"strconv"

	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/patch"
)

// patchPlan is what a row of patches does to files, worked out before any is touched.
type patchPlan struct {
	root    *patchRoot
	file    string // what the one patch is applied to, whatever it names; "": what it names
	skip    bool   // leave out what has been applied already
	patches []*plannedPatch
	files   []*patchedFile
	byReal  map[string]*patchedFile
}

// plannedPatch is one patch of a plan.
type plannedPatch struct {
	file    string
	patch   patch.Patch
	unread  []patch.Problem // why it cannot be read
	target  *patchedFile
	report  patch.Report
	skipped bool
	version string // of a record: the one that it made
	status  string
}

// PlanPatches reads patches and works them out, in order: a patch sees what those
// before it make of its file.
func PlanPatches(a *ui.App, args []string, root, file string, skip bool) (*patchPlan, error) {
	r, err := openPatchRoot(root)
	if err != nil {
		return nil, err
	}
	names, err := patchFiles(a, args)
	if err != nil {
		return nil, err
	}
	if file != "" && len(names) > 1 {
		return nil, &fault.Error{Code: fault.Usage, Detail: "--file goes with one patch, and " + strconv.Itoa(len(names)) + " are given", Hint: "see `brenner patch apply --help`"}
	}
	plan := &patchPlan{root: r, file: file, skip: skip}
	for _, name := range names {
		p, err := readPatch(a, name)
		if err != nil {
			return nil, err
		}
		plan.patches = append(plan.patches, p)
	}
	plan.workOut()
	return plan, nil
}

func readPatch(a *ui.App, name string) (*plannedPatch, error) {
	data, err := a.ReadFile("patch", name)
	if err != nil {
		return nil, err
	}
	p := &plannedPatch{file: name}
	p.patch, p.unread = patch.Read(data)
	return p, nil
}

// workOut holds the patches against the files as they stand now.
func (p *patchPlan) workOut() {
	p.files, p.byReal, p.root.byHash = nil, make(map[string]*patchedFile), nil
	for _, one := range p.patches {
		one.target, one.skipped, one.report = nil, false, patch.Report{Problems: one.unread}
		if len(one.unread) == 0 {
			p.locate(one)
		}
	}
	if p.skip {
		p.skipApplied()
	}
	for _, one := range p.patches {
		if len(one.report.Problems) == 0 && !one.skipped {
			p.apply(one)
		}
	}
}

// locate finds and reads the file of a patch.
func (p *patchPlan) locate(one *plannedPatch) {
	name := one.patch.Path
	fail := func(problem patch.Problem) { one.report.Problems = append(one.report.Problems, problem) }
	var actual string
	switch {
	case p.file != "":
		name = p.file
		var problem *patch.Problem
		if actual, problem = plainFile(name); problem != nil {
			fail(*problem)
			return
		}
	case name == "":
		fail(patch.Problem{
			Code: delta.MissingRequiredField, Field: "target.path", Message: "the patch does not say which file it is for", Hint: "name the file with --file",
		})
		return
	default:
		var problem *patch.Problem
		if actual, problem = p.root.find(name); problem != nil {
			if other := p.root.withHash(one.patch.Base); other != "" && problem.Code == patch.BaseMissing {
				problem.Hint = other + " is the text that the patch is for: if that is meant, say so with --file"
			}
			fail(*problem)
			return
		}
	}
	if known := p.byReal[actual]; known != nil {
		one.target = known
		return
	}
	data, err := files.Read(actual)
	if err != nil {
		fail(*missingBase(name, files.Reason(err)))
		return
	}
	text, problems := patch.NewText(data)
	if len(problems) > 0 {
		one.report.Problems = problems
		return
	}
	one.target = &patchedFile{path: name, actual: actual, before: text, now: text}
	p.byReal[actual] = one.target
	p.files = append(p.files, one.target)
}

// skipApplied leaves out the patches that led to what a file holds now: the last one
// whose result it is, and those before it for the same file.
func (p *patchPlan) skipApplied() {
	for _, f := range p.files {
		last := -1
		for i, one := range p.patches {
			if one.target == f && one.patch.Result == f.before.Hash() {
				last = i
			}
		}
		for _, one := range p.patches[:last+1] {
			if one.target == f {
				one.skipped = true
			}
		}
	}
}

func (p *patchPlan) apply(one *plannedPatch) {
	f := one.target
	next, report := one.patch.Apply(f.now)
	one.report = report
	if next != nil {
		f.now = next
		return
	}
	for i := range one.report.Problems {
		problem := &one.report.Problems[i]
		if problem.Code != patch.BaseMismatch {
			continue
		}
		if f.failed != "" {
			problem.Hint = f.failed + " comes before it and does not apply"
		} else if one.patch.Result == f.now.Hash() {
			continue // it says that it has been applied already
		} else if p.skip && one.patch.Result == "" {
			problem.Hint = "it has no result_sha256, so that --skip-applied cannot tell whether it was applied; look at the file, and leave the patch out if it was"
		} else if other := p.root.withHash(one.patch.Base); other != "" && other != f.path {
			problem.Hint = other + " is the text that the patch is for: if that is meant, say so with --file"
		}
	}
	f.failed = one.file
}

// Ok reports whether every patch of the plan can be applied.
func (p *patchPlan) Ok() bool {
	for _, one := range p.patches {
		if len(one.report.Problems) > 0 {
			return false
		}
	}
	return true
}

// changed gives the files that would hold something else.
func (p *patchPlan) changed() []*patchedFile {
	var all []*patchedFile
	for _, f := range p.files {
		if f.now.Hash() != f.before.Hash() {
			all = append(all, f)
		}
	}
	return all
}

func (p *patchPlan) details() []patchDetails {
	all := make([]patchDetails, len(p.patches))
	for i, one := range p.patches {
		all[i] = patchDetails{
			File: one.file, Path: one.patch.Path, OK: len(one.report.Problems) == 0, Skipped: one.skipped, Base: one.patch.Base, Result: one.report.Hash,
			Operations: one.report.Operations, Problems: one.report.Problems, Warnings: one.report.Warnings, Version: one.version, Status: one.status,
		}
		if one.target != nil {
			all[i].Path = one.target.path
		}
	}
	return all
}
