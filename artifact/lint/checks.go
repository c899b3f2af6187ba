package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/internal/text"
)

// minimum and maximum return rule titles with the numbers of the section table.
func minimum(section artifact.Section, noun string) string {
	return fmt.Sprintf("at least %d active %s", section.Spec().Min, noun)
}

func maximum(section artifact.Section, noun string) string {
	return fmt.Sprintf("at most %d active %s", section.Spec().Max, noun)
}

func statuses(section artifact.Section, noun string) string {
	spec, _ := section.Spec().Field("status")
	return fmt.Sprintf("every %s has a status: %s", noun, either(spec.Allowed))
}

func either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// atLeast returns the check of a section's minimum, for sections that are not missing.
func atLeast(section artifact.Section, noun, payload string) check {
	return func(s *subject, r *report) {
		spec := section.Spec()
		n := len(s.active[section])
		if n >= spec.Min || s.missing[section] {
			return
		}
		r.add(inSection(section),
			fmt.Sprintf("active %s: %d; at least %d are needed", noun, n, spec.Min),
			fmt.Sprintf("ADD %d more to %s, like %s", spec.Min-n, section, payload))
	}
}

func atMost(section artifact.Section, noun string) check {
	return func(s *subject, r *report) {
		spec := section.Spec()
		n := len(s.active[section])
		if n <= spec.Max {
			return
		}
		r.add(inSection(section),
			fmt.Sprintf("active %s: %d; at most %d are allowed", noun, n, spec.Max),
			fmt.Sprintf("KILL %d of them, the weakest, with {\"reason\": \"…\"}", n-spec.Max))
	}
}

// judgement returns what is wrong with an item, or "", and the payload of an EDIT that fixes it.
type judgement func(s *subject, it *artifact.Item) (wrong, payload string)

// each returns the check of a field of every active item of a section.
func each(section artifact.Section, field string, judge judgement) check {
	return func(s *subject, r *report) {
		for _, it := range s.active[section] {
			if wrong, payload := judge(s, it); wrong != "" {
				r.add(inItem(section, it, field), wrong, edit(it, "%s", payload))
			}
		}
	}
}

// requireText returns the check for a required string of every active item. example is a
// sample.
func requireText(section artifact.Section, field, example string) check {
	return requireTextIf(section, field, example, func(*artifact.Item) bool { return true })
}

// requireTextIf is requireText for some of the items.
func requireTextIf(section artifact.Section, field, example string, wanted func(*artifact.Item) bool) check {
	return each(section, field, func(_ *subject, it *artifact.Item) (wrong, payload string) {
		if !wanted(it) {
			return "", ""
		}
		return wrongText(it, field), `{"` + field + `": "` + example + `"}`
	})
}

// requireKind returns the check for a required list or map of every active item. lacks is the
// message for an absent value, other for one of another kind.
func requireKind[V artifact.Value](section artifact.Section, field, lacks, other, payload string) check {
	return each(section, field, func(_ *subject, it *artifact.Item) (string, string) {
		v := it.Get(field)
		_, isKind := v.(V)
		switch {
		case undecided(it, field) || (isKind && !blank(v)):
			return "", ""
		case blank(v):
			return show(it.ID) + lacks, payload
		}
		return fmt.Sprintf(other, show(it.ID)), payload
	})
}

// wrongText returns why a field is not a valid string, or "".
func wrongText(it *artifact.Item, field string) string {
	switch v := it.Get(field).(type) {
	case artifact.Conflict:
		return ""
	case artifact.Text:
		if blank(v) {
			return fmt.Sprintf("%s has an empty %s", show(it.ID), field)
		}
		return ""
	case nil:
		return fmt.Sprintf("%s has no %s", show(it.ID), field)
	default:
		return fmt.Sprintf("the %s of %s is not a text", field, show(it.ID))
	}
}

// requireStatus returns the check for a required status of every active item.
func requireStatus(section artifact.Section) check {
	spec, _ := section.Spec().Field("status")
	payload := fmt.Sprintf(`{"status": %s}; it is one of %s`, artifact.Canonical(spec.Default), either(spec.Allowed))
	return each(section, "status", func(_ *subject, it *artifact.Item) (string, string) {
		v := it.Get("status")
		t, _ := v.(artifact.Text)
		switch {
		case undecided(it, "status") || slices.Contains(spec.Allowed, string(t)):
			return "", ""
		case blank(v):
			return show(it.ID) + " has no status", payload
		}
		return fmt.Sprintf("the status of %s is %s, which is none of %s",
			show(it.ID), valueOf(v), strings.Join(spec.Allowed, ", ")), payload
	})
}

func valueOf(v artifact.Value) string {
	switch v := v.(type) {
	case artifact.Text:
		return quote(string(v))
	case artifact.List:
		return "a list"
	case artifact.Map:
		return "an object"
	default:
		return string(artifact.Canonical(v))
	}
}

// oneOf returns the check that a section has at least one item of some kind. It is silent while a
// deciding field is in CONFLICT, and if there is no active item, which the minimum reports.
func oneOf(section artifact.Section, is func(*artifact.Item) bool, decided []string, message, fix string) check {
	return func(s *subject, r *report) {
		for _, it := range s.active[section] {
			if is(it) || undecided(it, decided...) {
				return
			}
		}
		if len(s.active[section]) > 0 {
			r.add(inSection(section), message, fix)
		}
	}
}

// maxShown is how many names a message lists, maxQuoted how many characters of a text it quotes.
const (
	maxShown  = 5
	maxQuoted = 60
)

// show returns a name, quoted if it could be mistaken for something else on a terminal.
func show(name string) string {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.#§", r) {
			return quote(name)
		}
	}
	if name == "" || len(name) > maxQuoted {
		return quote(name)
	}
	return name
}

func quote(s string) string { return strconv.Quote(text.Clip(s, maxQuoted)) }

// safe makes a reader's message safe to print.
func safe(message string) string { return text.Clean(message, text.Printable) }

// enumerate lists the first names and counts the others, of total.
func enumerate(first []string, total int) string {
	shown := first[:min(len(first), maxShown)]
	text := strings.Join(shown, ", ")
	if more := total - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// normal returns a text folded for comparison: lower case, single spaces.
func normal(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// edit describes the EDIT of an item that fixes a finding. payload is JSON.
func edit(it *artifact.Item, format string, args ...any) string {
	return "EDIT " + show(it.ID) + " with " + fmt.Sprintf(format, args...)
}

// hypothesesIn returns the hypotheses that a text names: H2 in "H1/H2", but not in "H2O".
func hypothesesIn(text string) []string {
	var ids []string
	for _, word := range strings.FieldsFunc(text, notWord) {
		if artifact.HypothesisSlate.ValidID(word) {
			ids = append(ids, word)
		}
	}
	return ids
}

func notWord(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func jsonText(name string) string {
	return safe(string(artifact.AppendString(nil, text.Clip(name, maxQuoted))))
}
