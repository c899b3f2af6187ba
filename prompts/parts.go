package prompts

import (
	"strings"

	"brenner/artifact"
)

// The parts of a template's text; each begins after a line <!-- name -->. What
// stands before the first one is the role's own prompt.
const (
	partFirst   = "first round"
	partLater   = "later rounds"
	partSetting = "example setting"
	partExample = "example"
	partGround  = "ground rules"
	partOutputs = "outputs"
	partFormat  = "format"
)

func marker(part string) string { return "<!-- " + part + " -->\n" }

// part gives the text of a part, up to the next marker, without blank lines
// around it.
func (t Template) part(name string) string {
	_, rest, _ := strings.Cut(t.Text, marker(name))
	text, _, _ := strings.Cut(rest, "<!-- ")
	return strings.Trim(text, "\n")
}

// Prompt is what the role is and how it works, with the rules for sources and for
// quoted material. It is the same in every session.
func (t Template) Prompt() string {
	own, _, _ := strings.Cut(t.Text, "<!-- ")
	return strings.Trim(own, "\n") + "\n\n" + t.part(partGround)
}

// Example is a reply as it should be, from another session.
func (t Template) Example() string { return t.part(partExample) + "\n" }

// Outputs is what is asked for in a round, what the reader may change, and the
// rules that the result is judged by.
func (t Template) Outputs(round int, r Rights) string {
	asked := t.part(partFirst)
	if round > 1 {
		asked = t.part(partLater)
	}
	return asked + "\n\n" + strings.NewReplacer(
		"{{scopes}}", r.table(),
		"{{rules}}", r.rules(),
	).Replace(t.part(partOutputs))
}

// Format is how to write a reply, with the example. The example stands inside a
// longer fence, so that no reader of deltas takes it for one.
func (t Template) Format(r Rights) string {
	fence := strings.Repeat("`", longestRun(t.Example(), '`')+1)
	return strings.NewReplacer(
		"{{reference}}", `{"session": "RS-…", "item": "H1", "relation": "extends"}`,
		"{{relations}}", code(artifact.Relations()),
		"{{fields}}", r.fields(),
		"{{setting}}", strings.ReplaceAll(t.part(partSetting), "\n", " "),
		"{{example}}", fence+"markdown\n"+t.Example()+fence,
	).Replace(t.part(partFormat))
}

// longestRun gives the length of the longest run of c in a text.
func longestRun(text string, c byte) int {
	longest, n := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] != c {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

// code gives words as code, with commas between them.
func code(words []string) string {
	return "`" + strings.Join(words, "`, `") + "`"
}
