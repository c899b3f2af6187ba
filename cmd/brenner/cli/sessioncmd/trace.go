package sessioncmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

// TraceCommand returns the trace command.
func TraceCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "trace",
		Short: "Inspect agent calls and trace text to its sources",
	}, ui.SessionOrNewest(a, traceListCommand(a)), ui.SessionArg(a, 0, traceShowCommand(a)), ui.SessionArg(a, 1, traceFindCommand(a)))
}

func traceListCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "list [ID|FILE]",
		Short: "List a session's agent calls",
		Long: `Lists every call of a session, including calls to the arbiter (turn rule), with agent,
round, model, tokens, duration and outcome. A ~ marks a token count that was estimated
because the provider did not report it. Without ID, it is the newest session.`,
		Example: `  brenner trace list RS-20261115-cell-fate
  brenner trace list cell-fate.jsonl --json

Exit codes: 0 listed; 1 the store is damaged; 2 no such session, or the file is
unreadable.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error {
			return a.WithWhole(c, args[0], func(_ context.Context, _ *project.Source, h *session.History) error {
				return ui.Show(a, audit.ListCalls(h), nil, callListText)
			})
		},
	})
}

// outcome formats how a call ended.
func outcome(s *audit.CallSummary) string {
	line := strings.TrimSpace(string(s.Status) + " " + ui.Clean(string(s.Code)))
	if s.Status == flow.Replied && s.Turn == flow.TurnAsk && s.Outcome != "" {
		line += ", " + outcomeWords(ui.Clean(s.Outcome))
	}
	if s.Cut && (s.Turn != flow.TurnAsk || s.Outcome != flow.ReplyCut) {
		line += ", cut off"
	}
	if s.Failures > 0 {
		line += ", " + text.Count(s.Failures, "attempt") + " lost before"
	}
	for _, r := range s.Remarks {
		switch r.Kind {
		case flow.RemarkOther:
			line += ", another model"
		case flow.RemarkTruncated:
			line += ", prompt truncated"
		case flow.RemarkNoSchema:
			line += ", schema refused"
		}
	}
	return line
}

func tokens(s *audit.CallSummary, n int) string {
	switch {
	case s.Status != flow.Replied:
		return "-"
	case s.Guessed:
		return "~" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// askedModel formats the requested model.
func askedModel(s *audit.CallSummary) string {
	if s.Asked != "" {
		return ui.Clean(s.Asked)
	}
	if s.ModelID != "" && s.ModelID != s.Model {
		return strings.TrimSpace(ui.Clean(s.Model) + " (" + ui.Clean(s.ModelID) + ")")
	}
	return ui.OrDash(s.Model)
}

func duration(ms int) string {
	if ms < 1000 {
		return strconv.Itoa(ms) + " ms"
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

func callListText(a *ui.App, r *audit.CallList) string {
	if a.Quiet {
		return ui.EachLine(r.Calls, func(c *audit.CallSummary) string { return c.Call })
	}
	head := ""
	if r.Rehearsal {
		head = ui.RehearsalNote + "\n\n"
	}
	rows := [][]string{{"ROUND", "AGENT", "TURN", "MODEL ASKED", "ANSWERED BY", "IN", "OUT", "TRIES", "TOOK", "OUTCOME", "CALL"}}
	for i := range r.Calls {
		s := &r.Calls[i]
		rows = append(rows, []string{
			strconv.Itoa(s.Round), ui.Clean(s.Agent), s.Turn, askedModel(s), ui.OrDash(s.Observed), tokens(s, s.Input), tokens(s, s.Output),
			strconv.Itoa(s.Attempts), duration(s.TookMS), outcome(s), ui.Clean(s.Call),
		})
	}
	if len(r.Calls) == 0 {
		return head + ui.Clean(r.Thread) + ": no calls yet\n"
	}
	return head + a.Table(rows)
}

func traceShowCommand(a *ui.App) *cobra.Command {
	var q audit.CallQuery
	c := ui.InProject(&cobra.Command{
		Use:   "show CALL [FILE]",
		Short: "Show the input, output and effect of one agent call",
		Long: `Shows one call: its input (template, view, version and items shown, evidence, prompt), its
output (the reply, its blocks and the outcome of each delta), tokens, duration and all
journaled attempts.

CALL is an id from ` + "`brenner trace list`" + `, or a session (or export file) with --agent and
--round. --prompt and --reply print only the text, byte for byte; --prompt --json also has
the schema that the reply was held to.`,
		Example: `  brenner trace show RS-20261115-cell-fate/r2.1/BlueLake/ask
  brenner trace show RS-20261115-cell-fate --agent BlueLake --round 2
  brenner trace show RS-20261115-cell-fate/r1.1/GreenValley/repair --reply
  brenner trace show RS-20261115-cell-fate/r2.1/BlueLake/ask cell-fate.jsonl --json

