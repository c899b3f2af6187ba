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
	"brenner/project"
)

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
