package itemform

import (
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/lazy"
)

// isGone reports whether a token says that an item is no more.
func (o *order) isGone(i int) bool {
	if i >= len(o.t) {
		return false
	}
	v := verbs[o.t[i].text]
	return vanished.Has(o.t[i].text) || v.operation == kill && v.form == past
}

// subject reads what a sentence says of the item that it begins with. It returns the last token of it.
func (o *order) subject(i int) int {
	if !o.beginsClause(i) || o.isHedged(i) || o.namesOther(i) || o.t[len(o.t)-1].text == "?" {
		return i
	}
	s, list, next := o.ids(i)
	if end := o.arrow(i, next, s); end > 0 {
		return end
	}
	return o.fate(Attempt{Operation: kill, Section: s.String(), ID: list}, next)
}

// fate reads what becomes of an item. It returns the last token of it.
func (o *order) fate(a Attempt, next int) int {
	k, needed, strong := o.becomes(next)
	for k < len(o.t) && (adverbs.Has(o.t[k].text) || assessed.Has(o.t[k].text)) {
		strong = strong || o.t[k].text == "hereby"
		k++
	}
	isListed := o.labelled && (needed || k == next || o.is(next, ":", "—", "("))
	switch {
	case k >= len(o.t) || o.isBy(k):
	case o.isGone(k) || o.is(k, "go", "goes"):
		if (strong || isListed || needed && (o.follows || o.isOff(k+1))) && o.endsState(k) {
			return o.found(a, k, k)
		}
	case isListed && verbs[o.t[k].text] == verb{operation: edit, form: past}:
		a.Operation = edit
		return o.found(a, k, k)
	}
	return next - 1
}

// endsState reports whether what becomes of an item ends the clause: "go" and "out" may begin another one.
func (o *order) endsState(k int) bool {
	return !o.is(k+1, "to") && (!o.is(k, "go", "goes", "out", "done") || o.endsObject(k+1))
}

var assessed = lazy.WordsOf("be considered regarded treated marked declared as be been formally officially")

// beginsClause reports whether an item begins a clause.
func (o *order) beginsClause(i int) bool {
	for i > o.start && (nouns[o.t[i-1].text] > 0 || o.t[i-1].text == "the" || o.t[i-1].text == "hypothesis") {
		i--
	}
	if i == o.start {
		return true
	}
	w := o.t[i-1].text
	return w == "," || w == ";" || w == "—" || w == "and" || w == "so" || w == "that" || w == "but" || w == ":" && o.labelled
}

// becomes reads the words between an item and what becomes of it. Needed is whether there are any, strong whether they
// order it.
func (o *order) becomes(i int) (next int, needed, strong bool) {
	for i < len(o.t) && adverbs.Has(o.t[i].text) {
		i++
	}
	switch {
	case o.is(i, "should", "must", "can"):
		return i + 1, true, !o.is(i+1, "not", "'t")
	case o.is(i, "needs", "need", "has", "have", "ought", "is", "are", "deserves") && o.is(i+1, "to"):
		return i + 2, true, true
	case o.is(i, "be") && i > 1 && slices.ContainsFunc(o.t[o.start:i], func(t token) bool { return between.Has(t.text) && t.text != "that" || acts.Has(t.text) }):
		return i + 1, true, true
	case o.is(i, "is", "are", "'s", "has", "have", "gets", "get"):
		return i + 1, true, false
	case o.is(i, "goes", "go"):
		return i, true, false
	case o.is(i, ":", "—", "(", "→") && o.labelled:
		return i + 1, false, false
	}
	return i, false, false
}

// isBy reports whether another author is named as who did what is there: "killed by RedSky".
func (o *order) isBy(i int) bool { return o.is(i+1, "by") && i+2 < len(o.t) && o.isAgent(i+2) }

// namesOther reports whether another author is named before an offset: "according to RedSky".
func (o *order) namesOther(at int) bool {
	for i := o.start; i < at; i++ {
		if o.isAgent(i) || o.is(i, "according", "says", "said", "argues", "claims", "wrote", "thinks", "proposes", "suggests", "wants") {
			return true
		}
	}
	return false
}

// isAgent reports whether a word is a name as agents have: RedSky.
func (o *order) isAgent(i int) bool { return isAgentName(o.text[o.t[i].at:o.t[i].end]) }

// isOff reports whether what follows says where something is removed from.
func (o *order) isOff(i int) bool { return o.is(i, "from") && o.endsObject(i) }

// arrow reads "H2: active → killed" and "T1's speed score: 2 → 1".
func (o *order) arrow(i, next int, s artifact.Section) (end int) {
	const longest = 8
	for k := next; k < min(len(o.t)-1, next+longest); k++ {
		switch {
		case o.t[k].id, !o.t[k].isWord && !o.is(k, ":", "'s", "—", "(", "→"):
			return 0
		case o.t[k].text != "→":
			continue
		}
		a := Attempt{Operation: kill, Section: s.String(), ID: o.text[o.t[i].at:o.t[next-1].end]}
		said := strings.Trim(o.text[o.t[next-1].end:o.t[k].at], " :'’s—–-(")
		switch {
		case o.isGone(k+1) && (k > next || o.labelled || o.is(k+1, "killed", "retired")):
			return o.found(a, k, k+1)
		case values.Has(o.t[k+1].text) || fieldIn(s, withoutValue(said)) != "":
			a.Operation, a.Field = edit, fieldIn(s, withoutValue(said))
			if values.Has(o.t[k+1].text) {
				a.Field = "status"
			}
			return o.found(a, k, k+1)
		}
		return 0
	}
	return 0
}

// withoutValue returns the name of a field in front of an old value: "speed score: 2".
func withoutValue(s string) string {
	name, _, _ := strings.Cut(s, ":")
	return strings.TrimRight(strings.TrimSpace(name), " 0123456789")
}
