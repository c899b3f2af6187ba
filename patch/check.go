package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	words "brenner/internal/text"
)

// Report is what a patch would do to a text, or why it cannot be applied.
type Report struct {
	Problems   []Problem
	Warnings   []Problem
	Operations []Placed // in patch order; empty if there are problems
	Hash       string   // of the canonical result; "" if there are problems
}

// OK reports whether the patch applies.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// Placed is an operation with its place.
type Placed struct {
	Operation int    `json:"operation"`
	Kind      string `json:"op"`
	Line      int    `json:"line"`    // of the block's first character in the base
	Removed   int    `json:"removed"` // bytes of the canonical text
	Added     int    `json:"added"`
}

// Check returns what a patch would do to a text.
func (p *Patch) Check(base *Text) Report {
	_, r := p.Apply(base)
	return r
}

// Apply returns the patched text, or nil and the problems. The patch must come from Read
// without problems, or from Make.
func (p *Patch) Apply(base *Text) (*Text, Report) {
	if problem, ok := p.checkBase(base); !ok {
		return nil, Report{Problems: []Problem{problem}}
	}
	edits, r := p.resolve(base)
	if !r.OK() {
		return nil, r
	}
	out := &Text{}
	if whole, _, ok := p.wholeFile(); ok {
		out.canon, out.raw = whole.New, base.rewrite(whole.New)
	} else {
		out.canon, out.raw = splice(base.canon, edits), base.replace(edits)
	}
	out.hash = Hash(out.canon)
	if p.Result != "" && p.Result != out.hash {
		return nil, Report{Warnings: r.Warnings, Problems: []Problem{{
			Code: ResultMismatch, Field: "result_sha256",
			Message: fmt.Sprintf("the result has hash %s, but the patch promises %s", out.hash, p.Result),
			Hint:    "an operation has an unintended effect, or the hash is wrong; remove result_sha256, or let `brenner patch make` write the patch",
		}}}
	}
	r.Hash = out.hash
	return out, r
}

// checkBase compares the base with the hash that the patch was made for.
func (p *Patch) checkBase(base *Text) (Problem, bool) {
	if p.Base == base.hash {
		return Problem{}, true
	}
	problem := Problem{
		Code: BaseMismatch, Field: "target.base_checksum_sha256",
		Message: fmt.Sprintf("the text has hash %s, but the patch is for %s", base.hash, p.Base),
		Hint:    "make the patch again, against the current text",
	}
	switch {
	case p.Base == emptyHash:
		problem.Hint = "the patch has the hash of the empty text; the right one is " + base.hash
	case p.Result == base.hash:
		problem.Hint = "the text is the result of the patch: already applied"
	case p.Base == Hash(base.raw):
		problem.Hint = "the patch has the hash of the file's bytes; use that of the text without U+FEFF and with LF line ends: " + base.hash
	default:
		if _, r := p.resolve(base); r.OK() {
			problem.Hint = "all operations would apply to the current text: review it, and make the patch again"
		}
	}
	return problem, false
}

type task struct {
	op     Op
	anchor Anchor
	number int // from 1, over all groups
	field  string
	found  *query // of its anchor
}

func (p *Patch) tasks() []task {
	var all []task
	for i := range p.Groups {
		for j, op := range p.Groups[i].Ops {
			all = append(all, task{
				op: op, anchor: p.Groups[i].Anchor, number: len(all) + 1,
				field: fmt.Sprintf("op_groups[%d].targets[%d]", i, j),
			})
		}
	}
	return all
}

// resolver finds the places of all operations in the base.
type resolver struct {
	base      *Text
	loose     *folded // the base without whitespace; nil if not needed
	report    Report
	explained int
	folds     [2]*folded // the base with look-alikes folded, with and without whitespace
}

func (p *Patch) resolve(base *Text) ([]edit, Report) {
	r := &resolver{base: base}
	tasks := p.tasks()
	if len(tasks) == 0 {
		r.report.Problems = []Problem{{Code: NoOps, Field: "op_groups", Message: "no operations"}}
		return nil, r.report
	}
	if whole, n, ok := p.wholeFile(); ok {
		r.placeWholeFile(tasks, whole, n)
		return nil, r.report
	}
	r.lookUp(tasks)
	edits := make([]edit, 0, len(tasks))
	for i := range tasks {
		if e, ok := r.place(&tasks[i]); ok {
			edits = append(edits, e)
			r.report.Operations = append(r.report.Operations, Placed{
				Operation: e.op, Kind: tasks[i].op.Kind, Line: base.line(e.start), Removed: e.end - e.start, Added: len(e.with),
			})
		}
	}
	r.reportOverlaps(edits, func(first, second, line int) Problem {
		return Problem{
			Operation: second, Field: tasks[second-1].field, Line: line,
			Message: fmt.Sprintf("operations %d and %d both change the text at line %d", first, second, line),
			Hint:    "combine the two operations; every operation refers to the base, not to another one's result",
		}
	})
	if !r.report.OK() {
		r.report.Operations = nil
	}
	return edits, r.report
}

// placeWholeFile reports a replacement of the entire file, which must be the only operation.
func (r *resolver) placeWholeFile(tasks []task, op Op, number int) {
	if len(tasks) > 1 {
		other := 1
		if number == 1 {
			other = 2
		}
		r.report.Problems = append(r.report.Problems, Problem{
			Code: Overlap, Operation: number, Field: tasks[number-1].field,
			Message: fmt.Sprintf("operation %d replaces the entire file, so operation %d would be lost", number, other),
			Hint:    ReplaceFile + " must be the only operation of a patch",
		})
		return
	}
	r.report.Operations = []Placed{{Operation: number, Kind: op.Kind, Line: 1, Removed: len(r.base.canon), Added: len(op.New)}}
}

