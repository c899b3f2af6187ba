package delta_test

import (
	"slices"
	"strings"
)

// fence is a way to set a body off from the text around it.
type fence struct {
	name string
	// want is what can be expected of a good body in it.
	want want
	// delta means that it is a sound delta fence, at which a reader finds its way again.
	delta bool
	// loose means that it is not a delta fence: in it a KILL is never executed.
	loose bool
	// thin means that hardly anything is left of it after damage.
	thin bool
	// leaky means that text after it may seem to be inside it.
	leaky bool
	write func(body []string) []string
}

// lines returns a fence of an opening and a closing line.
func lines(name string, w want, open, end string) fence {
	return fence{name: name, want: w, write: func(body []string) []string {
		return slices.Concat(strings.Split(open, "\n"), body, []string{end})
	}}
}

// sound returns a delta fence without fault.
func sound(name, open, end string) fence {
	f := lines(name, taken, open, end)
	f.delta = true
	return f
}

// damaged returns a fence with a fault, or one that may be taken for the end of another.
func damaged(name, open, end string) fence {
	f := lines(name, accounted, open, end)
	f.leaky = true
	return f
}

// indented returns a delta fence with blanks before every line.
func indented(name, by string, w want) fence {
	return fence{name: name, want: w, delta: w == taken, leaky: w != taken, write: func(body []string) []string {
		all := append(append([]string{"```delta"}, body...), "```")
		for i := range all {
			all[i] = by + all[i]
		}
		return all
	}}
}

// joined returns a form that has everything on one line.
func joined(name, open, end string) fence {
	return fence{name: name, want: accounted, leaky: true, thin: true, write: func(body []string) []string {
		return []string{open + strings.Join(body, " ") + end}
	}}
}

func loose(f fence) fence { f.loose = true; return f }

