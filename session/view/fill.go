package view

import (
	"brenner/artifact"
)

// BytesPerToken is more than the average of any language. A text with more bytes per remaining
// token is not even counted.
const BytesPerToken = 8

// maxSkipped is how many oversized parts are skipped before all further parts stay shortened.
const maxSkipped = 8

// maxFills is how many times the remaining room is filled: the sum of the parts' tokens is a little
// more than the tokens of the text, and each part shown shortens the list of omissions.
const maxFills = 3

type filler struct {
	page  *page
	bound int
	count func(string) int

	left   int // tokens, by the sum of the parts
	begun  [groupCount]bool
	most   int     // tokens that outcomes may still have
	raises []raise // in order, so that the last can be undone
}

// raise is a part raised to a higher level, and its cost.
type raise struct {
	part *part
	from level
	cost int
}

// fill returns the text and its tokens. They exceed the bound only if the fixed parts alone do.
func (f *filler) fill() (text string, tokens int) {
	if f.mayFit() {
		for _, p := range f.page.order {
			p.level = p.want
		}
		if text, tokens = f.render(); tokens <= f.bound {
			return text, tokens
		}
	}
	f.lowerAll()
	if text, tokens = f.render(); tokens > f.bound {
		return text, tokens
	}
	for fill := range maxFills {
		before := len(f.raises)
		f.left = f.bound - tokens
		// Later, items have had their turn.
		if f.most = f.left; fill == 0 {
			f.most /= addressedShare
		}
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

func (f *filler) mayFit() bool {
	room := BytesPerToken * f.bound
	for _, p := range f.page.order {
		if room -= len(p.text(p.want)); room < 0 {
			return false
		}
	}
	return true
}

// lowerAll shows only the name of every part, except for the research thread.
func (f *filler) lowerAll() {
	for _, p := range f.page.order {
		p.level = named
		if p.group == group(artifact.ResearchThread) {
			p.level = shortened
		}
	}
}

func (f *filler) render() (text string, tokens int) {
	text = f.page.write()
	return text, f.count(text)
}

// raiseAll shows as much as fits, by importance: notes and feedback, then the rest shortened. Parts
// of the rest are shown completely only if none of them is left out.
func (f *filler) raiseAll() {
	addressed, rest := f.page.order[:f.page.addressed], f.page.order[f.page.addressed:]
	f.raiseShort(addressed)
	f.raiseComplete(addressed)
	if f.raiseShort(rest) {
		f.raiseComplete(rest)
	}
}

// raiseShort shows parts shortened. It stops at the first one that does not fit, so that less
// important parts do not take its room, and reports whether all parts fit.
func (f *filler) raiseShort(parts []*part) bool {
	for _, p := range parts {
		if p.want > named && p.level == named && !f.raise(p, shortened) {
			return false
		}
	}
	return true
}

// raiseComplete shows parts completely. It stops likewise, but skips oversized parts, so that one
// does not keep all others shortened.
func (f *filler) raiseComplete(parts []*part) {
	passed := 0
	for _, p := range parts {
		if p.want < complete || p.level == named || f.raise(p, complete) {
			continue
		}
		if passed++; passed == maxSkipped || !f.oversized(p) {
			return
		}
	}
}

// oversized reports whether a part alone would take more than a quarter of the bound.
func (f *filler) oversized(p *part) bool {
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
	if cost += p.cost(to, f.count); cost > f.left || p.group == outcomesGroup && cost > f.most {
		return false
	}
	if p.group == outcomesGroup {
		f.most -= cost
	}
	f.raises = append(f.raises, raise{part: p, from: p.level, cost: cost})
	f.left -= cost
	f.begun[p.group] = true
	p.level = to
	return true
}

// settle enforces the bound. The sum of the parts is not exactly the count of the text: tokens join
// at the seams, and showing an id splits a range in two. So it counts the text and undoes the last
// raises while it is over the bound. Without any raise it was within it.
func (f *filler) settle() (text string, tokens int) {
	for {
		text, tokens = f.render()
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
