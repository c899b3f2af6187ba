package report

import (
	"fmt"
	"strings"
	"unicode"

	"brenner/internal/text"
	"brenner/loop"
)

// mostRows is how many rows of a list a person is shown; JSON has all of them.
const mostRows = 200

// Markdown gives the report for people.
func (r *Report) Markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Loop %s: %s\n\n", plain(r.Loop), Ending(r.Reason))
	if r.Rehearsal {
		b.WriteString("**Rehearsal: scripted agents played these sessions; nothing in them is anybody's work.**\n\n")
	}
	for _, line := range r.facts() {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	r.person(&b)
	r.questions(&b)
	r.tests(&b)
	r.learned(&b)
	r.spent(&b)
	r.failed(&b)
	r.undone(&b)
	r.sessions(&b)
	fmt.Fprintf(&b, "\nThe loop's journal ends with %s.\n", r.Head)
	return []byte(b.String())
}

// facts are the first lines of a report.
func (r *Report) facts() []string {
	lines := []string{
		fmt.Sprintf("%d of %s done, %d failed, %d left undone", r.Done, text.Count(r.Planned, "session"), r.FailedCount, len(r.Undone)+r.NotOpened),
		fmt.Sprintf("round %d of %d, from %s to %s", r.Round, r.Rounds, seconds(r.Began), seconds(r.Last)),
		"spent: " + r.money(),
	}
	if over := r.Tokens - r.TokensLimit; r.TokensLimit > 0 && over > 0 {
		lines = append(lines, fmt.Sprintf("%s over the budget: what was asked and answered was counted higher than what had been set aside for it", text.Count(over, "token")))
	}
	if over := r.USD - r.USDLimit; r.USDLimit > 0 && over > 0 {
		lines = append(lines, fmt.Sprintf("$%.2f over the budget in dollars", over))
	}
	switch n := len(r.Person); n {
	case 0:
	case 1:
		lines = append(lines, "1 thing needs a person")
	default:
		lines = append(lines, fmt.Sprintf("%d things need a person", n))
	}
	return lines
}

// seconds gives an instant as people want it.
func seconds(instant string) string {
	text, _, fraction := strings.Cut(instant, ".")
	if fraction {
		text += "Z"
	}
	return text
}

func (r *Report) money() string {
	text := fmt.Sprintf("%d tokens", r.Tokens)
	if r.TokensLimit > 0 {
		text += fmt.Sprintf(" of %d", r.TokensLimit)
	}
	if r.USD > 0 || r.USDLimit > 0 {
		text += fmt.Sprintf(", $%.2f", r.USD)
	}
	if r.USDLimit > 0 {
		text += fmt.Sprintf(" of $%.2f", r.USDLimit)
	}
	return text
}

// Ending says why a loop ended.
func Ending(reason string) string {
	switch reason {
	case "":
		return "not ended"
	case loop.EndRounds:
		return "done, all rounds"
	case loop.EndTime:
		return "ended at its hour"
	case loop.EndBudget:
		return "ended, since the budget does not reach further"
	case loop.EndQuiet:
		return "ended, since nothing new came"
	case loop.EndClean:
		return "ended, since nothing is left to mend"
	case loop.EndFailures:
		return "ended, since too many sessions failed"
	case loop.EndPerson:
		return "ended, since a person is needed"
	case loop.EndStopped:
		return "stopped by a person"
	}
	return "ended (" + plain(reason) + ")"
}

func (r *Report) person(b *strings.Builder) {
	if len(r.Person) == 0 {
		return
	}
	b.WriteString("\n## What needs a person\n\n")
	rows(b, r.Person, func(n *Need) {
		fmt.Fprintf(b, "- %s: %s%s\n", n.Session, plain(n.What), command(n.Command))
	})
}

// rows writes the rows of a list that a person is shown, and how many more there are.
func rows[T any](b *strings.Builder, all []T, write func(*T)) {
	for i := range all[:min(len(all), mostRows)] {
		write(&all[i])
	}
	if n := len(all) - mostRows; n > 0 {
		fmt.Fprintf(b, "\n… and %d more; the JSON has all of them.\n", n)
	}
}

