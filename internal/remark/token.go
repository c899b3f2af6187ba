package remark

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// token is a word of a sentence beside a block.
type token struct {
	text string
	kind
	isSign bool // it may be a sign against the block before it

	isLoud, isSkipped bool // in a sentence that Quiet reads
}

// The words that are known by their form.
const (
	aName   = "@"   // of another author, such as RedSky
	aNames  = "@'s" // RedSky's
	aRecord = "@v"  // lewis@v1
	aPause  = ","
)

// quoted matches words in quotation marks, which are not the sentence's own.
var quoted = pattern.New(`"[^"]*"|“[^”]*”`)

// askedFor matches what only says that another asked for the block.
var askedFor = pattern.New(` (?:that |which )?you (?:have |had )?(?:just )?(?:asked(?: me)? for|requested|wanted|were asking for)\b`)

// contractions are written out.
var contractions = strings.NewReplacer("P.S.", "PS:", "P. S.", "PS:", "e.g.", "for example", "E.g.", "for example", "E.g", "for example", "can't", "can not", "cannot", "can not", "won't", "will not", "n't", " not", "let's", "let us", "Let's", "let us",
	"I'd", "I would", "I'll", "I will", "I'm", "I am", "I've", "I have", "we'd", "we would", "we'll", "we will", "we've", "we have", "we're", "we are", "at's", "at is", "ere's", "ere is", "t's ", "t is ", "one's ", "one is ")

// Memory holds the words and the last sentences that were read of one author's text: most are read several times.
type Memory struct {
	known     map[string]token
	sentences [recent]string
	words     [recent][]token
	next      int
	quiet     struct{ of, to int } // the end of the last quiet text, and its beginning, counted from 1
}

const (
	recent     = 8    // sentences
	mostWords  = 4096 // that are kept
	longestKey = 32   // bytes
)

// tokens divides a sentence into words. The author's own name counts as any other word.
func (r Rules) tokens(sentence string) []token {
	m := r.Memory
	if m == nil {
		return r.divided(sentence)
	}
	if i := slices.Index(m.sentences[:], sentence); i >= 0 {
		return m.words[i]
	}
	words := r.divided(sentence)
	m.sentences[m.next], m.words[m.next] = sentence, words
	m.next = (m.next + 1) % recent
	return words
}

func (r Rules) divided(sentence string) []token {
	if strings.IndexByte(sentence, '"') >= 0 || strings.Contains(sentence, "“") {
		sentence = quoted.ReplaceAllString(sentence, "text")
	}
	if strings.IndexByte(sentence, '\'') >= 0 || strings.IndexByte(sentence, '.') >= 0 || strings.Contains(sentence, "’") || strings.Contains(sentence, "cannot") || strings.Contains(sentence, "E.g") {
		sentence = contractions.Replace(strings.ReplaceAll(sentence, "’", "'"))
	}
	if strings.Contains(sentence, " you ") {
		sentence = askedFor.ReplaceAllString(sentence, "")
	}
	const length = 6 // of a word, about
	all := make([]token, 0, len(sentence)/length+1)
	for at := 0; at < len(sentence); {
		n := wordLength(sentence[at:])
		isPause := n == 0 && (strings.IndexByte(",;:()", sentence[at]) >= 0 || sentence[at] >= 0x80)
		switch {
		case n > 0:
			t := r.tokenOf(strings.TrimRight(sentence[at:at+n], "'-"))
			t.kind = kindsBehind(all, t)
			all = append(all, t)
		case isPause && len(all) > 0 && all[len(all)-1].text != aPause:
			all = append(all, token{text: aPause})
		}
		at += max(n, 1)
	}
	for len(all) > 0 && all[len(all)-1].text == aPause {
		all = all[:len(all)-1]
	}
	weaken(all)
	bindPointers(all)
	return all
}

// wordLength returns the length of the word at the beginning of a text.
func wordLength(text string) (n int) {
	for n < len(text) && (isLetter(text[n]) || isDigit(text[n]) || n > 0 && strings.IndexByte("'-@", text[n]) >= 0) {
		n++
	}
	return n
}

// tokenOf returns a word as it is by itself.
func (r Rules) tokenOf(word string) token {
	if r.Memory == nil || len(word) > longestKey {
		return r.newToken(word)
	}
	t, ok := r.Memory.known[word]
	if !ok {
		if len(r.Memory.known) >= mostWords || r.Memory.known == nil {
			r.Memory.known = make(map[string]token)
		}
		word = strings.Clone(word)
		t = r.newToken(word)
		r.Memory.known[word] = t
	}
	return t
}

func (r Rules) newToken(word string) token {
	text := r.wordOf(word)
	t := token{text: text, kind: kindsOf(text), isSign: signs.Has(text), isSkipped: isIn(beforeSentence, text)}
	t.isLoud = t.isSign || t.kind&loudKinds != 0 || isIn(loudWords, text)
	return t
}

