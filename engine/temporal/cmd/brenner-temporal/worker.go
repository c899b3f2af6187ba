package main

import (
	"context"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/engine/temporal"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
)

func workerCommand(a *ui.App, beat time.Duration) *cobra.Command {
	o := temporal.WorkerOptions{Beat: beat}
	c := ui.InProject(&cobra.Command{
		Use:   "worker",
		Short: "Run sessions that a Temporal server places on this machine",
		Long: `Runs sessions of the project's loops, on any machine that reaches the project's PostgreSQL
database and the Temporal server of engine.temporal.address, until interrupted. It needs no
plan: everything is in the database. Before it takes any work, it says which keys, programs
and trust it lacks; sessions that need them go to other workers.

--tags names what this machine has. Sessions of a roster with needs: gpu run only on
workers with --tags gpu; the others run anywhere.

The first signal (Ctrl-C, SIGTERM, SIGHUP) lets the calls in flight finish, and other workers
continue the sessions; the second stops immediately. No reply is lost.`,
		Example: `  brenner-temporal worker --at-once 8
  brenner-temporal worker --at-once 2 --tags gpu,codex --loops

Exit codes: 0 stopped; 2 invalid configuration; 4 ` + "`brenner-temporal trust`" + ` required; 75 the
engine or the database does not respond.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return work(c, a, o) },
	})
	c.Flags().IntVar(&o.AtOnce, "at-once", 4, "most sessions to run at once")
	c.Flags().StringSliceVar(&o.Tags, "tags", nil, "what this machine has for rosters that need it; repeatable")
	c.Flags().BoolVar(&o.Loops, "loops", false, "also run loops that were submitted or scheduled")
	return c
}

func work(c *cobra.Command, a *ui.App, o temporal.WorkerOptions) error {
	if o.AtOnce < 1 {
		return ui.Usage(c, "--at-once: must be at least 1", "")
	}
	for _, tag := range o.Tags {
		if !loop.ValidNeed(tag) {
			return ui.Usage(c, "--tags: invalid tag "+fault.Shown(tag), "use 1 to 40 characters of a-z, 0-9, - and _, such as gpu")
		}
	}
	p, err := a.Open()
	if err != nil {
		return err
	}
	for _, lack := range p.Lacks() {
		a.Say("brenner: this machine cannot use a model or program: " + ui.Clean(strings.ReplaceAll(lack.Error(), "\n", "; ")) + "\n")
	}
	say := sayer(a)
	hard, drain, done := a.Interrupts.Gently(c.Context(), func() {
		say("", "waiting for the calls in flight; interrupt again to stop immediately")
	})
	defer done()
	ctx, cancel := context.WithCancel(hard)
	defer cancel()
	e, err := temporal.Connect(ctx, p)
	if err != nil {
		return err
	}
	defer e.Close()
	o.Doing = ui.Doing(c)
	o.Say = say
	o.Ready = func(project string, queues []string) {
		say("", "working, "+text.Count(o.AtOnce, "session")+" of "+project+" at once, from "+strings.Join(queues, ", "))
	}
	o.Away = func(err error) {
		if err == nil {
			say("", "the engine responds again")
		} else {
			say("", err.Error()+"; what runs here continues ("+string(fault.CodeOf(err))+")")
		}
	}
	if err := e.Work(ctx, p, o, drain); err != nil {
		return err
	}
	say("", "stopped")
	return nil
}

// sayer returns what prints a line about a session or loop, or about the worker itself.
func sayer(a *ui.App) func(name, what string) {
	switch {
	case a.Quiet:
		return func(string, string) {}
	case a.JSON:
		log := zerolog.New(a.Err).With().Timestamp().Logger()
		return func(name, what string) {
			e := log.Info()
			if name != "" {
				e = e.Str("name", name)
			}
			e.Msg(what)
		}
	}
	return func(name, what string) {
		if name != "" {
			what = name + ": " + what
		}
		a.Say(a.Now().Format(time.TimeOnly) + " " + ui.Clean(what) + "\n")
	}
}