// lookUp finds all anchors: the exact ones in one pass, the others in another.
func (r *resolver) lookUp(tasks []task) {
	var exact, loose search
	for i := range tasks {
		t := &tasks[i]
		if t.anchor.Mode == IgnoreWhitespace {
			t.found = loose.queryFor(withoutSpace(t.anchor.Text).text)
		} else {
			t.found = exact.queryFor(t.anchor.Text)
		}
		t.found.instances = append(t.found.instances, max(1, t.op.Index))
	}
	exact.run(r.base.canon)
	if len(loose.queries) > 0 {
		r.loose = withoutSpace(r.base.canon)
		loose.run(r.loose.text)
	}
}

func (r *resolver) place(t *task) (edit, bool) {
	wanted := max(1, t.op.Index)
	start, ok := t.found.at[wanted]
	if !ok {
		r.reportMissing(t, wanted)
		return edit{}, false
	}
	if t.op.Index == 0 && t.found.count > 1 {
		r.warnAmbiguous(t)
	}
	end := start + len(t.found.word)
	at := end
	if t.anchor.Mode == IgnoreWhitespace {
		end = r.loose.ending(end)
		at, ok = r.afterGap(end, t.op.Old)
	} else {
		ok = strings.HasPrefix(r.base.canon[end:], t.op.Old)
	}
	if !ok {
		r.reportNotAdjacent(t, end)
		return edit{}, false
	}
	return edit{start: at, end: at + len(t.op.Old), with: t.op.New, op: t.number}, true
}

// afterGap finds a block after whitespace of any length; its own whitespace must match exactly.
func (r *resolver) afterGap(end int, block string) (int, bool) {
	rest := r.base.canon[end:]
	gap := len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
	own := len(block) - len(strings.TrimLeftFunc(block, unicode.IsSpace))
	if own == len(block) { // only whitespace: the first place in the gap
		at := strings.Index(rest[:gap], block)
		return end + at, at >= 0
	}
	at := end + gap - own
	return at, own <= gap && strings.HasPrefix(r.base.canon[at:], block)
}

func (r *resolver) warnAmbiguous(t *task) {
	lines := r.linesOf(t)
	p := Problem{
		Operation: t.number, Field: t.field, Line: lines[0],
		Hint: "quote more text, or select an instance with match_index",
	}
	more := ""
	if n := t.found.count - len(lines); n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	r.warn(p, "the anchor occurs", t.found.count, lines, more)
}

func (r *resolver) linesOf(t *task) []int {
	var lines []int
	for _, at := range t.found.starts {
		if t.anchor.Mode == IgnoreWhitespace {
			at = r.loose.place(at)
		}
		lines = append(lines, r.base.line(at))
	}
	return lines
}

func (r *resolver) warn(p Problem, what string, count int, lines []int, more string) {
	var shown []string
	for _, line := range slices.Compact(lines) {
		shown = append(shown, fmt.Sprint(line))
	}
	p.Code, p.Found, p.Wanted = AmbiguousAnchor, count, 1
	p.Message = fmt.Sprintf("%s %d times, at lines %s%s; the first is used", what, count, strings.Join(shown, ", "), more)
	r.report.Warnings = append(r.report.Warnings, p)
}

// reportOverlaps sorts edits and adds a problem for every two that overlap.
func (r *resolver) reportOverlaps(edits []edit, problem func(first, second, line int) Problem) {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	for i := 1; i < len(edits); i++ {
		a, b := edits[i-1], edits[i]
		if b.start >= a.end {
			continue
		}
		p := problem(min(a.op, b.op), max(a.op, b.op), r.base.line(b.start))
		p.Code = Overlap
		r.report.Problems = append(r.report.Problems, p)
		if a.end > b.end { // the next edit may still be within the longer one
			edits[i] = a
		}
	}
}

// Version is a version of a text with a history.
type Version struct {
	Number int
	Hash   string // of the canonical text
}

// ApplyTo applies a patch to the newest version of a text and returns the text of the next one.
// A patch for an older known version is not applied: its problem has the number of versions it
// is behind. If kept, the version it makes needs a rebase.
func (p *Patch) ApplyTo(head *Text, number int, known []Version) (*Text, Report) {
	next, r := p.Apply(head)
	for i := range r.Problems {
		problem := &r.Problems[i]
		if problem.Code != BaseMismatch || p.Result == head.hash { // already applied
			continue
		}
		if old, ok := p.baseVersion(known, number); ok {
			problem.Behind = number - old
			problem.Message = fmt.Sprintf("needs_rebase: the patch is for version %d, but the text is at version %d: %s behind", old, number, words.Count(problem.Behind, "version"))
			problem.Hint = fmt.Sprintf("make the patch again, against version %d", number)
		}
	}
	return next, r
}

// baseVersion returns the newest version below a number that has the patch's base.
func (p *Patch) baseVersion(known []Version, below int) (int, bool) {
	newest := 0
	for _, v := range known {
		if v.Hash == p.Base && v.Number < below && v.Number > newest {
			newest = v.Number
		}
	}
	return newest, newest > 0
}
