package itemform

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/internal/remark"

	"brenner/internal/lazy"
	"brenner/internal/pattern"
)

// The titles of new items.
const (
	titleKind = `(?i:(hypothesis|alternative|test|assumption|anomaly|critique|objection|prediction))`
	titleNew  = `(?i:new|additional|proposed|further|another|suggested|added)`
	titleMark = `[\[(](?i:new|proposed|my proposal|added|addition|please add|to add|to be added|suggested)(?: \w+)?[\])]`
	titleTo   = ` *(?::|—|–| -|\.)+ *`
)

// titles are the forms of a line that calls an item new: the groups are its kind, its id and what it says.
var titles = []*pattern.Pattern{
	pattern.New(`^` + titleNew + `:? (?:` + titleKind + `,? )?[\[(]?` + oneID + `[\])]?(?: \([^()]{1,40}\))?` + titleTo + `(\S.*)$`),
	pattern.New(`^` + titleNew + ` ` + titleKind + `(?: #?\d{1,2})?(?: ?[\[(]` + oneID + `[\])])?` + titleTo + `(\S.*)$`),
	pattern.New(`^(?:` + titleKind + ` )?` + oneID + `[:.]? ` + titleMark + `[^\w:—–-]{0,4}(?::| —| –| -|\.| )+ *(\S.*)$`),
	pattern.New(`^(?:` + titleKind + ` )?` + oneID + titleTo + `(\S[^:.]{1,90}) ` + titleMark + `[.:]?$`),
	pattern.New(`^` + titleKind + `()` + titleTo + `(\S.{1,200}) ` + titleMark + `[.:]?$`),
}

// newClues are parts of words that call an item new.
var newClues = remark.WordsOf("ew", "EW", "dd", "ropos", "urther", "nother", "uggest", "🆕", "DDED", "ROPOS")

// InTitle returns the item that a line calls new: "H4 (new): alpha". Named is whether it does not say the kind of it, only
// what it is called.
func InTitle(line string) (a Attempt, named, ok bool) {
	if !newClues.In(line) {
		return a, false, false
	}
	if after, isNew := strings.CutPrefix(line, "🆕"); isNew {
		line = "New " + strings.TrimSpace(after)
	}
	line = strings.TrimLeftFunc(line, func(c rune) bool { return c > 0x7f && !unicode.IsLetter(c) || c == ' ' })
	for _, form := range titles {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		a = Attempt{Operation: add, ID: m[2], Says: m[3]}
		s, known := artifact.SectionOfID(a.ID)
		if kind, isKind := nouns[strings.ToLower(m[1])]; !known && isKind {
			s, known = kind, true
		}
		a.Section = s.String()
		return a, m[1] == "", known
	}
	return a, false, false
}

var (
	plusItem = pattern.New(`^\+ ([A-Z]\d{1,3}):? ([A-Z]\w+(?: \w+){0,5})$`)
	tagged   = pattern.New(`^([A-Z]\d{1,3}) \[KILLED\][.!]?$`)
	listed   = pattern.New(`^[-*+•] (?:\[[ xX]\] )?([A-Z]\d{1,3})\b[^\[\]]{0,80}\[KILLED\]`)
)

// InMark returns the change of a line that is nothing but an item with the mark of a change.
func InMark(line string) (a Attempt, ok bool) {
	if m := plusItem.FindStringSubmatch(line); m != nil {
		return Attempt{Operation: add, ID: m[1], Says: m[2]}, true
	}
	if m := tagged.FindStringSubmatch(line); m != nil {
		return Attempt{Operation: kill, ID: m[1]}, true
	}
	return a, false
}

// InListed returns the change of an item of a list with the mark of a KILL.
func InListed(line string) (a Attempt, ok bool) {
	if m := listed.FindStringSubmatch(line); m != nil {
		return Attempt{Operation: kill, ID: m[1]}, true
	}
	return a, false
}

