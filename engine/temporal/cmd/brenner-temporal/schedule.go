package main

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/engine/temporal"
	"brenner/internal/fault"
	"brenner/loop"
)

type scheduleOptions struct {
	cron, zone, key string
	off             bool
}

func scheduleCommand(a *ui.App) *cobra.Command {
	var o scheduleOptions
	c := ui.InProject(&cobra.Command{
		Use:   "schedule LOOP",
		Short: "Let workers run the plan of a loop at certain times",
		Long: `Makes a schedule at the Temporal server, which starts the plan of a stored loop again at certain
times, on a worker with --loops. The plan runs once for each key: --run may contain %F and %H, the
date and the hour (UTC) of the start. A start is left out while the one before it still runs. The
command replaces an earlier schedule of the loop.`,
		Example: `  brenner-temporal submit night.yaml --run first
  brenner-temporal schedule night-first --cron "0 22 * * *" --zone Europe/Vienna --run %F
  brenner-temporal schedule night-first --off

Exit codes: 0 scheduled; 2 no such loop or invalid times; 75 the engine or the database does not
respond.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error { return schedule(c, a, args[0], &o) },
	})
	c.Flags().StringVar(&o.cron, "cron", "", "times, as in a crontab")
	c.Flags().StringVar(&o.zone, "zone", "", "time zone of the times (default: UTC)")
	c.Flags().StringVar(&o.key, "run", "%F", "key for which to run the plan only once")
	c.Flags().BoolVar(&o.off, "off", false, "remove the schedule")
	return c
}

// scheduled is a schedule, or that there is none.
type scheduled struct {
	Schema string `json:"schema"`
	Loop   string `json:"loop"`
	Cron   string `json:"cron,omitempty"`
	Zone   string `json:"zone,omitempty"` // empty means UTC
	Key    string `json:"key,omitempty"`
}

func schedule(c *cobra.Command, a *ui.App, name string, o *scheduleOptions) error {
	switch {
	case o.off && o.cron != "":
		return ui.Usage(c, "--off excludes --cron", "")
	case !o.off && o.cron == "":
		return ui.Usage(c, "--cron is required", `for example: --cron "0 22 * * *"; --off removes the schedule`)
	case o.key == "":
		return ui.Usage(c, "--run: empty key", "for example: --run %F, for one run a day")
	}
	ctx := c.Context()
	p, err := a.Open()
	if err != nil {
		return err
	}
	s, err := p.LoopStatus(ctx, name)
	if err != nil {
		return err
	}
	if key := temporal.KeyAt(o.key, p.Now()); !o.off && !loop.ValidName(key, s.Planned) {
		return ui.Usage(c, "--run: not a valid key: "+fault.Shown(key), "use words of a-z and 0-9 with - between them, and %F and %H")
	}
	e, err := temporal.Connect(ctx, p)
	if err != nil {
		return err
	}
	defer e.Close()
	out := scheduled{Schema: "brenner.scheduled/v1", Loop: name}
	if o.off {
		err = e.Unschedule(ctx, name)
	} else {
		out.Cron, out.Zone, out.Key = o.cron, o.zone, o.key
		var at time.Time
		if at, err = e.Schedule(ctx, name, o.cron, o.zone, o.key); err == nil {
			a.SayFaults(e.LoopsWait(ctx, at))
		}
	}
	return ui.Show(a, out, err, func(_ *ui.App, s scheduled) string {
		if s.Cron == "" {
			return s.Loop + ": no schedule\n"
		}
		return s.Loop + ": scheduled at " + ui.Clean(s.Cron) + " " + ui.Clean(cmp.Or(s.Zone, "UTC")) + " for the keys " + ui.Clean(s.Key) + "\n"
	})
}
