package delta_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The examples of the kickoff that the replies answer. Their tokens are never in an executed change.
var exampleChanges = []change{
	{op: "KILL", section: "hypothesis_slate", target: exampleTarget, token: "zqe1w", field: "reason", text: "zqe1w is subsumed by another"},
	{op: "EDIT", section: "hypothesis_slate", target: exampleTarget, token: "zqe2w", field: "claim", text: "zqe2w holds at every scale"},
	{op: "ADD", section: "hypothesis_slate", token: "zqe3w", field: "claim", text: "zqe3w is a third way", more: []pair{{"anchors", []string{"§1"}}}},
}

func exampleTexts() []string {
	var all []string
	for _, c := range exampleChanges {
		all = append(all, "```delta\n"+style{open: `"`, end: `"`, sep: " ", indent: "  "}.write(c.object(0), 0)+"\n```")
	}
	return all
}

// copied returns an example in a style and an order of its keys.
func copied(name string, s style, order int) form {
	return form{name, func(g *composer, _ doc) doc {
		c := g.exampleChange()
		d := doc{lines: strings.Split("```delta\n"+s.write(c.object(order), 0)+"\n```", "\n")}
		d.plants = []plant{{change: c, want: shown, to: len(d.lines), copied: true, delta: true, whole: true}}
		return d
	}}
}

// words returns a neighbour without a change.
func words(name, s string) form {
	return form{name, func(*composer, doc) doc { return tagged(s) }}
}

// stray returns a neighbour that leaves a fence open.
func stray(name, s string) form {
	return form{name, func(*composer, doc) doc {
		d := text(s)
		d.leaks = []int{0}
		return d
	}}
}

// written returns a neighbour with any change in a form.
func written(fence, body string) form {
	name := body + " in " + fence
	if bodyOf(body).prose {
		name = body
	}
	return form{name, func(g *composer, _ doc) doc {
		b := bodyOf(body)
		return g.block(fenceOf(fence), b, g.changes(b, g.IntN(changeKinds))...)
	}}
}

// onlyShown returns a neighbour in which a good block is not a change.
func onlyShown(name string, set func(d doc) doc) form {
	return form{name, func(g *composer, _ doc) doc { return set(g.good(g.anyChange()).inside()) }}
}

// introduced returns a neighbour that a line calls something else than a change.
func introduced(name, line string) form {
	return form{name, func(g *composer, _ doc) doc {
		d := g.good(g.anyChange())
		d.plants[0].want = refused
		all := apart(text(line), d, text("That is not my change."))
		for i := range all.lines {
			all = all.scoped(i) // without one of them it may seem to be about the next block
		}
		return all
	}}
}

// remarked returns a neighbour with one of the sentences of oblique.txt beside a good block.
func remarked(name, kind string, w want) form {
	return form{name, func(g *composer, _ doc) doc {
		all := obliqueSentences()[kind]
		line, d := text(all[g.IntN(len(all))]).scoped(0), g.good(g.anyChange())
		d.plants[0].want, d.plants[0].led, d.plants[0].held = w, kind == "- before", kind == "- behind"
		switch {
		case kind == "- behind":
			return apart(d.lone(), line)
		case strings.HasSuffix(kind, "behind"):
			return apart(d, line)
		}
		return apart(line, d)
	}}
}

// obliqueSentences are the sentences of oblique.txt that may stand beside any change, by kind.
var obliqueSentences = sync.OnceValue(func() map[string][]string {
	data, err := os.ReadFile("testdata/models/oblique.txt")
	if err != nil {
		panic(err)
	}
	all := make(map[string][]string)
	for line := range strings.Lines(string(data)) {
		kind, sentence, _ := strings.Cut(strings.TrimSpace(line), " | ")
		isTitle := strings.HasSuffix(sentence, ":")
		if aboutItem.MatchString(sentence) || strings.HasSuffix(kind, "before") != isTitle {
			continue // it depends on the change, or may be about the block above
		}
		all[kind] = append(all[kind], sentence)
	}
	return all
})

// aboutItem matches sentences about one item or operation, or about another block.
var aboutItem = regexp.MustCompile(`\b(?:[A-Z]\d|[Kk]ill|[Ee]dit|first|second)`)

