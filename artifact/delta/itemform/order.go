package itemform

import (
	"slices"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/internal/lazy"
)

// order is a sentence that may order changes.
type order struct {
	text     string
	t        []token
	start    int  // of what is behind a label and connectives
	labelled bool // a label calls it a decision, or it is in a list of changes
	follows  bool // it follows from what is before it: "so H2 goes"
	before   string
	first    bool // no sentence is before it
	last     int  // the last verb that is an order, or -1
	unhedged int  // words before it are no conditions
	all      []Attempt
}

// inOrders returns the changes that a sentence orders: in the imperative, in the first person, or of an item ("H2 should
// go"). Before is the sentence before it; listed is whether it is in a list of changes.
func inOrders(sentence, before string, listed bool) []Attempt {
	const longest = 600
	if len(sentence) > longest || !HasID(sentence) && !kindWords.In(sentence) && !(len(sentence) < 60 && HasID(before)) {
		return nil
	}
	o := order{text: sentence, t: tokens(sentence), labelled: listed, last: -1, first: before == ""}
	if len(o.t) < 2 || awayFrom(sentence) || o.t[len(o.t)-1].text == ":" {
		return nil
	}
	o.begin()
	o.before = before
	if o.judged() || o.declared() {
		return o.all
	}
	for i := o.start; i < len(o.t); i++ {
		switch t := &o.t[i]; {
		case t.text == `"`:
			return o.all
		case t.id:
			i = max(i, o.subject(i))
		case t.text == "question" && i > o.start && o.is(i-1, "research"):
			i = max(i, o.question(i))
		case t.isWord:
			if v, ok := verbs[t.text]; ok && o.isOrder(i, v) {
				i = max(i, o.object(i, v))
			}
		}
	}
	return o.all
}

// awayFrom reports whether a sentence speaks of another round.
func awayFrom(s string) bool {
	return strings.Contains(s, "round") && elsewhere.MatchString(s) || strings.Contains(s, "ound ") && inRound.MatchString(s)
}

// begin finds where a sentence begins behind marks, a label and connectives.
func (o *order) begin() {
	for o.start < len(o.t) && !o.t[o.start].isWord && o.t[o.start].text != `"` && o.t[o.start].text != "~" {
		o.labelled = o.labelled || o.t[o.start].text == "❌"
		o.start++
	}
	if end := o.label(); end > 0 {
		o.start, o.labelled = end, true
	}
	for o.start < len(o.t)-1 && (adverbs.Has(o.word(o.start)) || o.is(o.start, ",", ":")) {
		o.follows = o.follows || o.is(o.start, "so", "therefore", "thus", "hence", "consequently", "accordingly")
		o.start++
	}
	if end := o.occasion(); end > 0 {
		o.start, o.unhedged = end, end
	}
}

// label returns where the label of a decision ends, or 0.
func (o *order) label() int {
	const longest = 8
	known := false
	for i := o.start; i < min(len(o.t)-1, o.start+longest); i++ {
		switch t := &o.t[i]; {
		case t.text == ":" || t.text == "—":
			if known {
				return i + 1
			}
			return 0
		case t.id || !t.isWord && !o.is(i, ";", "#", "(", ")"):
			return 0
		}
		known = known || labels.Has(o.t[i].text)
	}
	return 0
}

// isOrder reports whether a verb is an order, or what the author does.
func (o *order) isOrder(i int, v verb) bool {
	if o.isHedged(i) {
		return false
	}
	if o.last >= 0 && o.isJoined(i, v) {
		return true
	}
	isQuestion, isPlain := o.t[len(o.t)-1].text == "?", true
	for j := i - 1; j >= o.start; j-- {
		switch w := o.t[j].text; {
		case leaders.Has(w):
			return o.leads(j, i, v, isQuestion)
		case o.isAct(j):
			return v.form != past && !isQuestion
		case adverbs.Has(w):
		case between.Has(w):
			isPlain = false
		default:
			return false
		}
	}
	isCapital := o.t[i].text != o.text[o.t[i].at:o.t[i].end]
	return isPlain && v.form == base && !v.owned && !isQuestion && (isCapital || o.first || o.start > 0)
}

// leaders are the words before a verb that make it an order, or an act of the author.
var leaders = lazy.WordsOf("please you i we let lets")

