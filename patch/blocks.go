package patch

import (
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
)

// Block is a search/replace block as agents write them:
//
//	notes/memo.md
//	<<<<<<< SEARCH
//	what stands there
//	=======
//	what shall stand there
//	>>>>>>> REPLACE
type Block struct {
	Path    string // the name on the line above; "" where there is none
	Line    int    // of its first marker, in the reply
	Search  string // whole lines, each with its line end
	Replace string
}

// ExampleSearch is what a block searches for that only shows what blocks look like.
const ExampleSearch = "the lines as they stand now\n"

// The markers of blocks, in the order in which they must come.
const (
	markSearch  = '<'
	markDivider = '='
	markReplace = '>'
)

// ReadBlocks finds the search/replace blocks in an agent's reply. A block that is
// not closed, or in which another one begins, is a problem. Names are those that the
// line above a block may have beside what looks like a path.
func ReadBlocks(reply []byte, names ...string) ([]Block, []Problem) {
	text := Canonical(strings.ToValidUTF8(string(reply), "\ufffd"))
	r := &blockReader{names: names}
	for i, line := range splitLines(text) {
		r.line(line, i+1)
	}
	if r.state != 0 {
		r.broken("the reply ends within it")
	}
	if len(r.blocks) == 0 && len(r.problems) == 0 {
		r.problems = append(r.problems, Problem{
			Code: NoOps, Message: "there is no search/replace block in the reply",
			Hint: "a block is a line <<<<<<< SEARCH, old lines, a line =======, new lines, and a line >>>>>>> REPLACE",
		})
	}
	return r.blocks, r.problems
}

// blockReader reads line by line; state is the marker that opened the present part.
type blockReader struct {
	names    []string
	blocks   []Block
	problems []Problem
	state    byte
	open     Block
	search   strings.Builder
	replace  strings.Builder
	above    string // the last line that says something, outside blocks
	path     string // of the block before, which holds until another is named
}

func (r *blockReader) line(line string, number int) {
	kind := marker(line)
	switch {
	case kind == markSearch:
		if r.state != 0 {
			r.broken(fmt.Sprintf("another one begins at line %d", number))
		}
		if name, ok := r.pathIn(r.above); ok {
			r.path = name
		}
		r.open, r.state = Block{Path: r.path, Line: number}, markSearch
		r.search.Reset()
		r.replace.Reset()
	case kind == markDivider && r.state == markSearch:
		r.state = markDivider
	case kind == markReplace && r.state == markDivider:
		r.open.Search, r.open.Replace = r.search.String(), r.replace.String()
		r.blocks = append(r.blocks, r.open)
		r.state, r.above = 0, ""
	case kind == markReplace && r.state == markSearch:
		r.broken(fmt.Sprintf("it ends at line %d without a line =======", number))
		r.state = 0
	case r.state == markSearch:
		r.search.WriteString(withEnd(line))
	case r.state == markDivider:
		r.replace.WriteString(withEnd(line))
	case strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "```") && !strings.HasPrefix(strings.TrimSpace(line), "~~~"):
		r.above = strings.TrimSpace(line)
	}
}

func withEnd(line string) string {
	if strings.HasSuffix(line, "\n") {
		return line
	}
	return line + "\n"
}

func (r *blockReader) broken(why string) {
	r.problems = append(r.problems, Problem{
		Code: NoOps, Line: r.open.Line, Message: fmt.Sprintf("the block at line %d of the reply is not whole: %s", r.open.Line, why),
		Hint: "close each block with a line >>>>>>> REPLACE",
	})
}

// marker tells which marker a line is; 0 for none. Agents count their arrows badly.
func marker(line string) byte {
	line = strings.TrimRight(line, " \t\n")
	if line == "" {
		return 0
	}
	c := line[0]
	rest := strings.TrimLeft(line, string(rune(c)))
	if n := len(line) - len(rest); n < 5 || n > 9 {
		return 0
	}
	word := strings.ToUpper(strings.TrimSpace(rest))
	switch {
	case c == markSearch && (word == "SEARCH" || word == "ORIGINAL"):
		return markSearch
	case c == markDivider && word == "" && len(line) == 7:
		return markDivider
	case c == markReplace && (word == "REPLACE" || word == "UPDATED"):
		return markReplace
	}
	return 0
}

// pathIn takes a file's name out of the line above a block.
func (r *blockReader) pathIn(line string) (string, bool) {
	line = strings.Trim(line, "`*#: \t")
	line = strings.TrimSpace(strings.TrimPrefix(line, "File:"))
	line = strings.Trim(line, "`*: \t")
	if slices.Contains(r.names, line) {
		return line, true
	}
	if line == "" || strings.ContainsAny(line, " \t") || !strings.ContainsAny(line, "./@") {
		return "", false
	}
	return line, true
}