// kindsBehind returns the kinds of a word behind others.
func kindsBehind(before []token, t token) kind {
	text, k := t.text, t.kind
	if len(before) == 0 {
		return k
	}
	switch last := before[len(before)-1].text; {
	case text == "round" && last == "this":
		return plain
	case text == "show" && last == "to":
		return k | lesson
	case k&pointer != 0 && !isPointing(before, text):
		return 0
	case isDigit(text[0]) && last == "round":
		return past
	}
	return k
}

// weaken takes their kinds from words that do not mean them: no more than, nobody can object, perhaps the best.
func weaken(all []token) {
	const near = 4
	for i := range all[:max(0, len(all)-1)] {
		t, next := &all[i], all[i+1].text
		beside := all[i:min(i+near, len(all))]
		switch {
		case t.kind&negates != 0 && (next == "more" || t.text == "nobody" && kinds(beside)&distance != 0):
			t.kind = 0
			for j := range beside {
				beside[j].kind &^= distance
			}
		case t.text == "last" && next == "but" && i+3 < len(all) && all[i+3].text == "least":
			t.kind, all[i+2].kind = plain, 0
		case next == "out" && isIn(" turn turns turned carry carried rule rules ruled point points ", t.text):
			all[i+1].kind &^= distance
		case isIn(" perhaps maybe ", t.text) && isIn(" most more the ", next), t.text == "before" && i > 0 && all[i-1].text != aPause:
			t.kind = 0
		}
	}
}

// isPointing reports whether a pointer is one in its place: "that" behind a verb or a noun begins a clause.
func isPointing(before []token, text string) bool {
	last := before[len(before)-1]
	return text != "that" || last.text == aPause || last.kind&(open|says|distance|acts) != 0 || isIn(joining, last.text)
}

// behindPointers are words that "this" does not belong to.
const behindPointers = " one two three four five yet again here there today please instead either overnight too alone away back down up lightly what which how ready when before until because "

// bindPointers takes its kind from "this" where it belongs to a noun, as in "this morning", and makes a pointer of "the next one".
func bindPointers(all []token) {
	for i := range all[:max(0, len(all)-1)] {
		t, next := &all[i], all[i+1]
		switch {
		case t.text == "next" && isIn(" one two three block blocks delta deltas patch diff ", next.text):
			t.kind |= pointer
		case t.kind&pointer == 0:
		case t.text == "that":
			if next.kind&(finite|modal|block) == 0 && next.text != aPause && (!isIn(behindPointers, next.text) || isIn(" there what which how ", next.text)) {
				t.kind = 0
			}
		case t.text == "this" && strings.HasSuffix(next.text, "s") && next.kind == 0 && !strings.HasSuffix(next.text, "ss"): // this months ago
		case isIn(" this these those following ", t.text) && isNoun(all[i+1:]) && !isIn(behindPointers, next.text):
			t.kind = bound
			if isIn(" morning week round time year session evening point ", next.text) {
				t.kind = 0
			}
		}
	}
}

// isNoun reports whether the first of some words may be a noun that is not a word for a block.
func isNoun(words []token) bool {
	next := words[0]
	isDraft := next.kind&lesson != 0 && len(words) > 1 && words[1].kind == 0 && words[1].text != aPause // this draft artifact
	return isDraft || next.kind == 0 && next.text != aPause && !strings.HasSuffix(next.text, "ly") || next.kind&(id|thing) != 0 || next.text == "round"
}

// wordOf returns a word in small letters, or the mark of another author's name or of a record.
func (r Rules) wordOf(text string) string {
	if at := strings.IndexByte(text, '@'); at > 0 && strings.HasPrefix(text[at+1:], "v") {
		return aRecord
	}
	name, isOwner := strings.CutSuffix(text, "'s")
	isName := false
	for i := 1; i < len(name); i++ {
		isName = isName || 'A' <= name[i] && name[i] <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z'
	}
	switch isName = isName && 'A' <= name[0] && name[0] <= 'Z' && !isSame(name, r.Author); {
	case isName && isOwner:
		return aNames
	case isName:
		return aName
	}
	return strings.ToLower(text)
}

// isItem reports whether a word is the id of an item, in small letters.
func isItem(word string) bool {
	n := 0
	for n < len(word) && 'a' <= word[n] && word[n] <= 'z' {
		n++
	}
	for i := n; i < len(word); i++ {
		if !isDigit(word[i]) {
			return false
		}
	}
	return n < len(word) && 1 <= n && n <= 2 && word[0] != 'v'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// joining are the words that begin a clause.
var joining = " and but so because since although though which who while yet hence therefore where "

// clauses divides a sentence at its pauses and joining words.
func clauses(all []token) (out [][]token) {
	start := 0
	for i := range all {
		isPause := all[i].text == aPause
		if !isPause && (i == len(all)-1 || !strings.Contains(joining, " "+all[i].text+" ")) {
			continue
		}
		if i > start {
			out = append(out, all[start:i])
		}
		if start = i; isPause {
			start++
		}
	}
	if start < len(all) {
		out = append(out, all[start:])
	}
	return out
}

func kinds(of []token) (k kind) {
	for _, t := range of {
		k |= t.kind
	}
	return k
}
