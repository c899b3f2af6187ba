package itemform

import (
	"strings"

	"brenner/artifact"
	"brenner/internal/lazy"
)

// occasion returns where a clause ends that names items as the occasion of an order, and says nothing of them, or 0: "After T1, …".
func (o *order) occasion() int {
	i := o.start + 1
	if !o.is(o.start, "after", "given", "with", "since", "per", "following") {
		return 0
	}
	for o.is(i, "the", "result", "results", "outcome", "of", "from") {
		i++
	}
	for i < len(o.t) && (o.t[i].id || o.is(i, "and", "&") && o.t[i-1].id) {
		i++
	}
	if o.is(i, ",") && o.t[i-1].id {
		return i + 1
	}
	return 0
}

// judged reads a verdict with the item in its label: "Verdict on H2: it goes." It reports whether there is one.
func (o *order) judged() bool {
	i := 0
	for i < len(o.t) && (!o.t[i].isWord || o.is(i, "my", "the", "our", "final")) {
		i++
	}
	if i+3 >= len(o.t) || !labels.Has(o.t[i].text) && !acts.Has(o.t[i].text) || !o.is(i+1, "on", "for", "about", "regarding", "concerning") {
		return false
	}
	k := i + 2
	for k < len(o.t) && skipped.Has(o.t[k].text) {
		k++
	}
	s, list, next := o.ids(k)
	if list == "" || !o.is(next, ":", "—") {
		return false
	}
	next++
	if o.is(next, "it", "they") {
		next++
	}
	o.labelled = true
	a := Attempt{Operation: kill, Section: s.String(), ID: list}
	if v := verbs[o.word(next)]; v.operation == kill && v.form == base && (o.endsObject(next+1) || o.is(next+1, "it")) {
		o.found(a, next, next)
	} else {
		o.fate(a, next)
	}
	return true
}

// declared reads "Consider H2 killed." It reports whether an item is declared so.
func (o *order) declared() bool {
	i := o.start
	for o.is(i, "please", "you", "can", "may", "i", "we", "let", "us") {
		i++
	}
	if !o.is(i, "consider", "regard", "treat", "count", "deem", "call") {
		return false
	}
	k := i + 1
	for k < len(o.t) && skipped.Has(o.t[k].text) {
		k++
	}
	s, list, next := o.ids(k)
	for o.is(next, "as", "now", "hereby", "to", "be") {
		next++
	}
	if list == "" || !o.isGone(next) || !o.endsState(next) || o.t[len(o.t)-1].text == "?" {
		return false
	}
	o.found(Attempt{Operation: kill, Section: s.String(), ID: list}, i, next)
	return len(o.all) > 0
}

// another reads what replaces the item of the last order: "… and add a sharper one". It returns the last token of it, or 0.
func (o *order) another(k int) (s artifact.Section, last int) {
	const longest = 4
	if len(o.all) == 0 || !articles.Has(o.word(k)) {
		return 0, 0
	}
	for n := k + 1; n < min(len(o.t), k+longest); n++ {
		if o.is(n, "one", "version", "replacement", "successor", "variant") && o.endsObject(n+1) {
			s, ok := artifact.ParseSection(o.all[len(o.all)-1].Section)
			if !ok {
				return 0, 0
			}
			return s, n
		}
	}
	return 0, 0
}

// changeNouns are the words for a change of an item.
var changeNouns = map[string]string{
	"kill": kill, "killing": kill, "removal": kill, "deletion": kill, "retirement": kill, "withdrawal": kill,
	"edit": edit, "update": edit, "revision": edit, "rewording": edit, "change": edit, "correction": edit, "edits": edit, "changes": edit,
}

// leads are the words before what a line leads to.
var leads = lazy.WordsOf("here is comes are come follows i we will 'll let me to")

// InLead returns the change that a line with a colon at its end leads to: "And now the kill of H3:", "My new test:".
func InLead(line string) (a Attempt, ok bool) {
	const longest = 200
	line = strings.TrimRight(line, " \t*_")
	if len(line) > longest || awayFrom(line) || !strings.HasSuffix(line, ":") {
		return a, false
	}
	o := order{text: line, t: tokens(strings.TrimSuffix(line, ":")), last: -1, first: true}
	o.begin()
	i := o.start
	for i < len(o.t) && (adverbs.Has(o.t[i].text) || articles.Has(o.t[i].text) || leads.Has(o.t[i].text)) {
		i++
	}
	if i >= len(o.t) || o.isHedged(i) {
		return a, false
	}
	if s, isKind := nouns[o.t[i].text]; isKind && i > o.start && i+1 == len(o.t) {
		return Attempt{Operation: add, Section: s.String()}, true
	}
	return o.ledTo(i)
}

// ledTo reads a word for an EDIT or a KILL, and the items behind it.
func (o *order) ledTo(i int) (a Attempt, ok bool) {
	a.Operation = changeNouns[o.t[i].text]
	if v := verbs[o.t[i].text]; a.Operation == "" && v.form != past {
		a.Operation = v.operation
	}
	k := i + 1
	for k < len(o.t) && (o.is(k, "of", "to", "for", "on") || skipped.Has(o.t[k].text)) {
		k++
	}
	s, list, next := o.ids(k)
	a.Section, a.ID = s.String(), list
	return a, list != "" && next == len(o.t) && (a.Operation == edit || a.Operation == kill)
}
