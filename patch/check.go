package patch

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Report is what a patch would do to a text, or why it cannot.
type Report struct {
	Problems   []Problem
	Warnings   []Problem
	Operations []Placed // in the order of the patch; empty where there are problems
	Hash       string   // of the canonical result; "" where there are problems
}

// OK tells whether the patch applies.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// Placed is an operation at its place.
type Placed struct {
	Operation int    `json:"operation"`
	Kind      string `json:"op"`
	Line      int    `json:"line"`    // of the block's first character, in the base
	Removed   int    `json:"removed"` // bytes of the canonical text
	Added     int    `json:"added"`
}

// Check says what a patch would do to a text. It changes nothing.
func (p *Patch) Check(base *Text) Report {
	_, r := p.apply(base)
	return r
}

// Apply gives the text that a patch makes of its base, or nil and the problems. The
// patch is one that Read found no problem in, or that Make made.
func (p *Patch) Apply(base *Text) (*Text, Report) { return p.apply(base) }

func (p *Patch) apply(base *Text) (*Text, Report) {
	if problem, ok := p.fits(base); !ok {
		return nil, Report{Problems: []Problem{problem}}
	}
	edits, r := p.resolve(base)
	if !r.OK() {
		return nil, r
	}
	out := &Text{}
	if whole, _, ok := p.wholeFile(); ok {
		out.canon, out.raw = whole.New, base.rewritten(whole.New)
	} else {
		out.canon, out.raw = spliced(base.canon, edits), base.replaced(edits)
	}
	out.hash = Hash(out.canon)
	if p.Result != "" && p.Result != out.hash {
		return nil, Report{Warnings: r.Warnings, Problems: []Problem{{
			Code: ResultMismatch, Field: "result_sha256",
			Message: fmt.Sprintf("the result has the hash %s, and the patch promises %s", out.hash, p.Result),
			Hint:    "an operation does something else than its author thought, or the hash was not computed; leave it out, or let `brenner patch make` write the patch",
		}}}
	}
	r.Hash = out.hash
	return out, r
}

// fits holds the base against the hash that the patch was made for.
func (p *Patch) fits(base *Text) (Problem, bool) {
	if p.Base == base.hash {
		return Problem{}, true
	}
	problem := Problem{
		Code: BaseMismatch, Field: "target.base_checksum_sha256",
		Message: fmt.Sprintf("the text has the hash %s, and the patch is for %s", base.hash, p.Base),
		Hint:    "make the patch again, against the text as it is now",
	}
	switch {
	case p.Base == emptyHash:
		problem.Hint = "the patch has the hash of the empty text: its author did not know the right one; it is " + base.hash
	case p.Result == base.hash:
		problem.Hint = "the text is what the patch makes: it has been applied already"
	case p.Base == Hash(base.raw):
		problem.Hint = "the patch has the hash of the file's bytes; what counts is the text without U+FEFF and with LF line ends: " + base.hash
	default:
		if _, r := p.resolve(base); r.OK() {
			problem.Hint = "all operations would find their places in the text as it is now: look at it, and make the patch again"
		}
	}
	return problem, false
}

