package files

import (
	"slices"
	"strconv"
	"strings"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	fileio "brenner/internal/files"
	"brenner/patch"
)

// plan is the effect of patches on files, computed before any file is touched.
type plan struct {
	root    *root
	file    string // target of the single patch; "": the path it names
	skip    bool   // skip applied patches
	patches []*plannedPatch
	files   []*target
	byReal  map[string]*target
}

type plannedPatch struct {
	Source
	target  *target
	report  patch.Report
	skipped bool
}

type target struct {
	path   string // as named by the patches
	actual string // without links
	before *patch.Text
	now    *patch.Text
	failed string // the patch that did not apply to it
}

// newPlan reads patches and computes them in order: each applies to the results of those before it.
func newPlan(q *Request) (*plan, error) {
	r, err := openRoot(q.Root)
	if err != nil {
		return nil, err
	}
	names, err := list(q.Patches)
	if err != nil {
		return nil, err
	}
	if q.File != "" && len(names) > 1 {
		return nil, &fault.Error{Code: fault.Usage, Detail: "--file requires a single patch, got " + strconv.Itoa(len(names)), Hint: "see `brenner patch apply --help`"}
	}
	sources, err := readAll(names, q.Read)
	if err != nil {
		return nil, err
	}
	p := &plan{root: r, file: q.File, skip: q.SkipApplied}
	for _, s := range sources {
		p.patches = append(p.patches, &plannedPatch{Source: s})
	}
	p.compute()
	return p, nil
}

func (p *plan) compute() {
	p.files, p.byReal, p.root.byHash = nil, make(map[string]*target), nil
	for _, one := range p.patches {
		one.target, one.skipped, one.report = nil, false, patch.Report{Problems: one.Problems}
		if len(one.Problems) == 0 {
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

func (p *plan) locate(one *plannedPatch) {
	name, actual, problem := p.find(&one.Patch)
	if problem != nil {
		one.report.Problems = []patch.Problem{*problem}
		return
	}
	if known := p.byReal[actual]; known != nil {
		one.target = known
		return
	}
	data, err := fileio.Read(actual)
	if err != nil {
		one.report.Problems = []patch.Problem{*missingBase(name, fileio.Reason(err))}
		return
	}
	text, problems := patch.NewText(data)
	if len(problems) > 0 {
		one.report.Problems = problems
		return
	}
	one.target = &target{path: name, actual: actual, before: text, now: text}
	p.byReal[actual] = one.target
	p.files = append(p.files, one.target)
}

func (p *plan) find(one *patch.Patch) (name, actual string, problem *patch.Problem) {
	switch {
	case p.file != "":
		name = p.file
		actual, problem = regularFile(name)
	case one.Path == "":
		problem = &patch.Problem{
			Code: delta.MissingRequiredField, Field: "target.path", Message: "the patch names no file", Hint: "pass --file PATH",
		}
	default:
		name = one.Path
		actual, problem = p.root.find(name)
		if problem != nil && problem.Code == patch.BaseMissing {
			p.hintAtBase(problem, one.Base, name)
		}
	}
	return name, actual, problem
}

// hintAtBase adds the file that a patch was made for, if another file has its text.
func (p *plan) hintAtBase(problem *patch.Problem, base, path string) {
	if other := p.root.withHash(base); other != "" && other != path {
		problem.Hint = "the patch was made for the text of " + other + "; to patch that file, pass --file"
	}
}

// skipApplied skips the patches that a file already has: the last one whose result is the
// current text, and those before it for the same file.
func (p *plan) skipApplied() {
	for _, f := range p.files {
		last := -1
		for i, one := range p.patches {
			if one.target == f && one.Patch.Result == f.before.Hash() {
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

func (p *plan) apply(one *plannedPatch) {
	f := one.target
	next, report := one.Patch.Apply(f.now)
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
		switch {
		case f.failed != "":
			problem.Hint = "the patch before it, " + f.failed + ", does not apply"
		case one.Patch.Result == f.now.Hash(): // already applied, as the problem says
		case p.skip && one.Patch.Result == "":
			problem.Hint = "without result_sha256, --skip-applied cannot detect that it was applied; check the file, and omit the patch if it was"
		default:
			p.hintAtBase(problem, one.Patch.Base, f.path)
		}
	}
	f.failed = one.File
}

func (p *plan) ok() bool {
	return !slices.ContainsFunc(p.patches, func(one *plannedPatch) bool { return !one.report.OK() })
}

func (p *plan) changed() []*target {
	var all []*target
	for _, f := range p.files {
		if f.now.Hash() != f.before.Hash() {
			all = append(all, f)
		}
	}
	return all
}

func (p *plan) diff() string {
	var out strings.Builder
	for _, f := range p.changed() {
		out.WriteString(patch.Unified("a/"+f.path, "b/"+f.path, f.before.Canonical(), f.now.Canonical()))
	}
	return out.String()
}

func (p *plan) outcomes() []Outcome {
	all := make([]Outcome, len(p.patches))
	for i, one := range p.patches {
		all[i] = one.outcome(one.report)
		all[i].Skipped = one.skipped
		if one.target != nil {
			all[i].Path, all[i].Compared = one.target.path, true
			all[i].Actual, all[i].Before, all[i].After, all[i].Patch = one.target.actual, one.target.before, one.target.now, one.Patch
		}
	}
	return all
}