func (r *Report) questions(b *strings.Builder) {
	for _, q := range r.Questions {
		fmt.Fprintf(b, "\n## %s\n\nFrom %s, version %d.\n\n", plain(q.Question), q.Session, q.Version)
		for _, h := range q.Hypotheses {
			fmt.Fprintf(b, "- **%s** %s\n", h.ID, plain(strings.TrimPrefix(h.Name+": "+h.Claim, ": ")))
		}
		if len(q.Disagree) == 0 {
			fmt.Fprintf(b, "\nThe hypotheses disagree about no prediction (%s).\n", text.Count(q.Agree, "condition"))
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
	}
}

func (r *Report) tests(b *strings.Builder) {
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

func (r *Report) learned(b *strings.Builder) {
	if len(r.Learned) == 0 {
		return
	}
	b.WriteString("\n## What was learned\n\n")
	for _, l := range r.Learned {
		fmt.Fprintf(b, "- %s: %s (%s, %s)\n", l.Kind, plain(l.Text), dash(l.Agent), l.Session)
	}
}

func (r *Report) spent(b *strings.Builder) {
	b.WriteString("\n## Spent\n\n| what | sessions | tokens | cost |\n|---|---:|---:|---:|\n")
	for _, s := range r.Spent {
		fmt.Fprintf(b, "| %s | %d | %d | %s |\n", plain(s.Name), s.Sessions, s.Tokens, cost(s.USD))
	}
}

func cost(usd float64) string {
	if usd == 0 {
		return "-"
	}
	return fmt.Sprintf("$%.2f", usd)
}

func (r *Report) failed(b *strings.Builder) {
	if len(r.Failed) == 0 {
		return
	}
	b.WriteString("\n## Failed\n\n")
	rows(b, r.Failed, func(f *Failure) {
		fmt.Fprintf(b, "- %s (%s), %s: %s %s%s\n", dash(f.Session), plain(f.Name), text.Count(f.Attempts, "attempt"), f.Code, plain(f.Detail), command(f.Command))
	})
	b.WriteString("\nThe command that ran the loop, with `--retry-failed`, tries all of them again.\n")
}

func (r *Report) undone(b *strings.Builder) {
	if len(r.Undone)+r.NotOpened == 0 {
		return
	}
	b.WriteString("\n## Left undone\n\n")
	rows(b, r.Undone, func(u *Undone) {
		fmt.Fprintf(b, "- %s (round %d) %s: %s%s\n", plain(u.Name), u.Round, dash(u.Session), plain(u.State), command(u.Command))
	})
	if r.NotOpened > 0 {
		fmt.Fprintf(b, "- %s of rounds that were not opened\n", text.Count(r.NotOpened, "session"))
	}
}

// command gives the words that go on with something, for the end of a line.
func command(words string) string {
	if words == "" {
		return ""
	}
	return ": " + code(words)
}

func (r *Report) sessions(b *strings.Builder) {
	b.WriteString("\n## All sessions\n\n| session | round | what | status | version | tokens | conflicts | lint |\n|---|---:|---|---|---:|---:|---:|---|\n")
	rows(b, r.Begun(), func(s *Row) {
		fmt.Fprintf(b, "| %s | %d | %s | %s | %d | %d | %d | %s, %s |\n",
			dash(s.Session), s.Round, plain(s.Name), plain(s.Outcome()), s.Version, s.Tokens, s.Conflicts, text.Count(s.Errors, "error"), text.Count(s.Warnings, "warning"))
	})
}

func dash(s string) string {
	if strings.TrimSpace(s) == "" {
		return "-"
	}
	return plain(s)
}

// code shows a command as it is: inside more backticks than it has itself.
func code(s string) string {
	s = text.Clean(s, text.Printable)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if fence != "`" {
		s = " " + s + " " // so that none of its own touches the fence
	}
	return fence + s + fence
}

// plain makes any text one line of words in Markdown: nothing in it is markup.
func plain(s string) string {
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
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		if strings.ContainsRune("\\`*_{}[]<>#!|~&@", c) || c == '.' && afterWWW(b.String()) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return strings.ReplaceAll(b.String(), "://", "\\://") // no link that nobody looked at
}

// afterWWW tells whether a point would make an address of what comes after it.
func afterWWW(s string) bool {
	const www = "www"
	return len(s) >= len(www) && strings.EqualFold(s[len(s)-len(www):], www)
}
