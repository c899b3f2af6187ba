package remark

import "slices"

// part is a clause of a sentence before a block.
type part struct {
	*introduction
	words []token
	kind  // of all words

	isFirst, isLast bool
	hasAuthor       bool // the author is named before it
	referred        bool // the clause before it speaks of the block

	isOpen bool // its last word has the block as its object
	isOwn  bool // the author acts in it
	isTurn bool // the author turns to another one
	refers bool // it speaks of the block
	bad    kind // the doubtful kinds in it that count
}

func (c *part) at(i int) string         { return wordAt(c.words, i) }
func (c *part) has(k kind) bool         { return c.kind&k != 0 }
func (c *part) isBad(k kind) bool       { return c.bad&k != 0 }
func (c *part) ends() token             { return last(c.words) }
func (c *part) begins(list string) bool { return isIn(list, c.words[0].text) }

// look fills in what the signals need.
func (c *part) look() {
	c.isOpen, c.isOwn, c.isTurn = c.isLast && c.title && c.endsOpen(), c.isAuthors(), isTurning(c.words)
	c.refers = c.isOpen || c.refersByWord() || c.referred && c.words[0].kind&negates != 0
	c.bad = c.badKinds()
}

// signal is a sign for or against a block, with an example.
type signal struct {
	example string
	holds   func(c *part) bool
}

// The signals of a clause before a block, in order: the first that holds decides. Doubts come first, then what speaks for the
// block and outweighs a doubt in a clause before it, and then what speaks for it in a title that says nothing else.
var (
	doubts = []signal{
		{"RedSky sent this: I could have written: If T1 fails, send:", func(c *part) bool {
			return c.refers && (c.bad != 0 || c.conditional || c.question && !c.has(id))
		}},
		{"A sample: RedSky's version: Rejected:", func(c *part) bool { return c.title && !c.isOwn && c.isFragment() }},
		{"Do not send: What not to do: (not recommended):", func(c *part) bool {
			return c.title && c.isBad(negates) && c.forbids() && (c.isFirst || !c.has(finite) || c.at(0) == "do" && !c.has(id)) && len(c.words) > 1
		}},
		{"As soon as T1 is in, we apply:", func(c *part) bool {
			return c.title && c.conditional && !c.isFirst && c.isLast && c.isOwn && c.has(author)
		}},
		{"If T1 fails, remove H2:", (*part).isConsequence},
		{"The other one, which I do not:", func(c *part) bool {
			return c.title && c.begins(" which ") && c.ends().text == "not" && c.has(author)
		}},
		{"Another model's output: Cut from this reply:", func(c *part) bool {
			isCut := isIn(" cut left removed deleted dropped excluded omitted taken ", c.at(0)) && isIn(" from out of ", c.at(1))
			return c.title && c.isFirst && (isCut && !c.has(id) || c.at(0) == "re" || c.begins(" other another ") && !c.has(id|thing) && isIn(" output reply answer submission contribution ", c.ends().text))
		}},
		{"I resist it:", func(c *part) bool {
			return c.has(author) && !c.has(id|thing|acts) && c.ends().text == "it" && isIn(" resist refuse decline reject oppose avoid ", c.at(len(c.words)-2))
		}},
		{"As RedSky would have it:", func(c *part) bool { return c.title && c.has(modal) && isQuoting(c.words) }},
		{"To be sent later:", func(c *part) bool {
			return c.title && c.at(0) == "to" && c.at(1) == "be" && len(c.words) < 5 && c.ends().text != "now"
		}},
		{"Here is a caricature of H2:", func(c *part) bool { return c.title && isPresented(c.words) && c.isBad(lesson|distance|others) }},
	}
	ownActs = []signal{
		{"I kill it: My change: Adding H4:", func(c *part) bool { return c.isOwn }},
		{"In response to RedSky: As RedSky suggested:", func(c *part) bool { return c.isTurn }},
		{"RedSky would keep H2; I would not:", func(c *part) bool {
			return !c.isFirst && c.has(author) && c.has(negates) && len(c.words) < 5 && !c.refers
		}},
		{"H2 fails in T1:", func(c *part) bool { return !c.saysNothing() && (c.has(id|thing) || c.isPayload()) }},
		{"it should be dropped: now it has a number:", func(c *part) bool {
			return !c.saysNothing() && c.bad == 0 && (c.hasItem && c.has(acts) || c.at(0) == "now")
		}},
		{"Should H2 survive? No:", func(c *part) bool { return c.follows && len(c.words) == 1 && c.at(0) == "no" }},
	}
	ordinary = []signal{
		{"The lag is two hours:", func(c *part) bool { return !c.saysNothing() && c.has(finite) && !c.refers }},
		{"Output: Deltas:", func(c *part) bool { return !c.saysNothing() && hasPlain(c.words) && c.bad == 0 }},
		{"In the required format:", func(c *part) bool { return !c.saysNothing() && isForm(c.words) }},
		{"What I propose: What I would change:", func(c *part) bool { return !c.saysNothing() && (isAuthorsNow(c.words) || isAuthorsWish(c.words)) }},
		{"One more idea: And one more point:", func(c *part) bool {
			i := 0
			if c.at(0) == "and" {
				i++
			}
			return c.at(i) == "one" && isIn(" more last final ", c.at(i+1)) && c.bad&^(past|source) == 0
		}},
		{"This one is different:", func(c *part) bool {
			return c.has(pointer) && c.bad == 0 && isIn(" different new easy easier short shorter small smaller simple simpler quick harder subtle subtler minor separate independent straightforward urgent uncontroversial ", c.ends().text)
		}},
		{"The weakest one first:", func(c *part) bool { return !c.saysNothing() && c.ends().text == "first" }},
		{"The excerpt shows a lag of two hours:", func(c *part) bool {
			return !c.saysNothing() && c.has(says) && c.has(source) && !c.refers && c.ends().kind == 0 && len(c.words) > 4
		}},
	}
)

