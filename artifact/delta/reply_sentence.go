package delta

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/itemform"
	"brenner/internal/remark"

	"brenner/internal/pattern"
)

// The parts of sentences that propose a change of an item.
const (
	sentenceKinds  = `(?:the )?(?:hypothesis |test |assumption |anomaly |critique |prediction |item )?`
	sentenceIDs    = `([A-Z]{1,2}\d{1,3}(?:(?:, and |, | and | & )[A-Z]{1,2}\d{1,3})*)`
	sentenceKills  = `(kill|remove|delete|drop|retire|discard|eliminate|scrap)`
	sentenceEdits  = `(edit|change|update|revise|rewrite|modify|reword)`
	sentenceBegins = `^(?i:(?:additionally|also|furthermore|finally|moreover|second|secondly|third|thirdly|first|next|last|lastly|therefore|so|hence|thus|then|in addition|consequently|accordingly),? )*`
	sentenceOwn    = `(?:(?:I|We|we)(?:['’]d| would)?(?: (?:also|therefore|hereby|then|further|now|thus|additionally|propose|suggest|recommend|like|want|wish|intend|will|shall|to|that|we|should|must))* |[Pp]lease (?:also )?)`
	sentenceGone   = `(?:killed|removed|deleted|dropped|retired|discarded|eliminated|scrapped)`
	sentenceOrder  = `(?:[Kk]ill|[Rr]emove|[Dd]elete|[Dd]rop|[Rr]etire|[Dd]iscard|[Ee]liminate|[Ss]crap)`
	sentenceSet    = `(?:[Cc]hange|[Ss]et|[Rr]eplace|[Uu]pdate|[Rr]ewrite|[Rr]eword|[Rr]evise)`
	itemKinds      = `hypothesis|test|assumption|anomaly|critique|prediction`
	sentenceAdds   = ` (?:a |an |one |another |the )?(?:(?:new|further|additional|third|fourth) )?(` + itemKinds + `)(?: ([A-Z]{1,2}\d{1,3}))?`
	sentenceTitle  = `(?:[^:]{0,30}\b(?:change|delta|proposal|operation|step)s?(?: \w+)?: )`
)

