package report

import (
	"fmt"
	"strings"
	"unicode"

	"brenner/internal/pattern"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/session/flow"
)

// maxRows bounds the rows of a list in Markdown and HTML; JSON has all of them.
const maxRows = 200

// maxValue bounds a value of a conflict there.
const maxValue = 160

// Markdown renders the report as Markdown.
func (r *Report) Markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Loop %s: %s\n\n", plain(r.Loop), Ending(r.Reason))
	if r.Rehearsal {
		b.WriteString("**Rehearsal: scripted output, not real findings.**\n\n")
	}
	for _, line := range r.facts() {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	r.writePerson(&b)
	r.writeTasks(&b)
	r.writeQuestions(&b)
	r.writeTests(&b)
	r.writeLearned(&b)
	r.writeSpent(&b)
	r.writeUndone(&b)
	r.writeSessions(&b)
	fmt.Fprintf(&b, "\nHead of the loop's journal: %s\n", r.Head)
	return []byte(b.String())
}

// facts are the first lines of a report.
func (r *Report) facts() []string {
	lines := []string{
		Counts{r.Planned, r.Done, r.FailedCount, r.Skipped, r.Nothing, r.Short, len(r.Undone) - r.Skipped - r.Short + r.NotOpened}.String(),
		fmt.Sprintf("round %d of %d, from %s to %s", r.Round, r.Rounds, seconds(r.Began), seconds(r.Last)),
		"spent: " + r.spending(),
	}
	if r.Lost > 0 {
		lines = append(lines, fmt.Sprintf("%d of these tokens are assumed for calls without a usable reply", r.Lost))
	}
	if r.ByHand > 0 {
		lines = append(lines, fmt.Sprintf("%d more tokens were spent in sessions resumed by hand", r.ByHand))
	}
	if over := r.Tokens - r.TokensLimit; r.TokensLimit > 0 && over > 0 {
		lines = append(lines, fmt.Sprintf("%s over the budget: calls cost more than was reserved for them", text.Count(over, "token")))
	}
	if over := r.USD - r.USDLimit; r.USDLimit > 0 && over > 0 {
		lines = append(lines, fmt.Sprintf("$%.2f over the budget in dollars", over))
	}
	switch n := len(r.Person); n {
	case 0:
	case 1:
		lines = append(lines, "1 item needs a person")
	default:
		lines = append(lines, fmt.Sprintf("%d items need a person", n))
	}
	return lines
}

// Counts says what became of the sessions of a loop.
type Counts struct{ Planned, Done, Failed, Skipped, Nothing, Short, Undone int }

func (c Counts) String() string {
	line := fmt.Sprintf("%d of %s done", c.Done, text.Count(c.Planned, "session"))
	for _, some := range []struct {
		n    int
		what string
	}{
		{c.Failed, "failed"},
		{c.Skipped, "skipped"},
		{c.Nothing, "contributed nothing"},
		{c.Short, "out of budget"},
		{c.Undone, "not done"},
	} {
		if some.n > 0 {
			line += fmt.Sprintf(", %d %s", some.n, some.what)
		}
	}
	return line
}

// seconds formats an instant without fractions of a second.
func seconds(instant string) string {
	text, _, fraction := strings.Cut(instant, ".")
	if fraction {
		text += "Z"
	}
	return text
}

func (r *Report) spending() string {
	text := fmt.Sprintf("%d tokens", r.Tokens)
	if r.TokensLimit > 0 {
		text += fmt.Sprintf(" of %d", r.TokensLimit)
	}
	if r.USD == 0 && r.USDLimit == 0 {
		return text
	}
	cost := dollars(r.USD)
	if r.USDLimit > 0 {
		cost += fmt.Sprintf(" of $%.2f", r.USDLimit)
	}
	return text + ", " + flow.AtLeast(cost, r.Unpriced)
}

// Ending describes why a loop ended.
func Ending(reason string) string {
	switch reason {
	case "":
		return "not ended"
	case loop.EndRounds:
		return "done, all rounds"
	case loop.EndTime:
		return "stopped: time limit reached"
	case loop.EndBudget:
		return "stopped: budget exhausted"
	case loop.EndQuiet:
		return "ended: nothing new"
	case loop.EndClean:
		return "ended: nothing left to fix"
	case loop.EndFailures:
		return "stopped: too many failed sessions"
	case loop.EndPerson:
		return "stopped: a person is needed"
	case loop.EndStopped:
		return "stopped by the operator"
	case loop.EndCause:
		return "stopped early: no session can run"
	}
	return "ended (" + plain(reason) + ")"
}

