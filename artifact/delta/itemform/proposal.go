package itemform

import (
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/pattern"
	"brenner/internal/remark"
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
const merge = "MERGE"

// setField matches an order with the field that it sets.
var setField = pattern.New(sentenceSet + ` (?:the |its )?(?i:(` + fieldNames + `))\b`)

// sentences are the forms of sentences that propose to change or kill an item.
var sentences = []struct {
	operation string
	form      *pattern.Pattern
	behind    *pattern.Pattern // what must follow the ids
}{
	{kill, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `|` + sentenceTitle + `)(?:` + sentenceKills + `|killing|removing|deleting|dropping|retiring|discarding|eliminating|scrapping) ` + sentenceKinds + sentenceIDs), behindKill},
	{edit, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `|` + sentenceTitle + `)(?:` + sentenceEdits + `|editing|changing|updating|revising|rewriting|modifying|rewording) ` + sentenceKinds + sentenceIDs), behindEdit},
	{kill, pattern.New(sentenceBegins + `(?i:` + sentenceKinds + `)` + sentenceIDs + ` (?:should|must|needs to|need to|has to|have to|ought to|is to|are to|is hereby|are hereby)(?: also| now| therefore)?(?: be)? ` + sentenceGone + `\b`), behindKill},
	{kill, pattern.New(`^(?i:change|delta|proposal|operation) ?#?\d+: ` + sentenceKinds + sentenceIDs + ` (?:is|are)(?: now)? ` + sentenceGone + `\b`), behindKill},
	{kill, pattern.New(`^` + sentenceIDs + `(?::? (?i:status))?:? *(?:→|->|=>) *(?i:killed|retired)\b`), behindState},
	{kill, pattern.New(`^~~ *` + sentenceIDs + `[^~]{0,60}~~ (?:is|are)(?: now)? (?:dead|` + sentenceGone + `)\b`), behindKill},
	{kill, pattern.New(`^` + sentenceOrder + `\(["']?` + sentenceIDs + `["']?`), pattern.New(`^(?:, ?["'][^"']*["'])?\)[.;]?$`)},
	{kill, pattern.New(`^` + sentenceOrder + ` ` + sentenceKinds + sentenceIDs), behindOrder},
	{kill, pattern.New(`^` + sentenceIDs + `: ` + sentenceOrder), pattern.New(`^(?: it)?(?: *[.;]?$|` + behindOrder.String()[1:] + `)`)},
	{kill, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `)?(?:[Mm]erge|[Ff]old|[Aa]bsorb|[Cc]ombine) [^.:;?]{2,60}(?:,|,? and|,? then) (?:then )?` + sentenceOrder + ` ` + sentenceKinds + sentenceIDs), behindKill},
	{merge, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `)?(?:[Mm]erge|[Ff]old|[Aa]bsorb) ` + sentenceKinds + `([A-Z]{1,2}\d{1,3}(?:(?:, and |, | and | & | into | with )` + sentenceKinds + `[A-Z]{1,2}\d{1,3})+)`), behindMerge},
	{edit, pattern.New(`^` + sentenceSet + ` (?:the |its )?(?i:` + fieldNames + `) of ` + sentenceKinds + sentenceIDs), pattern.New(`^ (?:to|as|with|from|by|so)\b`)},
	{edit, pattern.New(`^` + sentenceIDs + `: ` + sentenceSet + ` (?:the |its )?(?i:` + fieldNames + `)\b`), pattern.New(`^ (?:to|as|with|from|by|so)\b`)},
	{edit, pattern.New(sentenceBegins + `(?:` + sentenceOwn + `)?(?:[Rr]esolve|[Cc]lose) (?:the )?(?:anomaly )?(X\d{1,3})`), pattern.New(`^(?:\.?$| as\b|: (?:it|this|explained|resolved)\b)`)},
	{edit, pattern.New(`^(?:Change|Set|Mark|Replace|Reword|Rewrite|Rename) ` + sentenceKinds + sentenceIDs), pattern.New(`^(?:(?:\.\w+)+|(?:['’]s)? \w+)? (?:to|as|with|from)\b`)},
	{kill, pattern.New(`^(?i:删除|移除|剔除|刪除|削除|streiche|lösche|entferne|verwerfe|supprimer|retirer|éliminer|eliminar|suprimir|borrar|descartar|eliminare|rimuovere|remover|excluir|удалить) ?` + sentenceIDs), behindForeign},
	{kill, pattern.New(`^` + sentenceIDs + ` ?(?i:删除|移除|剔除|刪除|削除|を削除|streichen|löschen|entfernen|verwerfen|supprimer|supprimée?|eliminar|eliminare|удалить)`), behindForeign},
}