var (
	changeMark = pattern.New(`\[(?:KILLED|EDITED|ADDED|NEW|CHANGED|REVISED|KILL|EDIT|ADD)\]`)
	ofChanges  = pattern.New(`(?i)\b(?:changes|deltas|edits|operations|updates)\b`)
)

// IsListed reports whether a line between two texts is in a list below a title of changes in which every item has the mark
// of one.
func IsListed(before, behind []byte, isTitle func([]byte) bool) bool {
	const most, longest = 20, 160
	isItem := func(line []byte) bool {
		return len(line) > 1 && line[1] == ' ' && (line[0] == '-' || line[0] == '*' || line[0] == '+')
	}
	for range most {
		var next []byte
		next, behind, _ = bytes.Cut(bytes.TrimPrefix(behind, []byte("\n")), []byte("\n"))
		if next = bytes.TrimSpace(next); !isItem(next) {
			break
		}
		if !changeMark.Match(next) {
			return false
		}
	}
	for range most {
		before = bytes.TrimRight(before, " \t\r\n")
		start := bytes.LastIndexByte(before, '\n') + 1
		last := bytes.TrimSpace(before[start:])
		if !isItem(last) {
			return len(last) > 0 && isTitle(last) && ofChanges.Match(last[:min(len(last), longest)])
		}
		if !changeMark.Match(last) {
			return false
		}
		before = before[:start]
	}
	return false
}

// NewItems returns the section of the items below a title, without its marks, that calls them new.
func NewItems(title string) (section string, ok bool) {
	const longest = 60
	if len(title) > longest || standing.MatchString(title) {
		return "", false
	}
	t := tokens(title)
	for i := range t {
		s, isKind := lists[t[i].text]
		if isKind && !strings.HasSuffix(t[i].text, "y") && !strings.HasSuffix(t[i].text, "ion") && isCalledNew(t, i) {
			return s.String(), true
		}
	}
	return "", false
}

// isCalledNew reports whether the words before or behind a kind of items call them new.
func isCalledNew(t []token, i int) bool {
	const most = 4
	for j := max(0, i-2); j < i && i < most; j++ {
		if newWords.Has(t[j].text) {
			return true
		}
	}
	behind := t[i+1:]
	isTo := len(behind) > 1 && behind[0].text == "to" && slices.ContainsFunc(behind[1:], func(t token) bool {
		return t.text == "add" || t.text == "added" || t.text == "register" || t.text == "record"
	})
	return i <= 1 && (isTo || len(behind) > 0 && behind[0].text == "additions")
}

var newWords = lazy.WordsOf("new additional proposed further added suggested")

// IsChanges reports whether a title is above a list of its author's changes.
func IsChanges(title string) bool {
	const longest = 60
	if len(title) > longest || standing.MatchString(title) {
		return false
	}
	found := false
	for _, t := range tokens(title) {
		switch t.text {
		case "changes", "changelog", "actions", "action", "decisions", "decision", "updates", "edits", "operations", "deltas", "verdicts", "removals", "dispositions":
			found = true
		case "by", "of", "for", "rationale", "reasons", "why", "behind", "possible", "candidate", "pending", "no", "not", "other", "others", "if", "would", "could", "may", "past", "?":
			if t.text != "of" || !strings.Contains(strings.ToLower(title), "summary of") {
				return false
			}
		}
	}
	return found
}

// Columns are those of a table that say what becomes of items, or describe new ones.
type Columns struct {
	action       int // from 1
	fields       bool
	who, outcome bool // the round or the author of a change, and what became of it
	by, vote     bool // the author of a proposal, and what others think of it
	untitled     bool // its first row is a KILL
	proposed     int  // the column of changes that also name their items, from 1
	agent        int  // the column of who makes a change, from 1
}

