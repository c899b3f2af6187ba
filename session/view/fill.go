package view

import (
	"brenner/artifact"
)

// BytesPerToken is more than the words of any language have on average. A text
// with more bytes than that for each token that is left is not even counted.
const BytesPerToken = 8

// patience is after how many endless texts the others stay in short: to weigh every
// one of thousands would take seconds.
const patience = 8

// rounds is how often the room that is left is filled: the sum of the parts is a
// little more than their text, and as parts are shown, fewer are named.
const rounds = 3

// filler fills a page until its bound is reached.
type filler struct {
	page  *page
	bound int
	count func(string) int

	left   int // tokens, as far as the sum of the parts tells
	begun  [groupCount]bool
	raises []raise // in their order, so that the last can be taken back
}

// raise is a part that was shown at a higher level, and what that cost.
type raise struct {
	part *part
	from level
	cost int
}

// fill gives the text and its tokens. They are over the bound only if the fixed
// parts alone are.
func (f *filler) fill() (text string, tokens int) {
	if f.mayFit() {
		for _, p := range f.page.order {
			p.level = p.want
		}
		if text, tokens = f.weigh(); tokens <= f.bound {
			return text, tokens
		}
	}
	f.lowest()
	if text, tokens = f.weigh(); tokens > f.bound {
		return text, tokens
	}
	for range rounds {
		before := len(f.raises)
		f.left = f.bound - tokens
		f.raiseAll()
		raised := len(f.raises)
		if raised == before {
			break
		}
		if text, tokens = f.settle(); len(f.raises) < raised {
			break
		}
	}
	return text, tokens
}

// mayFit tells whether it is worth while to write everything that is wanted.
func (f *filler) mayFit() bool {
	room := BytesPerToken * f.bound
	for _, p := range f.page.order {
		if room -= len(p.text(p.want)); room < 0 {
			return false
		}
	}
	return true
}

// lowest shows everything by its name alone, but for the research thread.
func (f *filler) lowest() {
	for _, p := range f.page.order {
		p.level = named
		if p.group == group(artifact.ResearchThread) {
			p.level = inShort
		}
	}
}

func (f *filler) weigh() (text string, tokens int) {
	text = f.page.write()
	return text, f.count(text)
}

// raiseAll shows as much as fits, the most important first: the words to the
// agent, then everything else in short, and completely only once nothing is left
// out any more.
func (f *filler) raiseAll() {
	words, rest := f.page.order[:f.page.spoken], f.page.order[f.page.spoken:]
	f.raiseShort(words)
	f.raiseComplete(words)
	if f.raiseShort(rest) {
		f.raiseComplete(rest)
	}
}

// raiseShort ends at the first part that does not fit: what is less important
// does not get the room of what is more so. It tells whether all did.
func (f *filler) raiseShort(parts []*part) bool {
	for _, p := range parts {
		if p.want > named && p.level == named && !f.raise(p, inShort) {
			return false
		}
	}
	return true
}

// raiseComplete ends likewise, but passes over texts that are endless: one of them
// must not keep all others short.
func (f *filler) raiseComplete(parts []*part) {
	passed := 0
	for _, p := range parts {
		if p.want < complete || p.level == named || f.raise(p, complete) {
			continue
		}
		if passed++; passed == patience || !f.endless(p) {
			return
		}
	}
}

// endless tells whether a part alone would take more than a quarter of the bound.
func (f *filler) endless(p *part) bool {
	most := f.bound / 4
	return len(p.text(complete)) > BytesPerToken*most || p.cost(complete, f.count) > most
}

// raise shows a part at a higher level if there is room for it.
func (f *filler) raise(p *part, to level) bool {
	cost := -p.cost(p.level, f.count)
	if !f.begun[p.group] && p.level == named {
		cost += f.count(p.group.heading())
	}
	if len(p.text(to)) > BytesPerToken*(f.left-cost) {
		return false
	}
	if cost += p.cost(to, f.count); cost > f.left {
		return false
	}
	f.raises = append(f.raises, raise{part: p, from: p.level, cost: cost})
	f.left -= cost
	f.begun[p.group] = true
	p.level = to
	return true
}

// settle holds the bound. The sum of the parts is not quite the count of the text:
// tokens join at the seams, and a range of ids breaks in two where one of them is
// shown. So the text itself is counted, and while it is over the bound, the last
// raises are taken back. Without any of them it was within it.
func (f *filler) settle() (text string, tokens int) {
	for {
		text, tokens = f.weigh()
		over := tokens - f.bound
		if over <= 0 || len(f.raises) == 0 {
			return text, tokens
		}
		for ; over > 0 && len(f.raises) > 0; f.raises = f.raises[:len(f.raises)-1] {
			last := f.raises[len(f.raises)-1]
			last.part.level = last.from
			over -= max(last.cost, 1)
		}
	}
}