// task is one operation and what is known about its place.
type task struct {
	op     Op
	anchor Anchor
	number int // from 1, over all groups
	field  string
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

// resolver finds the places of all operations on the base.
type resolver struct {
	base      *Text
	loose     *dense // the base without whitespace; nil where nobody asks for it
	report    Report
	explained int
	folds     folds
}

// resolve finds every operation's place on the base text.
func (p *Patch) resolve(base *Text) ([]edit, Report) {
	r := &resolver{base: base}
	tasks := p.tasks()
	if len(tasks) == 0 {
		r.report.Problems = []Problem{{Code: NoOps, Field: "op_groups", Message: "there are no operations"}}
		return nil, r.report
	}
	if whole, n, ok := p.wholeFile(); ok {
		r.whole(tasks, whole, n)
		return nil, r.report
	}
	exact, loose := r.lookUp(tasks)
	edits := make([]edit, 0, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		from := exact[t.anchor.Text]
		if t.anchor.Mode == IgnoreWhitespace {
			from = loose[without(t.anchor.Text)]
		}
		if e, ok := r.place(t, from); ok {
			edits = append(edits, e)
		}
	}
	r.placed(tasks, edits)
	sortEdits(edits)
	r.overlaps(tasks, edits)
	if !r.report.OK() {
		r.report.Operations = nil
	}
	return edits, r.report
}

func (r *resolver) whole(tasks []task, op Op, number int) {
	if len(tasks) > 1 {
		other := 1
		if number == 1 {
			other = 2
		}
		r.report.Problems = append(r.report.Problems, Problem{
			Code: Overlap, Operation: number, Field: tasks[number-1].field,
			Message: fmt.Sprintf("operation %d replaces the entire file, and operation %d would be lost in it", number, other),
			Hint:    ReplaceFile + " must be the only operation of a patch",
		})
		return
	}
	r.report.Operations = []Placed{{Operation: number, Kind: op.Kind, Line: 1, Removed: len(r.base.canon), Added: len(op.New)}}
}

// lookUp finds all anchors: the exact ones in one pass, the others in another.
func (r *resolver) lookUp(tasks []task) (exact, loose map[string]*places) {
	byMode := [2][]query{}
	index := [2]map[string]int{{}, {}}
	for i := range tasks {
		t := &tasks[i]
		mode, word := 0, t.anchor.Text
		if t.anchor.Mode == IgnoreWhitespace {
			mode, word = 1, without(word)
		}
		at, ok := index[mode][word]
		if !ok {
			at = len(byMode[mode])
			index[mode][word] = at
			byMode[mode] = append(byMode[mode], query{word: word})
		}
		q := &byMode[mode][at]
		q.instances = append(q.instances, max(1, t.op.Index))
	}
	exact, loose = map[string]*places{}, map[string]*places{}
	answer := func(to map[string]*places, text string, queries []query) {
		for i, found := range lookUp(text, queries) {
			to[queries[i].word] = &found
		}
	}
	answer(exact, r.base.canon, byMode[0])
	if len(byMode[1]) > 0 {
		r.loose = newDense(r.base.canon)
		answer(loose, r.loose.text, byMode[1])
	}
	return exact, loose
}

// place finds the block of an operation behind its anchor.
func (r *resolver) place(t *task, found *places) (edit, bool) {
	wanted := max(1, t.op.Index)
	start, ok := found.at[wanted]
	if !ok {
		r.missing(t, found, wanted)
		return edit{}, false
	}
	if t.op.Index == 0 && found.count > 1 {
		r.ambiguous(t, found)
	}
	end := start + len(t.anchor.Text)
	at := end
	if t.anchor.Mode == IgnoreWhitespace {
		_, end = r.loose.span(start, start+len(without(t.anchor.Text)))
		at, ok = r.behindGap(end, t.op.Old)
	} else {
		ok = strings.HasPrefix(r.base.canon[end:], t.op.Old)
	}
	if !ok {
		r.notAdjacent(t, end)
		return edit{}, false
	}
	return edit{start: at, end: at + len(t.op.Old), with: t.op.New, op: t.number}, true
}

// behindGap finds a block behind whitespace of any length, its own whitespace exact.
func (r *resolver) behindGap(end int, block string) (int, bool) {
	rest := r.base.canon[end:]
	gap := len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
	own := len(block) - len(strings.TrimLeftFunc(block, unicode.IsSpace))
	if own == len(block) { // it is all whitespace: the first place in the gap
		at := strings.Index(rest[:gap], block)
		return end + at, at >= 0
	}
	at := end + gap - own
	return at, own <= gap && strings.HasPrefix(r.base.canon[at:], block)
}

func (r *resolver) ambiguous(t *task, found *places) {
	lines := make([]string, 0, listed+1)
	for _, at := range found.starts {
		if t.anchor.Mode == IgnoreWhitespace {
			at = r.loose.original(at)
		}
		lines = append(lines, fmt.Sprint(r.base.line(at)))
	}
	if more := found.count - len(found.starts); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	lines = slices.Compact(lines)
	first := found.starts[0]
	if t.anchor.Mode == IgnoreWhitespace {
		first = r.loose.original(first)
	}
	r.report.Warnings = append(r.report.Warnings, Problem{
		Code: AmbiguousAnchor, Operation: t.number, Field: t.field, Line: r.base.line(first), Found: found.count, Wanted: 1,
		Message: fmt.Sprintf("the anchor stands %d times, at lines %s; the first is taken", found.count, strings.Join(lines, ", ")),
		Hint:    "quote more text, or say which one is meant with match_index",
	})
}

func (r *resolver) placed(tasks []task, edits []edit) {
	for _, e := range edits {
		r.report.Operations = append(r.report.Operations, Placed{
			Operation: e.op, Kind: tasks[e.op-1].op.Kind, Line: r.base.line(e.start), Removed: e.end - e.start, Added: len(e.with),
		})
	}
}

// overlaps names the operations that want the same text; edits are sorted.
func (r *resolver) overlaps(tasks []task, edits []edit) {
	for i := 1; i < len(edits); i++ {
		a, b := edits[i-1], edits[i]
		if b.start >= a.end {
			continue
		}
		first, second := min(a.op, b.op), max(a.op, b.op)
		r.report.Problems = append(r.report.Problems, Problem{
			Code: Overlap, Operation: second, Field: tasks[second-1].field, Line: r.base.line(b.start),
			Message: fmt.Sprintf("operations %d and %d both change the text at line %d", first, second, r.base.line(b.start)),
			Hint:    "make one operation of the two; every operation is about the base, not about what another one makes of it",
		})
		if a.end > b.end { // what comes next may still be in the longer one
			edits[i] = a
		}
	}
}

// characters counts what a person would.
func characters(s string) int { return utf8.RuneCountInString(s) }