// leads reports whether such a word makes a verb an order.
func (o *order) leads(j, i int, v verb, isQuestion bool) bool {
	switch o.t[j].text {
	case "please":
		return v.form == base && !v.owned
	case "you":
		return isQuestion && v.form == base && j > o.start && requests.Has(o.t[j-1].text)
	case "i", "we":
		return !isQuestion && o.isSubject(j) && o.fits(j, i, v)
	}
	return !isQuestion && v.form == base
}

var (
	requests  = lazy.WordsOf("could can")
	particles = lazy.WordsOf("off out down up of")
)

// isSubject reports whether the author is the subject of a sentence or a clause.
func (o *order) isSubject(j int) bool {
	if j == o.start {
		return true
	}
	before := o.t[j-1]
	return !before.isWord && before.text != `"` || adverbs.Has(before.text) || before.text == "but" || before.text == "that"
}

// fits reports whether a verb has the form for the words between its author and it.
func (o *order) fits(author, i int, v verb) bool {
	is := func(words ...string) bool {
		return slices.ContainsFunc(o.t[author+1:i], func(t token) bool { return slices.Contains(words, t.text) })
	}
	switch v.form {
	case ongoing:
		return is("am", "'m", "are", "'re", "propose", "suggest", "recommend", "for", "favour", "favor", "support", "prefer", "about")
	case past:
		return is("have", "'ve") && !is("be", "to") || i == author+1 && o.labelled
	}
	return !is("have", "'ve", "are", "am", "'m", "'re", "about", "for") || is("to")
}

// isAct reports whether a word before an offset names what the author wants: "my recommendation is".
func (o *order) isAct(at int) bool {
	const near = 6
	if !o.is(at, "is", "are", ":") {
		return o.is(at, "time") && o.is(at-1, "'s", "is") // it is time to
	}
	for j := at - 1; j >= max(o.start, at-near); j-- {
		if acts.Has(o.t[j].text) {
			return j == o.start || slices.ContainsFunc(o.t[o.start:j], func(t token) bool { return t.text == "my" || t.text == "our" || t.text == "the" })
		}
	}
	return false
}

// isJoined reports whether a verb follows the last order: "kill H2 and sharpen T1".
func (o *order) isJoined(i int, v verb) bool {
	j := i - 1
	for j > o.last && (adverbs.Has(o.t[j].text) || o.t[j].text == "to") && o.t[j].text != "and" {
		j--
	}
	w := o.t[j].text
	return (w == "and" || w == "," || w == ";" || w == "&" || w == "—") && v.form == verbs[o.t[o.last].text].form
}

// isHedged reports whether words before an offset take back what is there.
func (o *order) isHedged(at int) bool {
	for j := o.unhedged; j < at; j++ {
		switch w := o.t[j].text; {
		case w == "could" && j+1 < len(o.t) && o.t[j+1].text == "you":
		case hedges.Has(w), w == `"`, w == "would" && !o.is(j+1, "like", "prefer", "love", "also"):
			return true
		}
	}
	return false
}

// found records a change unless what is behind it sets a condition. It returns the last token of it.
func (o *order) found(a Attempt, verb, last int) int {
	rest := o.text[o.t[last].end:]
	said := rest
	if r := reasons.FindStringIndex(rest); r != nil {
		said = rest[:r[0]]
	}
	if conditions.MatchString(said) || takenBack.MatchString(rest) || strings.ContainsAny(rest, "✘✗❌") {
		return last
	}
	if a.Says == "" {
		a.Says = rest
	}
	a.At = o.t[verb].at
	o.all = append(o.all, a)
	if _, ok := verbs[o.t[verb].text]; ok {
		o.last = verb
	}
	return last
}

// ids reads a list of ids from an offset on. It returns the first of them, all of them, and where the next token is.
func (o *order) ids(i int) (first artifact.Section, list string, next int) {
	start := i
	next = i
	for i < len(o.t) && o.t[i].id {
		next = i + 1
		i = next
		for i < len(o.t) && (o.t[i].text == "," || o.t[i].text == "and" || o.t[i].text == "&" || o.t[i].text == "/" || nouns[o.t[i].text] > 0 && i > next) {
			i++
		}
	}
	if next == start {
		return 0, "", start
	}
	first, _ = artifact.SectionOfID(o.text[o.t[start].at:o.t[start].end])
	return first, o.text[o.t[start].at:o.t[next-1].end], next
}

// word returns a token in small letters, or "".
func (o *order) word(i int) string {
	if i < len(o.t) {
		return o.t[i].text
	}
	return ""
}

func (o *order) is(i int, words ...string) bool {
	return i >= 0 && i < len(o.t) && slices.Contains(words, o.t[i].text)
}

