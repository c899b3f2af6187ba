package remark

import (
	"slices"
	"strings"

	"brenner/internal/lazy"
)

// after is a sentence behind a block as it is judged.
type after struct {
	words  []token
	kind   // of all words
	target bool
	block  []byte
	isBut  bool // it begins with but, or however

	isPlease bool
}

func (a *after) at(i int) string { return wordAt(a.words, i) }

// any reports whether a sentence has one of some words.
func (a *after) any(list string) bool {
	return slices.ContainsFunc(a.words, func(t token) bool { return isIn(list, t.text) })
}

func (a *after) has(k kind) bool { return a.kind&k != 0 }

// behind reads a sentence behind a block. One about what follows it has no words.
func (r Rules) behind(sentence string, block []byte) *after {
	a := &after{words: r.tokens(strings.TrimRight(sentence, ".!?) ")), block: block}
	a.kind = kinds(a.words)
	for _, t := range a.words {
		a.target = a.target || isItem(t.text) && isTarget(block, strings.ToUpper(t.text))
		if isIn(" following below ", t.text) || t.text == "next" && t.kind&pointer != 0 {
			a.words = nil
			return a
		}
	}
	if a.skip(); r.Sixth && a.at(0) == "do" && a.at(1) == "not" && isIn(" forget overlook hesitate worry ", a.at(2)) {
		a.words = nil // Do not forget the controls above.
	}
	return a
}

// beforeSentence are words before a sentence that do not change it.
const beforeSentence = " but however yet and then again please well so though at least of course to be clear needless say obviously honestly frankly edit update note ps , still "

// skip leaves out what stands before a sentence and does not change it.
func (a *after) skip() {
	n := 0
	if a.at(0) == "if" && isIn(" this that it ", a.at(1)) && isIn(" holds hold works is survives turns proves passes stands ", a.at(2)) {
		a.words = nil // what follows from it
		return
	}
	for n < len(a.words)-1 && isIn(beforeSentence, a.at(n)) {
		if next := a.words[n+1]; n == 0 && a.at(n) == "so" && (next.kind&says != 0 || next.text == "much") {
			break
		}
		a.isPlease = a.isPlease || a.at(n) == "please"
		a.isBut = a.isBut || isIn(" but however yet then ", a.at(n))
		n++
	}
	a.words = a.words[n:]
}

// mayTurn reports whether a sentence has anything that a sign against the block needs. It is quick: most long ones do not.
func (a *after) mayTurn() bool {
	const short = 6
	return len(a.words) <= short || a.target || a.has(author|mine|others|pointer|block|negates|id|lesson|delays|distance|modal|suppose) || slices.ContainsFunc(a.words, func(t token) bool { return t.isSign })
}

// signs are the words of the signals below that are not known by their kinds alone.
var signs = lazy.WordsOf("let just only wait hmm hm actually oops scratch forget disregard ignore cancel strike scrap undo skip postpone defer strictly purely merely wrong withdrawn retracted void obsolete superseded correction " +
	"withdraw retract never or so on joking kidding slipped loud aloud messenger musing least which see absurd ridiculous nonsense silly ludicrous what present current old existing keep treat consider regard count park shelve hold take " +
	"nothing no not moot flawed backwards invalid overtaken longer already that rather replace adapt fill substitute json ids fields syntax listing figure exhibit quotation sorry error mistake mistyped too nah nope hang leave original " +
	"block delta patch diff record lesson proposal")

type behindSignal struct {
	example string
	holds   func(a *after) bool
}

