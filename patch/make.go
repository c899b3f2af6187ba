package patch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	words "brenner/internal/text"
)

// Make returns a patch that turns one text into another, with both hashes. Its blocks are complete
// lines if these are short, and its anchors are unique if a few lines suffice for that. A
// change at the first character cannot be anchored: then the patch replaces the entire file.
func Make(path string, a, b *Text) (Patch, []Problem) {
	if a.canon == b.canon {
		p := Problem{Code: NoOps, Message: "the two texts are identical; nothing to patch"}
		if a.raw != b.raw {
			p.Message = "the two texts differ only in line ends or U+FEFF, which patches do not change"
		}
		return Patch{}, []Problem{p}
	}
	p := Patch{Path: path, Base: a.hash, Result: b.hash}
	m := &maker{a: a.canon, b: b.canon}
	if !m.changes() {
		p.Groups = []Group{{Ops: []Op{{Kind: ReplaceFile, New: b.canon}}}}
		return p, nil
	}
	m.anchors()
	for i, c := range m.all {
		op := Op{Kind: ReplaceBlock, Index: c.index, Old: m.old(c), New: m.new(c)}
		if op.New == "" {
			op.Kind = DeleteBlock
		}
		p.Groups = append(p.Groups, Group{Anchor: Anchor{Text: m.a[m.all[i].anchor:c.a0], Mode: Exact}, Ops: []Op{op}})
	}
	return p, nil
}

type change struct {
	a0, a1, b0, b1 int
	anchor         int // start of its anchor
	index          int // instance of the anchor; 0: it is unique
}

type maker struct {
	a, b string
	all  []change
}

func (m *maker) old(c change) string { return m.a[c.a0:c.a1] }
func (m *maker) new(c change) string { return m.b[c.b0:c.b1] }

// longBlock is the size from which a block is reduced to the changed words.
const longBlock = 400

// changes finds the changes; it returns false if they cannot be anchored.
func (m *maker) changes() bool {
	linesA, linesB := splitLines(m.a), splitLines(m.b)
	startA, startB := offsets(linesA), offsets(linesB)
	for _, h := range compareLines(linesA, linesB) {
		c := change{a0: startA[h.a0], a1: startA[h.a1], b0: startB[h.b0], b1: startB[h.b1]}
		if c.a1-c.a0+c.b1-c.b0 > longBlock {
			m.narrow(&c)
		} else {
			m.dropLineEnd(&c)
		}
		if c.a0 == 0 {
			m.leaveStart(&c)
		}
		m.fill(&c)
		m.join(c)
	}
	return !blank(m.a[:m.all[0].a0])
}

func offsets(lines []string) []int {
	out := make([]int, len(lines)+1)
	for i, l := range lines {
		out[i+1] = out[i] + len(l)
	}
	return out
}

func (m *maker) dropLineEnd(c *change) {
	if c.a1-c.a0 > 1 && c.b1 > c.b0 && m.a[c.a1-1] == '\n' && m.b[c.b1-1] == '\n' {
		c.a1, c.b1 = c.a1-1, c.b1-1
	}
}

func (m *maker) narrow(c *change) {
	old, now := m.old(*c), m.new(*c)
	head := words.Common(old, now)
	for head > 0 && !boundary(old, head) {
		_, size := utf8.DecodeLastRuneInString(old[:head])
		head -= size
	}
	old, now = old[head:], now[head:]
	tail := 0
	for tail < min(len(old), len(now)) && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	for tail > 0 && !boundary(old, len(old)-tail) {
		tail--
	}
	c.a0, c.b0 = c.a0+head, c.b0+head
	c.a1, c.b1 = c.a1-tail, c.b1-tail
}

func boundary(s string, at int) bool {
	if at == len(s) || !utf8.RuneStart(s[at]) {
		return at == len(s)
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	r, _ := utf8.DecodeRuneInString(s[at:])
	return unicode.IsSpace(before) || unicode.IsSpace(r)
}

// leaveStart moves a change away from the first character if that is unchanged.
func (m *maker) leaveStart(c *change) {
	head := words.Common(m.old(*c), m.new(*c))
	c.a0, c.b0 = c.a0+head, c.b0+head
}

// fill extends a pure insertion by text to replace: the rest of the line after it or, at the
// end of the text, the line before it.
func (m *maker) fill(c *change) {
	if c.a1 > c.a0 {
		return
	}
	if rest := m.a[c.a1:]; rest != "" {
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		if n > longBlock || n == 0 {
			_, n = utf8.DecodeRuneInString(rest)
		}
		c.a1, c.b1 = c.a1+n, c.b1+n
		return
	}
	n := len(m.a) - 1 - strings.LastIndexByte(m.a[:max(0, len(m.a)-1)], '\n')
	if n > longBlock || n == len(m.a) { // the first line, or most of it, must stay
		_, n = utf8.DecodeLastRuneInString(m.a)
	}
	c.a0, c.b0 = c.a0-n, c.b0-n
}

// join adds a change and merges it with the previous one if they touch.
func (m *maker) join(c change) {
	if n := len(m.all); n > 0 && c.a0 < m.all[n-1].a1 {
		last := &m.all[n-1]
		last.a0, last.b0 = min(last.a0, c.a0), min(last.b0, c.b0)
		last.a1, last.b1 = max(last.a1, c.a1), max(last.b1, c.b1)
		return
	}
	m.all = append(m.all, c)
}

// level bounds the size of an anchor.
type level struct{ lines, bytes int }

// anchors finds the shortest unique text before each change, and counts instances if none of a
// reasonable length is unique.
func (m *maker) anchors() {
	open := make([]int, len(m.all))
	for i := range open {
		open[i] = i
	}
	for _, l := range []level{{1, 80}, {2, 160}, {4, 400}, {8, 1000}, {16, 4000}} {
		var left []int
		found := m.lookUp(open, l)
		for i, n := range open {
			if found[i].count == 1 {
				m.all[n].anchor = m.back(m.all[n].a0, l)
			} else {
				left = append(left, n)
			}
		}
		if open = left; len(open) == 0 {
			return
		}
	}
	first := level{1, 80}
	found := m.lookUp(open, first)
	for i, n := range open {
		c := &m.all[n]
		c.anchor, c.index = m.back(c.a0, first), found[i].ranks[c.a0]
	}
}

func (m *maker) lookUp(open []int, l level) []*query {
	var s search
	out := make([]*query, len(open))
	for i, n := range open {
		end := m.all[n].a0
		out[i] = s.queryFor(m.a[m.back(end, l):end])
		out[i].ends = append(out[i].ends, end)
	}
	s.run(m.a)
	return out
}

// back returns the start of an anchor that ends at a place: some lines before it, within the
// bound, with at least one visible character.
func (m *maker) back(end int, l level) int {
	at := end
	for range l.lines {
		if at > 0 {
			at = 1 + strings.LastIndexByte(m.a[:at-1], '\n')
		}
	}
	if end-at > l.bytes {
		at = end - l.bytes
		for !utf8.RuneStart(m.a[at]) {
			at++
		}
	}
	if blank(m.a[at:end]) {
		seen := strings.TrimRightFunc(m.a[:at], func(r rune) bool { return unicode.IsSpace(r) || zeroWidth(r) })
		_, size := utf8.DecodeLastRuneInString(seen)
		at = max(1+strings.LastIndexByte(seen, '\n'), len(seen)-l.bytes)
		for at < len(seen)-size && !utf8.RuneStart(m.a[at]) {
			at++
		}
		at = min(at, len(seen)-size)
	}
	return at
}