var fences = []fence{
	sound("backticks", "```delta", "```"),
	sound("tildes", "~~~delta", "~~~"),
	sound("four backticks", "````delta", "````"),
	sound("six tildes", "~~~~~~delta", "~~~~~~"),
	sound("colons", ":::delta", ":::"),
	sound("a longer closing fence", "```delta", "`````"),
	sound("Delta", "```Delta", "```"),
	sound("DELTA", "```DELTA", "```"),
	sound("a blank before the word", "``` delta", "```"),
	sound("attributes", "```delta {#one .json}", "```"),
	sound("a second word", "```delta json", "```"),
	sound("a title", "```delta title=\"one\"", "```"),
	sound("a number", "```delta #1", "```"),
	sound("blanks behind", "```delta   ", "```   "),
	indented("indented by 1", " ", taken),
	indented("indented by 2", "  ", taken),
	indented("indented by 3", "   ", taken),
	indented("indented by 4", "    ", accounted),
	indented("indented by 6", "      ", accounted),
	indented("indented by a tab", "\t", accounted),
	loose(lines("json", taken, "```json", "```")),
	loose(lines("JSON in tildes", taken, "~~~json", "~~~")),
	loose(fence{name: "bare", want: taken, thin: true, write: func(body []string) []string { return body }}),
	sound("a class", "```{.delta}", "```"),
	sound("a class among others", "```{.json .delta #one}", "```"),
	sound("attributes without blanks", "```delta{id=1}", "```"),
	lines("a tool call", accounted, "<tool_call>", "</tool_call>"),
	lines("a function call", accounted, "<function=submit_delta>", "</function>"),
	lines("verbatim of LaTeX", accounted, "\\begin{verbatim}", "\\end{verbatim}"),
	lines("json with a title", accounted, "```json title=\"delta 1\"", "```"),
	lines("json:delta", accounted, "```json:delta", "```"),
	lines("jsonl", accounted, "```jsonl", "```"),
	joined("a marker of tool calls", "[TOOL_CALLS]", ""),
	joined("a marker of Python", "<|python_tag|>", "<|eom_id|>"),
	damaged("a fence with escaped marks", "\\`\\`\\`delta", "\\`\\`\\`"),
	damaged("no-break spaces before both", "\u00a0\u00a0```delta", "\u00a0\u00a0```"),
	damaged("a heading as the fence", "### ```delta", "```"),
	lines("json delta", accounted, "```json delta", "```"),
	lines("delta-json", accounted, "```delta-json", "```"),
	lines("deltas", accounted, "```deltas", "```"),
	lines("delta1", accounted, "```delta1", "```"),
	lines("delta:add", accounted, "```delta:add", "```"),
	lines("delta.json", accounted, "```delta.json", "```"),
	lines("brenner-delta", accounted, "```brenner-delta", "```"),
	lines("json5", accounted, "```json5", "```"),
	lines("python", accounted, "```python", "```"),
	lines("yaml", accounted, "```yaml", "```"),
	lines("text", accounted, "```text", "```"),
	lines("diff", accounted, "```diff", "```"),
	damaged("no word", "```", "```"),
	damaged("no word, in tildes", "~~~", "~~~"),
	joined("on one line", "```delta ", " ```"),
	joined("on one line, in tildes", "~~~delta ", " ~~~"),
	joined("inline code", "`", "`"),
	joined("inline code with the word", "`delta ", "`"),
	joined("a table cell", "| 1 | `", "` | new |"),
	joined("a table cell with a fence", "| 1 | ```delta ", "``` | new |"),
	joined("a list item", "- delta: ", ""),
	joined("a tag", "<delta>", "</delta>"),
	damaged("text before it", "Here it is: ```delta", "```"),
	damaged("a bullet and text before it", "- First: ```delta", "```"),
	damaged("emphasis around it", "**```delta**", "```"),
	damaged("emphasis before it", "**```delta", "```**"),
	damaged("a zero-width space before it", "\u200b```delta", "```"),
	damaged("a zero-width space behind it", "```delta\u200b", "```\u200b"),
	damaged("a byte order mark before it", "\ufeff```delta", "```"),
	damaged("a no-break space before it", "\u00a0```delta", "```"),
	damaged("a no-break space before the word", "```\u00a0delta", "```"),
	damaged("a word joiner in it", "`\u2060``delta", "```"),
	damaged("two backticks", "``delta", "``"),
	damaged("quotation marks", "'''delta", "'''"),
	damaged("wide backticks", "｀｀｀delta", "｀｀｀"),
	damaged("an indented closing fence", "```delta", "     ```"),
	damaged("braces around the word", "```{delta}", "```"),
	damaged("brackets around the word", "[delta]", "[/delta]"),
	damaged("begin and end", "BEGIN DELTA", "END DELTA"),
	damaged("the word on the next line", "```\ndelta", "```"),
	damaged("an element of code", "<pre><code class=\"language-delta\">", "</code></pre>"),
	damaged("text behind the closing fence", "```delta", "``` This is all."),
	damaged("a bold closing fence", "```delta", "**```**"),
	damaged("a shorter closing fence", "````delta", "```"),
	damaged("another closing fence", "```delta", "~~~"),
	damaged("a closing fence in a list", "```delta", "- ```"),
	damaged("a closing fence with the word", "```delta", "```delta"),
	damaged("a closing fence with a slash", "```delta", "```/delta"),
	{name: "no closing fence", want: accounted, leaky: true, write: func(body []string) []string { return append([]string{"```delta"}, body...) }},
	{name: "no closing fence, in colons", want: accounted, leaky: true, write: func(body []string) []string { return append([]string{":::delta"}, body...) }},
	{name: "no opening fence", want: accounted, leaky: true, write: func(body []string) []string { return append(body[:len(body):len(body)], "```") }},
	{name: "the word without a fence", want: accounted, write: func(body []string) []string { return append([]string{"delta"}, body...) }},
	{name: "a glued closing fence", want: accounted, leaky: true, write: func(body []string) []string {
		all := append([]string{"```delta"}, body...)
		all[len(all)-1] += "```"
		return all
	}},
	{name: "a glued opening fence", want: accounted, leaky: true, write: func(body []string) []string {
		all := append(body[:len(body):len(body)], "```")
		all[0] = "```delta" + all[0]
		return all
	}},
	{name: "a blank line before the body", want: taken, delta: true, write: func(body []string) []string {
		return append(append([]string{"```delta", ""}, body...), "", "```")
	}},
	{name: "a tag of its own", want: accounted, write: func(body []string) []string {
		return append(append([]string{"<delta>"}, body...), "</delta>")
	}},
}