// outweigh returns what is left of what was said before a clause.
func (c *part) outweigh(state judgement) judgement {
	holds := func(of []signal) bool { return slices.ContainsFunc(of, func(s signal) bool { return s.holds(c) }) }
	isWeak := c.isAdverbial()
	switch {
	case c.begins(" since because as ") && state == clearly, c.isConcession():
		return state
	case isOrdinary(c.words) && !(c.conditional && c.isOpen && !c.isFirst) && !c.isConsequence():
		isWeak = isWeak || !c.has(mine) && !c.isOwn || c.conditional
	case len(c.words) <= 3 && c.isOwn && c.ends().text == "do": // and I do
	case holds(doubts):
		return doubtfully
	case holds(ownActs):
	case holds(ordinary):
		isWeak = true
	default:
		return state
	}
	if isWeak && state != neutral {
		return state
	}
	return clearly
}

// isAdverbial reports whether a clause says when, or in which case.
func (c *part) isAdverbial() bool {
	return c.begins(" before after when until while if unless once provided ") || c.at(0) == "in" && c.at(1) == "case"
}

// isConcession reports whether a clause admits a doubt about what is claimed, and not about the block.
func (c *part) isConcession() bool {
	return c.begins(" although though ") && c.bad&^(modal|suppose) == 0
}

// isConsequence reports whether a clause orders what is to be done if a condition holds.
func (c *part) isConsequence() bool {
	return c.title && !c.caption && c.conditional && c.isLast && !c.isFirst && c.words[0].kind&acts != 0 && c.words[0].kind&pastForm == 0 && !c.has(author|mine)
}

// saysNothing reports whether a clause leaves to others what the block is.
func (c *part) saysNothing() bool {
	if c.begins(" which who ") && (!c.has(id) || c.has(author|source)) {
		return true
	}
	isClear := c.bad == 0 && (hasPlain(c.words) || c.has(thing) && c.ends().text == "follows" || c.ends().kind&pointer != 0 && c.has(thing))
	return c.isOpen && !isAuthorsNow(c.words) && !isAuthorsWish(c.words) && !isClear
}

