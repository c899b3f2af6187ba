package remark

import (
	"slices"
	"strings"
)

// A phrase is a sequence of terms over the words of a sentence. A term is a list of words or classes (ME|you), with ? if
// it may be missing and * if it may repeat; ^ and $ are the ends of the sentence, .. are up to three other words, and ...
// any. Words are compared as bits, so that most phrases are left out by one comparison.
type phrase struct {
	terms []term
	need  bits
}

type term struct {
	kind     byte // of "^$.w"
	bit      int
	optional bool
	repeated bool
	most     int // of other words
}

// bits are the terms that a word is in.
type bits [6]uint64

func (b *bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b *bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// lexicon holds the terms of all phrases, and the words in them.
type lexicon struct {
	terms map[string]int
	words map[string]bits
}

// The words that are known by their form.
const (
	aName    = "@"   // of another author, such as RedSky
	aNames   = "@'s" // RedSky's
	anItem   = "#"   // H2
	aPause   = ","
	anAdverb = "-ly"
	aBlock   = "_above" // the above, this block, the last delta
)

// add returns the number of a term.
func (l *lexicon) add(list string) int {
	if n, ok := l.terms[list]; ok {
		return n
	}
	n := len(l.terms)
	l.terms[list] = n
	l.enter(list, n)
	return n
}

func (l *lexicon) enter(list string, n int) {
	for word := range strings.SplitSeq(list, "|") {
		if of, ok := wordClasses[word]; ok {
			l.enter(strings.ReplaceAll(of, " ", "|"), n)
			continue
		}
		b := l.words[word]
		b.set(n)
		l.words[word] = b
	}
}

// phrases reads phrases, one in each line.
func (l *lexicon) phrases(lines string) (all []phrase) {
	for line := range strings.Lines(lines) {
		var p phrase
		for text := range strings.FieldsSeq(line) {
			switch text {
			case "^", "$":
				p.terms = append(p.terms, term{kind: text[0]})
				continue
			case "..":
				p.terms = append(p.terms, term{kind: '.', most: 3})
				continue
			case "...":
				p.terms = append(p.terms, term{kind: '.', most: maxProse})
				continue
			}
			t := term{kind: 'w', optional: strings.HasSuffix(text, "?"), repeated: strings.HasSuffix(text, "*")}
			t.bit = l.add(strings.TrimRight(text, "?*"))
			if !t.optional && !t.repeated {
				p.need.set(t.bit)
			}
			p.terms = append(p.terms, t)
		}
		if len(p.terms) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// spoken is a sentence as its words.
type spoken struct {
	texts []string
	words []bits
	union bits
	item  string // the last one that a phrase has matched
}

// read divides a sentence into words. The author's own name counts as any other word.
func (l *lexicon) read(sentence, author string) *spoken {
	s := &spoken{}
	for at := 0; at < len(sentence); {
		n := 0
		for n < len(sentence)-at && (isLetter(sentence[at+n]) || isDigit(sentence[at+n]) || strings.IndexByte("'-", sentence[at+n]) >= 0) {
			n++
		}
		if n > 0 {
			s.texts = append(s.texts, wordOf(sentence[at:at+n], author))
			at += n
			continue
		}
		if isPause := strings.IndexByte(",;:()", sentence[at]) >= 0 || sentence[at] >= 0x80; isPause && len(s.texts) > 0 && s.texts[len(s.texts)-1] != aPause {
			s.texts = append(s.texts, aPause)
		}
		at++
	}
	s.texts = joinReferences(s.texts)
	if n := len(s.texts); n > 0 && s.texts[n-1] == aPause {
		s.texts = s.texts[:n-1]
	}
	for _, text := range s.texts {
		word := l.words[text]
		if len(text) > 3 && strings.HasSuffix(text, "ly") {
			word = merged(word, l.words[anAdverb])
		}
		if isItem(text) {
			word = merged(word, l.words[anItem])
		}
		s.words = append(s.words, word)
		s.union = merged(s.union, word)
	}
	return s
}

func merged(a, b bits) bits {
	for i := range a {
		a[i] |= b[i]
	}
	return a
}

// wordOf returns a word in small letters, or the mark of another author's name.
func wordOf(text, author string) string {
	name, isOwner := strings.CutSuffix(text, "'s")
	isName := false
	for i := 1; i < len(name); i++ {
		isName = isName || 'A' <= name[i] && name[i] <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z'
	}
	switch isName = isName && 'A' <= name[0] && name[0] <= 'Z' && !isSame(name, author); {
	case isName && isOwner:
		return aNames
	case isName:
		return aName
	}
	return strings.ToLower(text)
}

// isItem reports whether a word is the id of an item, in small letters.
func isItem(word string) bool {
	digits := strings.TrimLeft(word, "abcdefghijklmnopqrstuvwxyz")
	return digits != "" && len(word)-len(digits) >= 1 && len(word)-len(digits) <= 2 && strings.Trim(digits, "0123456789") == ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

var (
	pointing = []string{"the", "this", "that"}
	blocks   = []string{"block", "delta", "kill", "edit", "add", "addition", "change", "proposal"}
)

// joinReferences makes one word of those for the block above, or beside a sentence.
func joinReferences(words []string) []string {
	out := words[:0]
	for i := 0; i < len(words); i++ {
		if n := reference(words[i:]); n > 0 {
			out = append(out, aBlock)
			i += n - 1
			continue
		}
		out = append(out, words[i])
	}
	return out
}

// reference returns how many words refer to a block.
func reference(words []string) int {
	if !slices.Contains(pointing, words[0]) || len(words) < 2 {
		return 0
	}
	n := 1
	if words[1] == "above" {
		return 2
	}
	if words[1] == "last" || words[1] == "previous" {
		n = 2
	}
	if n == len(words) || !slices.Contains(blocks, words[n]) && (n == 1 || words[n] != "one") {
		return 0
	}
	if n++; n < len(words) && words[n] == "above" {
		n++
	}
	return n
}

// has reports whether a sentence has one of the phrases.
func (s *spoken) has(all []phrase) bool {
	for i := range all {
		p := &all[i]
		if p.need != (bits{}) && !s.covers(p.need) {
			continue
		}
		for at := range len(s.words) + 1 {
			if s.match(p.terms, at) {
				return true
			}
			if p.terms[0].kind == '^' {
				break
			}
		}
	}
	return false
}

func (s *spoken) covers(need bits) bool {
	for i := range need {
		if need[i]&^s.union[i] != 0 {
			return false
		}
	}
	return true
}

// match reports whether the words from a place on match terms.
func (s *spoken) match(terms []term, at int) bool {
	if len(terms) == 0 {
		return true
	}
	t := terms[0]
	switch t.kind {
	case '^':
		return at == 0 && s.match(terms[1:], at)
	case '$':
		return at == len(s.words) && s.match(terms[1:], at)
	case '.':
		for n := 0; n <= t.most && at+n <= len(s.words); n++ {
			if s.match(terms[1:], at+n) {
				return true
			}
			if at+n < len(s.words) && s.texts[at+n] == aPause && t.most < maxProse {
				return false
			}
		}
		return false
	}
	if at < len(s.words) && s.words[at].has(t.bit) {
		rest := terms[1:]
		if t.repeated {
			rest = terms
		}
		if s.match(rest, at+1) {
			if isItem(s.texts[at]) {
				s.item = strings.ToUpper(s.texts[at])
			}
			return true
		}
	}
	return (t.optional || t.repeated) && s.match(terms[1:], at)
}
