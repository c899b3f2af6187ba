package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/internal/markdown"
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
	JSON    string // an anchor patch instead of the two, as it is written
}

// ExampleSearch is the search text of a block that only shows the format.
const ExampleSearch = "the lines as they stand now\n"

// Markers of blocks, in order.
const (
	markSearch  = '<'
	markDivider = '='
	markReplace = '>'
)

// Found is what a reply contains of search/replace blocks and, for the third reader, of anchor patches.
type Found struct {
	Blocks   []Block
	Shown    []Shown // those that are not meant as changes
	Problems []Problem
}

// Shown is a block that is a draft, a quotation or an example, and why it is not applied.
type Shown struct {
	Block
	Problem
}

// ReadBlocks returns the search/replace blocks and anchor patches in an agent's reply, by the rules of a
// reader. An unclosed or nested block is a problem. The line above a block may be a path, or one of names.
func ReadBlocks(reply []byte, version delta.Reader, names ...string) Found {
	reply, trueLine := version.Plain(reply, false)
	text := Canonical(strings.ToValidUTF8(string(reply), "\ufffd"))
	r := &blockReader{names: names, version: version, second: version != delta.FirstReader, text: text}
	next := 0
	for i, line := range splitLines(text) {
		r.from, next = next, next+len(line)
		if r.second && r.state == markDivider {
			line = r.endGlued(line, i+1)
		}
		r.line(line, i+1)
	}
	if r.state != 0 {
		r.addBroken("the reply ends within it")
	}
	if r.second && (len(r.found) > 0 || r.mayHavePatch()) {
		r.place()
	}
	for i := range r.found {
		r.found[i].Line = trueLine(r.found[i].Line)
	}
	return r.result()
}

// attempt is a block as written, complete or not.
type attempt struct {
	Block
	above  string // the last line before it that is not blank
	broken string // why it is incomplete
	shown  string // why it is not meant as a change
	at     int    // its place in the outline
	end    int    // of a patch in the outline
}

// blockReader reads line by line; state is the marker that opened the current part.
type blockReader struct {
	names   []string
	version delta.Reader
	second  bool
	found   []attempt
	state   byte
	open    attempt
	search  strings.Builder
	replace strings.Builder
	above   string // the last non-blank line outside blocks
	outline []byte // the reply with a word in place of each block
	text    string // the reply
	from    int    // offset of the current line in it
	origins []origin
	taken   []takenBack // by the third reader
}

func (r *blockReader) line(line string, number int) {
	kind := marker(line)
	switch {
	case kind == markSearch:
		if r.state != 0 {
			r.addBroken(fmt.Sprintf("another block begins at line %d", number))
		}
		r.open, r.state = attempt{Block: Block{Line: number}, above: r.above, at: len(r.outline) + 1}, markSearch
		r.search.Reset()
		r.replace.Reset()
		r.outline = append(r.outline, outlined...)
		return
	case kind == markDivider && r.state == markSearch:
		r.state = markDivider
	case kind == markReplace && r.state == markDivider:
		r.open.Search, r.open.Replace = r.search.String(), r.replace.String()
		r.found = append(r.found, r.open)
		r.state, r.above = 0, ""
		r.cutOutline(r.open.at - 1 + len(outlined))
		return
	case kind == markReplace && r.state == markSearch:
		r.addBroken(fmt.Sprintf("ends at line %d without a line =======", number))
		r.state = 0
	case r.state == markSearch:
		r.search.WriteString(withEnd(line))
	case r.state == markDivider:
		r.replace.WriteString(withEnd(line))
	default:
		r.between(strings.TrimSpace(line), line, number)
	}
	r.origins = append(r.origins, origin{len(r.outline), r.from, number})
	r.outline = append(r.outline, line...)
}

// endGlued ends the open block at a last marker to which a tag is glued, and returns what follows the
// marker. Any other line it returns.
func (r *blockReader) endGlued(line string, number int) string {
	if !strings.HasPrefix(line, ">>>>>") {
		return line
	}
	for _, word := range []string{"REPLACE", "UPDATED"} {
		if at := strings.Index(line, word) + len(word); at >= len(word) && markdown.BeginsTag([]byte(line[at:])) && marker(line[:at]) == markReplace {
			r.line(line[:at], number)
			r.from += at
			return line[at:]
		}
	}
	return line
}

