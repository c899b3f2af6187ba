package delta

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/itemform"
	"brenner/internal/pattern"
)

// emphasis takes the marks of emphasis out of a line.
var (
	emphasis = strings.NewReplacer("**", "", "`", "", "__", "", " :", ":")
	isName   = pattern.New(`^[A-Z][a-z]+[A-Z]\w+$`)
)

// propose looks for a word for a change near an id at an offset.
func (c *clues) propose(text []byte, at int) {
	const before, behind = 100, 60
	near := text[max(0, at-before):min(len(text), at+behind)]
	switch {
	case at > 1 && string(text[at-2:at]) == "+ ":
		c.proposal = true
	case itemform.HasLaterWord(string(near)):
		c.later, c.proposal = true, itemform.HasChangeWord(string(near))
	case itemform.HasClauseWord(string(near)) || itemform.HasMentionWord(string(near)):
		c.clause = true
	}
}

// isIDAt reports whether an id may begin at an offset.
func isIDAt(text []byte, at int) bool {
	return at+1 < len(text) && isDigit(text[at+1]) && (at == 0 || !isWordByte(text[at-1]))
}

// parseSentences reads what the sentences of a line propose. Listed is whether it is in a list of changes.
func (r *reader) parseSentences(line string, listed bool) (all []announcement) {
	line = emphasis.Replace(line)
	mark := listMark.FindString(line)
	listed = listed || r.third && strings.ContainsAny(mark, "xX✓")
	line = strings.TrimLeft(line[len(mark):], strings.ReplaceAll(lineMarks, "~", ""))
	if name, said, ok := strings.Cut(line, ": "); ok && (name == r.opt.Author || r.opt.Author == "" && isName.MatchString(name)) {
		line = said
	}
	before := ""
	for line != "" {
		end := itemform.SentenceEnd(line)
		sentence := itemform.Bare(strings.TrimSpace(line[:end]), r.opt.Reader.Since(FifthReader))
		if !r.opt.Reader.Since(FifthReader) || !itemform.IsHeld(sentence) {
			all = append(all, r.proposedIn(sentence, before, listed)...)
		}
		before = sentence
		line = strings.TrimLeft(line[end:], " \t\r\n")
	}
	return all
}

// proposedIn reads what a sentence proposes, behind another one.
func (r *reader) proposedIn(sentence, before string, listed bool) (all []announcement) {
	first, ok := parseSentence(sentence)
	if ok {
		all = append(all, first)
	}
	if !r.third || ok && !strings.Contains(sentence, " and ") {
		return all
	}
	for _, f := range itemform.InSentence(sentence, before, listed) {
		a := announcementOf(f)
		if ok && a.operation == first.operation {
			continue
		}
		if before != "" {
			a.text = sentence
		}
		all = append(all, a)
	}
	return all
}

// parseSentence reads the change that a sentence proposes.
func parseSentence(sentence string) (a announcement, ok bool) {
	p, ok := itemform.Propose(sentence)
	if !ok {
		return a, false
	}
	a.operation, a.merges, a.words = p.Operation, p.Merges, itemform.Content(p.Says)
	for _, word := range p.Named {
		a.name(word)
	}
	if a.operation == Add {
		return a, true
	}
	for _, w := range lineWords(p.IDs) {
		if isItemID(w.text) {
			a.name(w.text)
		}
	}
	a.field = cmp.Or(a.fieldIn(p.Says), a.fieldIn(p.Set))
	return a, len(a.targets) > 0
}

// fieldIn returns the field that follows an id, or "".
func (a *announcement) fieldIn(rest string) string {
	s, _ := artifact.ParseSection(a.section)
	rest = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(rest, "'s"), "’s"), " .")
	words := lineWords(rest)
	if a.operation != Edit || len(words) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(words[0].text, ".")
	if _, ok := s.Spec().Field(name); !ok {
		return ""
	}
	return name
}

