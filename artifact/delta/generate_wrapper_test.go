package delta_test

import "strings"

// form is something that a reply may have: around its content, or beside a block.
type form struct {
	name string
	make func(g *composer, d doc) doc
}

// mark is a pair of tags that models write around their reasoning.
type mark struct{ name, open, end string }

var marks = []mark{
	{"think", "<think>", "</think>"},
	{"thinking", "<thinking>", "</thinking>"},
	{"reasoning", "<reasoning>", "</reasoning>"},
	{"thought", "<thought>", "</thought>"},
	{"Think", "<Think>", "</Think>"},
	{"think with attributes", `<think time="4s">`, "</think>"},
	{"brackets", "[THINK]", "[/THINK]"},
	{"triangles", "◁think▷", "◁/think▷"},
	{"scratchpad", "<scratchpad>", "</scratchpad>"},
	{"reflection", "<reflection>", "</reflection>"},
	{"a prefix", "<seed:think>", "</seed:think>"},
	{"begin of thought", "<|begin_of_thought|>", "<|end_of_thought|>"},
	{"longcat", "<longcat_think>", "</longcat_think>"},
	{"inner", "<|inner_prefix|>", "<|inner_suffix|>"},
}

const (
	harmonyOpen = "<|channel|>analysis<|message|>"
	harmonyEnd  = "<|end|><|start|>assistant<|channel|>final<|message|>"
)

// draft returns a block that its author only thinks about.
func (g *composer) draft() doc {
	d := apart(text("Maybe we should try this?"), g.good(g.anyChange()), text("No, that would be wrong."))
	return d.inside()
}

// reasoning returns the wrappers of a pair of tags.
func reasoning(m mark) []form {
	closing := func(d, rest doc) doc {
		all := join(d, text(m.end))
		all = all.scoped(len(all.lines) - 1)
		if d.leaky() {
			rest = rest.unsure()
		}
		return apart(all, rest)
	}
	opened := func(d doc) doc { return join(text(m.open), d).scoped(0) }
	return []form{
		{m.name + ": a draft before", func(g *composer, d doc) doc { return closing(opened(g.draft()), d) }},
		{m.name + ": the tags and words on a line", func(_ *composer, d doc) doc {
			return apart(text(m.open+"Let me see.").scoped(0), text("I know."+m.end+"Here it is:").scoped(0), d)
		}},
		{m.name + ": around everything", func(_ *composer, d doc) doc { return closing(opened(d.inside()), doc{}) }},
		{m.name + ": around everything, with an answer in words", func(_ *composer, d doc) doc {
			return closing(opened(d.inside()), text("I have sent my changes."))
		}},
		{m.name + ": not closed, before everything", func(_ *composer, d doc) doc { return opened(d.inside()) }},
		{m.name + ": not closed, at the end", func(g *composer, d doc) doc {
			if d.leaky() {
				return apart(d, opened(g.draft().unsure()))
			}
			return apart(d, opened(g.draft()))
		}},
		{m.name + ": a lone closing tag after a draft", func(g *composer, d doc) doc { return closing(g.draft().lone(), d) }},
		{m.name + ": a lone closing tag after everything", func(_ *composer, d doc) doc {
			if d.leaky() {
				return closing(d.unsure(), doc{})
			}
			return closing(d.lone(), doc{})
		}},
		{m.name + ": an open fence in a draft", func(g *composer, d doc) doc {
			open := g.block(fenceOf("no closing fence"), bodyOf("compact"), g.anyChange()).inside()
			return closing(opened(open), d)
		}},
		{m.name + ": an open fence in a draft, a lone closing tag", func(g *composer, d doc) doc {
			open := g.block(fenceOf("no closing fence"), bodyOf("compact"), g.anyChange()).lone()
			return closing(open, d)
		}},
		{m.name + ": a lone closing tag behind the JSON of a draft", func(g *composer, d doc) doc {
			open := g.draft().lone()
			line := len(open.lines) - 4
			open.lines[line] += m.end
			return apart(open.scoped(line), d)
		}},
	}
}

// tagged returns a text. Its lines decide what others are if it has a tag that counts as soon as the
// code around it is damaged.
func tagged(s string) doc {
	d := text(s)
	if strings.Contains(s, "think>") || strings.Contains(s, "<!--") {
		for i := range d.lines {
			d.scope = append(d.scope, i)
		}
	}
	return d
}

// around returns a wrapper of lines before and after everything, which changes nothing.
func around(name, before, after string) form {
	return form{name, func(_ *composer, d doc) doc {
		var parts []doc
		if before != "" {
			parts = append(parts, tagged(before))
		}
		parts = append(parts, d)
		if after != "" {
			parts = append(parts, tagged(after))
		}
		return apart(parts...)
	}}
}

// verbatim returns a wrapper in which nothing is a change.
func verbatim(name, open, end string) form {
	return form{name, func(_ *composer, d doc) doc {
		in := d.inside()
		for i := 1; i < len(in.plants); i++ {
			in.plants[i].want = max(in.plants[i].want, never) // one row is enough
		}
		if last := end[strings.LastIndexByte(end, ' ')+1:]; strings.Contains(strings.Join(d.lines, "\n"), last) {
			in = d.unsure() // it ends earlier
			for i := range in.plants {
				in.plants[i].want = free
			}
		}
		all := between(open, in, end)
		return all
	}}
}