var (
	behindKill    = pattern.New(`^(?: *$| *[.,;:!)(—–-]| (?:from|because|since|as|for|and|too|entirely|now|here|which|outright|completely|altogether|in favou?r)\b)`)
	behindOrder   = pattern.New(`^ (?:from (?:the|our|this) (?:\w+ )?(?:slate|list|artifact|table|register|ledger|thread|tests?|hypotheses)\b|from consideration\b|because\b|since\b|as (?:it|they)\b|entirely\b|outright\b|completely\b|altogether\b|in favou?r of\b)`)
	behindMerge   = pattern.New(`^(?: into (?:one|a single)(?: (?:` + itemKinds + `))?)?(?: *[.;!]?$| *[:(—–]|,? (?:because|since|as (?:it|they|both))\b)`)
	behindState   = pattern.New(`^(?: *$| *[.,;:(—–-]| (?:because|since|as|for)\b)`)
	behindEdit    = pattern.New(`^(?:['’]s \w+|\.\w+| *[.,;:—–-]| *$| (?:to|so|as)\b)`)
	behindForeign = pattern.New(`^ *(?:$|[:：.,，。;(—–-])`)
	// weighing are words before an id, and noConditions words behind one, that take a proposal back.
	weighing     = pattern.New(`(?i)\b(?:not|never|cannot|if|unless|whether|would|could|might|may|once|when|until|after|before|without|instead|otherwise|already|consider\w*|earlier|previously)\b`)
	noConditions = pattern.New(`(?i)\b(?:if|unless|once|when|until|only|after|later|next round|instead)\b`)
	noReasons    = pattern.New(`(?i)\b(?:because|since|as)\b|[:;—–]|, (?:it|which)\b`)
	changeWord   = remark.WordsOf(changeWords...)
	// laterWord is for the sentences that only the third reader knows, too.
	laterWord   = remark.WordsOf(append(Clues(), changeWords...)...)
	changeWords = []string{
		"ill", "emov", "elet", "rop", "etir", "iscard", "limin", "LIMIN", "crap", "hang", "pdat", "evis", "ewrit", "odif", "eword", "dit", "erge ", "old ", "bsorb ", "ombine ", "esolve ", "lose ", "eplace ", "dead", "KILLED", "Set ", "et the ", "et its ", "Mark ", "Rename ",
		"treich", "ösch", "ntfern", "erwerf", "upprim", "UPPRIM", "etirer", "orrar", "uprim", "escart", "imuov", "xclu", "删除", "移除", "剔除", "刪除", "削除", "далить",
	}
)

// Proposal is the change that a sentence proposes.
type Proposal struct {
	Operation string
	Merges    bool     // it kills all of its items but one
	IDs       string   // a list of items
	Named     []string // the kind and the label of what it adds
	Set       string   // the field that it sets, or ""
	Says      string   // what is behind the items, or what it adds
}