// fieldNames matches the name of a field of some section.
var fieldNames = func() string {
	var all []string
	for _, s := range artifact.Sections() {
		for _, f := range s.Spec().Fields {
			if name := strings.ReplaceAll(f.Name, "_", "[_ ]"); !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return strings.Join(all, "|")
}()

// merge is the operation of a sentence that makes one item of several: all but one of them are killed.
const merge = "merge"

// setField matches an order with the field that it sets.
var setField = pattern.New(sentenceSet + ` (?:the |its )?(?i:(` + fieldNames + `))\b`)

// sentences are the forms of sentences that propose to change or kill an item.
var sentences = []struct {
	operation string
	form      *pattern.Pattern
	behind    *pattern.Pattern // what must follow the ids
}{
	{Kill, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `|` + sentenceTitle + `)(?:` + sentenceKills + `|killing|removing|deleting|dropping|retiring|discarding|eliminating|scrapping) ` + sentenceKinds + sentenceIDs), behindKill},
	{Edit, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `|` + sentenceTitle + `)(?:` + sentenceEdits + `|editing|changing|updating|revising|rewriting|modifying|rewording) ` + sentenceKinds + sentenceIDs), behindEdit},
	{Kill, pattern.New(sentenceBegins + `(?i:` + sentenceKinds + `)` + sentenceIDs + ` (?:should|must|needs to|need to|has to|have to|ought to|is to|are to|is hereby|are hereby)(?: also| now| therefore)?(?: be)? ` + sentenceGone + `\b`), behindKill},
	{Kill, pattern.New(`^(?i:change|delta|proposal|operation) ?#?\d+: ` + sentenceKinds + sentenceIDs + ` (?:is|are)(?: now)? ` + sentenceGone + `\b`), behindKill},
	{Kill, pattern.New(`^` + sentenceIDs + `(?::? (?i:status))?:? *(?:→|->|=>) *(?i:killed|retired)\b`), behindState},
	{Kill, pattern.New(`^~~ *` + sentenceIDs + `[^~]{0,60}~~ (?:is|are)(?: now)? (?:dead|` + sentenceGone + `)\b`), behindKill},
	{Kill, pattern.New(`^` + sentenceOrder + `\(["']?` + sentenceIDs + `["']?`), pattern.New(`^(?:, ?["'][^"']*["'])?\)[.;]?$`)},
	{Kill, pattern.New(`^` + sentenceOrder + ` ` + sentenceKinds + sentenceIDs), behindOrder},
	{Kill, pattern.New(`^` + sentenceIDs + `: ` + sentenceOrder), pattern.New(`^(?: it)?(?: *[.;]?$|` + behindOrder.String()[1:] + `)`)},
	{Kill, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `)?(?:[Mm]erge|[Ff]old|[Aa]bsorb|[Cc]ombine) [^.:;?]{2,60}(?:,|,? and|,? then) (?:then )?` + sentenceOrder + ` ` + sentenceKinds + sentenceIDs), behindKill},
	{merge, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `)?(?:[Mm]erge|[Ff]old|[Aa]bsorb) ` + sentenceKinds + `([A-Z]{1,2}\d{1,3}(?:(?:, and |, | and | & | into | with )` + sentenceKinds + `[A-Z]{1,2}\d{1,3})+)`), behindMerge},
	{Edit, pattern.New(`^` + sentenceSet + ` (?:the |its )?(?i:` + fieldNames + `) of ` + sentenceKinds + sentenceIDs), pattern.New(`^ (?:to|as|with|from|by|so)\b`)},
	{Edit, pattern.New(`^` + sentenceIDs + `: ` + sentenceSet + ` (?:the |its )?(?i:` + fieldNames + `)\b`), pattern.New(`^ (?:to|as|with|from|by|so)\b`)},
	{Edit, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `)?(?:[Rr]esolve|[Cc]lose) (?:the )?(?:anomaly )?(X\d{1,3})`), pattern.New(`^(?:\.?$| as\b|: (?:it|this|explained|resolved)\b)`)},
	{Edit, pattern.New(`^(?:Change|Set|Mark|Replace|Reword|Rewrite|Rename) ` + sentenceKinds + sentenceIDs), pattern.New(`^(?:(?:\.\w+)+|(?:['’]s)? \w+)? (?:to|as|with|from)\b`)},
	{Kill, pattern.New(`^(?i:删除|移除|剔除|刪除|削除|streiche|lösche|entferne|verwerfe|supprimer|retirer|éliminer|eliminar|suprimir|borrar|descartar|eliminare|rimuovere|remover|excluir|удалить) ?` + sentenceIDs), behindForeign},
	{Kill, pattern.New(`^` + sentenceIDs + ` ?(?i:删除|移除|剔除|刪除|削除|を削除|streichen|löschen|entfernen|verwerfen|supprimer|supprimée?|eliminar|eliminare|удалить)`), behindForeign},
}

var (
	behindKill    = pattern.New(`^(?: *$| *[.,;:!)(—–-]| (?:from|because|since|as|for|and|too|entirely|now|here|which|outright|completely|altogether|in favou?r)\b)`)
	behindOrder   = pattern.New(`^ (?:from (?:the|our|this) (?:\w+ )?(?:slate|list|artifact|table|register|ledger|thread|tests?|hypotheses)\b|from consideration\b|because\b|since\b|as (?:it|they)\b|entirely\b|outright\b|completely\b|altogether\b|in favou?r of\b)`)
	behindMerge   = pattern.New(`^(?: into (?:one|a single)(?: (?:` + itemKinds + `))?)?(?: *[.;!]?$| *[:(—–]|,? (?:because|since|as (?:it|they|both))\b)`)
	behindState   = pattern.New(`^(?: *$| *[.,;:(—–-]| (?:because|since|as|for)\b)`)
	behindEdit    = pattern.New(`^(?:['’]s \w+|\.\w+| *[.,;:—–-]| *$| (?:to|so|as)\b)`)
	behindForeign = pattern.New(`^ *(?:$|[:：.,，。;(—–-])`)
	// weighing are words before an id, and conditions words behind one, that take a proposal back.
	weighing   = pattern.New(`(?i)\b(?:not|never|cannot|if|unless|whether|would|could|might|may|once|when|until|after|before|without|instead|otherwise|already|consider\w*|earlier|previously)\b`)
	conditions = pattern.New(`(?i)\b(?:if|unless|once|when|until|only|after|later|next round|instead)\b`)
	reasons    = pattern.New(`(?i)\b(?:because|since|as)\b|[:;—–]|, (?:it|which)\b`)
	isName     = pattern.New(`^[A-Z][a-z]+[A-Z]\w+$`)
	changeWord = remark.WordsOf(changeWords...)
	// laterWord is for the sentences that only the third reader knows, too.
	laterWord   = remark.WordsOf(append(itemform.Clues(), changeWords...)...)
	changeWords = []string{
		"ill", "emov", "elet", "rop", "etir", "iscard", "limin", "LIMIN", "crap", "hang", "pdat", "evis", "ewrit", "odif", "eword", "dit", "erge ", "old ", "bsorb ", "ombine ", "esolve ", "lose ", "eplace ", "dead", "KILLED", "Set ", "et the ", "et its ", "Mark ", "Rename ",
		"treich", "ösch", "ntfern", "erwerf", "upprim", "UPPRIM", "etirer", "orrar", "uprim", "escart", "imuov", "xclu", "删除", "移除", "剔除", "刪除", "削除", "далить",
	}
	emphasis = strings.NewReplacer("**", "", "`", "", "__", "", " :", ":")
)

