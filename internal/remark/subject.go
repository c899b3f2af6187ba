package remark

import (
	"bytes"
	"strings"
)

// isAuthors reports whether the author is the subject of a clause, and acts in it now.
func (c *part) isAuthors() bool {
	if c.begins(" which who ") {
		return false
	}
	i := c.subject()
	switch k := c.words[i].kind; {
	case isIn(" apply merge accept ", c.at(i)) && i+1 < len(c.words), isIn(" me us ", c.at(i)) && c.at(i-1) == "let":
		return true
	case k&acts != 0 && k&pastForm == 0 && (c.hasAuthor || i+1 < len(c.words)):
		return !c.conditional && (c.hasAuthor || !c.has(lesson|source|others))
	case k&mine != 0:
		return c.isMine(i)
	case k&pointer != 0 && i+1 < len(c.words):
		next := c.words[i+1]
		if next.kind&block != 0 && i+2 < len(c.words) {
			next = c.words[i+2]
		}
		return next.kind&acts != 0 && strings.HasSuffix(next.text, "s")
	case k&author != 0:
		return c.actsNow(i + 1)
	}
	return false
}

// subject returns where the subject of a clause may be.
func (c *part) subject() (i int) {
	if c.at(0) == "below" && len(c.words) > 1 {
		i++
	}
	for ; i < len(c.words)-1; i++ {
		t := c.words[i]
		isShown := isIn(" here below ", c.at(i-1)) && isIn(" is are ", t.text)
		if !isShown && (t.kind&plain == 0 || t.kind&(acts|says) != 0) && !isIn(joining+"then please let ", t.text) && !strings.HasSuffix(t.text, "ly") {
			break
		}
	}
	return i
}

// isMine reports whether a clause speaks of a change as its author's: my proposed change.
func (c *part) isMine(i int) bool {
	k := c.kind
	if i+2 < len(c.words) && c.words[i+1].kind&pastForm != 0 && c.words[i+2].kind&(block|thing) != 0 {
		k = kinds(c.words[i+2:])
	}
	return k&(pastForm|distance|others|lesson) == 0 && (!c.has(modal) || c.has(thing|block) && !c.conditional)
}

// actsNow reports whether the verb of an author, from a place on, is of the present.
func (c *part) actsNow(i int) bool {
	isWilling := false
	for ; i < len(c.words) && (strings.HasSuffix(c.at(i), "ly") || isIn(" would will can also do am are now hereby therefore rather ", c.at(i))); i++ {
		isWilling = isWilling || isIn(" would will can ", c.at(i))
	}
	switch {
	case isWilling && c.conditional:
		return false
	case i == len(c.words):
		return true
	case c.words[i].kind&distance != 0 && !c.has(id|thing) && !c.hasItem:
		return false
	}
	return c.words[i].kind&(pastForm|past|negates|modal|source) == 0 && !isIn(" have was were had ", c.at(i))
}

// refersByWord reports whether a word of a clause stands for the block.
func (c *part) refersByWord() bool {
	if c.title && c.at(0) == "here" && isIn(" is are ", c.at(1)) || c.at(0) == "to" && c.at(1) == "be" {
		return true
	}
	for i, t := range c.words {
		if c.isReference(i, t) {
			return true
		}
	}
	return false
}

// isReference reports whether a word of a clause stands for the block.
func (c *part) isReference(i int, t token) bool {
	switch {
	case c.title && c.isShown(t), t.text == "follows" && c.at(i-1) == "what":
		return true
	case t.text == "it":
		return c.title && !c.hasItem && !c.has(id|thing)
	case isIn(" something anything ", t.text) && c.has(id), t.text == "that" && (c.follows || !c.title && i == 0):
		return false
	case t.kind&pointer != 0:
		return (c.title || c.isPointed(i, t)) && !c.isPartOf(i)
	}
	return t.kind&block != 0 && t.kind&pastForm == 0 && !c.has(mine) && (c.title || c.isNamed(i))
}

// isPartOf reports whether a word of a question is for what was said before: what if none of this.
func (c *part) isPartOf(i int) bool {
	return c.question && c.at(i-1) == "of" && isIn(" none all any some ", c.at(i-2))
}

// isShown reports whether a word of a title is for what it leads to: what RedSky wants, this parting shot.
func (c *part) isShown(t token) bool {
	return t.text == "what" && !c.has(id) || t.kind&bound != 0 && isQuoting(c.words)
}

// isNamed reports whether a word is "block" or "delta", and one certain block is meant.
func (c *part) isNamed(i int) bool {
	return isIn(" block delta patch diff ", c.at(i)) && isIn(" the this that following next ", c.at(i-1))
}

// isPointed reports whether a word such as "this" stands for the block below it, in a sentence that is not a title.
func (c *part) isPointed(i int, t token) bool {
	if (c.follows || c.isBehind) && !isIn(" following below next ", t.text) {
		return false // it is about what stands above
	}
	isSubject := i+1 < len(c.words) && (c.words[i+1].kind&(finite|block) != 0 && c.has(others|lesson|mine) || c.words[i+1].kind&modal != 0 && c.has(block))
	return i > 0 || isSubject || t.text == "following"
}

// isPayload reports whether a clause has a long word of the block.
func (c *part) isPayload() bool {
	const long = 5
	var payload []byte
	for _, t := range c.words {
		if len(t.text) < long || t.kind != 0 {
			continue
		}
		if payload == nil {
			payload = bytes.ToLower(c.payload)
		}
		if bytes.Contains(payload, []byte(t.text)) {
			return true
		}
	}
	return false
}
