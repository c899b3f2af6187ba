package markdown

import (
	"bytes"
	"slices"
	"sort"
)

// fenceLine is a line that begins with the marks of a fence.
type fenceLine struct {
	at     int32 // offset of the line
	length uint16
	mark   byte
	opens  bool  // it has a word behind its marks
	delta  bool  // that of a delta
	end    int32 // where a fence around a delta fence of fewer or other marks ends that it begins, or 0
}

// balance knows all fence lines of a text, and how those of one kind belong together. It is made
// when the first fence looks damaged.
type balance struct {
	made  bool
	from  int // where the text begins: the third version skips the mark before it
	third bool
	lines []fenceLine
	known []pairing

	strays []part // what stands before a line of more than three marks that closes nothing
}

// pairing says for each fence line what follows it, for fences with one mark and length. The
// values are indexes of lines, or -1.
type pairing struct {
	mark   byte
	length uint16
	outer  []int32 // the line that closes a fence around an inner one which is open at this line
	closer []int32 // the next closing line, this one included
	event  []int32 // the next line that closes such a fence or opens any, this one included
}

// maxPairings bounds the kinds of fences for which pairings are made.
const maxPairings = 4

func (b *balance) make(src []byte) {
	if b.made {
		return
	}
	b.made = true
	for at := b.from; at < len(src); {
		line := src[at:]
		next := len(src)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], at+i+1
		}
		line = bytes.Trim(line, " \t\r")
		if len(line) >= 3 && (line[0] == '`' || line[0] == '~' || line[0] == ':') {
			if n := run(line, line[0]); n >= 3 && (line[0] != '`' || bytes.IndexByte(line[n:], '`') < 0) {
				opens := Fence{Mark: line[0], Length: n, Info: line[n:]}.opensFence()
				isDelta := opens && Fence{Info: line[n:]}.isDelta()
				b.lines = append(b.lines, fenceLine{int32(at), uint16(min(n, 1<<16-1)), line[0], opens, isDelta, 0})
			}
		}
		at = next
	}
	b.findShells()
	b.findCut(src)
}

// findCut finds the first line of more than three marks that closes nothing, if delta fences follow and the
// text ends in a fence: then the end of the longer fence may be missing, too, and not the line be a stray one.
func (b *balance) findCut(src []byte) {
	if len(b.lines) == 0 || !b.lines[len(b.lines)-1].opens {
		return
	}
	ends := make(map[fenceLine]int) // how many lines have such marks
	for _, l := range b.lines {
		ends[fenceLine{mark: l.mark, length: l.length}]++
	}
	for i, l := range b.lines {
		if l.length > 3 && !l.opens && ends[fenceLine{mark: l.mark, length: l.length}] == 1 && !b.endsData(src, i) {
			if slices.ContainsFunc(b.lines[i:], func(d fenceLine) bool { return d.delta && (d.mark != l.mark || d.length < l.length) }) {
				b.strays = append(b.strays, part{from: int(l.at) + 1, to: len(src)})
			}
			return
		}
	}
}

// endsData reports whether a line of marks is right behind the data of a delta fence with fewer marks. To the third version
// any text right above the line is data.
func (b *balance) endsData(src []byte, line int) bool {
	if line == 0 {
		return false
	}
	l, before := b.lines[line], b.lines[line-1]
	if !before.delta || before.mark != l.mark || before.length > l.length {
		return false
	}
	if above, isBelow := bytes.CutSuffix(src[before.at:l.at], []byte("\n")); b.third && isBelow {
		if last := bytes.LastIndexByte(above, '\n'); last >= 0 && len(bytes.TrimSpace(above[last:])) > 0 {
			return true
		}
	}
	data := bytes.TrimRight(src[:l.at], " \t\r\n")
	return len(data) > 0 && bytes.IndexByte([]byte("}]\""), data[len(data)-1]) >= 0
}

// deltaBetween returns a function that reports whether a delta fence of fewer or other marks begins between
// two lines.
func (b *balance) deltaBetween() func(from, to int) bool {
	deltas := make([]int, len(b.lines)+1) // the next delta fence
	deltas[len(b.lines)] = len(b.lines)
	for i := len(b.lines) - 1; i >= 0; i-- {
		if deltas[i] = deltas[i+1]; b.lines[i].delta {
			deltas[i] = i
		}
	}
	return func(from, to int) bool {
		d := deltas[from+1]
		return d < to && (b.lines[d].mark != b.lines[to].mark || b.lines[d].length < b.lines[to].length)
	}
}

