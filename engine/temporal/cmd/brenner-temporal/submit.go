package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/engine/temporal"
	"brenner/internal/fault"
	"brenner/project"
	stores "brenner/store"
)

func submitCommand(a *ui.App) *cobra.Command {
	var key string
	c := ui.InProject(&cobra.Command{
		Use:   "submit PLAN.yaml",
		Short: "Let workers run a plan",
		Long: `Validates a plan, stores its loop, and lets a worker with --loops run it. If that machine dies,
another one continues the loop. Repeat the command to continue a loop that was interrupted.`,
		Example: `  brenner-temporal submit night.yaml
  brenner-temporal submit night.yaml --run 2026-11-15

Exit codes: 0 submitted; 2 invalid plan, file or configuration; 4 ` + "`brenner-temporal trust`" + ` required;
5 another process runs the loop; 75 the engine or the database does not respond.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error { return submit(c, a, args[0], key) },
	})
	c.Flags().StringVar(&key, "run", "", "key for which to run the plan only once")
	return c
}

// submitted is a loop that workers run.
type submitted struct {
	Schema   string `json:"schema"`
	Loop     string `json:"loop"`
	Workflow string `json:"workflow,omitempty"` // empty if the loop has ended
	Running  bool   `json:"running,omitzero"`   // a worker runs it already
}

func submit(c *cobra.Command, a *ui.App, file, key string) error {
	if c.Flags().Changed("run") && key == "" {
		return ui.Usage(c, "--run: empty key", "for example: --run $(date +%F); omit --run to start again")
	}
	ctx := c.Context()
	p, err := a.Open()
	if err != nil {
		return err
	}
	data, err := a.ReadFile("the plan", file)
	if err != nil {
		return err
	}
	plan, err := p.ReadPlan(ctx, project.PlanInput{File: file, Data: data})
	if err != nil {
		return err
	}
	e, err := temporal.Connect(ctx, p)
	if err != nil {
		return err
	}
	defer e.Close()
	out := submitted{Schema: "brenner.submitted/v1"}
	var ended bool
	out.Loop, ended, err = store(ctx, p, plan, project.LoopOptions{Key: key, Doing: ui.Doing(c), NoPreflight: true, At: temporal.Submitted})
	if fault.CodeOf(err) == stores.Held {
		if name, s, _ := p.FindLoop(ctx, plan, key); s != nil && s.At == temporal.Submitted {
			out.Loop, out.Running, err = name, true, nil
			if s.Paused { // to submit a loop ends its pause, on any worker
				_, err = p.UnpauseLoop(ctx, name)
			}
		}
	}
	if err != nil {
		return err
	}
	if !ended {
		var at time.Time
		if out.Workflow, at, err = e.Submit(ctx, out.Loop); err != nil {
			return err
		}
		a.SayFaults(e.LoopsWait(ctx, at))
	}
	return ui.Show(a, out, nil, func(_ *ui.App, s submitted) string {
		switch {
		case s.Workflow == "":
			return s.Loop + " has already ended\n"
		case s.Running:
			return s.Loop + ": submitted before; a worker runs it\n"
		}
		return s.Loop + ": submitted; `brenner-temporal loop status " + s.Loop + "` shows its progress\n"
	})
}

// store stores the loop of a plan, as a run that ends before its first session does.
func store(ctx context.Context, p *project.Project, plan *project.PinnedPlan, o project.LoopOptions) (name string, ended bool, err error) {
	job, err := p.Loop(ctx, plan, o)
	if err != nil {
		return "", false, err
	}
	defer job.Close()
	stopped := make(chan struct{})
	close(stopped)
	if ended = job.HasEnded(); !ended || job.Pending().Any() {
		_, err = job.Run(ctx, stopped)
	}
	return job.Name(), ended, err
}
