package main

import (
	"regexp"
	"strings"
)

// learner returns the reply of a model that cites every lesson in the kickoff, adds a
// lesson of its own, and adds or kills a hypothesis. The model "shows" only quotes it.
func learner(name, kickoff string) string {
	text := "I did as I was told"
	for _, m := range regexp.MustCompile(`\[(pb-\d+)\]`).FindAllStringSubmatch(kickoff, -1) {
		text += " in [" + m[1] + "]"
	}
	text += ".\n\n```delta\n"
	claim := "Cells count their divisions to know what to become"
	if name == "repeats" {
		claim = "To know what to become, cells count their divisions"
	}
	switch {
	case name == "kills" && strings.Contains(kickoff, "Round**: 2"):
		text += `{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"transplanted cells do not count"},"rationale":"r"}`
	case name == "kills":
		text += `{"operation":"ADD","section":"adversarial_critique","payload":{"name":"N","attack":"A","evidence":"E","current_status":"open","real_third_alternative":true},"rationale":"r"}`
	default:
		text += `{"operation":"ADD","section":"hypothesis_slate","ref":"x","payload":{"name":"Counting","claim":"` + claim + `","mechanism":"m"},"rationale":"r"}`
	}
	lesson := "Name the mechanism of every hypothesis"
	if name == "teaches" {
		lesson = "Skip the controls when time is short"
	}
	fence := "```lesson\nhelpful: " + lesson + "\nnonsense\n```\n"
	if name == "shows" {
		return text + "\n```\n\n" + quoted(fence)
	}
	return text + "\n```\n\n" + fence
}

// quoted returns a block in all the forms of quotation that must be ignored.
func quoted(block string) string {
	lines := func(mark string) string {
		return mark + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n"+mark) + "\n\n"
	}
	return "<!--\n" + block + "-->\n\n" + lines("    ") + lines("> ") + "````markdown\n" + block + "````\n\n<pre>\n" + block + "</pre>\n"
}