// behindSignals are signs that a sentence directly behind a block leaves open whether it is meant, with an example of each.
var behindSignals = []behindSignal{
	{"Actually, no. Forget it.", (*after).exclaims},
	{"H2 stays.", (*after).spares},
	{"See the problem? That is absurd.", func(a *after) bool {
		return a.at(0) == "see" && isIn(" the my why how what where ", a.at(1)) && !a.has(id) && len(a.words) < 6 || (a.isSubject() || a.at(0) == "which") && a.any(" absurd ridiculous nonsense silly ludicrous ")
	}},
	{"I do not know. What do you think?", func(a *after) bool {
		isAsked := a.at(0) == "what" && isIn(" do would ", a.at(1)) && a.any(" you others panel ") && a.any(" think say ")
		return isAsked && !a.has(id) || a.words[0].kind&author != 0 && a.has(negates) && isIn(" know decided ", last(a.words).text)
	}},
	{"I meant H3 there.", func(a *after) bool {
		return a.has(author) && a.any(" meant intended ") && !a.any(" to ") && a.has(id) && !a.target
	}},
	{"I prefer the present wording.", func(a *after) bool {
		return a.any(" present current old existing ") && a.any(" wording claim text ") && a.any(" prefer better like leave stays ")
	}},
	{"— RedSky, round 1", (*after).attributes},
	{"The above is RedSky's. That would be premature.", func(a *after) bool { return a.isSubject() && !a.isDoing() && a.isDoubted() }},
	{"But that would lose the only rival.", func(a *after) bool { return a.isBut && a.isSubject() && a.has(modal) }},
	{"I cannot support this. I take that back.", (*after).disowns},
	{"Keep this on ice. Do not run it.", func(a *after) bool {
		return !a.has(author) && a.pointsBehind(1) && (a.at(0) == "do" && isIn(" not nothing ", a.at(1)) && !a.has(id) || isIn(" keep let consider treat regard count park shelve hold take ", a.at(0)) && (a.words[1].kind&pointer != 0 || a.at(1) == "the") || isIn(" you nobody none anyone ", a.at(0)) && a.has(distance|negates|says) && !a.has(id))
	}},
	{"There is nothing to apply here.", func(a *after) bool {
		return !a.has(id) && a.any(" nothing no ") && a.any(" apply action merge run execute ")
	}},
	{"E3 has made this moot.", func(a *after) bool {
		return a.any(" moot flawed backwards obsolete void invalid retracted overtaken ") && !a.target && !a.has(suppose) || a.any(" longer ") && a.has(negates) && a.any(" valid applies holds hold want ") && !a.target || len(a.words) > 1 && last(a.words).text == "no"
	}},
	{"RedSky can send it.", func(a *after) bool {
		return a.has(source) && !a.has(id) && a.pointsBehind(1) && a.any(handling) && !a.any(" tell know you ")
	}},
	{"I trust this will not be merged.", func(a *after) bool {
		return a.has(negates) && !a.has(id) && a.pointsBehind(0) && (a.any(handling) || a.has(mine) && !a.isSubject())
	}},
	{"The merge has already done this.", func(a *after) bool { return a.any(" already ") && !a.has(id) && a.pointsBehind(0) }},
	{"I merely report this.", func(a *after) bool {
		return a.words[0].kind&author != 0 && a.pointsBehind(1) && a.any(" report pass forward quote copy cite reproduce include list copied pasted quoted ") && !a.has(id)
	}},
	{"Replace the id with yours.", func(a *after) bool {
		return isIn(" replace adapt fill substitute ", a.at(0)) && !a.has(id) || a.any(" json ids fields syntax ") && !a.has(author|id) && !a.any(" check self-check checked exact valid ")
	}},
	{"Listing 1: the kill that RedSky circulated.", func(a *after) bool {
		return isIn(" listing figure exhibit quotation ", a.at(0)) && a.at(1) != "" && isDigit(a.at(1)[0])
	}},
	{"Sorry, that was meant for RedSky.", func(a *after) bool { return a.at(0) == "sorry" && a.any(" meant wrong another block mistake ") }},
	{"You will recognise your own words.", func(a *after) bool { return a.has(others) && a.any(" words ") && !a.has(id) }},
	{"I need to think about it more.", (*after).muses},
	{"I withdraw this after reading E3.", func(a *after) bool {
		return a.words[0].kind&author != 0 && a.pointsBehind(1) && (isIn(" withdraw retract rescind revoke ", a.at(1)) || isIn(" wait ", a.at(2)))
	}},
	{"Not before E4 is in. Already done. If E4 fails, that is.", func(a *after) bool {
		end := len(a.words) - 2
		return a.at(0) == "not" && isIn(" before until unless ", a.at(1)) || a.at(0) == "already" || end > 0 && a.at(end) == "that" && a.at(end+1) == "is" || a.any(" rather ") && last(a.words).text == "not"
	}},
	{"As RedSky wrote.", func(a *after) bool {
		return a.at(0) == "as" && a.kindAt(1, 3)&source != 0 && a.has(says) && len(a.words) < 6
	}},
	{"But E2 is weak, so I leave it.", func(a *after) bool {
		n := len(a.words)
		return n > 3 && a.words[n-3].kind&author != 0 && a.at(n-2) == "leave" && a.words[n-1].kind&pointer != 0
	}},
	{"The arbiter turned this down.", func(a *after) bool {
		return !a.has(id|thing|modal|finite) && a.kindAt(0, 3)&source != 0 && a.has(pastForm|says) && a.pointsBehind(1)
	}},
	{"Let's leave it off.", func(a *after) bool {
		return a.at(0) == "let" && isIn(" it this that ", a.at(1)) || a.at(0) == "wait" && !a.has(id) && a.any(" touching applying merging acting ") || a.at(0) == "let" && a.pointsBehind(2) && !a.any(" know ") && !a.has(id) && (a.at(1) == "me" || a.has(distance|delays|negates) || a.any(" leave keep drop "))
	}},
	{"Please overlook this.", func(a *after) bool {
		return a.isPlease && a.pointsBehind(1) && !a.has(id) && !isIn(" apply merge accept note see let feel tell ", a.at(0))
	}},
	{"Something like this, one day.", func(a *after) bool {
		return isIn(" something nothing ", a.at(0)) && a.pointsBehind(1) && !a.any(" repeats copies quotes ") && (!a.has(id) || a.any(" done until ")) || a.isBut && a.has(negates) && !a.has(id|thing) && len(a.words) < 7
	}},
	{"This block names the wrong target.", func(a *after) bool {
		return a.any(" error mistake wrong mistyped ") && a.any(" target block id hypothesis item ") && !a.any(" could may might ")
	}},
	{"Treat as read-only.", func(a *after) bool { return isIn(" treat consider regard take ", a.at(0)) && isIn(" as ", a.at(1)) }},
	{"Too soon. Nah.", func(a *after) bool {
		return a.at(0) == "too" && !a.has(id|thing) || isIn(" nah nope ", a.at(0)) || isIn(" wait hmm hang hold ", a.at(0)) && (len(a.words) == 1 || a.at(1) == "on")
	}},
	{"I think we should leave the claim as it is.", func(a *after) bool {
		return (a.any(" leave keep ") && a.any(" claim wording text ") || a.any(" original old present current existing ") && a.any(" fine better good ")) && !a.any(" if ") && OperationIn(a.block) == "EDIT"
	}},
	{"We are not there yet.", func(a *after) bool {
		return !a.has(id) && a.has(negates) && a.any(" yet ") && a.any(" there ready sure ") && a.at(1) != "is" && !a.any(" is ")
	}},
	{"I would need to see T1 first.", func(a *after) bool {
		return a.words[0].kind&author != 0 && a.at(1) == "would" && a.any(" need want like wait ") && a.any(" first before ") && (!a.any(" h1 h3 h4 h5 ") || a.target)
	}},
	{"Maybe later. Better to wait.", func(a *after) bool {
		return isIn(" maybe perhaps better ", a.at(0)) && (a.has(negates|delays) && len(a.words) < 5 && a.at(1) != "late" && a.at(1) != "now")
	}},
}