func (r *Report) writePerson(b *strings.Builder) {
	if len(r.Person) == 0 {
		return
	}
	b.WriteString("\n## Needs a person\n\n")
	for _, some := range r.byKind() {
		rows(b, some, func(n *Need) {
			b.WriteString("- ")
			if n.Session != "" {
				b.WriteString(plain(n.Session) + ": ")
			}
			b.WriteString(plain(n.What) + command(n.Command) + "\n")
			for _, s := range n.Sides {
				fmt.Fprintf(b, "  - %s: %s\n", plain(s.Author), plain(shortValue(s.Value)))
			}
		})
	}
	if r.FailedCount > 0 && r.Reason != loop.EndCause {
		b.WriteString("\nTo retry all failed sessions, run the same command with `--retry-failed`.\n")
	}
}

// byKind returns what needs a person, in one list for each kind.
func (r *Report) byKind() [][]Need {
	var all [][]Need
	for rest := r.Person; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Kind == rest[0].Kind {
			n++
		}
		all, rest = append(all, rest[:n]), rest[n:]
	}
	return all
}

// shortValue returns the beginning of a conflicting value; the JSON has all of it.
func shortValue(s string) string { return text.Clip(strings.Join(strings.Fields(s), " "), maxValue) }

// rows writes the first rows of a list, and how many more there are.
func rows[T any](b *strings.Builder, all []T, write func(*T)) {
	for i := range all[:min(len(all), maxRows)] {
		write(&all[i])
	}
	if n := len(all) - maxRows; n > 0 {
		fmt.Fprintf(b, "\n… and %d more; the JSON has all of them.\n", n)
	}
}

func (r *Report) writeQuestions(b *strings.Builder) {
	for _, q := range r.Questions {
		fmt.Fprintf(b, "\n## %s\n\nFrom %s, version %d.\n\n", plain(q.Question), link(q.Session, q.File), q.Version)
		for _, a := range q.Agents {
			fmt.Fprintf(b, "- %s (%s): %s\n", plain(a.Agent), plain(a.Role), dash(a.Asked))
		}
		if len(q.Agents) > 0 {
			b.WriteString("\n")
		}
		for _, h := range q.Hypotheses {
			fmt.Fprintf(b, "- **%s** %s\n", h.ID, plain(strings.TrimPrefix(h.Name+": "+h.Claim, ": ")))
		}
		if len(q.Disagree) == 0 {
			if len(q.Hypotheses) > 0 {
				b.WriteString("\n")
			}
			b.WriteString(q.Agreement() + "\n")
			q.writeCritiques(b)
			continue
		}
		b.WriteString("\nWhere they disagree:\n\n| | condition |")
		for _, h := range q.Hypotheses {
			b.WriteString(" " + h.ID + " |")
		}
		b.WriteString("\n|---|---|" + strings.Repeat("---|", len(q.Hypotheses)) + "\n")
		for _, p := range q.Disagree {
			fmt.Fprintf(b, "| %s | %s |", p.ID, plain(p.Condition))
			for _, e := range p.Expected {
				fmt.Fprintf(b, " %s |", dash(e))
			}
			b.WriteString("\n")
		}
		q.writeCritiques(b)
	}
}

// Agreement describes hypotheses that do not disagree.
func (q *Question) Agreement() string {
	switch {
	case len(q.Hypotheses) == 0:
		return "No hypotheses."
	case q.Agree == 0:
		return "The hypotheses have no predictions to compare."
	}
	return "The hypotheses agree on every prediction that they share (" + text.Count(q.Agree, "condition") + ")."
}

func (q *Question) writeCritiques(b *strings.Builder) {
	if len(q.Critiques) == 0 {
		return
	}
	b.WriteString("\nCritiques:\n\n")
	for _, c := range q.Critiques {
		fmt.Fprintf(b, "- **%s** %s\n", c.ID, plain(c.Text()))
	}
}

// Text returns a critique as one line.
func (c *Critique) Text() string {
	line := strings.TrimPrefix(c.Name+": "+c.Attack, ": ")
	if c.Status != "" {
		line += " (" + c.Status + ")"
	}
	if c.Alternative != "" {
		line += " Instead: " + c.Alternative
	}
	return line
}

// link returns a Markdown link to a file, or the text alone if there is none.
func link(text, file string) string {
	if file == "" {
		return dash(text)
	}
	return "[" + plain(text) + "](" + pathInLink(file) + ")"
}

