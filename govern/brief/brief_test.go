package brief_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/govern/brief"
	"brenner/internal/fault"
	"brenner/store/record"
)

// fields returns the fields of a text, one per line.
func fields(text string) string {
	b := brief.Parse(text)
	var out strings.Builder
	for _, f := range append(brief.Fields(), brief.Rest) {
		if one := b.Text(f); one != "" {
			fmt.Fprintf(&out, "%s=%s\n", f, strings.ReplaceAll(one, "\n", "|"))
		}
	}
	return out.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"the example", brief.Example, `goal=How does a cell of an early embryo know what to become?
scope=- vertebrate embryos up to gastrulation
non-goals=- plant cells|- clinical use
constraints=- published data only
audience=Developmental biologists.
glossary=- fate: what a cell becomes if nothing disturbs it
rest=# Brief
`},
		{"a paragraph", "How do cells\ndecide?\n", "goal=How do cells|decide?\n"},
		{"two paragraphs", "How?\n\nWhy?\n", "rest=How?||Why?\n"},
		{"a list", "- how\n- why\n", "rest=- how|- why\n"},
		{"only a title", "# How do cells decide?\n", "rest=# How do cells decide?\n"},
		{"underlined", "Goal\n====\nA\n\nOut of scope\n---\n- B\n", "goal=A\nnon-goals=- B\n"},
		{"numbered", "## 1. Goal\nA\n## 2) Non-goals\nB\n## 3.1 In scope\nC\n## iv. Limits\nD\n", "goal=A\nscope=C\nnon-goals=B\nconstraints=D\n"},
		{"numbered lines", "1. Goal\n\nA\n\n2. Non-goals\n\n- B\n", "goal=A\nnon-goals=- B\n"},
		{"bold lines", "**Goal**\n\nA\n\n__Not in scope:__\n- B\n\n**Background**\n\nC\n", "goal=A\nnon-goals=- B\nrest=**Background**||C\n"},
		{"bold labels", "**Goal:** A\n**Scope**: B\n**Exclusions** — C\n", "goal=A\nscope=B\nnon-goals=C\n"},
		{"labels", "GOAL: A\nOwner: Sydney\nnon-goals: B; C\n\nMore.\n", "goal=A\nnon-goals=B; C\nrest=Owner: Sydney||More.\n"},
		{"labels and lists", "Goal: A\nOut of scope:\n\n- B\n- C\n\nIn scope: these\n\n- D\n\nMore.\n", "goal=A\nscope=these||- D\nnon-goals=- B|- C\nrest=More.\n"},
		{"items", "## Scope\n- mice\n- Out of scope: plants and\n  trees\n- rats\n- Not in scope:\n  - moss\n- cats\n", "scope=- mice\n\n- rats\n\n- cats\nnon-goals=plants and|trees\n\n- moss\n"},
		{"labelled items", "- **Goal:** A\n- **Non-goals**: B\n  and C\n", "goal=A\nnon-goals=B|and C\n"},
		{"text in a heading", "# Goal: how do cells decide?\n\n# 2. Audience: all\n", "goal=how do cells decide?\naudience=all\n"},
		{"deeper headings", "## Goal\nA\n### Why\nB\n#### Non-goals\nC\n### How\nD\n# Plan\nE\n", "goal=A\nnon-goals=C\nrest=### Why|B\n\n### How|D|# Plan|E\n"},
		{"a goal ends at any heading", "# Goal\n\nHow?\n\n## What we leave out\n\n- plants\n\n## Background\n\nLong story.\n", "goal=How?\nnon-goals=- plants\nrest=## Background||Long story.\n"},
		{"a goal ends at a bold line", "# Goal\n\n**How?**\n\n**Background**\nLong story.\n", "goal=**How?**\nrest=**Background**|Long story.\n"},
		{"a scope that is out", "# Goal: A\n## Scope: out\nB\n## Scope (out)\nC\n## Scope: not all\n## Scope\nOut: D\n\n### Out\n- E\n### In\n- F\n- Out: G\n- In: H\n", "goal=A\nscope=not all\n\n- F\n\nH\nnon-goals=B\n\nC\n\nD\n\n- E\n\nG\n"},
		{"a paragraph about what is out of scope", "Plant cells are not in scope.\n", "rest=Plant cells are not in scope.\n"},
		{"a table", "Goal | How?\n--- | ---\nNon-goals | plants\n", "rest=Goal | How?|--- | ---|Non-goals | plants\n"},
		{"without a letter", "# Goal\n\n\u200b\n", ""},
		{"twice", "# Goal\nA\n# Scope\nB\n# Goals\nC\n", "goal=A\n\nC\nscope=B\n"},
		{"code, comments and quotations", "## Goal\n```\n## Non-goals\n```\n> ## Scope\n<!--\n## Audience\n-->\n    ## Glossary\n", "goal=```|## Non-goals|```|> ## Scope|<!--|## Audience|-->|    ## Glossary\n"},
		{"quotations in code", "## Goal\n```\n> a\n## Scope\n```\n> b\n## Non-goals\nc\n> d\nAudience: e\n", "goal=```|> a|## Scope|```|> b\nnon-goals=c|> d\naudience=e\n"},
		{"a glossary explains words", "## Glossary\n- Goal: a place\nScope: a range\n**Aim**\na mark\n## Goal\nA\n", "goal=A\nglossary=- Goal: a place|Scope: a range|**Aim**|a mark\n"},
		{
			"names with more words", "## Our main research questions\nA\n## Scope (exclusions)\nB\n## Non-goals (for now)\nC\n## Terms & definitions\nD\n## Goals and non-goals\nE\n## The goal of the project\nF\n## Target audience\nG\n",
			"goal=A\n\nF\nnon-goals=B\n\nC\naudience=G\nglossary=D\nrest=## Goals and non-goals|E\n",
		},
		{"rules", "## Goal\n\nA is asked.\n---\n## Scope\n***\nB\n", "goal=A is asked.\nscope=B\n"},
		{"front matter", "---\ngoal: A\nscope: B\n---\n\nText.\n", "goal=A\nscope=B\nrest=Text.\n"},
		{"line ends", "# Goal\r\nA\r\n# Scope\r\nB", "goal=A\nscope=B\n"},
		{"not labels", "# Goal\nSee http://a: b\nat 10:30 the scope:x\n", "goal=See http://a: b|at 10:30 the scope:x\n"},
		{"empty", "", ""},
	} {
		want := strings.ReplaceAll(c.want, "\n\n", "||") // parts of one field
		if got := fields(c.text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func TestSummary(t *testing.T) {
	for _, c := range []struct{ text, want, fault string }{
		{"## Goal\n\nHow do\n  cells decide?\n\n- and when\n", "How do cells decide? - and when", ""},
		{"# Brief\n\nHow do cells decide?\n", "", "the brief does not state a goal"},
		{"## Goal\n\n## Scope\n\nall\n", "", "the brief does not state a goal"},
		{"Goal: " + strings.Repeat("é", record.MaxSummary), strings.Repeat("é", record.MaxSummary), ""},
		{"Goal: " + strings.Repeat("é", record.MaxSummary+1), "", "the goal has 401 characters, more than the maximum of 400"},
		{"Goal: a\x00b", "", "the goal has control characters"},
		{"# Goal\n\n\u200b\n", "", "the brief does not state a goal"},
		{"Plant cells are out of scope.\n", "", "the brief does not state a goal"},
		{"| Goal | How do cells decide? |\n|---|---|\n| Non-goals | plants |\n", "", "a table or HTML names a field of the brief, and is not read: \"| Goal |"},
		{"<h2>Goal</h2>\nHow do cells decide?\n<h2>Non-goals</h2>\nplants\n", "", "a table or HTML names a field of the brief, and is not read: \"<h2>Goal</h2>\""},
		{"# Goal\n\nHow?\n\n<b>Out of scope:</b> plants\n", "", "is not read: \"<b>Out of scope:</b> plants\""},
		{"# Goal\n\nHow?\n\n<!-- Non-goals -->\n\n# Terms\n\n| Term | Meaning |\n|---|---|\n| goal | a place |\n", "How? <!-- Non-goals -->", ""},
	} {
		b := brief.Parse(c.text)
		got, err := b.Summary()
		if got != c.want || (err == nil) != (c.fault == "") || err != nil && (fault.CodeOf(err) != brief.Bad || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("Summary of %.40q = %q, %v; want %q, %q", c.text, got, err, c.want, c.fault)
		}
	}
}

// Headings are recognized by their words.
func TestNames(t *testing.T) {
	for want, titles := range map[brief.Field][]string{
		brief.NonGoals: {
			"Out of scope for now", "Non-goals for v1", "Explicitly out of scope", "What's out of scope", "What’s out of scope?", "Things out of scope", "Excluded from scope",
			"Scope (out)", "Scope: out", "Scope – out", "What we don't do", "What this project is not", "What is not covered", "Not part of this project", "Won't do", "Off limits",
			"Not the goal", "What we leave out", "Left out", "Excluded topics", "Exclusions", "Nongoals", "Non goals", "Anti-goals", "What we will not study", "Not covered here",
			"Beyond the scope of this project", "Outside of scope", "No goals", "Never in scope", "What this is not about", "Out-of-scope topics", "We do not cover", "Omitted",
		},
		brief.Constraints: {"Hard constraints", "Technical constraints", "Constraints and assumptions", "Constraints", "Limits", "Requirements"},
		brief.Scope:       {"Scope", "What is in scope?", "Scope of work", "Scope (mice)"},
		brief.Goal:        {"Goal", "Goals and objectives", "Our research question", "Goal (draft)"},
		brief.Rest: {
			"Background", "Goals and non-goals", "In and out of scope", "What is and is not in scope", "What we do not know", "What is not yet understood", "Goal (not final)", "Scope (not final)",
			"Why we do this", "How cells do not divide", "Mutually exclusive models", "No constraints", "Not now", "Output", "Open questions", "Notes", "Without light", "Out of Africa",
		},
	} {
		for _, title := range titles {
			b := brief.Parse("Goal: g\n\n## " + title + "\n\nThe text.\n")
			if !strings.Contains(b.Text(want), "The text.") {
				t.Errorf("%q is not %s:\n%s", title, want, fields("Goal: g\n\n## "+title+"\n\nThe text.\n"))
			}
			if got := b.Hidden(); want == brief.Rest && !slices.Equal(got, []string{title}) || want != brief.Rest && len(got) > 0 {
				t.Errorf("%q: hidden %q", title, got)
			}
		}
	}
	b := brief.Parse("# The title\n\n## Goal\n\nA\n\n### Why\n\nB\n\n# Plan #\n\n## First\n\n- one\n\n**Then**\ntwo\n\n## First\n\nthree\n")
	if got := b.Hidden(); !slices.Equal(got, []string{"Why", "First", "Then"}) {
		t.Error(got)
	}
	b = brief.Parse("Hello.\n\n# Goal\n\nA\n")
	if got := b.Hidden(); !slices.Equal(got, []string{"text without a heading"}) {
		t.Error(got)
	}
}

// TestFieldsAreKeptApart writes each field under any of its names, in any style and order: no
// text is in another field.
func TestFieldsAreKeptApart(t *testing.T) {
	all := map[brief.Field][]string{
		brief.Goal:        {"Goal", "GOALS", "Objective", "1. Aim", "Research question", "The goal"},
		brief.Scope:       {"Scope", "In scope", "Project scope"},
		brief.NonGoals:    {"Non-goals", "Out of scope", "not in scope", "Exclusions", "2) Non goals", "What is out of scope?"},
		brief.Constraints: {"Constraints", "Limits", "Limitations", "Requirements"},
		brief.Audience:    {"Audience", "Readers", "For whom?"},
		brief.Glossary:    {"Glossary", "Terms", "Definitions"},
		brief.Rest:        {"Background", "Open questions", "Goals and non-goals"},
	}
	styles := []string{"# %s\n\n%s\n\n", "### %s ###\n%s\n", "%s\n===\n%s\n\n", "%s\n---\n\n%s\n\n"}
	loose := []string{"**%s**\n\n%s\n\n", "**%s:** %s\n\n", "%s: %s\n\n", "- %s: %s\n"}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		want := make(map[brief.Field][]string)
		for i := range rapid.IntRange(1, 8).Draw(t, "parts") {
			f := rapid.SampledFrom(append(brief.Fields(), brief.Rest)).Draw(t, "field")
			forms := styles
			if f == brief.Rest {
				forms = styles[:1] // a deeper one would be part of a field
			} else if f != brief.Glossary && want[brief.Glossary] == nil && want[brief.Rest] == nil {
				forms = append(forms, loose...) // below a heading, they are part of its section
			}
			word := fmt.Sprintf("word%d", i)
			body := rapid.SampledFrom([]string{"%s", "- %s\n- more", "```\n# Scope\n%s\n```", "Some text\nand %s.", "> # Non-goals\n> %s"}).Draw(t, "body")
			style := rapid.SampledFrom(forms).Draw(t, "style")
			if strings.Contains(style, ": %s") || strings.Contains(style, ":** %s") {
				body = "%s"
			}
			fmt.Fprintf(&text, style, rapid.SampledFrom(all[f]).Draw(t, "name"), fmt.Sprintf(body, word))
			want[f] = append(want[f], word)
		}
		b := brief.Parse(text.String())
		for _, f := range append(brief.Fields(), brief.Rest) {
			for g, words := range want {
				for _, word := range words {
					if got := strings.Contains(b.Text(f), word); got != (f == g) {
						t.Fatalf("%s in %s: %v, want %v\n%s\n%s", word, f, got, f == g, text.String(), fields(text.String()))
					}
				}
			}
		}
	})
}

