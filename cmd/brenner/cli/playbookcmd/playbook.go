// Package playbookcmd holds the commands of `brenner playbook`.
package playbookcmd

import (
	"context"
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
	"brenner/project"
)

// Command returns the playbook commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "playbook",
		GroupID: ui.Other,
		Short:   "What the project has learned: lessons, their counters, and the proof of both",
		Long: `The playbook holds short lessons, called bullets, that later sessions get to see. What a
bullet says never changes; it is counted how often it helped and how often it harmed, and
the counters move it: SHADOW, STAGING, PROD, or QUARANTINED. Every change is an entry of a
journal that proves itself.`,
	}, playbookAddCommand(a), playbookReplaceCommand(a), playbookCreditCommand(a), playbookListCommand(a), playbookShowCommand(a),
		playbookHistoryCommand(a), playbookPromoteCommand(a), playbookQuarantineCommand(a), playbookRestoreCommand(a), playbookReviewCommand(a),
		playbookRollbackCommand(a), playbookVerifyCommand(a), playbookRenderCommand(a), playbookImportCommand(a), playbookExportCommand(a),
		playbookStatsCommand(a), playbookHarvestCommand(a))
}

// show opens the playbook of a project, in one of the ways to open it, and shows what is
// read there.
func show[V any](a *ui.App, c *cobra.Command, open func(*project.Project, context.Context) (*project.Playbook, error), read func(*project.Playbook) (V, error), text func(*ui.App, V) string) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	b, err := open(p, c.Context())
	if err != nil {
		return err
	}
	defer b.Close()
	v, err := read(b)
	return ui.Show(a, v, err, text)
}

// actFlags say who does something to the playbook, and why.
type actFlags struct {
	as     string
	reason string
}

func (f *actFlags) add(c *cobra.Command, reason string) {
	ui.InProject(c)
	c.Flags().StringVar(&f.as, "as", "", "who does it: the operator, or one of the authorities; the operator of brenner.yaml if not given")
	c.Flags().StringVar(&f.reason, "reason", "", reason)
}

// act opens the playbook to change it, and shows what became of it.
func act[V any](a *ui.App, c *cobra.Command, opt *actFlags, do func(*project.Playbook, playbook.Act) (V, error), text func(*ui.App, V) string) error {
	return show(a, c, (*project.Project).ChangePlaybook, func(b *project.Playbook) (none V, err error) {
		act, err := b.Act(opt.as, opt.reason)
		if err != nil {
			return none, err
		}
		return do(b, act)
	}, text)
}

// change is act for a change of bullets; do returns a note about it, too.
func change(a *ui.App, c *cobra.Command, opt *actFlags, do func(*project.Playbook, playbook.Act) (*keeper.Change, string, error)) error {
	note := ""
	return act(a, c, opt, func(b *project.Playbook, act playbook.Act) (r *keeper.Change, err error) {
		r, note, err = do(b, act)
		return r, err
	}, func(a *ui.App, r *keeper.Change) string { return changeText(a, r, note) })
}

// someIDs refuses other numbers of bullets.
func someIDs(least, most int) cobra.PositionalArgs {
	return ui.Args(least, most, text.Plural(least, "bullet is", "bullets are")+" needed", "`brenner playbook list` shows their ids")
}

func playbookHarvestCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "harvest [ID]",
		Short: "Learn from sessions that have ended, where that has not happened yet",
		Long: `A session teaches the playbook when it ends. Where that could not happen, because the
process was killed, or where people have ruled in the session since, the next
` + "`brenner session start`" + ` catches up on it; this command does so at once.

Nothing counts twice, however often it is called. With ID it learns from one session, also
from one that was imported: those never teach by themselves. A rehearsal teaches nothing.`,
		Example: `  brenner playbook harvest
  brenner playbook harvest RS-20261115-cell-fate

Exit codes: 0 done, even if there was nothing to learn; 1 it could not be stored, or a session is
damaged; 2 there is no such session, it has not ended, or it is a rehearsal; 75 the store is busy,
or the endpoint for embeddings cannot be reached.`,
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
	res, err := p.HarvestPlaybook(c.Context(), thread)
	return ui.Show(a, res, err, harvestText)
}