// between reads a line outside blocks.
func (r *blockReader) between(text, line string, number int) {
	if text == "" || strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
		return
	}
	inner := strings.TrimLeft(text, "> \t")
	switch last := len(r.found) - 1; {
	case r.second && marker(inner) == markSearch:
		r.found = append(r.found, attempt{Block: Block{Line: number}, above: r.above, shown: shownBefore(line)})
	case inner+"\n" == ExampleSearch && last >= 0 && r.found[last].Line == number-1:
		r.found = r.found[:last]
	}
	r.above = text
}

func withEnd(line string) string {
	if strings.HasSuffix(line, "\n") {
		return line
	}
	return line + "\n"
}

func (r *blockReader) addBroken(why string) {
	r.open.broken = why
	r.found = append(r.found, r.open)
}

// result sorts what was found. The path of a block applies to those after it until another is named.
func (r *blockReader) result() Found {
	var all Found
	path := ""
	for i := range r.found {
		a := &r.found[i]
		if r.second { // a tag may stand before the path
			a.above = a.above[strings.LastIndexByte(a.above, '>')+1:]
		}
		name, named := r.pathIn(a.above)
		if a.shown != "" {
			if a.Search == ExampleSearch {
				continue
			}
			a.Path = cmp.Or(a.Path, name)
			all.Shown = append(all.Shown, Shown{a.Block, a.shownProblem()})
			continue
		}
		if named {
			path = name
		}
		a.Path = cmp.Or(a.Path, path)
		if a.broken == "" {
			all.Blocks = append(all.Blocks, a.Block)
			continue
		}
		all.Problems = append(all.Problems, Problem{
			Code: NoOps, Line: a.Line, Message: fmt.Sprintf("incomplete block at line %d of the reply: %s", a.Line, a.broken),
			Hint: "close each block with a line >>>>>>> REPLACE",
		})
	}
	if len(all.Blocks) == 0 && len(all.Problems) == 0 {
		all.Problems = append(all.Problems, Problem{
			Code: NoOps, Message: "no search/replace block in the reply",
			Hint: "a block is a line <<<<<<< SEARCH, old lines, a line =======, new lines, and a line >>>>>>> REPLACE",
		})
	}
	return all
}

func (a *attempt) shownProblem() Problem {
	what, hint := "block", "if it is meant as a change, send it again outside of that, with its lines not indented"
	if a.JSON != "" {
		what, hint = Protocol+" patch", "if it is meant as a change, send it again outside of that, in a fence of its own that begins with three backticks and the word json"
	}
	return Problem{Code: BlockShown, Line: a.Line, Message: fmt.Sprintf("the %s at line %d of the reply is not applied: %s", what, a.Line, a.shown), Hint: hint}
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

// WriteBlocks writes blocks about one text in canonical form, and patches as they are written.
func WriteBlocks(name string, blocks []Block) string {
	var b strings.Builder
	for _, one := range blocks {
		if one.JSON != "" {
			b.WriteString(withEnd(one.JSON))
			continue
		}
		b.WriteString(name + "\n<<<<<<< SEARCH\n" + one.Search + "=======\n" + one.Replace + ">>>>>>> REPLACE\n")
	}
	return b.String()
}

// Convert converts search/replace blocks about one text to a patch. A block's search text is
// complete lines of the base; of several instances it uses the first, with a warning. All blocks
// refer to the base, not to each other's results. A patch that is alone stays as it is.
func Convert(path string, base *Text, blocks []Block) (Patch, Report) {
	c := &converter{resolver: resolver{base: base}}
	if len(blocks) == 1 && blocks[0].JSON != "" {
		return c.own(&blocks[0])
	}
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
		if b.JSON != "" {
			c.addPatch(i+1, &b)
			continue
		}
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
