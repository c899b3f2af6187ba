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
//	the current lines
//	=======
//	the new lines
//	>>>>>>> REPLACE
type Block struct {
	Path    string // the name on the line above, or ""
	Line    int    // of its first marker in the reply
	Search  string // complete lines with line ends
	Replace string
}

// ExampleSearch is the search text of a block that only shows the format.
const ExampleSearch = "the lines as they stand now\n"

// Markers of blocks, in order.
const (
	markSearch  = '<'
	markDivider = '='
	markReplace = '>'
)

// ReadBlocks returns the search/replace blocks in an agent's reply. An unclosed or nested block
// is a problem. The line above a block may be a path, or one of names.
func ReadBlocks(reply []byte, names ...string) ([]Block, []Problem) {
	text := Canonical(strings.ToValidUTF8(string(reply), "\ufffd"))
	r := &blockReader{names: names}
	for i, line := range splitLines(text) {
		r.line(line, i+1)
	}
	if r.state != 0 {
		r.addBroken("the reply ends within it")
	}
	if len(r.blocks) == 0 && len(r.problems) == 0 {
		r.problems = append(r.problems, Problem{
			Code: NoOps, Message: "no search/replace block in the reply",
			Hint: "a block is a line <<<<<<< SEARCH, old lines, a line =======, new lines, and a line >>>>>>> REPLACE",
		})
	}
	return r.blocks, r.problems
}

// blockReader reads line by line; state is the marker that opened the current part.
type blockReader struct {
	names    []string
	blocks   []Block
	problems []Problem
	state    byte
	open     Block
	search   strings.Builder
	replace  strings.Builder
	above    string // the last non-blank line outside blocks
	path     string // of the previous block; it applies until another is named
}

func (r *blockReader) line(line string, number int) {
	kind := marker(line)
	switch {
	case kind == markSearch:
		if r.state != 0 {
			r.addBroken(fmt.Sprintf("another block begins at line %d", number))
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
		r.addBroken(fmt.Sprintf("ends at line %d without a line =======", number))
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

func (r *blockReader) addBroken(why string) {
	r.problems = append(r.problems, Problem{
		Code: NoOps, Line: r.open.Line, Message: fmt.Sprintf("incomplete block at line %d of the reply: %s", r.open.Line, why),
		Hint: "close each block with a line >>>>>>> REPLACE",
	})
}

// marker returns the marker of a line, or 0. It tolerates miscounted arrows.
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

// pathIn extracts a file name from the line above a block.
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

// WriteBlocks writes blocks about one text in canonical form.
func WriteBlocks(name string, blocks []Block) string {
	var b strings.Builder
	for _, one := range blocks {
		b.WriteString(name + "\n<<<<<<< SEARCH\n" + one.Search + "=======\n" + one.Replace + ">>>>>>> REPLACE\n")
	}
	return b.String()
}

// Convert converts search/replace blocks about one text to a patch. A block's search text is
// complete lines of the base; of several instances it uses the first, with a warning. All blocks
// refer to the base, not to each other's results.
func Convert(path string, base *Text, blocks []Block) (Patch, Report) {
	c := &converter{resolver: resolver{base: base}}
	if len(blocks) == 1 && strings.TrimSpace(blocks[0].Search) == "" && strings.TrimSpace(base.canon) == "" {
		return c.finish(path, blocks[0].Replace)
	}
	c.find(blocks)
	c.reportOverlaps(c.edits, func(first, second, line int) Problem {
		p := blockProblem(second, blocks[second-1])
		p.Message = fmt.Sprintf("the blocks at lines %d and %d of the reply both change line %d", blocks[first-1].Line, blocks[second-1].Line, line)
		p.Hint = "combine the two blocks"
		return p
	})
	if !c.report.OK() {
		return Patch{}, c.report
	}
	return c.finish(path, splice(base.canon, c.edits))
}

type converter struct {
	resolver
	edits []edit
}

func (c *converter) finish(path, content string) (Patch, Report) {
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

// find searches for complete lines: text and words get a line end on either side, so that nothing
// matches in the middle of a line.
func (c *converter) find(blocks []Block) {
	var s search
	found := make([]*query, len(blocks))
	for i, b := range blocks {
		if blank(b.Search) {
			p := blockProblem(i+1, b)
			p.Code, p.Message, p.Hint = EmptyAnchor, "the search text is blank and would match everywhere", "quote the lines to replace"
			c.report.Problems = append(c.report.Problems, p)
			continue
		}
		found[i] = s.queryFor("\n" + b.Search)
		found[i].instances = []int{1}
	}
	s.run("\n" + withEnd(c.base.canon))
	for i, b := range blocks {
		if found[i] != nil {
			c.addEdit(i+1, b, found[i])
		}
	}
}

func blockProblem(number int, b Block) Problem {
	return Problem{Operation: number, Field: fmt.Sprintf("block at line %d", b.Line)}
}

func (c *converter) addEdit(number int, b Block, found *query) {
	p := blockProblem(number, b)
	start, ok := found.at[1]
	if !ok {
		p.Code, p.Wanted, p.Hint = AnchorNotFound, 1, "quote complete lines exactly"
		p.Message = "the lines " + fault.Shown(clip(b.Search)) + " are not in the text"
		c.explain(&p, strings.TrimSuffix(b.Search, "\n"), b.Search)
		c.report.Problems = append(c.report.Problems, p)
		return
	}
	end, with := start+len(b.Search), b.Replace
	if end > len(c.base.canon) { // the last line has no line end, and gets none
		end, with = len(c.base.canon), strings.TrimSuffix(with, "\n")
	}
	if found.count > 1 {
		lines := c.linesOf(&task{found: found})
		p.Line, p.Hint = lines[0], "quote more lines"
		c.warn(p, "the lines occur", found.count, lines, "")
	}
	c.edits = append(c.edits, edit{start: start, end: end, with: with, op: number})
}