var neighbours = slices.Concat([]form{
	{"nothing", func(*composer, doc) doc { return doc{} }},
	words("prose", "H1 explains the late cells, but not their number."),
	words("an inline mention", "Use ```delta for each change."),
	stray("an inline mention at the start of a line", "```delta fences are what I used."),
	words("inline code", "Each block begins with `` ```delta `` and ends with `` ``` ``."),
	words("a tag in inline code", "I do not write `</think>` or `<think>`."),
	words("code", "```python\ndef f(x):\n    return {'operation': x}\n```"),
	words("code with a tag", "```python\nprint('<think>')\n```"),
	words("other JSON", "```json\n{\"model\": \"clock\", \"rate\": 2}\n```"),
	words("a diagram", "```mermaid\ngraph TD; A-->B\n```"),
	words("a table", "| H | verdict |\n|---|---|\n| H1 | keep |"),
	words("a rule", "---"),
	words("a list", "- H1 has a rival\n- H2 needs a test"),
	words("a comment", "<!-- nothing here -->"),
	words("an indented line", "    x = 1"),
	{"a good block", func(g *composer, _ doc) doc { return g.good(g.anyChange()) }},
	written("tildes", "pretty"),
	written("backticks", "an array"),
	{"an ADD and an EDIT of it", func(g *composer, _ doc) doc {
		add := g.newChange(len(sections))
		add.label = "new-" + add.token[2:4]
		edit := g.newChange(0)
		edit.target, edit.field, edit.text = add.label, "mechanism", edit.token+" explains it"
		return apart(g.good(add), g.good(edit))
	}},
	{"a KILL and an ADD of a known id", func(g *composer, _ doc) doc {
		kill, add := g.newChange(2*len(sections)-1), g.newChange(len(sections))
		kill.target, add.target = "H2", "H2"
		parts := []doc{g.good(kill), g.good(add)}
		if g.IntN(2) == 0 {
			parts[0], parts[1] = parts[1], parts[0]
		}
		return apart(parts...)
	}},
	onlyShown("a quotation", func(d doc) doc { return d.prefixed("> ", "> ") }),
	onlyShown("a longer fence", func(d doc) doc {
		all := between("````markdown", d, "````")
		all.closes = []int{len(all.lines) - 1}
		return all
	}),
	onlyShown("a comment with a block", func(d doc) doc { return between("<!--", d, "-->") }),
	onlyShown("a pre element", func(d doc) doc { return between("<pre>", d, "</pre>") }),
	onlyShown("a draft in tags", func(d doc) doc { return between("<think>", d, "</think>") }),
	onlyShown("a draft in other tags", func(d doc) doc { return between("<reasoning>\nWait.", d, "</reasoning>") }),
	onlyShown("an example in tags", func(d doc) doc { return between("<example>", d, "</example>") }),
	introduced("an example in words", "For example:"),
	introduced("an example of the format", "Here is an example of the delta format:"),
	introduced("the words of another agent", "On Monday RedCreek (critic) wrote:"),
	introduced("a draft in words", "I considered this and decided against it:"),
	introduced("a change that is forbidden", "Do not apply this:"),
	introduced("a change on a condition", "If T1 fails, I will send:"),
	copied("an example", style{open: `"`, end: `"`, sep: " ", indent: "  "}, 0),
	copied("an example on one line", exact, 0),
	copied("an example without its rationale", exact, 1),
	copied("an example with other keys", exact, 3),
	stray("a stray fence", "```"),
	stray("a stray fence of tildes", "~~~"),
	stray("a stray fence with a word", "```text\nthe end"),
	stray("a fence behind words", "So: ```"),
	written("text before it", "on one line"),
	written("no closing fence", "on one line"),
	written("a glued closing fence", "compact"),
	written("text behind the closing fence", "pretty"),
	written("a zero-width space before it", "on one line"),
	written("emphasis around it", "on one line"),
	written("on one line", "compact"),
	written("delta-json", "pretty"),
	written("python", "on one line"),
	written("no word", "pretty"),
	written("json", "pretty"),
	written("json", "under changes"),
	written("bare", "on one line"),
	written("backticks", "an open text"),
	written("backticks", "no closing brace"),
	written("backticks", "YAML"),
	written("backticks", "a fence in a text"),
	written("backticks", "DELTA[kind]: text"),
	written("backticks", "a heading that announces"),
	remarked("an oblique quotation", "- before", refused),
	remarked("an oblique withdrawal", "- behind", refused),
	remarked("an ordinary lead", "+ before", taken),
	remarked("an ordinary remark", "+ behind", taken),
}, recordForms(), []form{
	inText("a block in a text of a bare delta", "", "", false),
	inText("a block in a text of a delta", "```delta\n", "\n```", false),
	inText("a block in a text of a bare record", "", "", true),
	inText("a block in a text of a record", "```delta\n", "\n```", true),
})