func harvestText(a *ui.App, r *project.Harvest) string {
	if a.Quiet {
		return ""
	}
	var b strings.Builder
	for i := range r.Sessions {
		s := &r.Sessions[i]
		text := project.LearnedText(s.Learned)
		if s.Nothing() {
			text = "nothing new"
		}
		if s.RolledBack != "" {
			text += "; " + ui.Clean(s.RolledBack)
		}
		b.WriteString(ui.Clean(s.Thread) + ": " + text + "\n")
	}
	if len(r.Sessions) == 0 {
		b.WriteString("Nothing is due: the playbook has learned from every session that ended.\n")
	}
	return b.String()
}

func playbookVerifyCommand(a *ui.App) *cobra.Command {
	var head string
	c := ui.InProject(&cobra.Command{
		Use:   "verify",
		Short: "Prove the playbook: follow its journal, and replay every entry of it",
		Long: `Reads the whole journal, follows its chain of hashes, replays what it says, and looks at
every vector. An entry that was edited, dropped, swapped or put in between is named.

That the end of a journal was cut off shows in nothing but a hash that somebody kept:
--head takes one.`,
		Example: `  brenner playbook verify
  brenner playbook verify --head 6f1c…

Exit codes: 0 it is whole; 1 it is not; 2 the configuration or the store cannot be used.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return playbookVerify(a, c, head) },
	})
	c.Flags().StringVar(&head, "head", "", "the hash of an entry that has to be there")
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

// ProofSize returns how much a playbook holds, in words.
func ProofSize(p *keeper.Proof) string {
	return text.Plural(p.Entries, "entry", "entries") + ", " + text.Count(p.Bullets, "bullet") + ", " + text.Count(p.Vectors, "vector")
}

// playbookProof is what verifying a playbook came to.
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
			text += "NOT WHOLE: " + ui.Clean(p.Message) + "\n"
			if p.Hint != "" && !a.Quiet {
				text += "  hint: " + ui.Clean(p.Hint) + "\n"
			}
		}
		return text
	}
	if a.Quiet {
		return ""
	}
	return ui.Columns([][]string{{"Whole", ProofSize(v.Proof)}, {"Head", ui.OrDash(v.Head)}})
}

func playbookStatsCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "stats",
		Short: "How many bullets there are in which stage, and what happened lately",
		Example: `  brenner playbook stats
  brenner playbook stats --json

Exit codes: 0 shown; 1 the playbook is damaged; 2 the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return show(a, c, (*project.Project).OpenPlaybook, func(b *project.Playbook) (*keeper.Stats, error) { return b.Stats(c.Context()) }, statsText)
		},
	})
}

// lately is how many days are shown to people.
const lately = 14

func statsText(_ *ui.App, s *keeper.Stats) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %d waiting for a person\n", text.Count(s.Bullets, "bullet"), text.Plural(s.Entries, "entry", "entries"), s.Waiting)
	chart(&b, "Stages", s.Stages)
	chart(&b, "Sections", s.Sections)
	if len(s.Domains) > 1 {
		chart(&b, "Domains", s.Domains)
	}
	days := s.Days[max(0, len(s.Days)-lately):]
	if len(days) > 0 {
		most := 0
		for _, d := range days {
			most = max(most, d.Added+d.Counted+d.Other)
		}
		b.WriteString("\nDays (█ added, ▓ counted, ░ other)\n")
		rows := [][]string{}
		for _, d := range days {
			bar := strings.Repeat("█", length(d.Added, most)) + strings.Repeat("▓", length(d.Counted, most)) + strings.Repeat("░", length(d.Other, most))
			rows = append(rows, []string{"  " + d.Date, fmt.Sprintf("%d + %d + %d", d.Added, d.Counted, d.Other), bar})
		}
		b.WriteString(ui.Columns(rows))
	}
	return b.String()
}

// widestBar is how many characters the longest bar of a chart has.
const widestBar = 30

// length gives how long a bar is; what is there at all can be seen.
func length(n, most int) int {
	if n == 0 || most == 0 {
		return 0
	}
	return max(1, n*widestBar/most)
}

