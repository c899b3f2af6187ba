package remark

import (
	"slices"
	"strings"
)

func last(c []token) token { return c[len(c)-1] }

// isPresented reports whether a clause begins with a word that shows something: here is a caricature of H2.
func isPresented(c []token) bool {
	return isIn(" here this ", wordAt(c, 0)) && isIn(" is are ", wordAt(c, 1)) || wordAt(c, 0) == "as" && isIn(" a an ", wordAt(c, 1))
}

const titleWords = " the a an for in of as is are this my to from me with it 1 2 3 4 5 one two three only record and below follows following pending block version "

// isOrdinary reports whether a clause has only words of ordinary titles.
func isOrdinary(c []token) bool {
	if len(c) == 1 && (isIn(joining, c[0].text) || isIn(" me this note notes done ", c[0].text)) || len(c) == 4 && c[0].text == "with" && c[3].text == "mind" {
		return true
	}
	isPlain := last(c).text == "record" && c[0].text == "for"
	for _, t := range c {
		isPlain = isPlain || t.kind&plain != 0
		if t.kind&(plain|mine|id) == 0 && !isIn(titleWords, t.text) || t.kind&pastForm != 0 && t.kind&says != 0 {
			return false
		}
	}
	return isPlain
}

// hasPlain reports whether a clause has a word of ordinary titles, and not only a kind of block: a kill.
func hasPlain(c []token) bool {
	for i, t := range c {
		if t.kind&plain != 0 && !isIn(joining, t.text) && !(t.kind&(block|acts) != 0 && i > 0 && isIn(" a an of ", c[i-1].text)) {
			return true
		}
	}
	return false
}

// isForm reports whether a clause tells in which form the block is: in the required format.
func isForm(c []token) bool {
	if kinds(c)&author != 0 && slices.ContainsFunc(c, func(t token) bool { return isIn(" follow use using ", t.text) }) {
		return true
	}
	for i, t := range c {
		if isIn(" format form syntax ", t.text) {
			for _, before := range c[:i] {
				if before.text == "in" || before.text == "required" {
					return true
				}
			}
		}
	}
	return false
}

// turns are the words with which an author turns to another one.
const turns = " acting drawing borrowing addressing taking prompted inspired response reply respond responding answering seconding building thanks contrary unlike following speaking replying "

// isTurning reports whether an author turns to another one in a clause, follows it, or repeats itself.
func isTurning(c []token) bool {
	second := wordAt(c, 1)
	switch c[0].text {
	case "per":
		return true
	case "as":
		return followsRequest(c)
	case "in":
		return isIn(turns+"agreement line light view keeping accordance ", second) || len(c) > 2 && c[1].kind&mine != 0 && isIn(" role view opinion judgement capacity ", c[2].text)
	case "at", "on", "by", "with":
		return len(c) > 2 && (c[1].kind&others != 0 && isIn(" request suggestion advice recommendation prompting ", c[2].text) || slices.ContainsFunc(c[1:min(4, len(c))], func(t token) bool { return isIn(" apologies respect thanks credit ", t.text) }))
	}
	for i, t := range c {
		if isIn(" convinced persuaded swayed ", t.text) || t.kind&author != 0 && wordAt(c, i+1) == "should" && wordAt(c, i+2) == "have" {
			return true
		}
	}
	return isIn(turns, c[0].text) && len(c) > 1 && c[1].kind&(block|finite) == 0
}

// followsRequest reports whether a clause that begins with "as" does what was wished: as RedSky suggested, as promised.
func followsRequest(c []token) bool {
	if len(c) < 2 {
		return false
	}
	isWish := slices.ContainsFunc(c, func(t token) bool {
		return isIn(" suggested suggests recommended recommends requested requests asked asks advised advises urged ", t.text)
	})
	return c[1].kind&author != 0 || isWish && kinds(c[1:])&source != 0 || len(c) == 2 && c[1].kind&source == 0 && (strings.HasSuffix(c[1].text, "ed") || c[1].text == "said")
}

// isQuoting reports whether another author, or a text, says something in a clause, is named as its origin, or is all of it.
func isQuoting(c []token) bool {
	if c[0].text == "in" && kinds(c[:min(3, len(c))])&block != 0 {
		return true
	}
	isVerbless := kinds(c)&(finite|says|acts|modal) == 0
	for i := range c {
		if isSource(c, i) && (isVerbless || isOrigin(c, i) || kinds(c[i+1:])&says != 0 || c[0].text == "what" && i < 3) {
			return true
		}
	}
	return false
}

// isSource reports whether a word is another author, also "one" as in "one could write".
func isSource(c []token, i int) bool {
	isOne := c[i].text == "one" && !isIn(" this that the ", wordAt(c, i-1)) && i+1 < len(c) && c[i+1].kind&(modal|says) != 0
	return c[i].kind&source != 0 || isOne
}

// isOrigin reports whether a word is where something comes from: from RedSky, the change RedSky wants.
func isOrigin(c []token, i int) bool {
	return isIn(" from by to ", wordAt(c, i-1)) || isIn(" from by ", wordAt(c, i-2)) || i > 0 && c[i-1].kind&block != 0 && c[i-1].kind&pastForm == 0
}

// hasTheirs reports whether a clause has a word for what another author has written: RedSky's proposal.
func hasTheirs(c []token) bool {
	for i, t := range c {
		if t.kind&others == 0 {
			continue
		}
		next := c[i+1 : min(i+4, len(c))]
		if len(next) == 0 || kinds(next)&(block|lesson|says) != 0 || slices.ContainsFunc(next, func(t token) bool { return isIn(" words text latest parting ", t.text) }) ||
			kinds(next)&thing != 0 && len(c) < 5 && kinds(c)&(finite|modal|acts) == 0 {
			return true
		}
	}
	return false
}

// isAuthorsWish reports whether a clause says what its author would do.
func isAuthorsWish(c []token) bool {
	for i, t := range c {
		if t.kind&author != 0 && wordAt(c, i+1) == "would" && i+2 < len(c) && c[i+2].text != "have" && (c[i+2].kind&(negates|finite) == 0 || c[i+2].text == "do") {
			return true
		}
	}
	return false
}

// isAuthorsNow reports whether a clause says what its author does now.
func isAuthorsNow(c []token) bool {
	if isIn(" this that ", c[0].text) && kinds(c[min(3, len(c)):])&(acts|says|plain) == 0 {
		return false // this is where I draw the line
	}
	for i, t := range c {
		if t.kind&author != 0 && i+1 < len(c) && (c[i+1].kind&(pastForm|negates|modal|finite) == 0 || c[i+1].text == "do" && (i+2 == len(c) || c[i+2].kind&negates == 0)) {
			return true
		}
	}
	return false
}
