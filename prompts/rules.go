package prompts

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/artifact/lint"
)

// rules lists the rules of lint that the reader can do something about: those of
// its sections, and those of the structure that are about what an author writes.
func (r *Rights) rules() string {
	letters := ""
	for _, s := range r.sections() {
		letters += sectionLetter(s)
	}
	var b strings.Builder
	for _, rule := range lint.Rules() {
		if authorsRule(rule.ID, letters) {
			fmt.Fprintf(&b, "- %s (%s): %s\n", rule.ID, rule.Severity, rule.Title)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sectionLetter is the letter that lint has for a section in the ids of rules.
func sectionLetter(s artifact.Section) string { return s.Spec().Prefix[:1] }

// authorsRule picks the rules that an author can keep or break; the others of
// metadata and structure are about the form of the file, which is the program's.
func authorsRule(id, letters string) bool {
	switch id {
	case "WS-102", "WS-103", "WS-104", "WS-105": // references, names, reasons of kills, sources
		return true
	case "EX-002": // how an empty register is written
		return false
	}
	return strings.Contains(letters, id[1:2])
}
