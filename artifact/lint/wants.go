package lint

import (
	"fmt"
	"strings"

	"brenner/artifact"
)

// The checks that several sections share.

// minimum and maximum are titles of rules: the numbers stand in the section table.
func minimum(section artifact.Section, noun string) string {
	return fmt.Sprintf("at least %d active %s", section.Spec().Min, noun)
}

func maximum(section artifact.Section, noun string) string {
	return fmt.Sprintf("at most %d active %s", section.Spec().Max, noun)
}

// statuses is the title of the rule about a section's status.
func statuses(section artifact.Section, noun string) string {
	spec, _ := section.Spec().Field("status")
	return fmt.Sprintf("every %s has a status: %s", noun, either(spec.Allowed))
}

// either lists words of which one is right.
func either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// atLeast makes the check of a section's minimum. A section that the file does
// not have at all is reported as missing, and not counted.
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

// atMost makes the check of a section's maximum.
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

// wantsText makes the check of a text that every active item must have; example
// is what to write there.
func wantsText(section artifact.Section, field, example string) check {
	return func(s *subject, r *report) {
		for _, it := range s.active[section] {
			wantText(r, section, it, field, example)
		}
	}
}

func wantText(r *report, section artifact.Section, it *artifact.Item, field, example string) {
	if wrong := wrongText(it, field); wrong != "" {
		r.add(inItem(section, it, field), wrong, edit(it, `{"%s": "%s"}`, field, example))
	}
}

// wrongText says why a field is not the text that it should be, or "".
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

// wantsStatus makes the check of a status that every active item must have.
func wantsStatus(section artifact.Section) check {
	return func(s *subject, r *report) {
		spec, _ := section.Spec().Field("status")
		for _, it := range s.active[section] {
			v := it.Get("status")
			if undecided(it, "status") || allowed(spec, v) {
				continue
			}
			message := show(it.ID) + " has no status"
			if !blank(v) {
				message = fmt.Sprintf("the status of %s is %s, which is none of %s",
					show(it.ID), valueOf(v), strings.Join(spec.Allowed, ", "))
			}
			r.add(inItem(section, it, "status"), message,
				edit(it, `{"status": "%s"}; it is one of %s`, spec.Default, either(spec.Allowed)))
		}
	}
}

func allowed(spec *artifact.FieldSpec, v artifact.Value) bool {
	for _, word := range spec.Allowed {
		if v == artifact.Text(word) {
			return true
		}
	}
	return false
}

// valueOf gives a value in a few words.
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

// oneOf makes the check of a kind of item of which a section needs at least one.
// Where a field that decides it is in CONFLICT, that comes first; and where there
// is no active item at all, the minimum says so.
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
