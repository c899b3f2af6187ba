package sessioncmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

type traceShowOptions struct {
	project string
	call    audit.CallQuery
}

func traceShowCommand(a *ui.App) *cobra.Command {
	var opt traceShowOptions
	c := &cobra.Command{
		Use:   "show CALL [FILE]",
		Short: "Show one agent call: what went in, what came out, and what became of it",
		Long: `Shows one call. What went in: the template and the view with their hashes, the version
that was shown and the items of it, the evidence, the prompt. What came out: the reply,
its blocks, and what became of each delta in it. And what it used and how long it took,
with every attempt that the journal knows of.

A call is named by its id, which ` + "`brenner trace list`" + ` shows, or by a session (or the
file of an export) with --agent and --round. --prompt and --reply print the text itself,
byte for byte, and nothing else.`,
		Example: `  brenner trace show RS-20261115-cell-fate/r2.1/BlueLake/ask
  brenner trace show RS-20261115-cell-fate --agent BlueLake --round 2
  brenner trace show RS-20261115-cell-fate/r1.1/GreenValley/repair --reply
  brenner trace show RS-20261115-cell-fate/r2.1/BlueLake/ask cell-fate.jsonl --json

Exit codes: 0 shown; 1 the store is damaged; 2 there is no such session or call, the call
has no reply, or the file cannot be read.`,
		Args: ui.OneOrTwo("a call is needed"),
		RunE: func(c *cobra.Command, args []string) error { return traceShow(a, c, args, &opt) },
	}
	ui.AddProjectFlag(c, &opt.project)
	f := c.Flags()
	f.StringVar(&opt.call.Agent, "agent", "", "with a session: the call of this agent")
	f.IntVar(&opt.call.Round, "round", 0, "with a session: the call of this round")
	f.BoolVar(&opt.call.Repair, "repair", false, "with --agent and --round: the question for better blocks")
	f.BoolVar(&opt.call.Prompt, "prompt", false, "print what was sent, as it was sent")
	f.BoolVar(&opt.call.Reply, "reply", false, "print what was answered, as it came")
	return c
}

func traceShow(a *ui.App, c *cobra.Command, args []string, opt *traceShowOptions) error {
	if opt.call.Prompt && opt.call.Reply && !a.JSON {
		return ui.Usage(c, "--prompt and --reply: one of them at a time", "--json takes both")
	}
	where, id := args[0], ""
	thread, _, isCall := strings.Cut(args[0], "/")
	if isCall && artifact.IsThreadID(thread) {
		where, id = thread, args[0]
	}
	if len(args) > 1 {
		where = args[1]
	}
	switch byHand := opt.call.Agent != "" || opt.call.Round != 0; {
	case id != "" && (byHand || opt.call.Repair):
		return ui.Usage(c, "the call is named twice: by its id, and by --agent and --round", "")
	case id == "" && (opt.call.Agent == "" || opt.call.Round < 1):
		return ui.Usage(c, ui.Clean(args[0])+" is no call: with a session, --agent and --round are needed", "`brenner trace list "+ui.Clean(args[0])+"` lists the calls")
	case id == "" && len(args) > 1:
		return ui.Usage(c, ui.Clean(args[0])+" is no call", "a call is named like RS-20261115-name/r1.1/AGENT/ask")
	}
	opt.call.ID = id
	return a.WithSession(c, opt.project, where, func(ctx context.Context, src *project.Source, h *session.History) error {
		if err := ui.WholeSession(c, src.Address); err != nil {
			return err
		}
		res, err := audit.TraceCall(ctx, h, &opt.call)
		if err != nil {
			return err
		}
		return a.Show(callTrace{res})
	})
}

func recordShown(r *audit.CallRecord) string {
	text := ui.Clean(r.Type)
	if r.Form != "" {
		text += ", " + ui.Clean(r.Form)
	}
	switch r.Here {
	case audit.HereAnother:
		text += "; another record has this name here"
	case audit.HereNone:
		text += "; not in this store"
	}
	return text
}