// announceSentences records what a line proposes in words, or as the title of an item, besides what has been found in it.
// Listed is whether it is in a list of changes.
func (r *reader) announceSentences(line []byte, at int, listed bool, found int) {
	const longest = 1 << 14
	most := 2 * maxAnnouncement
	if r.third {
		most = longest
	}
	text := strings.ToValidUTF8(string(line[:min(len(line), most)]), "")
	if r.third && strings.HasPrefix(text, ": ") {
		text = r.term(at) + text
	}
	if r.opt.Reader.Since(FifthReader) {
		if text = itemform.WithoutStances(text, r.opt.Author); text == "" {
			return
		}
	}
	var all []announcement
	if had := r.promises[found:]; len(had) > 0 { // the beginning of the line has been read
		rest := strings.TrimLeft(text, lineMarks)
		all = slices.DeleteFunc(r.parseSentences(rest[itemform.SentenceEnd(rest):], listed), func(a announcement) bool { return slices.ContainsFunc(had, a.isLike) })
	} else if titled, ok := r.parseTitles(line, text, at); ok {
		all = titled
	} else {
		all = r.parseSentences(text, listed)
	}
	if r.opt.Reader.Since(FifthReader) {
		for _, f := range itemform.InClauses(text, r.placeOf(line, at, listed)) {
			a := announcementOf(f)
			if a.operation == Add && f.Name == "" {
				a.called = a.words // it belongs to no other change of its section
			}
			if !slices.ContainsFunc(slices.Concat(all, r.promises[found:]), a.isLike) {
				all = append(all, a)
			}
		}
	}
	r.mention(text, at)
	for _, a := range all {
		a.line, a.column = r.place.find(at + len(line) - len(bytes.TrimLeft(line, " \t")))
		if a.text == "" {
			a.text = strings.TrimSpace(text)
		}
		r.promises = append(r.promises, a)
	}
}

// parseTitles reads a line that is the title of an item, or has the mark of a change.
func (r *reader) parseTitles(line []byte, text string, at int) (all []announcement, ok bool) {
	const below = 200
	body := strings.TrimSpace(strings.TrimLeft(strings.ReplaceAll(text, "**", ""), " \t#-+0123456789.)"))
	next := r.src[at+len(line) : min(len(r.src), at+len(line)+below)]
	plain := strings.TrimSpace(emphasis.Replace(text))
	take := func(f itemform.Attempt, ok bool) bool {
		if ok {
			all = append(all, announcementOf(f))
		}
		return ok
	}
	kind, toAdd, says, isNew := itemform.InNewTitle(body)
	id, isOwn := itemform.StruckKill(body, next, r.opt.Author, r.opt.Reader.Since(FifthReader))
	switch {
	case isNew:
		a := announcement{operation: Add, words: itemform.Content(says)}
		a.name(kind)
		a.nameIn(says)
		if says == "" && !opens(next, "|") {
			a.words = itemform.Content(r.nameBelow(at + len(line)))
			if a.whole = len(a.words) > 0; !a.whole && !toAdd {
				return nil, true
			}
		}
		return []announcement{a}, true
	case id != "" && !isOwn:
		return nil, true
	case id != "":
		a := announcement{operation: Kill}
		a.name(id)
		return []announcement{a}, true
	case r.isAlone(line, at) && take(itemform.InMark(plain)), r.third && parseTitle(body, &all):
	case r.third && take(itemform.InListed(plain)) && !itemform.IsListed(r.src[:at], r.src[at+len(line):], itemform.IsTitle):
		return nil, true // the list tells the state of items
	}
	return all, len(all) > 0
}

// isLike reports whether another announcement in the same line is about the same item.
func (a *announcement) isLike(b announcement) bool {
	return a.operation == b.operation && (len(a.targets) == 0 && a.section == b.section || len(a.targets) > 0 && slices.Equal(a.targets, b.targets))
}

// term returns the id that is the line before an offset, as in a list of definitions, or "".
func (r *reader) term(at int) string {
	before := bytes.TrimSuffix(r.src[:at], []byte("\n"))
	before = bytes.Trim(before[bytes.LastIndexByte(before, '\n')+1:], " \t\r*_`")
	if isItemID(string(before[:min(len(before), 8)])) {
		return string(before)
	}
	return ""
}

// isAlone reports whether a line is a paragraph of its own, and so no item of a list.
func (r *reader) isAlone(line []byte, at int) bool {
	next, _, _ := bytes.Cut(r.src[at+len(line):], []byte("\n"))
	before := bytes.TrimSuffix(r.src[:at], []byte("\n"))
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	return len(bytes.TrimSpace(next)) == 0 && len(bytes.TrimSpace(before)) == 0
}
