package delta_test

import (
	"fmt"
	"strings"

	"brenner/artifact/delta"
)

// body is a way to write one or several changes.
type body struct {
	name string
	n    int // changes
	// want is what can be expected of it in a delta fence.
	want want
	// plain means exact JSON of one object, which is expected to be read anywhere.
	plain bool
	// prose means that it has no fence.
	prose bool
	// vague means that it is not JSON: only a delta fence says what it is.
	vague bool
	// said means that what it announces is on the same line.
	said bool
	// leaky means that a fence around it may not end where it seems to.
	leaky bool
	write func(g *composer, c []change) string
}

// one returns a body of a single object.
func one(name string, w want, write func(g *composer, c *change) string) body {
	return body{name: name, n: 1, want: w, write: func(g *composer, c []change) string { return write(g, &c[0]) }}
}

// styled returns a body of an object in a style.
func styled(name string, w want, s style) body {
	return one(name, w, func(g *composer, c *change) string { return s.write(c.object(g.IntN(4)), 0) })
}

func plain(b body) body { b.plain = true; return b }

// broken returns a body with a mistake in its JSON.
func broken(name, old, replacement string) body {
	return one(name, accounted, func(_ *composer, c *change) string {
		s := exact
		s.indent = "  "
		return strings.Replace(s.write(c.object(0), 0), old, replacement, 1)
	})
}

// altered returns a body of an object that is written exactly and differs from the specification.
func altered(name string, w want, alter func(g *composer, c *change, o []pair) []pair) body {
	return one(name, w, func(g *composer, c *change) string { return exact.write(alter(g, c, c.object(0)), 0) })
}

func each(g *composer, c []change, s style) []string {
	all := make([]string, len(c))
	for i := range c {
		all[i] = s.write(c[i].object(g.IntN(4)), 0)
	}
	return all
}

func several(name string, w want, open, between, end string) body {
	return body{name: name, n: 2, want: w, write: func(g *composer, c []change) string {
		return open + strings.Join(each(g, c, exact), between) + end
	}}
}

func prose(name string, write func(g *composer, c *change) string) body {
	b := one(name, accounted, func(g *composer, c *change) string {
		c.text = []string{"Rotate the stage by night, " + c.token, c.token + " makes tissue geometry decide"}[g.IntN(2)]
		return write(g, c)
	})
	b.prose, b.said = true, strings.HasSuffix(name, ": text")
	return b
}

func leaky(b body) body { b.leaky = true; return b }

func vague(b body) body { b.vague = true; return b }

// word returns what people call the items of a section.
func (c *change) word() string {
	return map[string]string{
		"hypothesis_slate": "hypothesis", "predictions_table": "prediction", "discriminative_tests": "test", "assumption_ledger": "assumption",
		"anomaly_register": "anomaly", "adversarial_critique": "critique", "research_thread": "thread", delta.RecordSection: "record",
	}[c.section]
}

func set(o []pair, key string, value any) []pair {
	for i := range o {
		if o[i].key == key {
			o[i].value = value
		}
	}
	return o
}

func more(o []pair, p ...pair) []pair {
	for i := range o {
		if o[i].key == "payload" {
			o[i].value = append(o[i].value.([]pair), p...)
		}
	}
	return o
}

