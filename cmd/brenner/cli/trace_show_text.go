package cli

import (
	"fmt"
	"strings"

	"brenner/session/flow"
)

func (t *traceCall) text(a *app) error {
	if t.bare != nil {
		if t.Out.Broken && t.Out.Text != nil && !a.quiet {
			a.say("brenner: this reply broke off, and was not used\n")
		}
		return a.write([]byte(*t.bare))
	}
	var b strings.Builder
	if t.Rehearsal && !a.quiet {
		b.WriteString(rehearsalNote + "\n")
	}
	fmt.Fprintf(&b, "%s: %s\n", clean(t.Call.Call), t.Call.outcome())
	if t.Call.Detail != "" {
		fmt.Fprintf(&b, "%s\n", clean(t.Call.Detail))
		if t.Call.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", clean(t.Call.Hint))
		}
	}
	fmt.Fprintf(&b, "\n%s\nIn\n%s\nOut\n%s", columns(t.facts()), columns(t.In.rows()), columns(t.outRows()))
	if len(t.Deltas) > 0 {
		b.WriteString("\nDeltas\n" + columns(deltaRows(t.Deltas)))
	}
	b.WriteString("\nJournal\n")
	for _, e := range t.Journal {
		fmt.Fprintf(&b, "  entry %d  %s  %s\n", e.Entry, e.At, clean(e.Kind))
	}
	return a.write([]byte(b.String()))
}

func (t *traceCall) facts() [][]string {
	s := &t.Call
	rows := [][]string{
		{"  Agent", clean(s.Agent) + ", " + orDash(s.Role) + ", via " + clean(s.Via)},
		{"  Model", s.asked() + s.seeded() + "; answered by " + orDash(s.Observed)},
		{"  Round", fmt.Sprintf("%d, leg %d, %s", s.Round, s.Leg, s.Turn)},
		{"  Time", s.Began + " to " + orDash(s.Ended) + ", " + took(s.TookMS) + ", " + plural(s.Attempts, "attempt", "attempts")},
	}
	tokens := fmt.Sprintf("%s in, %s out", s.tokens(s.Input), s.tokens(s.Output))
	if s.Guessed {
		tokens += " (~: counted here)"
	}
	if s.Status == flow.Lost {
		tokens = fmt.Sprintf("%d count as spent", s.Spent)
	}
	return append(rows, []string{"  Tokens", tokens + fmt.Sprintf("; %d were reserved", t.In.Reserved)})
}

// seeded says which seed the model was asked with.
func (s *callSummary) seeded() string {
	if s.Seed == nil {
		return ""
	}
	return fmt.Sprintf(", seed %d", *s.Seed)
}

func (in *callInput) rows() [][]string {
	saw := "no items: only the brief"
	if len(in.Saw) > 0 {
		saw = clean(strings.Join(in.Saw, ", "))
	}
	rows := [][]string{
		{"  Template", clean(in.Template), in.TemplateHash},
		{"  View", "", in.View},
		{"  Shown", fmt.Sprintf("version %d", in.Base), saw},
	}
	if in.ruling {
		rows = [][]string{{"  Shown", "the request", "and nothing else of the session"}}
	}
	if lessons := in.lessons(); lessons != "" {
		rows = append(rows, []string{"  Lessons", lessons})
	}
	for _, ev := range in.Evidence {
		rows = append(rows, []string{"  Evidence", ev.ID + " " + ev.Name, ev.Hash})
	}
	for i := range in.Records {
		r := &in.Records[i]
		rows = append(rows, []string{"  Record", fmt.Sprintf("%s@v%d", r.ID, r.Version), r.what()})
	}
	if in.RecordsView != "" {
		rows = append(rows, []string{"  Records' view", "", in.RecordsView})
	}
	if in.Before != "" {
		rows = append(rows, []string{"  Kickoff", "", in.Kickoff}, []string{"  First reply", "", in.Before})
	}
	return append(rows, []string{"  Prompt", fmt.Sprintf("%d bytes", in.Bytes), in.Prompt})
}

func (t *traceCall) outRows() [][]string {
	out := &t.Out
	if out.Reply == "" {
		return [][]string{{"  no reply"}}
	}
	rows := [][]string{{"  Reply", fmt.Sprintf("%d bytes", out.Bytes), out.Reply}}
	switch {
	case t.In.ruling:
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
func deltaRows(deltas []originDocument) [][]string {
	var rows [][]string
	for i := range deltas {
		d := &deltas[i]
		what := clean(d.Message)
		if d.Code != "" {
			what = string(d.Code) + ": " + what
		}
		rows = append(rows, []string{
			fmt.Sprintf("  line %d", d.Line), d.Outcome, orDash(d.Operation), orDash(d.Item), clean(d.Delta), clip(what),
		})
	}
	return rows
}

func (t *traceCall) document() any { return t }
