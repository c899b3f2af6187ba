// Package playbookcmd implements `brenner playbook`.
package playbookcmd

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project/lessons"
	"brenner/session/memory"
)

// Command returns the playbook commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "playbook",
		Short: "Manage the lessons that the project has learned",
		Long: `The playbook holds short lessons, called bullets, that are shown to later sessions. The
text of a bullet never changes. Counters record how often it helped or harmed and move it
between the stages SHADOW, STAGING, PROD and QUARANTINED. Every change is an entry in a
verifiable journal.`,
	}, playbookAddCommand(a), playbookReplaceCommand(a), playbookCreditCommand(a), playbookListCommand(a), playbookShowCommand(a),
		playbookHistoryCommand(a), playbookPromoteCommand(a), playbookQuarantineCommand(a), playbookRestoreCommand(a), playbookReviewCommand(a),
		playbookRollbackCommand(a), playbookVerifyCommand(a), playbookRenderCommand(a), playbookImportCommand(a), playbookExportCommand(a),
		playbookDedupeCommand(a), playbookSnapshotCommand(a), playbookStatsCommand(a), ui.SessionArg(a, 0, playbookHarvestCommand(a)))
}

// show opens the project's playbook with open, calls read, and prints the result.
func show[V any](a *ui.App, c *cobra.Command, open lessons.Opener, read func(*lessons.Book) (V, error), text func(*ui.App, V) string) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	b, err := open(c.Context(), p)
	if err != nil {
		return err
	}
	defer b.Close()
	v, err := read(b)
	return ui.Show(a, v, err, text)
}

// actFlags are the flags for the author of a change and the reason.
type actFlags struct {
	as     string
	reason string
}

func (f *actFlags) add(c *cobra.Command, reason string) {
	ui.InProject(c)
	c.Flags().StringVar(&f.as, "as", "", "author of the change: the operator or one of the authorities (default: the operator in brenner.yaml)")
	c.Flags().StringVar(&f.reason, "reason", "", reason)
}

// act opens the playbook for writing, calls do, and prints the result.
func act[V any](a *ui.App, c *cobra.Command, opt *actFlags, do func(*lessons.Book, playbook.Act) (V, error), text func(*ui.App, V) string) error {
	return actIn(a, c, opt, lessons.Change, do, text)
}

// actIn is act with another way to open the playbook.
func actIn[V any](a *ui.App, c *cobra.Command, opt *actFlags, open lessons.Opener, do func(*lessons.Book, playbook.Act) (V, error), text func(*ui.App, V) string) error {
	return show(a, c, open, func(b *lessons.Book) (none V, err error) {
		act, err := b.Act(opt.as, opt.reason)
		if err != nil {
			return none, err
		}
		return do(b, act)
	}, text)
}

// change is act for a change of bullets; do also returns a note to print.
func change(a *ui.App, c *cobra.Command, opt *actFlags, do func(*lessons.Book, playbook.Act) (*keeper.Change, string, error)) error {
	note := ""
	return act(a, c, opt, func(b *lessons.Book, act playbook.Act) (r *keeper.Change, err error) {
		r, note, err = do(b, act)
		return r, err
	}, func(a *ui.App, r *keeper.Change) string { return changeText(a, r, note) })
}

// someIDs requires between least and most bullet ids.
func someIDs(least, most int) cobra.PositionalArgs {
	return ui.Args(least, most, "`brenner playbook list` lists the ids")
}

func playbookHarvestCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "harvest [ID]",
		Short: "Learn from ended sessions that were missed",
		Long: `The playbook learns from a session when it ends. If the process was killed before, or if
the session was ruled on later, the next ` + "`brenner session start`" + ` catches up; this command
does so immediately. Nothing is counted twice.

With ID, learns from one session, which may be an imported one; these are otherwise
ignored. Nothing is learned from a rehearsal.`,
		Example: `  brenner playbook harvest
  brenner playbook harvest RS-20261115-cell-fate

Exit codes: 0 done, even if there was nothing to learn; 1 storing failed, or a session is
damaged; 2 no such session, it has not ended, or it is a rehearsal; 75 the store is busy,
or the embeddings endpoint is unreachable.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return playbookHarvest(a, c, args) },
	})
}

func playbookHarvest(a *ui.App, c *cobra.Command, args []string) error {
	thread := ""
	if len(args) == 1 {
		var err error
		if thread, err = ui.StoredSession(c, args[0]); err != nil {
			return err
		}
	}
	p, err := a.Open()
	if err != nil {
		return err
	}
	res, err := lessons.Learn(c.Context(), p, thread)
	return ui.Show(a, res, err, harvestText)
}

func harvestText(a *ui.App, r *lessons.Harvest) string {
	if a.Quiet {
		return ""
	}
	var b strings.Builder
	for i := range r.Sessions {
		s := &r.Sessions[i]
		text := memory.LearnedText(s.Learned)
		if s.Nothing() {
			text = "nothing new"
		}
		if s.RolledBack != "" {
			text += "; " + ui.Clean(s.RolledBack)
		}
		b.WriteString(ui.Clean(s.Thread) + ": " + text + "\n")
	}
	if len(r.Sessions) == 0 {
		b.WriteString("Nothing to do: the playbook has learned from every ended session.\n")
	}
	return b.String()
}

func playbookVerifyCommand(a *ui.App) *cobra.Command {
	var head string
	c := ui.InProject(&cobra.Command{
		Use:   "verify",
		Short: "Verify the playbook's journal and vectors",
		Long: `Verifies the hash chain of the entire journal, replays every entry, and checks every
vector. Edited, removed, swapped or inserted entries are reported.

A truncated journal can be detected only with a hash that you kept: pass it to --head.`,
		Example: `  brenner playbook verify
  brenner playbook verify --head 6f1c…

Exit codes: 0 intact; 1 damaged; 2 invalid configuration or store.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return playbookVerify(a, c, head) },
	})
	c.Flags().StringVar(&head, "head", "", "hash of an entry that must be present")
	return c
}

func playbookVerify(a *ui.App, c *cobra.Command, head string) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	proved, err := p.ProvePlaybook(c.Context(), head)
	if err != nil {
		return err
	}
	whole := len(proved.Faults) == 0
	if !whole {
		a.Exit = ui.ExitFailed
	}
	doc := &playbookProof{Schema: "brenner.playbook.verify/v1", Whole: whole, Proof: proved, Problems: proved.Faults.Details()}
	return ui.Show(a, doc, nil, proofText)
}

// ProofSize formats the size of a verified playbook.
func ProofSize(p *keeper.Proof) string {
	return text.Plural(p.Entries, "entry", "entries") + ", " + text.Count(p.Bullets, "bullet") + ", " + text.Count(p.Vectors, "vector")
}

// playbookProof is the result of verifying a playbook.
type playbookProof struct {
	Schema string `json:"schema"`
	Whole  bool   `json:"whole"`
	*keeper.Proof
	Problems []fault.Detail `json:"problems"`
}

func proofText(a *ui.App, v *playbookProof) string {
	if !v.Whole {
		var text string
		for _, p := range v.Problems {
			text += "DAMAGED: " + ui.Clean(p.Message) + "\n"
			if p.Hint != "" && !a.Quiet {
				text += "  hint: " + ui.Clean(p.Hint) + "\n"
			}
		}
		return text
	}
	if a.Quiet {
		return ""
	}
	return ui.Columns([][]string{{"Intact", ProofSize(v.Proof)}, {"Head", ui.OrDash(v.Head)}})
}

func playbookStatsCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "stats",
		Short: "Show the number of bullets per stage and recent activity",
		Example: `  brenner playbook stats
  brenner playbook stats --json

Exit codes: 0 shown; 1 the playbook is damaged; 2 invalid configuration.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return show(a, c, lessons.Open, func(b *lessons.Book) (*keeper.Stats, error) { return b.Stats(c.Context()) }, statsText)
		},
	})
}

// recentDays is the number of days in the chart.
const recentDays = 14

func statsText(_ *ui.App, s *keeper.Stats) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %d waiting for review\n", text.Count(s.Bullets, "bullet"), text.Plural(s.Entries, "entry", "entries"), s.Waiting)
	chart(&b, "Stages", s.Stages)
	chart(&b, "Sections", s.Sections)
	if len(s.Domains) > 1 {
		chart(&b, "Domains", s.Domains)
	}
	days := s.Days[max(0, len(s.Days)-recentDays):]
	if len(days) > 0 {
		most := 0
		for _, d := range days {
			most = max(most, d.Added+d.Counted+d.Other)
		}
		b.WriteString("\nDays (█ added, ▓ counted, ░ other)\n")
		rows := [][]string{}
		for _, d := range days {
			bar := strings.Repeat("█", barLength(d.Added, most)) + strings.Repeat("▓", barLength(d.Counted, most)) + strings.Repeat("░", barLength(d.Other, most))
			rows = append(rows, []string{"  " + d.Date, fmt.Sprintf("%d + %d + %d", d.Added, d.Counted, d.Other), bar})
		}
		b.WriteString(ui.Columns(rows))
	}
	return b.String()
}

// maxBar is the length of the longest bar of a chart.
const maxBar = 30

// barLength returns the length of a bar, at least 1 unless n is 0.
func barLength(n, most int) int {
	if n == 0 || most == 0 {
		return 0
	}
	return max(1, n*maxBar/most)
}

func chart(b *strings.Builder, title string, tallies []playbook.Tally) {
	most := 0
	for _, t := range tallies {
		most = max(most, t.Count)
	}
	rows := make([][]string, 0, len(tallies))
	for _, t := range tallies {
		rows = append(rows, []string{"  " + t.Name, fmt.Sprint(t.Count), strings.Repeat("█", barLength(t.Count, most))})
	}
	b.WriteString("\n" + title + "\n" + ui.Columns(rows))
}

type rollbackOptions struct {
	actFlags
	since, until string
	session      string
	before, now  string
}

func playbookRollbackCommand(a *ui.App) *cobra.Command {
	var opt rollbackOptions
	c := &cobra.Command{
		Use:   "rollback",
		Short: "Revert the changes of a period or a session",
		Long: `Reverts changes by adding entries; nothing is deleted.

With --since, quarantines the bullets added in the period. With --before and --now, does
so only if sessions got worse by more than playbook.guardrail allows (success and errors
are shares from 0 to 1, p95 is a duration).

With --session, reverts the counts of a session, quarantines the bullets it added, and
moves back bullets that its counts had promoted or put up for review. Decisions by people
are kept. The name of a batch of ` + "`playbook dedupe --apply`" + ` in place of a session separates
what it merged.

A snapshot of the playbook before the rollback is kept.`,
		Example: `  brenner playbook rollback --since 2026-11-14T00:00:00Z --reason "the night run was broken"
  brenner playbook rollback --since 2026-11-14T00:00:00Z --before success=0.92,p95=40s,errors=0.02 --now success=0.81,p95=43s,errors=0.04
  brenner playbook rollback --session RS-20261114-cells --reason "its agents were given the wrong data"
  brenner playbook rollback --session dedupe-41 --reason "they are different lessons"

Exit codes: 0 done, or nothing to revert; 1 storing failed; 2 invalid flag, or no reason;
4 --as is not an authority; 75 the store is busy.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return playbookRollback(a, c, &opt) },
	}
	opt.actFlags.add(c, "reason for the journal; required without --before and --now")
	f := c.Flags()
	f.StringVar(&opt.since, "since", "", "start of the period, as a time or a date")
	f.StringVar(&opt.until, "until", "", "end of the period (default: now)")
	f.StringVar(&opt.session, "session", "", "what to revert: a session, or a batch of merges (dedupe-1)")
	f.StringVar(&opt.before, "before", "", "metrics before the period: success=0.92,p95=40s,errors=0.02")
	f.StringVar(&opt.now, "now", "", "metrics in the period")
	return c
}