// WriteBlocks writes blocks about one text as agents do, all in one way.
func WriteBlocks(name string, blocks []Block) string {
	var b strings.Builder
	for _, one := range blocks {
		b.WriteString(name + "\n<<<<<<< SEARCH\n" + one.Search + "=======\n" + one.Replace + ">>>>>>> REPLACE\n")
	}
	return b.String()
}

// Convert makes a patch of search/replace blocks about one text. A block's search
// text is whole lines of the base; where it stands more than once the first is taken,
// with a warning. Blocks are about the base, not about what others make of it.
func Convert(path string, base *Text, blocks []Block) (Patch, Report) {
	c := &converter{resolver: resolver{base: base}}
	if len(blocks) == 1 && strings.TrimSpace(blocks[0].Search) == "" && strings.TrimSpace(base.canon) == "" {
		return c.made(path, blocks[0].Replace)
	}
	c.find(blocks)
	sortEdits(c.edits)
	c.cross(blocks)
	if !c.report.OK() {
		return Patch{}, c.report
	}
	return c.made(path, spliced(base.canon, c.edits))
}

type converter struct {
	resolver
	edits []edit
}

func (c *converter) made(path, content string) (Patch, Report) {
	content = Canonical(content)
	p, problems := Make(path, c.base, &Text{raw: content, canon: content, hash: Hash(content)})
	c.report.Problems = append(c.report.Problems, problems...)
	if !c.report.OK() {
		return Patch{}, c.report
	}
	r := p.Check(c.base)
	r.Warnings = append(c.report.Warnings, r.Warnings...)
	return p, r
}

// find looks for whole lines: both the text and the words get a line end at either
// side, so that no search text is found in the middle of a line.
func (c *converter) find(blocks []Block) {
	lines := "\n" + withEnd(c.base.canon)
	var queries []query
	index := make(map[string]int)
	for i, b := range blocks {
		if blank(b.Search) {
			c.problem(i, b, EmptyAnchor, "the search text is blank: it would stand everywhere", "quote the lines that are to be replaced")
			continue
		}
		if _, ok := index["\n"+b.Search]; !ok {
			index["\n"+b.Search] = len(queries)
			queries = append(queries, query{word: "\n" + b.Search, instances: []int{1}})
		}
	}
	found := lookUp(lines, queries)
	for i, b := range blocks {
		at, ok := index["\n"+b.Search]
		if !ok {
			continue
		}
		c.take(i, b, &found[at])
	}
}

func (c *converter) problem(i int, b Block, code fault.Code, message, hint string) *Problem {
	c.report.Problems = append(c.report.Problems, Problem{
		Code: code, Operation: i + 1, Field: fmt.Sprintf("block at line %d", b.Line), Message: message, Hint: hint,
	})
	return &c.report.Problems[len(c.report.Problems)-1]
}

func (c *converter) take(i int, b Block, found *places) {
	start, ok := found.at[1]
	if !ok {
		p := c.problem(i, b, AnchorNotFound, "the lines "+fault.Shown(clip(b.Search))+" do not stand in the text", "quote whole lines exactly as they stand")
		p.Wanted = 1
		if c.explains() {
			c.near(p, strings.TrimSuffix(b.Search, "\n"))
			if p.Line == 0 {
				c.partly(p, b.Search)
			}
		}
		return
	}
	end, with := start+len(b.Search), b.Replace
	if end > len(c.base.canon) { // the last line has no line end, and gets none
		end, with = len(c.base.canon), strings.TrimSuffix(with, "\n")
	}
	if found.count > 1 {
		c.repeated(i, b, found)
	}
	c.edits = append(c.edits, edit{start: start, end: end, with: with, op: i + 1})
}

func (c *converter) repeated(i int, b Block, found *places) {
	var lines []string
	for _, at := range found.starts {
		lines = append(lines, fmt.Sprint(c.base.line(at)))
	}
	c.report.Warnings = append(c.report.Warnings, Problem{
		Code: AmbiguousAnchor, Operation: i + 1, Field: fmt.Sprintf("block at line %d", b.Line), Line: c.base.line(found.starts[0]),
		Found: found.count, Wanted: 1,
		Message: fmt.Sprintf("the lines stand %d times, at lines %s; the first is taken", found.count, strings.Join(slices.Compact(lines), ", ")),
		Hint:    "quote more lines",
	})
}

// cross names blocks that want the same lines.
func (c *converter) cross(blocks []Block) {
	for i := 1; i < len(c.edits); i++ {
		a, b := c.edits[i-1], c.edits[i]
		if b.start >= a.end {
			continue
		}
		second := max(a.op, b.op)
		c.problem(second-1, blocks[second-1], Overlap,
			fmt.Sprintf("the blocks at lines %d and %d of the reply both change line %d",
				blocks[min(a.op, b.op)-1].Line, blocks[second-1].Line, c.base.line(b.start)),
			"make one block of the two")
		if a.end > b.end {
			c.edits[i] = a
		}
	}
}
