package itemform

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"

	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// inNamed returns the changes in a fence whose word names an operation or a kind of items, or one that has a suggestion,
// items in Markdown, or commands. Lead is the line above it.
func inNamed(word string, text, lead []byte) []Attempt {
	word = strings.ToLower(word)
	section, isKind := synonyms.Section(word)
	switch isKind = isKind && len(word) > 3; {
	case operationOf(word) != "" && word != "new":
		return inOrder(operationOf(word), text)
	case isKind:
		f := finder{lead: slices.Concat([]byte("new "), []byte(word)), src: text}
		if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
			f.readJSON()
		} else {
			f.readYAML()
		}
		for i := range f.all {
			f.all[i].Section = section.String()
		}
		return f.all
	case word == "suggestion":
		return inSuggestion(text, lead)
	case word == "markdown" || word == "md":
		return inHeadings(text, 0)
	case slices.Contains([]string{"bash", "sh", "shell", "console", "zsh"}, word):
		return inCommands(text)
	}
	return nil
}

// inOrder returns the change of a fence whose word is an operation: what it applies to is in its first lines.
func inOrder(operation string, text []byte) []Attempt {
	const first = 200
	a := Attempt{Operation: operation, Says: string(text[:min(len(text), 2*first)])}
	id := idIn(text[:min(len(text), first)])
	s, known := artifact.SectionOfID(id)
	if a.ID = id; operation == add {
		a.ID = ""
		s, known = sectionIn(text[:min(len(text), first)])
	}
	if !known {
		return nil
	}
	a.Section = s.String()
	return []Attempt{a}
}