// endsOpen reports whether the last word of a clause lacks its object.
func (c *part) endsOpen() bool {
	if c.has(id|thing) && c.has(author) && !c.has(negates) {
		return false
	}
	end := c.ends()
	switch {
	case end.kind&open != 0, isIn(" avoid reject oppose fight resist regret dispute refuse decline condemn ", end.text) && !c.has(id|thing), isIn(" so thus ", end.text) && !c.has(thing):
		return true
	case end.kind&says == 0:
		return false
	}
	return c.has(source|author|modal) && (!c.has(id) || c.has(modal)) || c.conditional || end.kind&pastForm != 0 && !c.has(author|id|mine)
}

// forbids reports whether a clause with a negation speaks against a block that it does not name.
func (c *part) forbids() bool {
	return c.begins(" do please never ") || c.begins(" nobody none ") && !c.has(id|thing) || c.at(0) == "not" && !c.has(id) || isIn(" recommended chosen adopted proposed final meant used mine ", c.at(1)) || c.begins(" what how ") && !c.has(id|author)
}

// isFragment reports whether a clause without a verb calls the block something doubtful.
func (c *part) isFragment() bool {
	switch {
	case c.has(id | finite | modal), c.hasItem && !c.has(thing) && !c.isBad(lesson), c.ends().text == "first":
		return false
	case c.isBad(negates) && !c.has(author|mine) && isIn(" nobody none ", c.at(len(c.words)-2)), c.isBad(lesson | others), c.isBad(distance) && (!c.has(thing) || c.has(pastForm)),
		c.isBad(past) && !c.has(mine|author|thing):
		return true
	}
	return c.isBad(source) && (c.ends().kind&source != 0 || len(c.words) <= 3 && !c.has(thing))
}

// badKinds returns the doubtful kinds in a clause that count.
func (c *part) badKinds() kind {
	bad := c.kind & doubtful &^ (source | others)
	if hasTheirs(c.words) {
		bad |= others
	}
	if isQuoting(c.words) && !(c.follows && c.begins(" they he she ")) {
		bad |= source
	}
	if c.isPast() {
		bad |= past
	}
	for i, t := range c.words {
		if isIn(" look looks looked ", t.text) && c.at(i+1) == "like" && !c.hasItem && !c.has(thing) {
			bad |= lesson
		}
		if t.kind&negates != 0 && (kinds(c.words[i:min(i+3, len(c.words))])&lesson != 0 || isIn(" sure certain new ", c.at(i+1))) {
			bad &^= negates | lesson // not an example
		}
	}
	bad &^= c.excused()
	if c.at(0) == "how" || (c.at(2) == "how" || c.at(1) == "how" && len(c.words) > 2) && !c.has(author) {
		bad |= lesson
	}
	return bad
}

// isPast reports whether a clause tells what its author, or anyone, has said before.
func (c *part) isPast() bool {
	for i, t := range c.words[:len(c.words)-1] {
		next := c.words[i+1]
		if (t.kind&author != 0 || isIn(" was were ", t.text)) && next.kind&pastForm != 0 || t.kind&author != 0 && isIn(" was were ", next.text) {
			return true
		}
	}
	end := c.ends()
	return len(c.words) > 1 && end.kind&says != 0 && end.kind&pastForm != 0 && !c.has(author|id|mine)
}

// excused returns the doubtful kinds that do not count because of who acts in a clause.
func (c *part) excused() (k kind) {
	if isForm(c.words) || c.at(0) == "for" && isIn(" example instance ", c.at(1)) && len(c.words) > 2 {
		k = lesson | source | others
	}
	switch {
	case c.isTurn:
		k |= doubtful &^ (negates | lesson)
	case c.isOwn && c.words[0].kind&pointer != 0: // this edit removes
		k = doubtful
	case c.isOwn && c.has(author):
		k |= modal | past | delays
	case c.isOwn && c.at(0) == "here":
		k |= past
	case c.isOwn && c.has(thing|block), kinds(c.words[:min(2, len(c.words))])&thing != 0:
		k |= modal
	case isAuthorsWish(c.words):
		k |= modal | delays
	case isAuthorsNow(c.words) && c.has(acts):
		k |= source
	}
	return k
}