// handling are words for what is done with a block.
const handling = " merged merge apply applied applies run send sent submit submitted add added executed use used "

// exclaims reports whether a sentence begins with a word that takes back what stands before it.
func (a *after) exclaims() bool {
	const short = 3
	first, second := a.at(0), a.at(1)
	isOther := a.has(id) && !a.target
	isAbout := (len(a.words) <= short || a.pointsBehind(1)) && !isOther
	switch first {
	case "no":
		return a.isBut
	case "not":
		return isIn(" yet now today here this that mine so for ", second) && !a.has(id)
	case "let":
		return second == "us" && (a.has(delays) || a.at(2) == "not") && !a.has(id)
	case "just", "only":
		return a.any(" kidding joking if when once format illustration messenger ") && !a.target
	case "wait":
		return second == aPause && isAbout
	case "hmm", "hm", "actually", "oops", "scratch", "forget", "disregard", "ignore", "cancel", "strike", "scrap", "undo", "skip", "postpone", "defer", "strictly", "purely", "merely", "wrong":
		return isAbout
	}
	return a.exclaimsInWords() || !isOther && (isIn(" withdrawn retracted void obsolete superseded correction ", first) || isIn(" withdraw retract retracted withdrawn ", last(a.words).text))
}

// exclaimsInWords reports whether a sentence begins with a phrase that takes back what stands before it.
func (a *after) exclaimsInWords() bool {
	first, second := a.at(0), a.at(1)
	switch {
	case first == "never" && second == "mind", first == "or" && second == "so", a.any(" joking kidding slipped loud aloud messenger musing "):
		return true
	case first == "so":
		return second == "much" || len(a.words) > 1 && a.words[1].kind&says != 0
	}
	return first == "on" && isIn(" reflection second ", second) && !(a.has(id) && !a.target)
}