// inSuggestion returns the fields in the text that a reviewer suggests.
func inSuggestion(text, lead []byte) (all []Attempt) {
	for _, a := range inDiff(slices.Concat([]byte("+"), bytes.ReplaceAll(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"), []byte("\n+"))), lead) {
		a.At = 0
		all = append(all, a)
	}
	return all[:min(len(all), 1)]
}

// commands matches a call of a program with a change of an item.
var commands = pattern.New(`(?m)^[ \t$#>]*brenner[ \t][^\n]*?\b(kill|remove|retire|delete|edit|add)\b[^\n]*`)

func inCommands(text []byte) (all []Attempt) {
	for _, m := range commands.FindAllSubmatchIndex(text, -1) {
		id := idIn(text[m[0]:m[1]])
		if s, ok := artifact.SectionOfID(id); ok {
			all = append(all, Attempt{At: m[0], Operation: operationOf(string(text[m[2]:m[3]])), Section: s.String(), ID: id, Says: string(text[m[3]:m[1]])})
		}
	}
	return all
}

// The forms of lines that set a field of an item, or mark what becomes of one.
var (
	settings = pattern.New(`(?m)^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?[\x60*]{0,3}(?:(?i:set|let|change|update)[ \t]+[\x60*]{0,3})?([A-Z]{1,2}\d{1,3})(?:\.|\[["'])([a-z_]{3,30})(?:["']\])?[\x60*]{0,3}[ \t]*(?::=|=[^=]|→|->|=>|:[ \t]*~~[^~\n]+~~|[ \t]becomes[ \t]|[ \t]to[ \t])[ \t]*(\S[^\n]*)`)
	marked   = pattern.New(`(?m)^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(🗑\x{FE0F}?|➖|✂\x{FE0F}?|❌|✏\x{FE0F}?|📝|🖊\x{FE0F}?|🔄)[ \t*]*([A-Z]{1,2}\d{1,3})\b([^\n]*)`)
	added    = pattern.New(`(?m)^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:➕|🆕)[ \t*]*(?:(?i:new|add)[ \t]+)?([A-Za-z]{4,12})\b([^\n]*)`)
	removal  = pattern.New(`(?i)\b(?:remov|kill|delet|drop|retir|discard)\w*`)
)

// inLines returns the changes in lines of a running text with the id of an item: that set a field of it, call a function, have
// a sign for what becomes of it, or say so in another language than English. Lines without a clue are not read.
func inLines(text []byte) (all []Attempt) {
	l := noted{end: -1}
	for at := 0; at+1 < len(text); at++ {
		if c := text[at]; c < 'A' || c > 'Z' || text[at+1] < '0' || text[at+1] > '9' || at > 0 && isWord(text[at-1]) {
			continue
		}
		if at > l.end {
			l = notedAt(text, at)
		}
		found := l.changesAt(at - l.start)
		for _, a := range found {
			a.At += l.start
			all = append(all, a)
		}
		if len(found) > 0 {
			at = l.end
		}
	}
	return all
}

// noted is a line with ids in it. Each form is looked for once in a line, however many ids it has.
type noted struct {
	start, end int
	text       []byte
	sign       int // where the first sign is
	isRead     [len(notations)]bool
	found      [len(notations)][]Attempt
}

// notations are the forms of changes in lines.
var notations = [4]func([]byte) []Attempt{inSettings, inCalls, inMarked, inForeign}

// notedAt returns the line at an offset.
func notedAt(text []byte, at int) noted {
	l := noted{start: bytes.LastIndexByte(text[:at], '\n') + 1}
	l.text, _, _ = bytes.Cut(text[l.start:], []byte("\n"))
	l.end = l.start + len(l.text)
	if l.sign = bytes.IndexAny(l.text, signs); l.sign < 0 {
		l.sign = len(l.text)
	}
	return l
}

// changesAt returns the changes in the line for which there is a clue at an id.
func (l *noted) changesAt(at int) (all []Attempt) {
	const before, behind = 60, 24
	line, end := l.text, at+2
	for end < len(line) && isWord(line[end]) {
		end++
	}
	for i, clue := range [len(notations)]bool{
		end+1 < len(line) && (line[end] == '.' || line[end] == '[') && line[end+1] != ' ',
		at > 1 && (line[at-1] == '"' || line[at-1] == '\'') && (line[at-2] == '(' || line[at-2] == '='),
		l.sign < at,
		foreignWords.In(string(line[max(0, at-before):min(len(line), at+behind)])),
	} {
		if clue && !l.isRead[i] {
			l.found[i], l.isRead[i] = notations[i](line), true
		}
		if clue {
			all = append(all, l.found[i]...)
		}
	}
	return all
}

// inSettings returns the fields that a line sets.
func inSettings(line []byte) (all []Attempt) {
	for _, m := range settings.FindAllSubmatchIndex(line, -1) {
		id, key := string(line[m[2]:m[3]]), string(line[m[4]:m[5]])
		if s, ok := artifact.SectionOfID(id); ok && (hasField(s, key) || key == "status" || key == "name") {
			all = append(all, Attempt{At: m[2], Operation: edit, Section: s.String(), ID: id, Field: key, Says: string(line[m[6]:m[7]])})
		}
	}
	return all
}

// signs are those for what becomes of an item.
const signs = "🗑➖✂❌✏📝🖊🔄"

// inMarked returns the change that a sign before an item stands for.
func inMarked(line []byte) []Attempt {
	m := marked.FindSubmatchIndex(line)
	if m == nil {
		return nil
	}
	id, says := string(line[m[4]:m[5]]), line[m[6]:m[7]]
	s, ok := artifact.SectionOfID(id)
	a := Attempt{At: m[4], Operation: kill, Section: s.String(), ID: id, Says: string(says)}
	switch sign := string(line[m[2]:m[3]]); {
	case !ok, sign == "❌" && !removal.Match(says): // a verdict
		return nil
	case strings.ContainsAny(sign, "✏📝🖊🔄"):
		a.Operation = edit
	}
	return []Attempt{a}
}

// inAdded returns the new items before which there is a sign.
func inAdded(text []byte) (all []Attempt) {
	if !bytes.Contains(text, []byte("➕")) && !bytes.Contains(text, []byte("🆕")) {
		return nil
	}
	for _, m := range added.FindAllSubmatchIndex(text, -1) {
		if s, ok := synonyms.Section(strings.ToLower(string(text[m[2]:m[3]]))); ok {
			all = append(all, Attempt{At: m[2], Operation: add, Section: s.String(), Says: string(text[m[4]:m[5]])})
		}
	}
	return all
}

// hunks matches a part of a difference of two texts, and conflicts one between the marks of a merge.
var (
	hunks     = pattern.New(`(?m)^@@[^\n]*\n(?:[ +-][^\n]*\n?)+`)
	conflicts = pattern.New(`(?ms)^<{5,9}[^\n]*\n.*?^={5,9}[^\n]*\n(.*?)(?:^>{5,9}|\z)`)
)

// inHunks returns the changes in a running text that are differences of two texts.
func inHunks(text []byte) (all []Attempt) {
	if bytes.Contains(text, []byte("@@")) {
		for _, m := range hunks.FindAllIndex(text, -1) {
			for _, a := range inDiff(text[m[0]:m[1]], nil) {
				a.At += m[0]
				all = append(all, a)
			}
		}
	}
	if bytes.Contains(text, []byte("<<<<<")) {
		for _, m := range conflicts.FindAllSubmatchIndex(text, -1) {
			if found := inSuggestion(text[m[2]:m[3]], leadOf(text[:m[0]])); len(found) > 0 {
				found[0].At = m[0]
				all = append(all, found[0])
			}
		}
	}
	return all
}

// The parts of changes in other languages than English: how a clause begins, what it applies to, and the kinds of items.
const (
	clauseStart = `(?:^[ \t]*(?:[-*+•][ \t]+|\d+[.)、][ \t]*)?|[.!?;][ \t]+|[。！；][ \t]*)[*_]{0,2}`
	otherKind   = `(?:(?:la |le |l['’]|die |den |das |el |a |o |il |lo )?(?:hypoth[èe]se|hip[óo]tesis|hip[óo]tese|ipotesi|hypothese|test|prueba|teste|annahme|hypothèse|suposición|anomalie|anomalía|假设|假說|测试|預測|预测|假定|异常|гипотезу|仮説)[ \t]*)?[*_\x60]{0,3}`
	oneItem     = otherKind + `([A-Z]{1,2}\d{1,3})\b`
	ownWords    = `(?i:ich |wir |je |nous |yo |nosotros |eu |nós |io |noi |я |мы |propongo |proponho |quiero |quero |je propose de |nous proposons de |建议|我(?:建议|提议|决定|将|会)?|請|请)?`
)

// foreign are the forms of changes in other languages.
var foreign = []struct {
	operation string
	form      *pattern.Pattern
}{
	{kill, pattern.New(`(?m)` + clauseStart + `(` + ownWords + `(?i:streichen?|löschen?|entfernen?|verwerfen?|supprime[rz]?|supprimons|retirer|retirons|élimine[rz]?|elimin[oaé]r?|eliminamos|suprim[oi]r?|descart[oa]r?|borr[oa]r?|retir[oa]r?|rimuov\w+|remov(?:er|o)|exclu[oi]r?|удаля(?:ю|ем)|исключа(?:ю|ем)|удалить|исключить|删除|刪除|移除|剔除|淘汰|去掉)[ \t]*` + oneItem + `([^\n]*))`)},
	{kill, pattern.New(`(?m)` + clauseStart + `(` + oneItem + `[ \t]*(?i:(?:wird|werden|ist zu|bitte) (?:\w+ )?(?:gestrichen|gelöscht|entfernt|verworfen|streichen|löschen|entfernen)|(?:est|doit être|à) (?:supprimée?|retirée?|éliminée?|supprimer|retirer)|(?:se|debe ser|queda) (?:elimina\w*|descarta\w*|suprim\w*)|を(?:削除|棄却|除外)|(?:应|應|需要|需)?(?:删除|刪除|移除|剔除)|удалить|исключить)([^\n]*))`)},
	{kill, pattern.New(`(?m)` + clauseStart + `(` + `(?:将|把|將)[ \t]*` + oneItem + `[ \t]*(?:从[^\n]{0,12})?(?:删除|刪除|移除|剔除|淘汰|标记为(?:已)?(?:删除|killed))([^\n]*))`)},
	{edit, pattern.New(`(?m)` + clauseStart + `(` + `(?:将|把|將)[ \t]*` + oneItem + `[^\n]{0,24}?((?:改为|改成|更改为|更新为|修改为|设为|設為|标记为|替换为)[^\n]*))`)},
	{edit, pattern.New(`(?m)` + clauseStart + `(` + ownWords + `(?i:ändern?|ändere|bearbeiten?|überarbeiten?|modifie[rz]?|modifions|modific[oa]r?|edit(?:o|ar)|cambi[oa]r?|actualiz[oa]r?|alter(?:o|ar)|изменя(?:ю|ем)|изменить|修改|更新|编辑|編輯)[ \t]*(?:den [\p{L}]+ von |le [\p{L}]+ de |la [\p{L}]+ de |el [\p{L}]+ de )?` + oneItem + `([^\n]*))`)},
	{edit, pattern.New(`(?m)` + clauseStart + `(` + oneItem + `[^\n]{0,12}?を(?:修正|変更|更新|編集)([^\n]*))`)},
}

// endsForeign matches what may be behind the item that a clause changes: its end, a mark, a reason, or what it becomes.
var endsForeign = pattern.New(`(?i)^[ \t*_\x60]*(?:$|\r|[:：.,，、。;；(（—–!！-]|(?:car|parce|porque|pois|weil|da|denn|perché|потому|wegen|à cause|en|zu|auf|durch|por|par)\b|因|为|由|し|す|[改更修设設标替])`)

// isForeignCondition matches words that make a change in another language depend on something.
var isForeignCondition = pattern.New(`(?i)\b(?:wenn|falls|sobald|sofern|si|lorsque|dès que|cuando|quando|если|когда)\b|^ (?:noch )?(?:nicht|pas)\b|如果|若|除非|もし|場合|ません|しない`)

// foreignWords are parts of the words of change in other languages, of which one is near the item.
var foreignWords = remark.WordsOf("treich", "ösch", "ntfern", "erwerf", "erworfen", "upprim", "etirer", "etirons", "limine", "limino", "liminar", "liminamos", "limina", "uprim", "escart", "orro ", "orrar", "etiro ", "etirar", "imuov", "emover", "emovo",
	"xcluo", "xcluir", "даля", "далить", "сключ", "删除", "刪除", "移除", "剔除", "淘汰", "去掉", "削除", "棄却", "除外", "ndere ", "ndern ", "earbeit", "odifie ", "odifier", "odifions", "odifico", "odificar", "dito ", "ditar", "ambio ", "ambiar",
	"ctualiz", "ltero ", "lterar", "змен", "修改", "更新", "编辑", "編輯", "改为", "改成", "修正", "変更", "設為", "设为", "标记为", "替换为", "将", "把", "將", "を")

// inForeign returns the changes that a line announces in another language than English.
func inForeign(text []byte) (all []Attempt) {
	for i := range foreign {
		for _, m := range foreign[i].form.FindAllSubmatchIndex(text, -1) {
			id, says := string(text[m[4]:m[5]]), text[m[6]:m[7]]
			s, ok := artifact.SectionOfID(id)
			isFound := slices.ContainsFunc(all, func(a Attempt) bool { return a.ID == id && a.Operation == foreign[i].operation })
			if ok && !isFound && endsForeign.Match(says) && !isForeignCondition.Match(says) {
				all = append(all, Attempt{At: m[2], Operation: foreign[i].operation, Section: s.String(), ID: id, Says: string(says)})
			}
		}
	}
	return all
}

// attached matches a sentence that leaves the changes in a file, which the program never sees.
var attached = pattern.New(`(?im)(?:\bdeltas|\b(?:my|our) (?:\w+ )?(?:changes|edits))\b[^.\n]{0,30}\b(?:attached|attachment|in (?:the |a )?(?:separate )?file\b|saved (?:to|in)|written to)\b[^\n]*`)

// inFiles returns the announcement of changes that are in a file.
func inFiles(text []byte) []Attempt {
	if !pattern.HasAny(text, "ttach", " file", "saved", "written to") {
		return nil
	}
	if m := attached.FindIndex(text); len(m) > 0 {
		return []Attempt{{At: m[0], Says: string(text[m[0]:m[1]])}}
	}
	return nil
}