// object reads what a verb is about. It returns the last token of it, or the verb.
func (o *order) object(i int, v verb) int {
	if v.operation == add {
		if end := o.added(i, v); end > i || v.owned {
			return end
		}
		if v.operation, v.weak = edit, true; o.t[i].text != "raise" { // T1's score to 2
			return i
		}
	}
	k := o.skip(i+1, i, v)
	s, list, next := o.ids(k)
	switch {
	case v.operation == kill && list != "":
		if !o.endsObject(next) {
			return i
		}
		return o.found(Attempt{Operation: kill, Section: s.String(), ID: list}, i, next-1)
	case v.operation == kill:
		return o.pronoun(i, k)
	case list == "":
		return o.fieldOf(i, v)
	}
	a := Attempt{Operation: edit, Section: s.String(), ID: list}
	if a.Field, next = o.field(s, next); next < 0 {
		return i
	}
	return o.changed(a, i, v, next)
}

// skip returns where what a verb is about begins, from an offset on: behind a comma in a line of values, an attribute of a
// tag, or words before an id.
func (o *order) skip(k, i int, v verb) int {
	if i == o.start && o.is(k, ",") && k+1 < len(o.t) && o.t[k+1].id {
		k++
	}
	for k < len(o.t) && (o.is(k, "=") || o.is(k, `"`) && o.is(k-1, "=") || skipped.Has(o.t[k].text) || v.operation == kill && particles.Has(o.t[k].text)) {
		k++
	}
	return k
}

// field reads the field behind an item: "T1's speed score", "T1 potency check". It returns where the next token is, or -1 if
// there is none behind 's.
func (o *order) field(s artifact.Section, at int) (name string, next int) {
	const longest = 4
	if o.is(at, "'s", "'") {
		end := at + 1
		for end < len(o.t) && end <= at+longest && o.t[end].isWord && !goals.Has(o.t[end].text) {
			end++
		}
		if end == at+1 {
			return "", -1
		}
		return fieldIn(s, o.text[o.t[at+1].at:o.t[end-1].end]), end
	}
	for end := min(len(o.t), at+longest-1); end > at; end-- {
		if name = fieldIn(s, o.text[o.t[at].at:o.t[end-1].end]); name != "" {
			return name, end
		}
	}
	return "", at
}

// goals are words before what something is changed to.
var goals = lazy.WordsOf("to as from by with for into so")

// changed records an EDIT, or a KILL by a state: "mark H2 as killed".
func (o *order) changed(a Attempt, i int, v verb, next int) int {
	for j := next; j < min(len(o.t), next+4); j++ {
		if (goals.Has(o.t[j].text) || o.is(j, ":", "→", "status")) && j+1 < len(o.t) && o.isGone(j+1) && v.weak {
			a.Operation, a.Field = kill, ""
			return o.found(a, i, j+1)
		}
	}
	hasGoal := slices.ContainsFunc(o.t[next:], func(t token) bool { return goals.Has(t.text) || t.text == ":" || t.text == "—" || t.text == "→" })
	if v.weak && !hasGoal || next < len(o.t) && o.t[next].isWord && !goals.Has(o.t[next].text) && !follows.Has(o.t[next].text) {
		return i
	}
	return o.found(a, i, next-1)
}

// fieldOf reads "the status of A1", or the research question.
func (o *order) fieldOf(i int, v verb) int {
	const longest = 6
	for k := i + 1; k < min(len(o.t)-1, i+longest) && (o.t[k].isWord && !goals.Has(o.t[k].text) || o.t[k].text == "for"); k++ {
		if o.is(k, "question", "thread") && k > i+1 && o.is(k-1, "research") {
			return o.changed(Attempt{Operation: edit, Section: artifact.ResearchThread.String(), ID: "RT"}, i, verb{operation: edit, weak: true}, k+1)
		}
		if !o.is(k, "of", "for", "in", "on") || k == i+1 {
			continue
		}
		j := k + 1
		for j < len(o.t) && skipped.Has(o.t[j].text) {
			j++
		}
		s, list, next := o.ids(j)
		if list == "" {
			return i
		}
		name := o.text[o.t[i+1].at:o.t[k-1].end]
		field := fieldIn(s, strings.TrimPrefix(strings.TrimPrefix(name, "the "), "its "))
		if field == "" && !strings.HasSuffix(name, "status") && !strings.HasSuffix(name, "wording") {
			return i
		}
		return o.changed(Attempt{Operation: edit, Section: s.String(), ID: list, Field: field}, i, v, next)
	}
	return i
}

