package claim

import (
	"cmp"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/pattern"
)

// Statement is an assumption. Its status is empty if none is given.
type Statement struct {
	Text   string // its words
	Status string
	Said   string // as written
	Claim
}

func newStatement(text, status string) Statement {
	return Statement{Words(text), statusWord(status), strings.Join(strings.Fields(text), " "), Of(text)}
}

// statusWord returns the words of a status, without remarks such as "since May".
func statusWord(status string) string {
	all := words(status)
	if len(all) > 0 && (len(all) > 2 || len(all) == 2 && all[1] != "not") {
		return all[0]
	}
	return strings.Join(all, " ")
}

// denied reports whether what the statement says, without its negations, is held to be false.
func (s *Statement) denied() bool {
	switch s.Status {
	case "assumed not", "falsified", "refuted", "rejected", "disproved", "false", "wrong":
		return !s.Negated
	}
	return s.Negated
}

// Assumptions reads what a text assumes: its lines "Assumes: …" and "Assumes not: …", the items below a heading
// "Assumptions", and its sentences "We assume that …". Of an assumption itself, all sentences are read, with its
// "Status: …". Headings, front matter and code are skipped.
func Assumptions(content string, itself bool) []Statement {
	var out []Statement
	var status string
	var main []string
	r := &lineReader{}
	for line := range strings.Lines(content) {
		text, isItem := r.next(line)
		if text == "" || isItem {
			main = append(main, "") // a paragraph ends
		}
		if text == "" {
			continue
		}
		key, value, ok := strings.Cut(text, ":")
		value = strings.Trim(value, "*_ ")
		switch key = strings.ToLower(strings.Trim(key, "*_ ")); {
		case ok && key == "assumes":
			out = append(out, newStatement(value, "assumed"))
		case ok && key == "assumes not":
			out = append(out, newStatement(value, "assumed not"))
		case ok && key == "status":
			status = value
		case itself:
			main = append(main, text)
		case isItem && r.listed:
			out = append(out, newStatement(withoutLabel(text), ""))
		default:
			for _, one := range sentencesOf(text) {
				if said := assumed.FindString(one); said != "" {
					out = append(out, newStatement(one[len(said):], ""))
				}
			}
		}
	}
	if itself {
		if strings.Join(main, "") == "" {
			main = append(main, r.title) // it has no other text
		}
		out = append(out, ownStatements(strings.Join(main, "\n"), status)...)
	}
	return slices.DeleteFunc(out, func(s Statement) bool { return s.Text == "" })
}

// ownStatements returns what an assumption states. The status is that of what it states first.
func ownStatements(text, status string) []Statement {
	var out []Statement
	for i, one := range sentencesOf(text) {
		said := newStatement(withoutLabel(one), "")
		if i == 0 {
			said.Status = statusWord(status)
		}
		out = append(out, said)
	}
	return out
}

var (
	assumed  = pattern.New(`(?i)^(?:here,? |thus,? |also,? |further,? )?we (?:also |further )?assume(?: here)?,?(?: that)?[ ]`)
	label    = pattern.New(`(?i)^[*_]*(?:assumption(?: [\pL]?\d+)?|[\pL]{1,2}-?\d+)[*_]*[:.][*_]*[ ]+`)
	item     = pattern.New(`^(?:[-+*•]|\d{1,3}[.)])[ \t]+`)
	sentence = pattern.New(`[.!?]["')\]]*(?:[ \t]+|$)|\n[ \t]*\n`)
	section  = pattern.New(`(?i)^(?:\W|\d)*(?:our |main |key |working )?assumptions?\W*$`)
)

// lineReader returns the lines of a text that state something, one after the other.
type lineReader struct {
	line          int
	front, fenced bool
	listed        bool // below a heading "Assumptions"
	title         string
}

// next returns a line without its marks, or "", and whether it is an item of a list.
func (r *lineReader) next(line string) (text string, isItem bool) {
	text = strings.TrimSpace(line)
	r.line++
	isFence := strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
	switch {
	case r.line == 1 && text == "---":
		r.front = true
	case r.front:
		r.front = text != "---"
	case isFence:
		r.fenced = !r.fenced
	case r.fenced:
	case strings.HasPrefix(text, "#"):
		r.listed = section.MatchString(text)
		r.title = cmp.Or(r.title, strings.Trim(text, "# "))
	default:
		text = strings.TrimLeft(text, "> \t")
		mark := item.FindString(text)
		return strings.TrimSpace(text[len(mark):]), mark != ""
	}
	return "", false
}

// withoutLabel returns a statement without what numbers it.
func withoutLabel(text string) string { return strings.TrimSpace(text[len(label.FindString(text)):]) }

// sentencesOf returns the sentences of a text. A paragraph ends one, too.
func sentencesOf(text string) []string {
	var out []string
	from := 0
	for _, at := range sentence.FindAllStringIndex(text, -1) {
		if isAbbreviation(text[from:at[0]]) && text[at[0]] == '.' {
			continue
		}
		out = append(out, strings.TrimSpace(text[from:at[1]]))
		from = at[1]
	}
	out = append(out, strings.TrimSpace(text[from:]))
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// isAbbreviation reports whether a text ends in a word after which a point ends no sentence.
func isAbbreviation(text string) bool {
	last := strings.ToLower(text[strings.LastIndexAny(text, " \t\n(")+1:])
	switch last {
	case "no", "nos", "fig", "figs", "eq", "eqs", "ref", "cf", "e.g", "i.e", "vs", "al", "approx", "ca", "sp", "spp", "dr", "prof":
		return true
	}
	return len(last) == 1 || len(last) < 4 && strings.EqualFold(strings.TrimSpace(text), last) // "A1. …"
}

// Ledger reads the assumptions of a research artifact.
func Ledger(content string) []Statement {
	a, err := artifact.ParseExact([]byte(content))
	if err != nil {
		return nil
	}
	var out []Statement
	for _, it := range a.Active(artifact.AssumptionLedger) {
		if one := newStatement(it.Text(artifact.AssumptionLedger.Spec().Main), it.Text("status")); one.Text != "" {
			out = append(out, one)
		}
	}
	return out
}

// Conflict is two statements, by their numbers: of the same words with different statuses, or equal but for a
// negation.
type Conflict struct {
	A, B    int
	Negated bool
}

// Conflicts returns the conflicts between statements, each with the first statement that it conflicts with. The same
// two texts are named once.
func Conflicts(all []Statement) []Conflict {
	var out []Conflict
	for _, group := range groups(all, func(s *Statement) string {
		if s.Status == "" {
			return ""
		}
		return s.Text
	}) {
		for _, i := range group[1:] {
			if all[i].Status != all[group[0]].Status {
				out = append(out, Conflict{A: group[0], B: i})
			}
		}
	}
	for _, group := range groups(all, func(s *Statement) string { return s.Core }) {
		for n, i := range group {
			other := slices.IndexFunc(group[:n], func(j int) bool {
				return all[j].denied() != all[i].denied() && all[j].Text != all[i].Text && !all[i].Limited && !all[j].Limited
			})
			if other >= 0 {
				out = append(out, Conflict{group[other], i, true})
			}
		}
	}
	return out
}

// groups returns the statements by a key, in the order in which the keys appear. Those without one are left out.
func groups(all []Statement, key func(*Statement) string) [][]int {
	place := make(map[string]int)
	var out [][]int
	for i := range all {
		k := key(&all[i])
		if k == "" {
			continue
		}
		at, ok := place[k]
		if !ok {
			at, out = len(out), append(out, nil)
			place[k] = at
		}
		out[at] = append(out[at], i)
	}
	return out
}