// ReadColumns reads the first row of a table, below the title of new items of a section or not ("").
func ReadColumns(row, section string) (c Columns) {
	s, isKnown := artifact.ParseSection(section)
	named := 0
	for i, cell := range cellsOf(row) {
		name := strings.ToLower(cell)
		if isKnown && isColumn(s, name) {
			named++
		}
		c.read(i+1, name)
	}
	c.fields, c.untitled = named > 0, killRow.MatchString(row)
	return c
}

// read notes what a column is, by its name in small letters.
func (c *Columns) read(column int, name string) {
	if actionColumns.Has(name) {
		c.action = column
	}
	if actionColumns.Has(proposedAs.ReplaceAllString(name, "")) {
		c.proposed = column
	}
	if agentColumns.Has(strings.TrimPrefix(name, "proposed ")) {
		c.agent = column
	}
	c.who = c.who || name == "round" || name == "agent" || name == "author" || name == "version"
	c.by = c.by || c.who || name == "by" || name == "proposer" || name == "proposed by" || name == "from" || name == "source"
	c.vote = c.vote || voteColumns.Has(strings.TrimPrefix(name, "my "))
	c.outcome = c.outcome || name == "outcome" || name == "result" || name == "disposition"
}

var actionColumns = lazy.WordsOf("action operation op change decision proposal move recommendation verdict update disposition")

var (
	agentColumns = lazy.WordsOf("agent author by proposer speaker who from")
	proposedAs   = pattern.New(`^(?:(?:proposed|suggested|recommended|my|requested) )+|s$`)
	wholeAgent   = pattern.New(`^@?` + agentName + `$`)
)

// IsAnothers reports whether a row of a table says that its change is that of another agent than an author, if that is known.
func (c Columns) IsAnothers(row, author string) bool {
	cells := cellsOf(row)
	if c.agent == 0 || c.agent > len(cells) || author == "" {
		return false
	}
	m := wholeAgent.FindStringSubmatch(cells[c.agent-1])
	return len(m) > 1 && !strings.EqualFold(m[1], author)
}

// InProposal returns the change that a row of a table orders in its column for it, together with its item.
func (c Columns) InProposal(row string) (a Attempt, ok bool) {
	cells := cellsOf(row)
	if c.proposed == 0 || c.proposed > len(cells) {
		return a, false
	}
	c.action = c.proposed
	return c.inRow(cells, idIn([]byte(cells[c.action-1])))
}

func isColumn(s artifact.Section, name string) bool {
	if name == "name" || name == "title" {
		return true
	}
	kind, ok := nouns[name]
	return ok && kind == s || hasField(s, strings.ReplaceAll(name, " ", "_")) || isSynonym(s, name)
}

// cellsOf returns the cells of a row without emphasis.
func cellsOf(row string) (all []string) {
	for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(row), "|"), "|") {
		all = append(all, strings.Trim(strings.TrimSpace(cell), "*_`~ "))
	}
	return all
}

// InRow returns the change that a row of a table orders in its column for it.
func (c Columns) InRow(row string) (a Attempt, ok bool) {
	if c.action == 0 {
		return a, false
	}
	cells := cellsOf(row)
	if c.action > len(cells) {
		return a, false
	}
	return c.inRow(cells, "")
}

// inRow returns the change that the cells of a row order for an item, or for the one that another cell names.
func (c Columns) inRow(cells []string, id string) (a Attempt, ok bool) {
	cell := strings.TrimLeftFunc(cells[c.action-1], func(c rune) bool { return !unicode.IsLetter(c) })
	t := tokens(cell)
	a.ID = id
	for i := 0; i < len(cells) && a.ID == ""; i++ {
		if i != c.action-1 {
			a.ID = idIn([]byte(cells[i]))
		}
	}
	s, known := artifact.SectionOfID(a.ID)
	if !known || len(t) == 0 {
		return a, false
	}
	v := verbs[t[0].text]
	a.Operation, a.Section = v.operation, s.String()
	switch {
	case v.form == 0 || v.form == ongoing || v.operation == add:
		return a, false
	case len(t) == 1:
		return a, !v.weak
	case !t[1].isWord || t[1].id || follows.Has(t[1].text) || t[1].text == "it":
		return a, true
	}
	for n := min(len(t), 5); n > 1 && v.operation == edit && a.Field == ""; n-- {
		a.Field = fieldIn(s, cell[t[1].at:t[n-1].end])
	}
	return a, a.Field != ""
}