// Propose returns the change that a sentence proposes.
func Propose(sentence string) (p Proposal, ok bool) {
	if strings.HasSuffix(sentence, "?") {
		return p, false
	}
	if p, ok = proposeAdd(sentence); ok {
		return p, true
	}
	if !HasID(sentence) || !changeWord.In(sentence) {
		return p, false
	}
	for i := range sentences {
		s := &sentences[i]
		m := s.form.FindStringSubmatchIndex(sentence)
		if m == nil {
			continue
		}
		said, rest := sentence[:m[1]], sentence[m[1]:]
		if !s.behind.MatchString(rest) || isTakenBack(said, rest) {
			return p, false
		}
		p = Proposal{Operation: s.operation, IDs: sentence[m[len(m)-2]:m[len(m)-1]], Says: rest}
		if set := setField.FindStringSubmatch(said); set != nil {
			p.Set = strings.ReplaceAll(strings.ToLower(set[1]), " ", "_")
		}
		if p.Operation == merge {
			p.Operation, p.Merges = kill, true
		}
		return p, true
	}
	return p, false
}

// proposeAdd reads a sentence that adds an item and says what it is.
func proposeAdd(sentence string) (p Proposal, ok bool) {
	if !strings.Contains(sentence, "dd") && !strings.Contains(sentence, "ntroduc") && !strings.Contains(sentence, "New ") {
		return p, false
	}
	m := addItem.FindStringSubmatch(sentence)
	if m == nil && strings.Contains(sentence, " that ") && !addElsewhere.MatchString(sentence) {
		m = addThat.FindStringSubmatch(sentence)
	}
	if m == nil {
		return p, false
	}
	text := m[len(m)-1]
	if isTakenBack(strings.TrimSuffix(sentence, text), "") {
		return p, false
	}
	return Proposal{Operation: add, Named: m[1 : len(m)-1], Says: text}, true
}

// isTakenBack reports whether the words up to an id, or the clause behind it, take a proposal back.
func isTakenBack(said, rest string) bool {
	if r := noReasons.FindStringIndex(rest); r != nil {
		rest = rest[:r[0]]
	}
	return weighing.MatchString(strings.ReplaceAll(said, "would like", "")) || noConditions.MatchString(rest)
}

var (
	// newItem matches the title of a new item.
	newItem = pattern.New(`^(?:(?:New|Additional) (` + itemKinds + `)|(?i:(` + itemKinds + `) to (?:add|be added)))(?:: *(.*))?$`)
	// addItem matches a sentence or a title that adds one item and says what it is.
	addItem = pattern.New(sentenceBegins + `(?:(?:` + sentenceOwn + `(?:add|introduce|adding|introducing)|Add)` + sentenceAdds + `|(?:New|Additional) (` + itemKinds + `) ([A-Z]{1,2}\d{1,3}))(?: \([^()]{1,40}\))?(?::| —| –| -) *(\S.*)$`)
	// addThat matches a sentence in which its author adds one item and describes it.
	addThat = pattern.New(sentenceBegins + sentenceOwn + `(?:add|introduce|adding|introducing)` + sentenceAdds + ` that (\S.*)$`)
	// addElsewhere matches words for another time, or for an item to which something is added.
	addElsewhere = pattern.New(`\b(?:(?:next|last|previous|another|in) round|later|unless|(?:to|into|under) (?:the )?(?:\w+ of )?[A-Z]{1,2}\d)`)
)

// InNewTitle returns the kind of item that a title calls new, if it calls one new, whether it is one to be added, and what it says.
func InNewTitle(title string) (kind string, toAdd bool, says string, ok bool) {
	m := newItem.FindStringSubmatch(title)
	if m == nil {
		return "", false, "", false
	}
	return m[1] + m[2], m[2] != "", m[3], true
}

// HasChangeWord reports whether a text near an id may propose a change.
func HasChangeWord(near string) bool { return changeWord.In(near) }

// HasLaterWord reports whether a text near an id may propose a change to the third reader.
func HasLaterWord(near string) bool { return laterWord.In(near) }
