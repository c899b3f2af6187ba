package remark

import (
	"slices"
	"strings"
)

// introduction is a sentence before a block as it is judged.
type introduction struct {
	title       bool // it leads to the block: a colon, or an open end
	caption     bool // it leads to the block only because it has no end
	question    bool
	supposed    bool // the sentence before it supposes something
	follows     bool // another sentence stands before it, which "that" may mean
	hasItem     bool // an item was named before, which "it" may mean
	conditional bool
	isForeign   bool
	isBehind    bool // a block stands above it, which "this" may mean
	payload     []byte
}

// judgement is what a clause or a sentence says of the block.
type judgement int

const (
	neutral judgement = iota
	clearly
	doubtfully
)

// conditions begin sentences that depend on something.
const conditions = " if had were should once pending unless assuming suppose supposing imagine provided until whenever "

// isIn reports whether a word is in a list with spaces around each word.
func isIn(list, word string) bool {
	if word == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(list[from:], word)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(word)
		if at > 0 && list[at-1] == ' ' && from < len(list) && list[from] == ' ' {
			return true
		}
		from = at + 1
	}
}

// wordAt returns a word of a clause, or "" outside of it.
func wordAt(c []token, i int) string {
	if 0 <= i && i < len(c) {
		return c[i].text
	}
	return ""
}

// judge returns what a sentence before a block says of it, clause by clause. The last one that says something decides; a
// doubt is outweighed only by the author's own act, or by a statement about an item.
func (l introduction) judge(all []token) judgement {
	parts := clauses(all)
	l.conditional = isConditional(all) || l.supposed && isIn(" then so in ", all[0].text)
	state, hasAuthor, referred := neutral, false, false
	for i, words := range parts {
		words = mainPart(words)
		if i == 0 && len(parts) > 1 && isIn(conditions, words[0].text) && isCourtesy(words) {
			continue
		}
		c := part{introduction: &l, words: words, kind: kinds(words), isFirst: i == 0, isLast: i == len(parts)-1, hasAuthor: hasAuthor, referred: referred}
		c.look()
		state = c.outweigh(state)
		hasAuthor = hasAuthor || c.has(author)
		l.hasItem = l.hasItem || c.has(id|thing)
		referred = c.refersByWord()
	}
	if l.leavesOpen(all, parts, state) {
		return doubtfully
	}
	return state
}

// leavesOpen reports whether a whole sentence leaves it open: a title that says nothing, a bare condition, or a short question.
func (l *introduction) leavesOpen(all []token, parts [][]token, state judgement) bool {
	if l.question && len(all) < 4 && kinds(all)&id == 0 {
		return true
	}
	isBare := l.conditional && (len(parts) == 1 || kinds(parts[len(parts)-1])&(finite|author|mine|id|modal|thing|says) == 0)
	return l.title && (isBare || state == neutral && !l.caption && !l.isForeign && isEnglish(all))
}

// isEnglish reports whether a sentence may be English.
func isEnglish(all []token) bool {
	return !slices.ContainsFunc(all, func(t token) bool { return isIn(" mein meine mi mis mon ma mes il la le el der die das ", t.text) })
}

// isCourtesy reports whether a sentence begins with a condition out of courtesy: in case it helps.
func isCourtesy(all []token) bool {
	return slices.ContainsFunc(all, func(t token) bool { return isIn(" helps allowed pick ", t.text) }) || wordAt(all, 1) == "nobody"
}

// isConditional reports whether a sentence begins with a condition, and not with a phrase such as "if I may".
func isConditional(all []token) bool {
	first, second := all[0].text, wordAt(all, 1)
	switch {
	case len(all) == 1, first == "pending" && all[1].kind&block != 0, isCourtesy(all):
		return false
	case isIn(" when after once ", first) && slices.ContainsFunc(all, func(t token) bool { return isIn(" shall will ", t.text) }) && kinds(all)&author != 0:
		return true
	case isIn(conditions, first), first == "as" && second == "soon", first == "in" && second == "case", first == "when" && all[1].kind&id != 0:
		return true
	}
	for i, t := range all {
		if t.text == "only" && isIn(" after if when once ", wordAt(all, i+1)) {
			return true
		}
	}
	if first == "on" && second == "the" && isIn(" assumption condition understanding ", wordAt(all, 2)) {
		return true
	}
	return slices.ContainsFunc(all[:min(5, len(all))], func(t token) bool { return t.kind&suppose != 0 && t.text != "if" && t.text != "unless" }) && all[0].kind&author == 0 && !isIn(" perhaps maybe possibly ", first)
}

// adverbial are words that begin a clause before its subject.
const adverbial = " instead in after as with given since from for to before despite like unlike rather at on "

// mainPart returns a clause from its author on, if it begins with something else: instead of RedSky's edit I propose.
func mainPart(c []token) []token {
	for i := 1; i+1 < len(c) && isIn(adverbial, c[0].text); i++ {
		if c[i].kind&(source|block) != 0 && isIn(" in from ", c[0].text) && !slices.ContainsFunc(c, func(t token) bool { return isIn(" take draw learn ", t.text) }) {
			return c
		}
		if c[i].kind&author != 0 && !isIn(" that which what ", c[i-1].text) && c[i+1].kind&(pastForm|negates|modal|finite) == 0 {
			return c[i:]
		}
	}
	return c
}
