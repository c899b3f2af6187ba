package revisit

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// namesOwn returns the changes that a clause names.
func (f *own) namesOwn(clause string, s sentence) names {
	for _, by := range []func(string, sentence) (names, bool){f.byNumber, f.byOrder, f.byNth, f.byChangeOf, f.bySpoken, f.byOwnNoun, f.byWrongItem} {
		if n, ok := by(clause, s); ok {
			return n
		}
	}
	return names{}
}

// byOrder returns the change of an order that has its number alone.
func (f *own) byOrder(clause string, _ sentence) (names, bool) {
	m := orderedNumber.FindStringSubmatch(clause)
	if m == nil {
		return names{}, false
	}
	return names{how: byBlock, of: f.numbered(number(m[1]))}, true
}

// byNth returns the change that a word for its number names without a noun.
func (f *own) byNth(clause string, _ sentence) (names, bool) {
	m := nthAlone.FindStringSubmatch(clause)
	if m == nil && f.hasCount {
		m = nthOf.FindStringSubmatch(clause)
	}
	if m == nil {
		return names{}, false
	}
	n := number(m[1])
	if m[1] == "last" || m[1] == "latter" {
		n = f.lastNumber()
	}
	of := f.numbered(n)
	return names{how: byBlock, of: of}, len(of) > 0
}

// byChangeOf returns the EDIT of an item that a clause names in other words.
func (f *own) byChangeOf(clause string, _ sentence) (names, bool) {
	m := ofItem.FindStringSubmatch(clause)
	if m == nil {
		return names{}, false
	}
	of, ok := f.ofItem("EDIT", m[1])
	return names{how: byBlock, of: of}, ok
}

// bySpoken returns the changes that a clause names by their operation as a noun or in capitals.
func (f *own) bySpoken(clause string, s sentence) (names, bool) {
	n, ok := f.byOperation(clause, s)
	if !ok || !capitals.MatchString(s.text) && !asNoun.MatchString(clause) {
		return names{}, false
	}
	if isAbove := upward.MatchString(clause); isAbove || downward.MatchString(clause) {
		n.of = slices.DeleteFunc(n.of, func(i int) bool { return slices.Contains(f.earlier, i) != isAbove })
	}
	return n, true
}

// byOwnNoun returns the additions that a sentence of what the author does names by their section or name.
func (f *own) byOwnNoun(clause string, s sentence) (names, bool) {
	if !ownVerb.MatchString(s.lower) || len(idsIn(clause)) > 0 {
		return names{}, false
	}
	return f.byNoun(clause, s)
}

// byWrongItem returns the change of an item that a sentence calls the wrong one.
func (f *own) byWrongItem(clause string, s sentence) (names, bool) {
	if !wrongItem.MatchString(s.lower) || s.isLead && !strings.Contains(s.lower, "should") {
		return names{}, false
	}
	for _, id := range idsIn(meant.ReplaceAllString(clause, "")) {
		if of := f.onItem(id); len(of) > 0 {
			return names{how: byBlock, of: of[:1]}, true
		}
	}
	return names{}, false
}

var (
	// wrongItem matches sentences that correct the item of a change, and meant what is said to be the right one.
	wrongItem = pattern.New(`\b(?:typo|erratum|corrigendum|correction|oops|wrong (?:id|target|item))\b|\b[a-z]{1,2}\d{1,4} should (?:read|be|have been) [a-z]{1,2}\d|\breplace [a-z]{1,2}\d+ (?:by|with) [a-z]{1,2}\d|\bmeant [a-z]{1,2}\d`)
	meant     = pattern.New(`\b(?:meant|should (?:read|be|have been)|is|with|by) [a-z]{1,2}\d{1,4}\b`)
)

var (
	capitals = pattern.New(`\b(?:KILL|EDIT|ADD)S?\b`)
	asNoun   = pattern.New(`\b(?:the|my|this|that|both|no|its|our|each|either|neither|der|den|die|das|dem|le|la|el|il|lo|o)(?: \w+)? (?:kills?|edits?|adds?|additions?|removals?|deletions?|retirement)\b`)
	upward   = pattern.New(`\babove\b`)
	downward = pattern.New(`\b(?:below|following|that follows?|next)\b`)
)

// orderedNumber matches an order about a block by its number alone: skip 1.
var orderedNumber = pattern.New(`^(?:please )?(?:skip|ignore|drop|hold|park|withdraw|scratch|cancel|pull|ditch|disregard) #?(\d)[.!]?$`)

// nthAlone matches words for one of several changes without a noun.
var nthAlone = pattern.New(`\bthe (first|second|third|fourth|last|former|latter)(?: one)? (?:is|was|should|must|may|can|has|comes|depends|waits|applies|i)\b`)

// nthOf matches words for one of several changes that were counted before.
var nthOf = pattern.New(`^(?:and |but )?the (first|second|third|fourth|last|former|latter)(?: one)? [a-z]+`)

// inBrackets matches a number in front of a sentence: (1) is conditional.
var inBrackets = pattern.New(`^\((\d)\) `)

// onItem returns the changes of an item.
func (f *own) onItem(id string) (of []int) {
	f.effort += len(f.Standing)
	for i, c := range f.Standing {
		if strings.EqualFold(c.Target, id) && c.Operation != "ADD" {
			of = append(of, i)
		}
	}
	return of
}

// numbered returns the changes in a block.
func (f *own) numbered(n int) (of []int) {
	f.effort += len(f.Standing)
	for i, c := range f.Standing {
		if c.Number == n && n > 0 {
			of = append(of, i)
		}
	}
	return of
}
