package sessioncmd

import (
	"fmt"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

// lessons says which bullets a message quotes, and which it has no room for.
func lessons(in *audit.CallInput) string {
	if len(in.Lessons)+len(in.LessonsLeft) == 0 {
		return ""
	}
	text := "none"
	if len(in.Lessons) > 0 {
		text = strings.Join(in.Lessons, ", ")
	}
	if len(in.LessonsLeft) > 0 {
		text += "; no room for " + strings.Join(in.LessonsLeft, ", ")
	}
	return text
}

// callTrace is one call, for people.
type callTrace struct{ *audit.CallTrace }

func (t callTrace) Print(a *ui.App) error {
	switch {
	case t.Out.Text != nil:
		if t.Out.Broken && !a.Quiet {
			a.Say("brenner: this reply broke off, and was not used\n")
		}
		return a.Write([]byte(*t.Out.Text))
	case t.In.Text != nil:
		return a.Write([]byte(*t.In.Text))
	}
	var b strings.Builder
	if t.Rehearsal && !a.Quiet {
		b.WriteString(ui.RehearsalNote + "\n")
	}
	fmt.Fprintf(&b, "%s: %s\n", ui.Clean(t.Call.Call), outcome(&t.Call))
	if t.Call.Detail != "" {
		fmt.Fprintf(&b, "%s\n", ui.Clean(t.Call.Detail))
		if t.Call.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", ui.Clean(t.Call.Hint))
		}
	}
	fmt.Fprintf(&b, "\n%s\nIn\n%s\nOut\n%s", ui.Columns(t.facts()), ui.Columns(inputRows(&t.In)), ui.Columns(t.outRows()))
	if len(t.Deltas) > 0 {
		b.WriteString("\nDeltas\n" + ui.Columns(deltaRows(t.Deltas)))
	}
	b.WriteString("\nJournal\n")
	for _, e := range t.Journal {
		fmt.Fprintf(&b, "  entry %d  %s  %s\n", e.Entry, e.At, ui.Clean(e.Kind))
	}
	return a.Write([]byte(b.String()))
}

func (t callTrace) facts() [][]string {
	s := &t.Call
	rows := [][]string{
		{"  Agent", ui.Clean(s.Agent) + ", " + ui.OrDash(s.Role) + ", via " + ui.Clean(s.Via)},
		{"  Model", askedModel(s) + seeded(s) + "; answered by " + ui.OrDash(s.Observed)},
		{"  Round", fmt.Sprintf("%d, leg %d, %s", s.Round, s.Leg, s.Turn)},
		{"  Time", s.Began + " to " + ui.OrDash(s.Ended) + ", " + took(s.TookMS) + ", " + text.Plural(s.Attempts, "attempt", "attempts")},
	}
	used := fmt.Sprintf("%s in, %s out", tokens(s, s.Input), tokens(s, s.Output))
	if s.Guessed {
		used += " (~: counted here)"
	}
	if s.Status == flow.Lost {
		used = fmt.Sprintf("%d count as spent", s.Spent)
	}
	return append(rows, []string{"  Tokens", used + fmt.Sprintf("; %d were reserved", t.In.Reserved)})
}

// seeded says which seed the model was asked with.
func seeded(s *audit.CallSummary) string {
	if s.Seed == nil {
		return ""
	}
	return fmt.Sprintf(", seed %d", *s.Seed)
}

func inputRows(in *audit.CallInput) [][]string {
	saw := "no items: only the brief"
	if len(in.Saw) > 0 {
		saw = ui.Clean(strings.Join(in.Saw, ", "))
	}
	rows := [][]string{
		{"  Template", ui.Clean(in.Template), in.TemplateHash},
		{"  View", "", in.View},
		{"  Shown", fmt.Sprintf("version %d", in.Base), saw},
	}
	if in.Ruling {
		rows = [][]string{{"  Shown", "the request", "and nothing else of the session"}}
	}
	if quoted := lessons(in); quoted != "" {
		rows = append(rows, []string{"  Lessons", quoted})
	}
	for _, ev := range in.Evidence {
		rows = append(rows, []string{"  Evidence", ev.ID + " " + ev.Name, ev.Hash})
	}
	for i := range in.Records {
		r := &in.Records[i]
		rows = append(rows, []string{"  Record", fmt.Sprintf("%s@v%d", r.ID, r.Version), recordShown(r)})
	}
	if in.RecordsView != "" {
		rows = append(rows, []string{"  Records' view", "", in.RecordsView})
	}
	if in.Before != "" {
		rows = append(rows, []string{"  Kickoff", "", in.Kickoff}, []string{"  First reply", "", in.Before})
	}
	return append(rows, []string{"  Prompt", fmt.Sprintf("%d bytes", in.Bytes), in.Prompt})
}

func (t callTrace) outRows() [][]string {
	out := &t.Out
	if out.Reply == "" {
		return [][]string{{"  no reply"}}
	}
	rows := [][]string{{"  Reply", fmt.Sprintf("%d bytes", out.Bytes), out.Reply}}
	switch {
	case t.In.Ruling:
		if t.Settled {
			rows = append(rows, []string{"  Ruling", fmt.Sprintf("stands in version %d", t.Version)})
		}
		return rows
	case out.Broken:
		rows = append(rows, []string{"  Broken off", "it was not used"})
	default:
		rows = append(rows, []string{"  Blocks", fmt.Sprintf("%d taken, %d refused, %d only shown", out.Taken, out.Refused, out.Shown)})
	}
	for _, p := range out.Problems {
		rows = append(rows, []string{fmt.Sprintf("  Line %d", p.Line), string(p.Code) + ": " + p.Message})
	}
	if t.Settled {
		return append(rows, []string{"  Merged", fmt.Sprintf("into version %d", t.Version)})
	}
	return append(rows, []string{"  Merged", "not yet"})
}

// deltaRows says what became of deltas.
func deltaRows(deltas []session.Origin) [][]string {
	var rows [][]string
	for i := range deltas {
		d := &deltas[i]
		what := ui.Clean(d.Message)
		if d.Code != "" {
			what = string(d.Code) + ": " + what
		}
		rows = append(rows, []string{
			fmt.Sprintf("  line %d", d.Line), d.Outcome, ui.OrDash(d.Operation), ui.OrDash(d.Item), ui.Clean(d.Delta), ui.Clip(what),
		})
	}
	return rows
}