// endsObject reports whether a token may follow what is killed.
func (o *order) endsObject(i int) bool {
	const near = 6
	switch {
	case i >= len(o.t):
		return true
	case o.t[i].text == "from":
		return slices.ContainsFunc(o.t[i:min(len(o.t), i+near)], func(t token) bool { return wholes.Has(t.text) })
	case o.t[i].isWord:
		return follows.Has(o.t[i].text) || verbs[o.t[i].text].form > 0
	}
	return !strings.HasPrefix(o.t[i].text, "'") && (o.t[i].text != `"` || o.is(i-3, "="))
}

// pronoun reads "Kill it.", where it is the item that the sentence before begins with.
func (o *order) pronoun(i, k int) int {
	if !o.is(k, "it", "them") || k > i+1 || !o.endsObject(k+1) || len(o.t) > k+8 || i > o.start+4 {
		return i
	}
	before := order{text: o.before, t: tokens(o.before)}
	before.begin()
	s, id, _ := before.ids(before.start)
	if id == "" {
		return i
	}
	return o.found(Attempt{Operation: kill, Section: s.String(), ID: id}, i, k)
}

// added reads what an author adds: "a hypothesis that …", "… as an anomaly", "… to the ledger".
func (o *order) added(i int, v verb) int {
	k := i + 1
	if o.is(k, "forward", "in") {
		k++
	}
	start := k
	if s, ok := nouns[o.word(k)]; ok && o.is(k+1, ":", "—", "that", "(") {
		return o.item(i, k, s)
	}
	for k < len(o.t) && k < start+5 && o.t[k].isWord && (k > start || articles.Has(o.t[k].text)) {
		if s, ok := nouns[o.t[k].text]; ok && k > start {
			return o.item(i, k, s)
		}
		k++
	}
	if s, n := o.another(start); n > 0 {
		return o.found(Attempt{Operation: add, Section: s.String(), Says: o.text[o.t[n].end:]}, i, n)
	}
	if v.owned {
		return i
	}
	for j := i + 1; j+1 < len(o.t); j++ {
		if s, n := o.place(j); n > 0 {
			return o.found(Attempt{Operation: add, Section: s.String(), Says: o.text[o.t[i].end:]}, i, n)
		}
	}
	return i
}

// place reads "as an anomaly" and "to the ledger". It returns the last token of it, or 0.
func (o *order) place(j int) (s artifact.Section, last int) {
	table := nouns
	switch {
	case o.is(j, "as") && o.is(j+1, "a", "an", "another"):
	case o.is(j, "to", "in", "into", "on", "under") && o.is(j+1, "the", "our"):
		table = lists
	default:
		return 0, 0
	}
	for n := j + 2; n < min(len(o.t), j+5); n++ {
		if s, ok := table[o.t[n].text]; ok && !o.is(n+1, "of") {
			return s, n
		}
	}
	return 0, 0
}

// item reads what is behind a word for the kind of what is added.
func (o *order) item(i, k int, s artifact.Section) int {
	next := k + 1
	if next < len(o.t) && o.t[next].isWord && !behind.Has(o.t[next].text) && !o.t[next].id {
		return i
	}
	if toItem.MatchString(o.text[o.t[k].end:]) || countWords(o.text[o.t[k].end:]) < 2 && verbs[o.t[i].text].owned {
		return i
	}
	a := Attempt{Operation: add, Section: s.String(), Says: o.text[o.t[k].end:]}
	for j := next; j < min(len(o.t), next+2); j++ {
		if o.t[j].id && (j == next && !o.is(next-1, "of") || o.is(next, "(", ",")) {
			if in, _ := artifact.SectionOfID(o.text[o.t[j].at:o.t[j].end]); in == s {
				a.ID = o.text[o.t[j].at:o.t[j].end]
			}
		}
	}
	return o.found(a, i, k)
}

// countWords counts the words of a text that say something.
func countWords(text string) (n int) {
	for w := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) }) {
		if len(w) > 3 {
			n++
		}
	}
	return n
}

// question reads "the research question should read …".
func (o *order) question(i int) int {
	k, _, strong := o.becomes(i + 1)
	for adverbs.Has(o.word(k)) {
		k++
	}
	if strong && o.is(k, "read", "be", "become", "ask", "say", "change") && !o.isHedged(i) && !o.namesOther(i) && i <= o.start+3 {
		return o.found(Attempt{Operation: edit, Section: artifact.ResearchThread.String(), ID: "RT"}, k, k)
	}
	return i
}
