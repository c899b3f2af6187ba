package view

import (
	"strconv"
	"strings"

	"brenner/artifact"
)

// leftOut names what is not shown, a line for each rule.
func (p *page) leftOut() string {
	text := ""
	for _, rule := range []string{OverBound, OverMax, IDsOnly} {
		if names := p.leftOutBy(rule); len(names) > 0 {
			text += "- " + rule + ": " + strings.Join(names, ", ") + "\n"
		}
	}
	if text == "" {
		return ""
	}
	return "\n### Left out\n\n" + text
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
			names = append(names, plural(n, of.one))
		}
	}
	return names
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