// pathInLink encodes a path for a link.
func pathInLink(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c < 0x80 && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("/.-_~", c) >= 0) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func (r *Report) writeTests(b *strings.Builder) {
	if len(r.Tests) == 0 {
		return
	}
	b.WriteString("\n## Tests, by score\n\n| score | test | status | from |\n|---:|---|---|---|\n")
	for _, t := range r.Tests {
		score := "-"
		if t.Scored {
			score = fmt.Sprint(t.Score)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s#%s |\n", score, plain(t.Name), dash(t.Status), t.Session, t.ID)
	}
}

func (r *Report) writeLearned(b *strings.Builder) {
	if len(r.Learned) == 0 {
		return
	}
	b.WriteString("\n## What was learned\n\n")
	for _, l := range r.Learned {
		fmt.Fprintf(b, "- %s: %s (%s, %s)\n", l.Kind, plain(l.Text), dash(l.Agent), l.Session)
	}
}

func (r *Report) writeSpent(b *strings.Builder) {
	b.WriteString("\n## Spent\n\n| what | sessions | tokens | cost |\n|---|---:|---:|---:|\n")
	for _, s := range r.Spent {
		fmt.Fprintf(b, "| %s | %d | %d | %s |\n", plain(s.Name), s.Sessions, s.Tokens, s.Cost())
	}
}

func (r *Report) writeUndone(b *strings.Builder) {
	if len(r.Undone)+r.NotOpened == 0 {
		return
	}
	b.WriteString("\n## Not done\n\n")
	rows(b, r.Undone, func(u *Undone) {
		fmt.Fprintf(b, "- %s (round %d) %s: %s%s\n", plain(u.Name), u.Round, dash(u.Session), plain(u.State), command(u.Command))
	})
	if r.NotOpened > 0 {
		fmt.Fprintf(b, "- %s in rounds that were not opened\n", text.Count(r.NotOpened, "session"))
	}
}

// command formats a command for the end of a line.
func command(line string) string {
	if line == "" {
		return ""
	}
	return ": " + code(line)
}

func (r *Report) writeSessions(b *strings.Builder) {
	b.WriteString("\n## All sessions\n\n| session | round | what | status | version | tokens | conflicts | lint |\n|---|---:|---|---|---:|---:|---:|---|\n")
	rows(b, r.Started(), func(s *Row) {
		fmt.Fprintf(b, "| %s | %d | %s | %s | %d | %d | %d | %s, %s |\n",
			link(s.Session, s.File), s.Round, plain(s.Name), plain(s.Outcome()), s.Version, s.Tokens, s.Conflicts, text.Count(s.Errors, "error"), text.Count(s.Warnings, "warning"))
	})
	if swapped := r.Swapped(); len(swapped) > 0 {
		b.WriteString("\nAnother model answered:\n\n")
		rows(b, swapped, func(s *Row) { fmt.Fprintf(b, "- %s: %s\n", s.Session, plain(strings.Join(s.Others, "; "))) })
	}
}

func dash(s string) string {
	if strings.TrimSpace(s) == "" {
		return "-"
	}
	return plain(s)
}

// code formats s as a code span, with more backticks than s contains.
func code(s string) string {
	s = text.Clean(s, text.Printable)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if fence != "`" {
		s = " " + s + " " // separates its own backticks from the fence
	}
	return fence + s + fence
}

// address finds addresses, which viewers would turn into links.
var address = pattern.New("[A-Za-z][A-Za-z0-9+.-]*://[^|`\\x00-\\x20\\x7f-\\x{10ffff}]*")

// plain escapes any text as one line of Markdown without markup. Addresses become code.
func plain(s string) string {
	var b strings.Builder
	last := 0
	for _, at := range address.FindAllStringIndex(s, -1) {
		found := strings.TrimRight(s[at[0]:at[1]], ".,:;!?)'\"") // the end of a sentence or of parentheses
		b.WriteString(escape(s[last:at[0]]) + "`" + found + "`")
		last = at[0] + len(found)
	}
	b.WriteString(escape(s[last:]))
	return strings.TrimSpace(b.String())
}

// escape escapes text without addresses.
func escape(s string) string {
	var b strings.Builder
	space := false
	for _, c := range s {
		switch {
		case unicode.IsSpace(c):
			space = true
			continue
		case !unicode.IsPrint(c):
			c = '\ufffd'
		}
		if space {
			b.WriteByte(' ')
		}
		space = false
		if strings.ContainsRune("\\`*_{}[]<>#!|~&@", c) || c == '.' && afterWWW(b.String()) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}

// afterWWW reports whether a dot after s would start an automatic link.
func afterWWW(s string) bool {
	const www = "www"
	return len(s) >= len(www) && strings.EqualFold(s[len(s)-len(www):], www)
}