// spares reports whether a sentence leaves the target of the block as it is.
func (a *after) spares() bool {
	if !a.target || a.has(source|others) || isIn(" keeping ", a.at(0)) {
		return false
	}
	op := OperationIn(a.block)
	if op == "ADD" {
		return false
	}
	operation := " killed kill killing touch remove removed removing go dropping dropped "
	if op == "EDIT" {
		operation = " edited edit editing touch change changed "
	}
	for i, t := range a.words {
		isKept := isIn(" keep leave spare ", t.text) && kinds(a.words[i:min(i+3, len(a.words))])&id != 0
		if isKept || op == "KILL" && isIn(" stay stays remain remains deserves alive survives stands lives gets merits ", t.text) {
			return true
		}
	}
	return a.denies(operation+" dead done finished ") ||
		a.isBut && op == "KILL" || a.any(" wrong unfair early rash premature mistake ") && a.any(operation)
}

// denies reports whether one of some words follows a negation, or the target follows it.
func (a *after) denies(list string) bool {
	i := slices.IndexFunc(a.words, func(t token) bool { return t.kind&negates != 0 })
	return i >= 0 && a.any(list) && slices.ContainsFunc(a.words[i:], func(t token) bool { return isIn(list, t.text) || t.kind&id != 0 })
}

// attributes reports whether a sentence is only a name or a source.
func (a *after) attributes() bool {
	const short = 6
	if len(a.words) > short || a.has(id|author) || len(a.words) == 1 && a.at(0) == "@v" { // the name of the next block's text
		return false
	}
	return a.at(0)[0] == '@' && (len(a.words) == 1 || a.at(1) == aPause || a.at(1) == "in") || isIn(" source thus from quoted end ", a.at(0)) && a.has(source|lesson) && !(a.at(0) == "from" && a.at(1) == aPause) || a.words[0].kind&others != 0 && len(a.words) == 2 && a.has(block)
}

// disowns reports whether the author turns from the block.
func (a *after) disowns() bool {
	i := slices.IndexFunc(a.words, func(t token) bool { return t.kind&author != 0 })
	switch {
	case i < 0:
		return false
	case a.any(" mind ") && a.any(" changed change ") && !a.has(modal):
		return true
	case a.has(id), a.isActing(), a.any(" happy glad willing rest surprised "), a.any(" expect liked ") && a.has(thing), a.has(modal) && a.has(acts):
		return false
	case a.any(" resist decline refuse "), a.any(" far ") && a.has(negates):
		return true
	}
	if a.any(" back ") && a.any(" take taking took hold holding step pull ") {
		return true
	}
	const near = 4
	return a.pointsBehind(i) && (a.has(distance|lesson|delays) || kinds(a.words[i:min(i+near, len(a.words))])&negates != 0 || slices.ContainsFunc(a.words[i:], func(t token) bool { return isIn(" nobody without no ", t.text) })) && !(a.has(negates) && a.any(" @ "))
}

