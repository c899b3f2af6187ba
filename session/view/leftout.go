package view

import (
	"strings"

	"brenner/artifact"
	"brenner/internal/text"
)

// leftOut names what is not shown, a line for each rule.
func (p *page) leftOut() string {
	out := ""
	for _, rule := range []string{OverBound, OverMax, IDsOnly} {
		if names := p.leftOutBy(rule); len(names) > 0 {
			out += "- " + rule + ": " + strings.Join(names, ", ") + "\n"
		}
	}
	if out == "" {
		return ""
	}
	return "\n### Left out\n\n" + out
}

// leftOutBy gives the ids that a rule left out, neighbours as ranges, and how many
// there are of what has no id.
func (p *page) leftOutBy(rule string) []string {
	var names []string
	for _, s := range artifact.Sections() {
		var ids []string
		for _, part := range p.groups[s] {
			if part.level == named && part.rule == rule {
				ids = append(ids, part.id)
			}
		}
		names = append(names, ranges(s, ids)...)
	}
	for _, of := range []struct {
		group group
		one   string
	}{{disputes, "CONFLICT"}, {outcomes, "outcome"}, {people, "note"}} {
		n := 0
		for _, part := range p.groups[of.group] {
			if part.level == named && part.rule == rule {
				n++
			}
		}
		if n > 0 {
			names = append(names, text.Count(n, of.one))
		}
	}
	return names
}