func TestOutside(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"- plant cells\n- Clinical use (for now)\n- No *moss*\n  of any kind\n- —", "plant cells|Clinical use|moss of any kind"},
		{"We do not study plant cells, tumours or moss. Research and development is out of scope.", "plant cells|tumours|moss|Research and development"},
		{"plants; tumours", "plants|tumours"},
		{"We do not.", ""},
		{"Not these:\n\n1. plants; trees\n2) moss", "plants|trees|moss"},
		{"- plants: handled by others\n- trees – too slow\n- moss, since it is wet\n- **Ferns:** for later\n- rats — no", "plants|trees|moss|Ferns|rats"},
		{"- tumours and moss\n- plant and animal tissues", "tumours|moss|plant tissues|animal tissues"},
		{"Plants and tumours are not studied.", "Plants|tumours"},
		{"- cells (of plants)\n- cells\n- tissues (in vitro)", "cells of plants|tissues in vitro"},
		{"- None\n- n/a\n- TBD\n- To be decided.", ""},
		{"Doses above 1.5 mg. Trials!", "Doses above 1.5 mg|Trials"},
	} {
		b := brief.Parse("## Goal\n\ncells\n\n## Non-goals\n\n" + c.text)
		if got := strings.Join(b.Outside(), "|"); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestBreaches(t *testing.T) {
	b := brief.Parse("## Goal\n\nHow do cells decide?\n\n## Non-goals\n\n- plant cells\n- tumours and moss\n- bodies (of flies)\n")
	for text, want := range map[string]string{
		"Plant cells decide.":                                     "plant cells",
		"A plant cell decides, and a tumour grows.":               "plant cells|tumours",
		"The bodies of flies.\n\n- a body of a fly":               "bodies of flies",
		"Plant\ncells":                                            "plant cells",
		"# Moss":                                                  "moss",
		"Cells decide. A plant. Mossy strategies. Bodies.":        "",
		"We do not study plant cells.":                            "",
		"Plant cells and tumours are not studied here.":           "",
		"We don't cover tumours, moss or plant cells.":            "",
		"Plant cells are out of scope. Moss is excluded.":         "",
		"Unlike plant cells, these move.":                         "",
		"No plant cells were used; moss was.":                     "moss",
		"We leave out plant cells, but moss is used.":             "moss",
		"We do not study mice, but plant cells.":                  "plant cells",
		"Plant cells do not divide.":                              "plant cells",
		"We did not see this in plant cells.":                     "plant cells",
		"We do not only study mice: plant cells, too.":            "plant cells",
		"We do not study plant cells. Plant cells decide.":        "plant cells",
		"# Results\n\nmice\n\n## Out of scope\n\n- plant cells\n": "",
		"- We do not study moss\n- moss grows":                    "moss",
	} {
		if got := strings.Join(b.Breaches(text), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