func playbookRollback(a *ui.App, c *cobra.Command, opt *rollbackOptions) error {
	period := opt.since != "" || opt.until != "" || opt.before != "" || opt.now != ""
	switch {
	case (opt.session != "") == period:
		return ui.Usage(c, "either --session or --since is required", "")
	case period && opt.since == "":
		return ui.Usage(c, "--since is required with --until, --before and --now", "")
	case (opt.before == "") != (opt.now == ""):
		return ui.Usage(c, "--before and --now must be combined", "")
	}
	r, err := opt.parse(a, c)
	if err != nil {
		return err
	}
	return change(a, c, &opt.actFlags, func(b *lessons.Book, act playbook.Act) (*keeper.Change, string, error) {
		if err := opt.metrics(c, &r); err != nil {
			return nil, "", err
		}
		done, err := b.RolledBack(c.Context(), act, r)
		if err != nil {
			return nil, "", err
		}
		note := "Nothing to revert."
		switch n := len(done.Bullets); {
		case done.Holds:
			note = "Within the guardrail: nothing reverted."
		case n > 0:
			note = fmt.Sprintf("%s reverted (%s).", text.Count(n, "bullet"), ui.Clean(done.Reason))
		}
		return done, note, nil
	})
}

// parse parses the flags.
func (o *rollbackOptions) parse(a *ui.App, c *cobra.Command) (r keeper.Rollback, err error) {
	if o.session != "" {
		return keeper.Rollback{Session: o.session}, nil
	}
	if r.Since, err = flagInstant(c, "--since", o.since); err != nil {
		return r, err
	}
	r.Until = a.Now()
	if o.until != "" {
		if r.Until, err = flagInstant(c, "--until", o.until); err != nil {
			return r, err
		}
	}
	if r.Until.Before(r.Since) {
		return r, ui.Usage(c, "--until is before --since", "")
	}
	return r, nil
}

// metrics parses --before and --now if they are set.
func (o *rollbackOptions) metrics(c *cobra.Command, r *keeper.Rollback) error {
	if o.now == "" {
		return nil
	}
	before, err := flagMetrics(c, "--before", o.before)
	if err != nil {
		return err
	}
	now, err := flagMetrics(c, "--now", o.now)
	r.Before, r.Now = &before, &now
	return err
}

func flagInstant(c *cobra.Command, flag, text string) (time.Time, error) {
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, nil
	}
	at, err := artifact.ParseInstant(text)
	if err != nil {
		return time.Time{}, ui.Usage(c, flag+": "+fault.Shown(text)+" is not a time", "for example: 2026-11-15T09:00:00Z or 2026-11-15")
	}
	return at, nil
}

func flagMetrics(c *cobra.Command, flag, text string) (playbook.Metrics, error) {
	var m playbook.Metrics
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		ok := !seen[key]
		seen[key] = true
		switch key {
		case "success":
			ok = ok && parseShare(value, &m.Success)
		case "errors":
			ok = ok && parseShare(value, &m.Errors)
		case "p95":
			p95, err := time.ParseDuration(value)
			ok, m.P95 = ok && err == nil && p95 >= 0, p95
		default:
			ok = false
		}
		if !ok {
			return m, ui.Usage(c, flag+": invalid metric "+fault.Shown(part), "for example: success=0.92,p95=40s,errors=0.02")
		}
	}
	if len(seen) != 3 {
		return m, ui.Usage(c, flag+" requires success, p95 and errors", "for example: success=0.92,p95=40s,errors=0.02")
	}
	return m, nil
}

func parseShare(text string, to *float64) bool {
	x, err := strconv.ParseFloat(text, 64)
	*to = x
	return err == nil && x >= 0 && x <= 1
}