// propose looks for a word for a change near an id at an offset.
func (c *clues) propose(text []byte, at int) {
	const before, behind = 100, 60
	near := text[max(0, at-before):min(len(text), at+behind)]
	switch {
	case at > 1 && string(text[at-2:at]) == "+ ":
		c.proposal = true
	case laterWord.In(string(near)):
		c.later, c.proposal = true, changeWord.In(string(near))
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
		end := sentenceEnd(line)
		sentence := strings.TrimSpace(line[:end])
		first, ok := parseSentence(sentence)
		if ok {
			all = append(all, first)
		}
		if r.third && (!ok || strings.Contains(sentence, " and ")) {
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
		}
		before = sentence
		line = strings.TrimLeft(line[end:], " \t\r\n")
	}
	return all
}

// sentenceEnd returns where the first sentence of a text ends.
func sentenceEnd(text string) int {
	for i, c := range text {
		if end := i + len(string(c)); c == '。' || strings.ContainsRune(".!?;", c) && (end == len(text) || text[end] == ' ' || text[end] == '\n') {
			return end
		}
	}
	return len(text)
}

// hasID reports whether a sentence may have an id in it.
func hasID(sentence string) bool {
	for i := 1; i < len(sentence); i++ {
		if isDigit(sentence[i]) && 'A' <= sentence[i-1] && sentence[i-1] <= 'Z' {
			return true
		}
	}
	return false
}

func parseSentence(sentence string) (a announcement, ok bool) {
	if strings.HasSuffix(sentence, "?") {
		return a, false
	}
	if a, ok = parseAdd(sentence); ok {
		return a, true
	}
	if !hasID(sentence) || !changeWord.In(sentence) {
		return a, false
	}
	for i := range sentences {
		s := &sentences[i]
		m := s.form.FindStringSubmatchIndex(sentence)
		if m == nil {
			continue
		}
		said, rest := sentence[:m[1]], sentence[m[1]:]
		if !s.behind.MatchString(rest) || takesBack(said, rest) {
			return a, false
		}
		if a.operation = s.operation; a.operation == merge {
			a.operation, a.merges = Kill, true
		}
		for _, w := range lineWords(sentence[m[len(m)-2]:m[len(m)-1]]) {
			if isItemID(w.text) {
				a.name(w.text)
			}
		}
		a.words, a.field = itemform.Content(rest), cmp.Or(a.fieldIn(rest), a.fieldSet(said))
		return a, len(a.targets) > 0
	}
	return a, false
}

// parseAdd reads a sentence that adds an item and says what it is.
func parseAdd(sentence string) (a announcement, ok bool) {
	if !strings.Contains(sentence, "dd") && !strings.Contains(sentence, "ntroduc") && !strings.Contains(sentence, "New ") {
		return a, false
	}
	m := addItem.FindStringSubmatch(sentence)
	if m == nil && strings.Contains(sentence, " that ") && !elsewhere.MatchString(sentence) {
		m = addThat.FindStringSubmatch(sentence)
	}
	if m == nil {
		return a, false
	}
	text := m[len(m)-1]
	if takesBack(strings.TrimSuffix(sentence, text), "") {
		return a, false
	}
	a.operation, a.words = Add, itemform.Content(text)
	for _, named := range m[1 : len(m)-1] { // the kind and the label
		a.name(named)
	}
	return a, true
}