Exit codes: 0 shown; 1 the store is damaged; 2 no such session or call, the call has no
reply, or the file is unreadable.`,
		Args: ui.OneOrTwo,
		RunE: func(c *cobra.Command, args []string) error { return traceShow(a, c, args, &q) },
	})
	f := c.Flags()
	f.StringVar(&q.Agent, "agent", "", "agent of the call, with a session")
	f.IntVar(&q.Round, "round", 0, "round of the call, with a session")
	f.BoolVar(&q.Repair, "repair", false, "show the repair turn, with --agent and --round")
	f.BoolVar(&q.Prompt, "prompt", false, "print only the prompt, unchanged")
	f.BoolVar(&q.Reply, "reply", false, "print only the reply, unchanged")
	return c
}

func traceShow(a *ui.App, c *cobra.Command, args []string, q *audit.CallQuery) error {
	if q.Prompt && q.Reply && !a.JSON {
		return ui.Usage(c, "--prompt and --reply cannot be combined", "pass --json to print both")
	}
	where, id := args[0], ""
	thread, _, isCall := strings.Cut(args[0], "/")
	if isCall && artifact.IsThreadID(thread) {
		where, id = thread, args[0]
	}
	if len(args) > 1 {
		where = args[1]
	}
	switch filtered := q.Agent != "" || q.Round != 0; {
	case id != "" && (filtered || q.Repair):
		return ui.Usage(c, "--agent, --round and --repair cannot be combined with a call id", "")
	case id == "" && len(args) > 1:
		return ui.Usage(c, ui.Clean(args[0])+" is not a call id", "a call id looks like RS-20261115-name/r1.1/AGENT/ask")
	case id == "" && (q.Agent == "" || q.Round < 1):
		return ui.Usage(c, ui.Clean(args[0])+" is not a call id; a session requires --agent and --round", "`brenner trace list "+ui.Clean(args[0])+"` lists the calls")
	}
	q.ID = id
	return a.WithWhole(c, where, func(ctx context.Context, _ *project.Source, h *session.History) error {
		res, err := audit.TraceCall(ctx, h, q)
		return ui.Show(a, res, err, callTraceText)
	})
}

func recordShown(r *audit.CallRecord) string {
	text := ui.Clean(r.Type)
	if r.Form != "" {
		text += ", " + ui.Clean(r.Form)
	}
	switch r.Here {
	case audit.HereAnother:
		text += "; a different record has this id here"
	case audit.HereNone:
		text += "; not in this store"
	}
	return text
}

// lessons lists the bullets that a message quotes, and those that did not fit.
func lessons(in *audit.CallInput) string {
	if len(in.Lessons)+len(in.LessonsLeft) == 0 {
		return ""
	}
	text := "none"
	if len(in.Lessons) > 0 {
		text = strings.Join(in.Lessons, ", ")
	}
	if len(in.LessonsLeft) > 0 {
		text += "; did not fit: " + strings.Join(in.LessonsLeft, ", ")
	}
	return text
}

func callTraceText(a *ui.App, t *audit.CallTrace) string {
	switch {
	case t.Out.Text != nil:
		if t.Out.Broken && !a.Quiet {
			a.Say("brenner: incomplete reply, not used\n")
		}
		return *t.Out.Text
	case t.In.Text != nil:
		return *t.In.Text
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
	for _, r := range t.Call.Remarks {
		fmt.Fprintf(&b, "%s\n", ui.Clean(r.Message))
	}
	fmt.Fprintf(&b, "\n%s\nIn\n%s\nOut\n%s", ui.Columns(callTraceFacts(t)), ui.Columns(inputRows(&t.In)), ui.Columns(callTraceOutRows(t)))
	if len(t.Deltas) > 0 {
		b.WriteString("\nDeltas\n" + ui.Columns(deltaRows(t.Deltas)))
	}
	b.WriteString("\nJournal\n")
	for _, e := range t.Journal {
		fmt.Fprintf(&b, "  entry %d  %s  %s\n", e.Entry, e.At, ui.Clean(e.Kind))
	}
	return b.String()
}

func callTraceFacts(t *audit.CallTrace) [][]string {
	s := &t.Call
	rows := [][]string{
		{"  Agent", ui.Clean(s.Agent) + ", " + ui.OrDash(s.Role) + ", via " + ui.Clean(s.Via)},
		{"  Model", askedModel(s) + seeded(s) + contextSize(s) + "; answered by " + ui.OrDash(s.Observed)},
		{"  Round", fmt.Sprintf("%d, leg %d, %s", s.Round, s.Leg, s.Turn)},
		{"  Time", s.Began + " to " + ui.OrDash(s.Ended) + ", " + duration(s.TookMS) + ", " + text.Plural(s.Attempts, "attempt", "attempts")},
	}
	used := fmt.Sprintf("%s in, %s out", tokens(s, s.Input), tokens(s, s.Output))
	if s.Guessed {
		used += " (~: estimated)"
	}
	if s.Status == flow.Lost {
		used = fmt.Sprintf("%d charged", s.Spent)
	}
	return append(rows, []string{"  Tokens", used + fmt.Sprintf("; %d reserved", t.In.Reserved)})
}

// seeded formats the seed of a call.
func seeded(s *audit.CallSummary) string {
	if s.Seed == nil {
		return ""
	}
	return fmt.Sprintf(", seed %d", *s.Seed)
}

// contextSize formats the context size that the endpoint reported.
func contextSize(s *audit.CallSummary) string {
	if s.Context == 0 {
		return ""
	}
	return fmt.Sprintf(", context of %d tokens", s.Context)
}

func inputRows(in *audit.CallInput) [][]string {
	saw := "no items, only the brief"
	if len(in.Saw) > 0 {
		saw = ui.Clean(strings.Join(in.Saw, ", "))
	}
	rows := [][]string{
		{"  Template", ui.Clean(in.Template), in.TemplateHash},
		{"  View", "", in.View},
		{"  Shown", fmt.Sprintf("version %d", in.Base), saw},
	}
	if in.Ruling {
		rows = [][]string{{"  Shown", "the request", "nothing else of the session"}}
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
	for _, what := range in.LeftOut {
		rows = append(rows, []string{"  Left out", "", ui.Clean(what)})
	}
	if in.RecordsView != "" {
		rows = append(rows, []string{"  Records view", "", in.RecordsView})
	}
	if in.Before != "" {
		rows = append(rows, []string{"  Kickoff", "", in.Kickoff}, []string{"  First reply", "", in.Before})
	}
	rows = append(rows, []string{"  Prompt", fmt.Sprintf("%d bytes", in.Bytes), in.Prompt})
	if in.Schema != "" {
		rows = append(rows, []string{"  Schema", "of the reply", in.Schema})
	}
	return rows
}

func callTraceOutRows(t *audit.CallTrace) [][]string {
	out := &t.Out
	if out.Reply == "" {
		return [][]string{{"  no reply"}}
	}
	rows := [][]string{{"  Reply", fmt.Sprintf("%d bytes", out.Bytes), out.Reply}}
	switch {
	case t.In.Ruling:
		if t.Settled {
			rows = append(rows, []string{"  Ruling", fmt.Sprintf("in version %d", t.Version)})
		}
		return rows
	case out.Broken:
		rows = append(rows, []string{"  Incomplete", "not used; `brenner trace show " + ui.Clean(t.Call.Call) + " --reply` prints what arrived"})
	default:
		blocks := fmt.Sprintf("%d read, %d refused, %d ignored", out.Taken, out.Refused, out.Shown)
		if out.Repeated > 0 {
			blocks += fmt.Sprintf("; %d of those read repeat the first reply", out.Repeated)
		}
		rows = append(rows, []string{"  Blocks", blocks})
	}
	for _, p := range out.Problems {
		rows = append(rows, []string{fmt.Sprintf("  Line %d", p.Line), string(p.Code) + ": " + p.Message})
	}
	for i := range out.Ignored {
		rows = append(rows, []string{fmt.Sprintf("  Line %d", out.Ignored[i].Line), ignoredText(&out.Ignored[i])})
	}
	for i := range out.Patches {
		what := "  Patch"
		if out.Patches[i].Kind == flow.RecordKind {
			what = "  Record"
		}
		rows = append(rows, []string{what, patchResult(&out.Patches[i])})
	}
	if t.Settled {
		return append(rows, []string{"  Merged", fmt.Sprintf("into version %d", t.Version)})
	}
	return append(rows, []string{"  Merged", "not yet"})
}

// ignoredText formats a delta that a reply only shows, with the reason.
func ignoredText(r *audit.Ignored) string {
	what := strings.TrimSpace(r.What() + " " + r.Target)
	if what != "" {
		what += ", "
	}
	return ui.Clean(what + r.Form + ": " + r.Reason)
}

// deltaRows lists deltas with their outcomes.
func deltaRows(deltas []audit.Origin) [][]string {
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
		for _, why := range d.Unresolved {
			rows = append(rows, []string{"", "", "", ui.OrDash(d.Item), ui.Clean(d.Delta), ui.Clip(ui.Clean(why))})
		}
	}
	return rows
}
