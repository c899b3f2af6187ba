package sessioncmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/text"
	"brenner/project"
	"brenner/project/tryout"
)

// PromptsCommand returns the prompts commands.
func PromptsCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "prompts",
		Short: "Try the prompts on models",
	}, promptsTryCommand(a))
}

// tryOptions are the flags of prompts try.
type tryOptions struct {
	tryout.Options
	brief  briefFlags
	dryRun bool
}

func promptsTryCommand(a *ui.App) *cobra.Command {
	var opt tryOptions
	c := ui.InProject(&cobra.Command{
		Use:   "try",
		Short: "Ask models the kickoff of each role once, and report what was read",
		Long: `Asks each model the kickoff of each role once, as the first round of a session does, and
reports what became of the reply: blocks taken, refused and out of scope, lint of the
artifact, tokens and time. Use it to compare models, and the versions of the prompts.

Every reply goes through the code of sessions, alone. No session is opened, and nothing is
stored. The project's records and lessons are not shown. With --repair, a model is asked
once more for what it can correct, as in a session. --dry-run shows the number of calls and
what they cost at most.`,
		Example: `  brenner prompts try --base-url http://localhost:11434/v1 --model llama3.1,qwen3
  brenner prompts try --model gpt-5 --role test_designer --structured schema --repair --keep replies
  brenner prompts try --model gpt-5 --role unified --question "Why do cells age?" --json
  brenner prompts try --model gpt-5 --dry-run

Exit codes: 0 every model answered; 1 some call failed, or a reply could not be kept; 2 no
model, unknown role, invalid brief or configuration, a budget that is too small, or a file
that exists; 4 ` + "`brenner trust`" + ` required; 130 interrupted.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return try(a, c, &opt) },
	})
	f := c.Flags()
	f.StringSliceVar(&opt.Models, "model", nil, "model to ask: id at the endpoint, or name under agents.models; several separated by commas")
	f.StringSliceVar(&opt.Roles, "role", nil, "role to try: hypothesis_generator, test_designer, adversarial_critic or unified; several separated by commas (default: all but unified)")
	f.StringVar(&opt.Traffic.BaseURL, "base-url", "", "model endpoint URL ["+project.EnvBaseURL+"]")
	f.StringVar(&opt.Structured, "structured", "", "form of the replies: fences, schema or auto (default: as configured)")
	f.StringVar(&opt.Kickoff, "kickoff", "", "form of the kickoffs: auto, short or full (default: as configured)")
	opt.brief.addSubject(c)
	f.BoolVar(&opt.Repair, "repair", false, "ask once more for what can be corrected")
	f.StringVar(&opt.Keep, "keep", "", "directory for the replies, one file each; existing files are never overwritten")
	f.BoolVar(&opt.dryRun, "dry-run", false, "print the calls and what they cost at most, without making any or writing anything")
	f.StringVar(&opt.Traffic.Record, "record-tape", "", "file to record all model traffic to, without secrets")
	f.StringVar(&opt.Traffic.Tape, "tape", "", "file to replay model traffic from, without network or cost")
	for _, o := range tryFlags() {
		f.String(o.Name, "", o.Usage)
	}
	return c
}

// tryFlags are the flags of prompts try that set keys of the configuration.
func tryFlags() []config.RunFlag {
	return slices.DeleteFunc(config.RunFlags(), func(o config.RunFlag) bool {
		return !slices.Contains([]string{"budget-tokens", "budget-usd", "timeout"}, o.Name)
	})
}

// check rejects flags that cannot be used together, or have no value.
func (opt *tryOptions) check(c *cobra.Command) error {
	if opt.Traffic.Names() {
		return ui.Usage(c, "--base-url takes one URL here", "set base_url: of each model under agents.models: in "+config.FileName)
	}
	if opt.dryRun {
		if err := ui.Unused(c, "cannot be combined with --dry-run", "keep"); err != nil {
			return err
		}
	}
	for _, name := range []string{"role", "structured", "kickoff", "keep", "record-tape", "tape"} {
		if f := c.Flags().Lookup(name); f.Changed && slices.Contains([]string{"", "[]"}, f.Value.String()) {
			return ui.Usage(c, "--"+name+": empty value", "pass a value, or omit the flag")
		}
	}
	for _, list := range [][]string{opt.Models, opt.Roles} {
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
	}
	return nil
}

// settings returns the keys of the configuration that flags set.
func (opt *tryOptions) settings(a *ui.App, c *cobra.Command) ([]config.Flag, error) {
	flags, err := opt.brief.flags(a, c)
	if err != nil {
		return nil, err
	}
	for _, f := range flags {
		if f.Key == "question" && delta.Blank(f.Values[0]) {
			return nil, ui.Usage(c, f.Name+": empty value", "pass a question, or omit the flag")
		}
	}
	for _, o := range append(tryFlags(), config.RunFlag{Key: "agents.base_url", Name: "base-url"}) {
		if f := c.Flags().Lookup(o.Name); f.Changed {
			flags = append(flags, config.Flag{Key: o.Key, Name: "--" + o.Name, Values: []string{f.Value.String()}})
		}
	}
	return flags, nil
}

func try(a *ui.App, c *cobra.Command, opt *tryOptions) error {
	if err := opt.check(c); err != nil {
		return err
	}
	flags, err := opt.settings(a, c)
	if err != nil {
		return err
	}
	p, err := a.Open(flags...)
	if err != nil {
		return err
	}
	if opt.Input, err = opt.brief.input(a); err != nil {
		return err
	}
	if opt.dryRun {
		r, err := tryout.Plan(c.Context(), p, &opt.Options)
		return ui.Show(a, r, err, tryPlanText)
	}
	ctx, drain, done := a.Interrupts.Gently(c.Context(), func() {
		a.Say("\nbrenner: waiting for the calls in flight; interrupt again to stop immediately\n")
	})
	defer done()
	opt.Drain = drain
	if a.ErrTTY && !a.JSON && !a.Quiet {
		opt.Asking = func(e *tryout.Estimate) { a.Say(atMostText(e) + "\n") }
		opt.Ended = func(row *tryout.Row) {
			a.Say(fmt.Sprintf("%s, %s: %s in %s\n", ui.Clean(row.Model), row.Role, resultText(row), duration(row.TookMS)))
		}
	}
	r, err := tryout.Run(ctx, p, &opt.Options)
	if r == nil {
		return err
	}
	switch {
	case interrupted(ctx, drain):
		a.Exit = ui.ExitInterrupted
	case r.Failed():
		a.Exit = ui.ExitFailed
	}
	return errors.Join(ui.Show(a, r, nil, tryText), err)
}

// interrupted reports whether a run was asked to stop.
func interrupted(ctx context.Context, drain <-chan struct{}) bool {
	select {
	case <-drain:
		return true
	default:
		return ctx.Err() != nil
	}
}

// tryPlanText formats what would be asked.
func tryPlanText(a *ui.App, r *tryout.Report) string {
	rows := [][]string{{"MODEL", "ROLE", "TEMPLATE", "HASH", "STRUCTURED", "CONTEXT", "KICKOFF TOKENS"}}
	for _, row := range r.Rows {
		context := "unknown"
		if row.Context > 0 {
			context = strconv.Itoa(row.Context)
		}
		rows = append(rows, []string{ui.Clean(row.Model), row.Role, row.Template, row.ShortHash(), row.Structured, context, strconv.Itoa(row.Sent)})
	}
	e := &r.Estimate
	return questionText(r) + a.Table(rows) + "\nDry run: no message is sent, and nothing is written.\n" + atMostText(e) + "\n" + BudgetText(e.Budget, e.BudgetUSD, e.Covered, 0) + "\n"
}

// atMostText says what all calls cost at most.
func atMostText(e *tryout.Estimate) string {
	calls := text.Count(e.Calls, "call") + fmt.Sprintf(" at most: %d tokens in", e.Input)
	if e.Reply <= 0 {
		return calls + "; replies have no limit (budget.reply_tokens)"
	}
	return calls + fmt.Sprintf(", %d tokens out, %s", e.Output, dollarsOrUnknown(e.USD))
}

func dollarsOrUnknown(usd *float64) string {
	if usd == nil {
		return "price unknown"
	}
	return "$" + Dollars(usd)
}

// questionText names the question of a tryout.
func questionText(r *tryout.Report) string {
	what := "Question"
	if r.Sample {
		what = "Sample question"
	}
	return what + ": " + ui.Clean(strings.TrimSpace(r.Question)) + "\n\n"
}

// tryText formats what became of the replies.
func tryText(a *ui.App, r *tryout.Report) string {
	rows := [][]string{{"MODEL", "ROLE", "TEMPLATE", "RESULT", "TAKEN", "REPAIRED", "REFUSED", "SCOPE", "LINT", "IN", "OUT", "TOOK"}}
	for _, row := range r.Rows {
		rows = append(rows, tryRow(row))
	}
	table := a.Table(rows)
	if a.Quiet {
		return table
	}
	var b strings.Builder
	b.WriteString(questionText(r) + table)
	if r.Brief != nil {
		fmt.Fprintf(&b, "\nLINT: errors/warnings of the artifact with the reply; %s of the brief alone\n", lintText(r.Brief))
	}
	b.WriteString(tryTemplates(r))
	for _, row := range r.Rows {
		b.WriteString(tryProblems(row))
	}
	b.WriteString(tryTotal(r))
	return b.String()
}

func tryRow(row *tryout.Row) []string {
	n := &row.Counts
	cells := []string{ui.Clean(row.Model), row.Role, row.Template, resultText(row)}
	if row.Finish == tryout.Failed {
		return append(cells, "-", "-", "-", "-", "-", "-", "-", duration(row.TookMS))
	}
	about := ""
	if row.Guessed {
		about = "~"
	}
	for _, count := range []int{n.Taken, n.Repaired, n.Refused, n.Scope} {
		cells = append(cells, strconv.Itoa(count))
	}
	return append(cells, lintText(row.Lint), about+strconv.Itoa(row.Input), about+strconv.Itoa(row.Output), duration(row.TookMS))
}

// resultText formats the outcome of a reply, and whether it was cut.
func resultText(row *tryout.Row) string {
	result := outcomeWords(row.Outcome)
	if row.Finish == tryout.Cut && row.Outcome != tryout.Cut {
		result += ", cut"
	}
	return result
}

func lintText(l *tryout.Lint) string {
	if l == nil {
		return "-"
	}
	return fmt.Sprintf("%d/%d", l.Errors, l.Warnings)
}

// tryTemplates lists the templates with their hashes, and how replies were really requested.
func tryTemplates(r *tryout.Report) string {
	var templates, ways []string
	models := make(map[string][]string)
	for _, row := range r.Rows {
		if line := "  " + row.Template + " " + row.ShortHash() + "\n"; !slices.Contains(templates, line) {
			templates = append(templates, line)
		}
		way := row.Used
		if row.Used != row.Structured {
			way += " (of " + row.Structured + ")"
		}
		if name := ui.Clean(row.Model); row.Used != "" && !slices.Contains(models[way], name) {
			models[way] = append(models[way], name)
		}
	}
	for _, way := range slices.Sorted(maps.Keys(models)) {
		ways = append(ways, "  "+way+": "+strings.Join(models[way], ", ")+"\n")
	}
	return titled("Templates", templates) + titled("Structured output", ways)
}

// tryProblems lists what was not taken of a reply, and why a call failed.
func tryProblems(row *tryout.Row) string {
	var lines []string
	for i := range row.Problems {
		p := &row.Problems[i]
		line := "  " + ui.Clean(placeOf(p)) + ": "
		if p.Code != "" { // what lost to a later block has none
			line += ui.Clean(string(p.Code)) + ": "
		}
		line += ui.Clean(p.Message) + "\n"
		if p.Hint != "" {
			line += "    fix: " + ui.Clean(p.Hint) + "\n"
		}
		lines = append(lines, line)
	}
	lines = few(lines, mostListed)
	for _, remark := range row.Remarks {
		lines = append(lines, "  note: "+ui.Clean(remark.Message)+"\n")
	}
	if row.Code != "" {
		what := "failed"
		if row.Finish != tryout.Failed {
			what = "the repair failed"
		}
		lines = append(lines, fmt.Sprintf("  %s: %s: %s\n", what, ui.Clean(string(row.Code)), ui.Clean(row.Detail)))
		if row.Hint != "" {
			lines = append(lines, "    fix: "+ui.Clean(row.Hint)+"\n")
		}
	}
	return titled(ui.Clean(row.Model)+", "+row.Role, lines)
}

// placeOf says what is wrong, and where: "reply, line 3, ADD hypothesis_slate: refused".
func placeOf(p *tryout.Problem) string {
	where := cmp.Or(p.Text, "reply")
	if p.Kind == tryout.KindReply {
		return where
	}
	if p.Line > 0 {
		where += fmt.Sprintf(", line %d", p.Line)
	}
	if what := cmp.Or(p.What(), p.Target); what != "" {
		where += ", " + what
	}
	return where + ": " + strings.ReplaceAll(p.Kind, "_", " ")
}

func tryTotal(r *tryout.Report) string {
	t := &r.Total
	kept := 0
	for _, row := range r.Rows {
		kept += len(row.Kept)
	}
	line := fmt.Sprintf("\n%s: %d tokens in, %d tokens out", text.Count(t.Calls, "call"), t.Input, t.Output)
	switch {
	case t.Lost == 0:
		line += ", " + dollarsOrUnknown(t.USD)
	case t.USD == nil:
		line += fmt.Sprintf(", and up to %d for calls without a usable reply; price unknown", t.Lost)
	default: // the dollars are those of all these tokens
		line += fmt.Sprintf(", and up to %d for calls without a usable reply; together at most $%s", t.Lost, Dollars(t.USD))
	}
	if kept > 0 {
		line += "; " + text.Plural(kept, "reply", "replies") + " kept"
	}
	return line + "\n"
}