// IsNew reports whether a row below the first one of a table is a new item.
func (c Columns) IsNew(row string) bool {
	return c.fields && countWords(row) > 1
}

// Announces reports whether a line promises deltas: a heading that mentions them, "Delta 1:", or an operation in capitals.
func Announces(line string) bool {
	trimmed := strings.TrimLeft(line, " \t-+>0123456789.)")
	body := strings.TrimLeft(trimmed, "#*_` \t0123456789.)")
	emphatic := len(body) < len(trimmed)
	first := strings.FieldsFunc(body, func(c rune) bool {
		return c != '_' && c <= unicode.MaxASCII && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	if len(first) == 0 {
		return false
	}
	switch first[0] {
	case add, edit, kill:
		return len(first) > 1
	}
	word := strings.ToLower(first[0])
	if word == "delta" || word == "deltas" {
		rest := strings.TrimLeft(body[len(word):], " #0123456789*_`")
		return emphatic || rest == "" || rest[0] == ':'
	}
	if !emphatic {
		return false
	}
	for _, w := range first {
		if w = strings.ToLower(w); w == "delta" || w == "deltas" {
			return true
		}
	}
	return false
}

// orderTitle matches a title that is nothing but an operation.
var orderTitle = pattern.New(`(?i)^(?:(?:my|the|proposed) )?(?:(add|edit|kill)s?|[a-z]+ to (?:be )?(edit|kill)(?:ed)?)$`)

// OrderOfTitle returns the operation that is all of a title, or "".
func OrderOfTitle(title []byte) string {
	m := orderTitle.FindSubmatch(title)
	if m == nil {
		return ""
	}
	return strings.ToUpper(string(m[1]) + string(m[2]))
}

// nameLine matches the name or the main field of an item.
var nameLine = pattern.New(`(?i)^[ \t*_+{"-]*(?:name|title|condition|claim|statement|procedure|observation|attack)[*_\x60"]*[ \t]*[:=][*_\x60" \t]*([^\n"]{1,100})`)

// NameBelow returns the name of the item whose fields are listed in the first lines of a text, or "".
func NameBelow(below []byte) string {
	for n := 0; n < 6 && len(below) > 0; n++ {
		line, rest, _ := bytes.Cut(below, []byte("\n"))
		if m := nameLine.FindSubmatch(line); m != nil {
			return strings.ToValidUTF8(string(m[1]), "")
		}
		if len(line) > 0 && line[0] == '#' {
			break
		}
		below = rest
	}
	return ""
}

var (
	killMark = pattern.New(`^~~ *([A-Z]\d{1,3})\b[^~]*~~ *\[?KILLED\b`)
	killedAt = pattern.New(`(?i)killed by\W+\w+ \(\d{4}-\d\d`) // the record of a KILL as artifacts have it
	killedBy = pattern.New(`(?i)killed by\W+(\w+)`)
)

// StruckKill returns the item that a title strikes out as killed, or "", and whether the text below it makes that a change of an author's
// who may be unknown: it has a reason, and no time or other author. The fifth reader looks for the time.
func StruckKill(title string, below []byte, author string, fifth bool) (id string, isOwn bool) {
	m := killMark.FindStringSubmatch(title)
	if m == nil {
		return "", false
	}
	by := killedBy.FindSubmatch(below)
	return m[1], bytes.Contains(bytes.ToLower(below), []byte("reason")) && !(fifth && killedAt.Match(below)) && (by == nil || author == "" || string(by[1]) == author)
}

// BeginsItem reports whether a line has the name or the main field of an item.
func BeginsItem(line []byte) bool { return nameLine.Match(line) }