// unclear returns a wrapper of which only rows are expected.
func unclear(name, open, end string) form {
	return form{name, func(_ *composer, d doc) doc {
		all := between(open, d.unsure().behindLeak(0), end)
		all.leaks = append(all.leaks, 0, len(all.lines)-1)
		return all
	}}
}

// unmeant returns a wrapper of a draft before everything. Its tags say nothing known, so that the draft may
// have a row or none.
func unmeant(name, open, end string) form {
	return form{name, func(g *composer, d doc) doc {
		in := g.draft()
		for i := range in.plants {
			in.plants[i].want = never
		}
		return apart(between(open, in, end), d)
	}}
}

// transcript returns a wrapper of an earlier exchange before everything, which is a quotation.
func transcript(m mark) form {
	return form{"a transcript of " + m.name, func(g *composer, d doc) doc {
		earlier := g.good(g.anyChange()).lone()                          // a cut may leave only this turn
		earlier.plants[0].want, earlier.plants[0].copied = refused, true // if damaged, the turns may be in code
		said := func(s string) doc {
			t := text(s)
			for i := range t.lines {
				t = t.scoped(i)
			}
			return t
		}
		return apart(said(m.open), said(m.end), earlier, said(m.open), said(m.end), d)
	}}
}

var wrappers = func() []form {
	all := []form{
		{"nothing", func(_ *composer, d doc) doc { return d }},
		around("a preamble", "Sure! Here are my deltas:", ""),
		around("a preamble with a list", "I have read version 3. My points:\n\n1. H1 is vague.\n2. H2 lacks a test.\n\n**Deltas**", ""),
		around("a postamble", "", "Let me know if you would like me to refine any of these!"),
		around("a summary", "Here is my contribution.", "### Summary\n\n| What | Why |\n|---|---|\n| one change | the data |"),
		around("headings", "# Round 2\n\n## Analysis\n\nH1 < H2 in my view.\n\n## Deltas", "## Next steps\n\n- wait for the data"),
		around("a heading right before", "### Delta 1 of 1", ""),
		around("bold titles", "**Delta 1**", "**End of deltas**"),
		around("a rule", "---", "---"),
		around("a title of the answer", "**Final Answer:**", ""),
		around("markers of a chat", "<|im_start|>assistant", "<|im_end|>"),
		around("an example mentioned", "H2 is an example of a vague claim; my changes:", ""),
		around("front matter", "---\ntitle: Reply\n---", ""),
		around("a table before", "| id | verdict |\n|---|---|\n| H1 | keep |", ""),
		around("a letter", "Subject: Re: KICKOFF\n\nHi all,", "Best,\nBlueLake"),
		around("inline code with a tag", "The tag `<think>` is not used here.", ""),
		around("a tag in a code block", "```html\n<think>\n```", ""),
		around("a closing tag in a code block", "", "```html\n</think>\n```"),
		around("a tag in a quotation", "> <think>\n> what is this", ""),
		around("words that open a comment in code", "Write `<!--` to begin a comment.", ""),
		around("a mathematical comparison", "If a <b and c> d, then x.", ""),
		around("a tag that is mentioned", "The <analysis> step is a List<Thought>.", ""),
		{"a closing tag that is mentioned", func(_ *composer, d doc) doc { return apart(d.unsure(), text("Text before </think> is not data.")) }},
		around("a closing tag in quotation marks", "", "A stray \"</think>\" was in it."),
		around("a tag in indented code", "So:\n\n    <think>\n    x", ""),
		around("labels in brackets", "[Reasoning]\nH2 is weak.\n\n[Deltas]", ""),
		around("a details element", "<details>\n<summary>Deltas</summary>", "</details>"),
		verbatim("a comment", "<!--", "-->"),
		verbatim("a comment with words", "<!-- not yet", "end -->"),
		verbatim("a comment within a line", "Old: <!-- so", "-->"),
		verbatim("a comment in an item", "- <!--", "-->"),
		verbatim("a comment below a tag", "<details>\n<!--", "-->"),
		verbatim("a longer fence below a tag", "<br>\n`````", "`````"),
		verbatim("a pre element", "<pre>", "</pre>"),
		verbatim("an example element", "<example>", "</example>"),
		verbatim("a quote element with attributes", "<quote author=\"RedCreek\">\n", "</quote>"),
		verbatim("an HTML block quote", "<blockquote>\n", "\n</blockquote>"),
		verbatim("a sample in brackets", "[sample]", "[/sample]"),
		verbatim("a longer fence", "`````markdown", "`````"),
		verbatim("a longer fence of tildes", "~~~~~~~~text", "~~~~~~~~"),
		unmeant("a plan in tags", "<planning>", "</planning>"),
		unmeant("a plan in brackets", "[plan]", "[/plan]"),
		unmeant("an earlier answer", "<old_answer>", "</old_answer>"),
		unmeant("a turn of a user without its end", "<|eot_id|>user", "<|im_start|>assistant"),
		unmeant("a dialogue", "Human: so", "Assistant: yes"),
		unclear("a fence of markdown", "```markdown", "```"),
		unclear("a fence of md after words", "Here you are:\n\n```md", "```"),
		unclear("tildes of markdown", "~~~markdown", "~~~"),
		unclear("a details element without blank lines", "<details><summary>Deltas</summary>", "</details>"),
		unclear("a div", "<div>", "</div>"),
		unclear("an output element", "<output>", "</output>"),
		unclear("an answer element", "<answer>", "</answer>"),
		{"a quotation", func(_ *composer, d doc) doc { return d.inside().prefixed("> ", "> ") }},
		{"a quotation in a quotation", func(_ *composer, d doc) doc { return d.inside().prefixed("> > ", "> > ") }},
		{"a quoted mail", func(g *composer, d doc) doc {
			return apart(d, text("On Monday RedCreek wrote:"), g.good(g.anyChange()).inside().prefixed("> ", "> "))
		}},
		{"an answer below a quoted mail", func(g *composer, d doc) doc {
			return apart(text("On Monday RedCreek wrote:"), g.good(g.anyChange()).inside().prefixed("> ", "> "), d)
		}},
		{"above a forwarded message", func(g *composer, d doc) doc {
			below := g.good(g.anyChange())
			below.plants[0].want = refused
			return apart(d, text("-----Original Message-----\nFrom: RedCreek").scoped(0), below)
		}},
		{"a numbered item with a tab", func(_ *composer, d doc) doc { return apart(text("1.\tOne change:"), listed(d, "\t")) }},
		{"a list item", func(_ *composer, d doc) doc { return apart(text("- One change:"), listed(d, "  ")) }},
		{"a numbered item", func(_ *composer, d doc) doc { return apart(text("1. One change:"), listed(d, "   ")) }},
		{"on the line of a bullet", func(_ *composer, d doc) doc { return bulleted(d, "- ") }},
		{"on the line of a number", func(_ *composer, d doc) doc { return bulleted(d, "1. ") }},
		{"channels", func(g *composer, d doc) doc {
			draft := join(text(harmonyOpen+"Let me think."), g.draft(), text(harmonyEnd))
			return join(draft.scoped(0, len(draft.lines)-1), d, text("<|return|>"))
		}},
		{"an analysis channel around everything", func(_ *composer, d doc) doc {
			return join(text(harmonyOpen).scoped(0), d.inside(), text("<|end|>"))
		}},
	}
	for _, m := range []mark{
		{"a details element of reasoning", `<details type="reasoning">`, "</details>"},
		{"words of a program", "Thinking...", "...done thinking."},
		{"words of a model", "Here is my thought process:", "Here is my response:"},
		{"channels without marks", "analysisWe", "assistantfinal"},
		{"a turn of a user", "<|im_start|>user", "<|im_start|>assistant"},
		{"instructions", "[INST]", "[/INST]"},
	} {
		all = append(all, form{m.name, func(g *composer, d doc) doc { return apart(between(m.open, g.draft(), m.end), d) }})
	}
	all = append(all, form{"two drafts", func(g *composer, d doc) doc {
		return apart(between("<think>", g.draft(), "</think>"), text("On second thought:"), between("<thinking>", g.draft(), "</thinking>"), d)
	}}, form{"a draft in a list", func(g *composer, d doc) doc {
		return apart(text("- first"), between("<think>", g.draft(), "</think>"), text("- second"), d)
	}}, form{"tags that do not match", func(g *composer, d doc) doc {
		return apart(between("<think>", g.draft(), "</thinking>"), d.unsure())
	}})
	for _, m := range marks {
		all = append(all, reasoning(m)...)
	}
	for _, m := range []mark{
		{"user and assistant", "User: What should change?", "Assistant: This."},
		{"human and AI", "**Human:** What should change?", "**AI:**"},
		{"question and answer", "Q: What should change?", "A: This:"},
		{"brackets", "[user]\nWhat should change?", "[assistant]"},
		{"headings", "### User\n\nWhat should change?", "### Assistant"},
		{"an agent with a name", "User: What should change?", "Assistant (BlueLake):"},
	} {
		all = append(all, transcript(m))
	}
	return all
}()

// listed indents a part below a list item. Bare text there may be anything.
func listed(d doc, by string) doc {
	if len(d.scope) > 0 {
		d = d.unsure() // a tag may end the item
	}
	return d.prefixed(by, by)
}

// bullet puts a bullet in place of the first indentation.
func (d doc) bullet(b string) doc {
	d.lines[0] = b + d.lines[0][len(b):]
	return d
}

// bulleted puts a part on the line of a bullet.
func bulleted(d doc, bullet string) doc {
	if strings.HasPrefix(d.lines[0], " ") || strings.HasPrefix(d.lines[0], "\t") || d.lines[0] == "---" {
		d = d.unsure() // it may be indented too much, or be a rule with the bullet
	}
	return listed(d, strings.Repeat(" ", len(bullet))).bullet(bullet).scoped(0)
}