func chart(b *strings.Builder, title string, tallies []playbook.Tally) {
	most := 0
	for _, t := range tallies {
		most = max(most, t.Count)
	}
	rows := make([][]string, 0, len(tallies))
	for _, t := range tallies {
		rows = append(rows, []string{"  " + t.Name, fmt.Sprint(t.Count), strings.Repeat("█", length(t.Count, most))})
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
		Short: "Take back what came in a window, or what a session did; nothing is deleted",
		Long: `Takes back by further entries, never by deletion.

With --since, the bullets that were added in the window are quarantined. With --before and
--now, the guardrail decides whether: only if sessions got worse by more than
playbook.guardrail allows (success, as a share; p95, a duration; errors, as a share of calls).
With --session, what a session counted is counted down again, and what it added is
quarantined; bullets that its counts had raised, or brought before a person, go back.
What people decided stays.`,
		Example: `  brenner playbook rollback --since 2026-11-14T00:00:00Z --reason "the night run was broken"
  brenner playbook rollback --since 2026-11-14T00:00:00Z --before success=0.92,p95=40s,errors=0.02 --now success=0.81,p95=43s,errors=0.04
  brenner playbook rollback --session RS-20261114-cells --reason "its agents were given the wrong data"

Exit codes: 0 done, or there was nothing to take back; 1 it could not be stored; 2 a flag is wrong
or a reason is missing; 4 --as names no authority; 75 the store is busy.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return playbookRollback(a, c, &opt) },
	}
	opt.actFlags.add(c, "why; needed where the guardrail does not decide")
	f := c.Flags()
	f.StringVar(&opt.since, "since", "", "the beginning of the window, as an instant or a date")
	f.StringVar(&opt.until, "until", "", "its end; now if not given")
	f.StringVar(&opt.session, "session", "", "the session whose work is taken back")
	f.StringVar(&opt.before, "before", "", "how sessions did before the window: success=0.92,p95=40s,errors=0.02")
	f.StringVar(&opt.now, "now", "", "how they did in it")
	return c
}

func playbookRollback(a *ui.App, c *cobra.Command, opt *rollbackOptions) error {
	window := opt.since != "" || opt.until != "" || opt.before != "" || opt.now != ""
	switch {
	case (opt.session != "") == window:
		return ui.Usage(c, "either --session, or a window with --since", "")
	case window && opt.since == "":
		return ui.Usage(c, "a window needs --since", "")
	case (opt.before == "") != (opt.now == ""):
		return ui.Usage(c, "--before and --now belong together", "")
	}
	r, err := opt.parse(a, c)
	if err != nil {
		return err
	}
	return change(a, c, &opt.actFlags, func(b *project.Playbook, act playbook.Act) (*keeper.Change, string, error) {
		if err := opt.metrics(c, &r); err != nil {
			return nil, "", err
		}
		done, err := b.Rollback(c.Context(), act, r)
		if err != nil {
			return nil, "", err
		}
		note := "There was nothing to take back."
		switch n := len(done.Bullets); {
		case done.Holds:
			note = "The guardrail holds: nothing is taken back."
		case n > 0:
			note = fmt.Sprintf("%s taken back (%s).", text.Plural(n, "bullet was", "bullets were"), ui.Clean(done.Reason))
		}
		return done, note, nil
	})
}

// parse reads what the flags say.
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

// metrics reads --before and --now, if they are given.
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
		return time.Time{}, ui.Usage(c, flag+" "+fault.Shown(text)+" is no instant", "write it like 2026-11-15T09:00:00Z or 2026-11-15")
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
			return m, ui.Usage(c, flag+" cannot have "+fault.Shown(part), "write it like success=0.92,p95=40s,errors=0.02")
		}
	}
	if len(seen) != 3 {
		return m, ui.Usage(c, flag+" needs success, p95 and errors", "write it like success=0.92,p95=40s,errors=0.02")
	}
	return m, nil
}

func parseShare(text string, to *float64) bool {
	x, err := strconv.ParseFloat(text, 64)
	*to = x
	return err == nil && x >= 0 && x <= 1
}