// takesBack reports whether the words up to an id, or the clause behind it, take a proposal back.
func takesBack(said, rest string) bool {
	if r := reasons.FindStringIndex(rest); r != nil {
		rest = rest[:r[0]]
	}
	return weighing.MatchString(strings.ReplaceAll(said, "would like", "")) || conditions.MatchString(rest)
}

// fieldSet returns the field that an order sets, or "".
func (a *announcement) fieldSet(said string) string {
	if m := setField.FindStringSubmatch(said); m != nil {
		return a.fieldIn(strings.ReplaceAll(strings.ToLower(m[1]), " ", "_"))
	}
	return ""
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
	if slices.ContainsFunc(s.Spec().Fields, func(f artifact.FieldSpec) bool { return f.Name == name }) {
		return name
	}
	return ""
}

var (
	newItem = pattern.New(`^(?:(?:New|Additional) (` + itemKinds + `)|(?i:(` + itemKinds + `) to (?:add|be added)))(?:: *(.*))?$`)
	// addItem matches a sentence or a title that adds one item and says what it is.
	addItem = pattern.New(sentenceBegins + `(?:(?:` + sentenceOwn + `(?:add|introduce|adding|introducing)|Add)` + sentenceAdds + `|(?:New|Additional) (` + itemKinds + `) ([A-Z]{1,2}\d{1,3}))(?: \([^()]{1,40}\))?(?::| —| –| -) *(\S.*)$`)
	// addThat matches a sentence in which its author adds one item and describes it.
	addThat = pattern.New(sentenceBegins + sentenceOwn + `(?:add|introduce|adding|introducing)` + sentenceAdds + ` that (\S.*)$`)
	// elsewhere matches words for another time, or for an item to which something is added.
	elsewhere = pattern.New(`\b(?:(?:next|last|previous|another|in) round|later|unless|(?:to|into|under) (?:the )?(?:\w+ of )?[A-Z]{1,2}\d)`)
	killMark  = pattern.New(`^~~ *([A-Z]\d{1,3})\b[^~]*~~ *\[?KILLED\b`)
	killedBy  = pattern.New(`(?i)killed by\W+(\w+)`)
)

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
	var all []announcement
	if had := r.promises[found:]; len(had) > 0 { // the beginning of the line has been read
		rest := strings.TrimLeft(text, lineMarks)
		all = slices.DeleteFunc(r.parseSentences(rest[sentenceEnd(rest):], listed), func(a announcement) bool { return slices.ContainsFunc(had, a.isLike) })
	} else if titled, ok := r.parseTitles(line, text, at); ok {
		all = titled
	} else {
		all = r.parseSentences(text, listed)
	}
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
	switch m, k := newItem.FindStringSubmatch(body), killMark.FindStringSubmatch(body); {
	case m != nil:
		a := announcement{operation: Add, words: itemform.Content(m[3])}
		a.name(m[1] + m[2])
		a.nameIn(m[3])
		if m[3] == "" && !isTable(next) {
			a.words = itemform.Content(r.nameBelow(at + len(line)))
			if a.whole = len(a.words) > 0; !a.whole && m[2] == "" {
				return nil, true
			}
		}
		return []announcement{a}, true
	case k != nil:
		by := killedBy.FindSubmatch(next)
		if !bytes.Contains(bytes.ToLower(next), []byte("reason")) || by != nil && r.opt.Author != "" && string(by[1]) != r.opt.Author {
			return nil, true
		}
		a := announcement{operation: Kill}
		a.name(k[1])
		return []announcement{a}, true
	case r.isAlone(line, at) && take(itemform.InMark(plain)), r.third && parseTitle(body, &all):
	case r.third && take(itemform.InListed(plain)) && !itemform.IsListed(r.src[:at], r.src[at+len(line):], isTitle):
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

// isTable reports whether a text begins with a table.
func isTable(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("|"))
}