// findShells finds fences around delta fences: pairs of lines with equal marks, of which the second one
// has no word. What is between the last of an odd number of such lines and the one before is in doubt.
func (b *balance) findShells() {
	type group struct {
		open, before int  // the index of the line that begins a fence, and of the line before it
		isOpen       bool // it has no end yet
		words        bool // a line of it has a word
	}
	groups := make(map[fenceLine]*group)
	var all []*group // in text order
	holds := b.deltaBetween()
	stray := func(g *group) {
		if l := b.lines[g.open]; g.isOpen && !l.opens && (l.length > 3 || l.mark == '~' && !g.words) && g.before >= 0 && holds(g.before, g.open) {
			b.strays = append(b.strays, part{from: int(b.lines[g.before].at) + 1, to: int(l.at)})
		}
	}
	for i, l := range b.lines {
		key := fenceLine{mark: l.mark, length: l.length}
		g := groups[key]
		switch {
		case g == nil:
			groups[key] = &group{open: i, before: -1, isOpen: true, words: l.opens}
			all = append(all, groups[key])
		case g.isOpen && !l.opens:
			if holds(g.open, i) {
				b.lines[g.open].end = l.at
			}
			g.isOpen, g.before = false, i
		default:
			if stray(g); g.isOpen {
				g.before = g.open
			}
			g.isOpen, g.open, g.words = true, i, g.words || l.opens
		}
	}
	for _, g := range all {
		stray(g)
	}
}

// after returns the index of the first fence line after an offset.
func (b *balance) after(at int) int {
	return sort.Search(len(b.lines), func(i int) bool { return int(b.lines[i].at) > at })
}

// of returns the pairing of the fences like f, or nil if there are too many kinds.
func (b *balance) of(src []byte, f Fence) *pairing {
	b.make(src)
	length := uint16(min(f.Length, 1<<16-1))
	for i := range b.known {
		if b.known[i].mark == f.Mark && b.known[i].length == length {
			return &b.known[i]
		}
	}
	if len(b.known) == maxPairings {
		return nil
	}
	n := len(b.lines)
	p := pairing{f.Mark, length, make([]int32, n+1), make([]int32, n+1), make([]int32, n+1)}
	p.outer[n], p.closer[n], p.event[n] = -1, -1, -1
	alone := int32(-1) // like outer, but no inner fence is open
	for i := n - 1; i >= 0; i-- {
		l, at := b.lines[i], int32(i)
		same := l.mark == f.Mark && l.length >= length
		p.outer[i], p.closer[i], p.event[i] = p.outer[i+1], p.closer[i+1], p.event[i+1]
		switch {
		case l.opens:
			p.event[i] = at
			if same {
				alone = p.outer[i+1]
			}
		case same:
			p.outer[i], p.closer[i], p.event[i] = alone, at, at
			alone = at
		}
	}
	b.known = append(b.known, p)
	return &b.known[len(b.known)-1]
}

// opensShell reports whether the current line begins a fence around a delta fence, which has an end.
func (s *scanner) opensShell() bool {
	s.balance.make(s.src)
	i := s.balance.after(s.start) - 1
	return i >= 0 && int(s.balance.lines[i].at) == s.start && s.balance.lines[i].end > 0 && !s.balance.lines[i].delta
}

// shellEnd returns where the open fence of data ends, if it is around a delta fence of fewer or other
// marks. Else it is 0.
func (s *scanner) shellEnd() int {
	l := &s.leaf
	if !l.fence.isData() || l.indented || s.doubt {
		return 0
	}
	s.balance.make(s.src)
	i := s.balance.after(l.start-1) - 1
	if i < 0 || s.balance.lines[i].mark != l.fence.Mark || int(s.balance.lines[i].length) != l.fence.Length || !s.balance.lines[i].opens {
		return 0
	}
	return int(s.balance.lines[i].end)
}

// outerEnd returns the offset of the line that closes a fence like f, in which another one like it
// was opened in the line at at. It returns -1 if the text has none.
func (s *scanner) outerEnd(f Fence, at int) int {
	p := s.balance.of(s.src, f)
	if p == nil {
		return len(s.src)
	}
	if i := p.outer[s.balance.after(at)]; i >= 0 {
		return int(s.balance.lines[i].at)
	}
	return -1
}

// closerAhead reports whether a line after at closes a fence like f; with first, before any line
// opens another fence.
func (s *scanner) closerAhead(f Fence, at int, first bool) bool {
	p := s.balance.of(s.src, f)
	if p == nil {
		return true
	}
	i := s.balance.after(at)
	return p.closer[i] >= 0 && (!first || p.closer[i] == p.event[i])
}