var bodies = []body{
	plain(styled("compact", taken, style{open: `"`, end: `"`})),
	plain(styled("on one line", taken, exact)),
	plain(styled("pretty", taken, style{open: `"`, end: `"`, sep: " ", indent: "  "})),
	plain(styled("pretty, by four", taken, style{open: `"`, end: `"`, sep: " ", indent: "    "})),
	plain(styled("pretty, by tabs", taken, style{open: `"`, end: `"`, sep: " ", indent: "\t"})),
	styled("single quotes", taken, style{open: `'`, end: `'`, sep: " ", indent: "  "}),
	styled("a Python dictionary", taken, style{open: `'`, end: `'`, sep: " ", python: true}),
	styled("typographic quotes", taken, style{open: `“`, end: `”`, sep: " ", indent: "  "}),
	styled("bare keys", taken, style{open: `"`, end: `"`, sep: " ", indent: "  ", bare: true}),
	styled("trailing commas", taken, style{open: `"`, end: `"`, sep: " ", indent: "  ", comma: true}),
	styled("a line comment", taken, style{open: `"`, end: `"`, sep: " ", indent: "  ", comment: "// as agreed"}),
	styled("a block comment", taken, style{open: `"`, end: `"`, sep: " ", indent: "  ", comment: "/* as agreed */"}),
	altered("lower case", taken, func(_ *composer, c *change, o []pair) []pair { return set(o, "operation", strings.ToLower(c.op)) }),
	altered("another word for the section", taken, func(_ *composer, c *change, o []pair) []pair {
		words := map[string]string{"hypothesis_slate": "hypotheses", "predictions_table": "predictions", "discriminative_tests": "tests", "assumption_ledger": "assumptions", "anomaly_register": "anomalies", "adversarial_critique": "critique", "research_thread": "research_thread", delta.RecordSection: "records"}
		return set(o, "section", words[c.section])
	}),
	altered("an unknown field", taken, func(_ *composer, _ *change, o []pair) []pair { return more(o, pair{"own", "kept"}) }),
	altered("an empty string", taken, func(_ *composer, _ *change, o []pair) []pair { return more(o, pair{"own", ""}) }),
	altered("an escaped fence in a text", taken, func(_ *composer, _ *change, o []pair) []pair {
		return more(o, pair{"own", `as in\n` + "```delta" + `\n{}\n` + "```" + `\n`})
	}),
	altered("a tag in a text", taken, func(_ *composer, _ *change, o []pair) []pair { return more(o, pair{"own", "after <think> it said"}) }),
	altered("a closing tag in a text", taken, func(_ *composer, _ *change, o []pair) []pair { return more(o, pair{"own", "before </think> it said"}) }),
	altered("a comment in a text", taken, func(_ *composer, _ *change, o []pair) []pair { return more(o, pair{"own", "as <!-- this"}) }),
	altered("a delta in a text", taken, func(_ *composer, _ *change, o []pair) []pair {
		return more(o, pair{"own", `{\"operation\":\"KILL\",\"section\":\"hypothesis_slate\",\"target_id\":\"H1\"}`})
	}),
	altered("an apostrophe", taken, func(_ *composer, _ *change, o []pair) []pair {
		return more(o, pair{"own", "the cell's fate isn't fixed"})
	}),
	several("an array", taken, "[\n", ",\n", "\n]"),
	several("an array on one line", taken, "[", ", ", "]"),
	several("JSON lines", taken, "", "\n", ""),
	several("objects with a blank line between", taken, "", "\n\n", ""),
	several("objects with a comma between", accounted, "", ",\n", ""),
	several("objects with a rule between", accounted, "", "\n---\n", ""),
	several("under deltas", accounted, `{"deltas": [`, ", ", "]}"),
	several("under changes", accounted, `{"summary": "two", "changes": [`, ", ", "]}"),
	several("under a key of its own", accounted, `{"response": {"proposed_updates": [`, ", ", "]}}"),
	{name: "keyed by name", n: 2, want: accounted, write: func(g *composer, c []change) string {
		all := each(g, c, exact)
		return `{"delta_1": ` + all[0] + `, "delta_2": ` + all[1] + `}`
	}},
	{name: "an array of which one is broken", n: 2, want: accounted, write: func(g *composer, c []change) string {
		all := each(g, c, exact)
		return "[" + all[0] + ",\n" + strings.Replace(all[1], `": "`, `: "`, 1) + "]"
	}},
	{name: "JSON lines of which one is broken", n: 2, want: accounted, write: func(g *composer, c []change) string {
		all := each(g, c, exact)
		return all[0] + "\n" + strings.TrimSuffix(all[1], "}")
	}},
	{name: "an array of which one has no section", n: 2, want: accounted, write: func(g *composer, c []change) string {
		all := each(g, c, exact)
		return "[" + all[0] + ",\n" + strings.Replace(all[1], `"section"`, `"sectoin"`, 1) + "]"
	}},
	one("under delta", accounted, func(_ *composer, c *change) string { return `{"delta": ` + exact.write(c.object(0), 0) + `}` }),
	one("with escaped underscores", accounted, func(_ *composer, c *change) string {
		return strings.ReplaceAll(exact.write(c.object(0), 0), "_", `\_`)
	}),
	vague(one("the payload after words", accounted, func(_ *composer, c *change) string {
		return c.op + " " + c.section + " " + c.target + "\n" + exact.write([]pair{{c.field, c.text}}, 0)
	})),
	altered("op", taken, func(_ *composer, _ *change, o []pair) []pair { o[0].key = "op"; return o }),
	altered("an array of one operation", accounted, func(_ *composer, c *change, o []pair) []pair { return set(o, "operation", []string{c.op}) }),
	altered("NaN", accounted, func(_ *composer, _ *change, o []pair) []pair { return more(o, pair{"own", raw("NaN")}) }),
	altered("an unknown operation", accounted, func(_ *composer, _ *change, o []pair) []pair { return set(o, "operation", "UPSERT") }),
	altered("two operations", accounted, func(_ *composer, _ *change, o []pair) []pair { return set(o, "operation", "ADD | EDIT") }),
	altered("an unknown section", accounted, func(_ *composer, _ *change, o []pair) []pair { return set(o, "section", "open_questions") }),
	altered("no payload", accounted, func(_ *composer, c *change, o []pair) []pair { return append(o[:3:3], pair{c.field, c.text}) }),
	altered("a payload of text", accounted, func(_ *composer, c *change, o []pair) []pair { return set(o, "payload", c.text) }),
	altered("placeholders", accounted, func(_ *composer, c *change, o []pair) []pair {
		return set(set(o, "payload", []pair{{c.field, "..."}}), "rationale", c.token)
	}),
	altered("an ellipsis", accounted, func(_ *composer, c *change, o []pair) []pair {
		return set(set(o, "payload", raw("{...}")), "rationale", c.token)
	}),
	one("a duplicate key", accounted, func(_ *composer, c *change) string {
		return strings.Replace(exact.write(c.object(0), 0), `"section"`, `"operation": "ADD", "section"`, 1)
	}),
	one("after the word json", accounted, func(_ *composer, c *change) string { return "json\n" + exact.write(c.object(0), 0) }),
	one("after a title", accounted, func(_ *composer, c *change) string { return "Delta 1:\n" + exact.write(c.object(0), 0) }),
	one("before a remark", accounted, func(_ *composer, c *change) string {
		return exact.write(c.object(0), 0) + "\nThis follows from the data."
	}),
	vague(one("as a text of JSON", accounted, func(_ *composer, c *change) string {
		return `"` + strings.ReplaceAll(exact.write(c.object(0), 0), `"`, `\"`) + `"`
	})),
	vague(one("escaped for HTML", accounted, func(_ *composer, c *change) string {
		return strings.ReplaceAll(exact.write(c.object(0), 0), `"`, "&quot;")
	})),
	one("a tool call", accounted, func(_ *composer, c *change) string {
		return `{"name": "submit_delta", "arguments": ` + exact.write(c.object(0), 0) + `}`
	}),
	one("escaped arguments of a tool call", accounted, func(_ *composer, c *change) string {
		return `{"type": "function", "function": {"name": "submit_delta", "arguments": "` + strings.ReplaceAll(exact.write(c.object(0), 0), `"`, `\"`) + `"}}`
	}),
	{name: "a list of tool calls", n: 2, want: accounted, write: func(g *composer, c []change) string {
		all := each(g, c, exact)
		return `[{"name": "submit", "parameters": ` + all[0] + `}, {"name": "submit", "parameters": ` + all[1] + `}]`
	}},
	several("objects with a heading between", accounted, "# Delta 1\n", "\n\n# Delta 2\n", ""),
	several("objects with a title between", accounted, "Delta 1:\n", "\nDelta 2:\n", ""),
	vague(body{name: "a YAML list of two", n: 2, want: accounted, write: func(_ *composer, c []change) string {
		all := ""
		for i := range c {
			all += fmt.Sprintf("- operation: %s\n  section: %s\n  target_id: %s\n  payload:\n    %s: %q\n", c[i].op, c[i].section, c[i].target, c[i].field, c[i].text)
		}
		return strings.TrimSuffix(all, "\n")
	}}),
	altered("a claim in angle brackets", taken, func(_ *composer, c *change, o []pair) []pair {
		c.text = "<" + c.token + " is > 5 µm, [x] TO" + "DO ...>"
		return set(o, "payload", append([]pair{{c.field, c.text}}, c.more...))
	}),
	broken("no closing brace", "\n}", "\n"),
	broken("an extra brace", "\n}", "\n}}"),
	broken("a missing comma", `",`, `"`),
	broken("a quotation inside a text", "cells", `"cells"`),
	broken("an open text", `",`, `,`),
	broken("an equals sign", `": `, `" = `),
	broken("a raw line break in a text", " says", "\nsays"),
	leaky(broken("a fence in a text", " says", "\n```\nsays")),
	leaky(one("a nested fence", accounted, func(_ *composer, c *change) string { return "```json\n" + exact.write(c.object(0), 0) + "\n```" })),
	vague(one("YAML", accounted, func(_ *composer, c *change) string {
		return fmt.Sprintf("operation: %s\nsection: %s\ntarget_id: %s\npayload:\n  %s: %q", c.op, c.section, c.target, c.field, c.text)
	})),
	vague(one("a YAML list", accounted, func(_ *composer, c *change) string {
		return fmt.Sprintf("- operation: %s\n  section: %s\n  target_id: %s\n  payload:\n    %s: %q", c.op, c.section, c.target, c.field, c.text)
	})),
	vague(one("words", accounted, func(_ *composer, c *change) string { return c.op + " " + c.section + " " + c.target + ": " + c.text })),
	vague(one("a line of kind and text in a fence", accounted, func(_ *composer, c *change) string { return "DELTA[" + c.word() + "]: " + c.text })),
	prose("DELTA[kind]: text", func(_ *composer, c *change) string { return "DELTA[" + c.word() + "]: " + c.text }),
	prose("**DELTA[kind]**: text", func(_ *composer, c *change) string { return "**DELTA[" + c.word() + "]**: " + c.text }),
	prose("- DELTA[kind]: text", func(_ *composer, c *change) string { return "- DELTA[" + c.word() + "]: " + c.text }),
	prose("a heading DELTA[kind]", func(_ *composer, c *change) string { return "### DELTA[" + c.word() + "]\n" + c.text }),
	prose("a heading that announces", func(_ *composer, c *change) string {
		return "### " + c.op + " " + c.word() + " " + c.target + "\n\n" + c.text + ", and so on."
	}),
	prose("a numbered heading that announces", func(_ *composer, c *change) string {
		return "## Delta 3: " + c.op + " " + c.section + "\n\n" + c.text + ", and so on."
	}),
	prose("a row of a table", func(_ *composer, c *change) string {
		if c.op == "ADD" {
			return "| new | ADD | " + c.word() + " | " + c.text + " |"
		}
		return "| " + c.target + " | " + c.op + " | " + c.text + " |"
	}),
	prose("an operation behind an id", func(_ *composer, c *change) string {
		if c.op == "ADD" {
			return "- ADD " + c.word() + ": " + c.text
		}
		return "- **" + c.target + "** → " + c.op + ": " + c.text
	}),
	prose("a bold line that announces", func(_ *composer, c *change) string {
		return "**" + c.op + " " + c.word() + " " + c.target + "**: " + c.text
	}),
}
