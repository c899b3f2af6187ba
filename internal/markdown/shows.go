package markdown

import "bytes"

// shows finds the blocks between tags that say that they are an example or a quotation. Only a pair
// of tags counts. Behind one that begins its line and is never closed everything is doubtful.
type shows struct {
	tags []showTag        // the opening tags
	open map[string][]int // those that are open, by family
}

// showTag is an opening tag.
type showTag struct {
	from, to   int // the blocks that it encloses; to is -1 if it is not closed
	beginsLine bool
	turn       bool // it needs no closing tag
}

// inTurn reports whether the text is that of another author.
func (s *shows) inTurn() bool { return len(s.open[turn]) > 0 }

// apply lets a tag after n blocks take effect.
func (s *shows) apply(t tag, n int, beginsLine bool) {
	if s.open == nil {
		s.open = make(map[string][]int)
	}
	open := s.open[t.family]
	switch last := len(open) - 1; {
	case t.kind == tagShow && t.family == turn && last >= 0:
	case t.kind == tagShow:
		s.open[t.family] = append(open, len(s.tags))
		s.tags = append(s.tags, showTag{n, -1, beginsLine, t.family == turn})
	case last >= 0:
		s.tags[open[last]].to = n
		s.open[t.family] = open[:last]
	}
}

// mark marks the blocks.
func (s *shows) mark(blocks []Block) {
	if len(s.tags) == 0 {
		return
	}
	depth := make([]int, len(blocks)+1)
	doubt := len(blocks)
	for _, t := range s.tags {
		if t.turn && t.to < 0 {
			t.to = len(blocks)
		}
		switch {
		case t.to >= 0:
			depth[t.from]++
			depth[t.to]--
		case t.beginsLine:
			doubt = min(doubt, t.from)
		}
	}
	n := 0
	for i := range blocks {
		n += depth[i]
		switch {
		case n > 0:
			blocks[i].Shown, blocks[i].Doubtful = true, false
		case i >= doubt:
			blocks[i].Shown, blocks[i].Doubtful = true, true
		}
	}
}

// beginsLine reports whether a tag from s.start to end is the first of its line, and one in brackets
// its only text.
func (s *scanner) beginsLine(end int) bool {
	const back = 16
	before := bytes.TrimRight(s.src[max(0, s.start-back):s.start], " \t-*>\ufeff")
	first := len(before) == 0 || before[len(before)-1] == '\n'
	return first && (s.src[s.start] == '<' || onlySpace(s.src[end:max(end, s.end)]))
}

// HoldsFence reports whether a line of a text may begin or end a fence.
func HoldsFence(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimLeft(line, " \t>")
		if bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")) {
			return true
		}
	}
	return false
}