// muses reports whether the author speaks of the block, or of itself, without saying what the block does.
func (a *after) muses() bool {
	const short = 6
	if a.words[0].kind&author == 0 || a.has(id|thing|others|source|modal) || a.any(" can will ") || a.any(" agreed ") && !a.has(negates) || a.isActing() || a.any(" hope know expect else rest other others further agree disagree happy open welcome confident certain convinced ") {
		return false
	}
	if !a.has(negates) && a.any(" send submit resubmit resend offer stand support mean intend repeat ") { // PS: I send it again.
		return false
	}
	return a.pointsBehind(1) || len(a.words) <= short && !a.has(finite) || a.any(" thoughts ")
}

// kindAt returns the kinds of some words.
func (a *after) kindAt(from, to int) kind {
	return kinds(a.words[min(from, len(a.words)):min(to, len(a.words))])
}

// isSubject reports whether a sentence begins with a word for the block.
func (a *after) isSubject() bool {
	if a.at(0) == "the" || a.at(0) == "my" {
		return len(a.words) > 1 && (a.words[1].kind&block != 0 && a.at(1) != "wording" || a.words[1].kind&pointer != 0)
	}
	return a.words[0].kind&pointer != 0
}

// isDoing reports whether a sentence tells what the block does: this removes, it replaces.
func (a *after) isDoing() bool {
	return len(a.words) > 1 && a.at(0) != "such" && (a.words[1].kind&acts != 0 || strings.HasSuffix(a.at(1), "s") && a.words[1].kind&(finite|says|block|distance|pointer) == 0)
}

// isDoubted reports whether a sentence about the block leaves open whether it is meant.
func (a *after) isDoubted() bool {
	const short = 7
	switch {
	case a.at(0) == "such", a.isTheirs(), a.any(" overtaken wait "), a.any(" longer ") && a.has(negates), a.any(" only ") && a.has(suppose|lesson|says),
		a.any(" only just ") && a.any(" a an ") && len(a.words) < short, a.at(1) == "would" && a.at(2) == "be" && a.has(mine):
		return true
	case a.has(id), a.any(" keep carry retain consistent agrees fits matches "), a.has(lesson) && a.has(thing), a.isActing():
		return false
	}
	return a.has(distance|lesson|delays) && !a.any(" could may might ") || a.isRefused() || a.isReported() || a.has(past) && !a.any(" should could ")
}

// isRefused reports whether a sentence about the block speaks against it.
func (a *after) isRefused() bool {
	isTooMuch := a.any(" too ") && a.any(" far early soon quick hasty much harsh strong late ") && !(a.has(modal) && a.any(" but "))
	return isTooMuch || a.any(" rehearsal ") || a.has(negates) && (a.has(mine|author) || a.any(" should must place "))
}

// isReported reports whether a sentence about the block says where it is from, or how it would be.
func (a *after) isReported() bool {
	isOver := a.at(1) == "has" && a.at(2) == "been" && !a.has(thing)
	return isOver || a.has(source) && (a.has(says) || a.any(" from by ")) || a.has(modal) && a.any(" how what ")
}

// isActing reports whether the author acts in a sentence: so I drop it.
func (a *after) isActing() bool {
	for i, t := range a.words {
		if t.kind&author != 0 && i+1 < len(a.words) && a.words[i+1].kind&acts != 0 && !isIn(" withdraw retract ", a.at(i+1)) {
			return true
		}
	}
	return false
}

// isTheirs reports whether a sentence calls the block another author's.
func (a *after) isTheirs() bool {
	for i, t := range a.words {
		if i > 0 && isIn(" is was are were ", a.at(i-1)) && isIn(" @ @'s his her their ", t.text) {
			next := a.at(i + 1)
			return next == "" || next == aPause || isIn(" words idea view text opinion position speaking talking doing ", next) || a.words[i+1].kind&block != 0
		}
	}
	return false
}

// pointsBehind reports whether a word for the block follows a place.
func (a *after) pointsBehind(i int) bool {
	for j, t := range a.words[min(i, len(a.words)):] {
		if t.kind&pointer != 0 && !isIn(" something anything ", t.text) && !(t.text == "it" && kinds(a.words[:min(i, len(a.words))+j])&(block|thing) != 0) || isIn(" block delta patch diff record lesson proposal ", t.text) && i+j > 0 && isIn(" the this that my ", a.at(i+j-1)) {
			return true
		}
	}
	return false
}
