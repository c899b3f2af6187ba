package sessioncmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact/lint"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

type replayOptions struct {
	project string
	without string
	format  string
}

func sessionReplayCommand(a *ui.App) *cobra.Command {
	var opt replayOptions
	c := &cobra.Command{
		Use:   "replay ID|FILE",
		Short: "Settle a session again from its journal, and prove the same bytes",
		Long: `Settles everything again, from the empty artifact on, offline and from the replies that
the journal names, and compares each version with the one that was committed, byte by
byte.

With --without it shows what the artifact would be had one agent, or one person, never
answered: the artifact on standard output, what that changes on standard error. Whoever
meant an item by its id means the same item then, whatever its id is.`,
		Example: `  brenner session replay RS-20261115-cell-fate
  brenner session replay cell-fate.brenner.jsonl --without GreenValley > without.md

Exit codes: 0 the same bytes, or the artifact is printed; 1 a version differs; 2 there is
no such session or agent.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return replay(a, c, args[0], &opt) },
	}
	ui.AddProjectFlag(c, &opt.project)
	addFormatFlag(c, &opt.format)
	c.Flags().StringVar(&opt.without, "without", "", "leave out what this agent or person contributed")
	return c
}

func replay(a *ui.App, c *cobra.Command, arg string, opt *replayOptions) error {
	inJSON, err := asJSON(c, opt.format, "")
	if err != nil {
		return err
	}
	switch {
	case c.Flags().Changed("without") && opt.without == "":
		return ui.Usage(c, "--without names nobody", "")
	case opt.format != "" && opt.without == "":
		return ui.Usage(c, "--format is for the artifact that --without prints", "")
	}
	return a.WithSession(c, opt.project, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
		if err := ui.WholeSession(c, src.Address); err != nil {
			return err
		}
		if opt.without != "" {
			res, err := audit.Without(ctx, h, opt.without)
			if err != nil {
				return err
			}
			return a.Show(withoutView{res, inJSON})
		}
		r, err := audit.ReplaySession(ctx, h)
		if err != nil {
			return err
		}
		if !r.Equal {
			a.Exit = ui.ExitFailed
		}
		return a.Show(replayView{r})
	})
}

// replayView is a session that was settled again, for people.
type replayView struct{ *audit.Replay }

func (r replayView) Print(a *ui.App) error {
	rows := [][]string{{"VERSION", "FROM", "REPLAYED", "SHA-256"}}
	for _, v := range r.Versions {
		from := v.From
		switch {
		case v.From == flow.ByRound:
			from = "round " + strconv.Itoa(v.Round)
		case v.From == flow.ByPerson:
			from = "by " + ui.Clean(v.Author)
		case v.From == flow.ByThread:
			from = "letters"
		case v.Author != "":
			from += " by " + ui.Clean(v.Author)
		}
		result, hash := "ok", v.SHA256
		if !v.OK {
			result, hash = "differs", v.SHA256+", now "+v.Replayed
		}
		rows = append(rows, []string{strconv.Itoa(v.Version), from, result, hash})
	}
	text := ""
	if !a.Quiet {
		text = ui.Columns(rows)
	}
	for _, f := range r.Faults {
		text += string(f.Code) + ": " + ui.Clean(f.Message) + "\n"
	}
	for _, v := range r.Versions {
		if v.Lint != "" && !a.Quiet {
			text += fmt.Sprintf("version %d: its findings are of %s and were not compared: this program has %s\n", v.Version, ui.Clean(v.Lint), lint.Version)
		}
		if v.Reworded && !a.Quiet {
			text += fmt.Sprintf("version %d: its report says the same in other words than this program's\n", v.Version)
		}
	}
	if r.Equal && !a.Quiet {
		text += ui.Clean(r.Thread) + ": every version follows from the journal, to the byte\n"
	}
	return a.Write([]byte(text))
}

// withoutView is an artifact as it would be, and how it differs.
type withoutView struct {
	*audit.Counterfactual
	json bool
}

func (w withoutView) Print(a *ui.App) error {
	if !a.Quiet {
		a.Say(w.account())
	}
	if w.json {
		return a.Write(append(w.Artifact, '\n'))
	}
	return a.Write(w.After.Markdown())
}

// account says in short what differs.
func (w withoutView) account() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s without %s: version %d instead of %d; %s gone, %s, %s of others now rejected\n", ui.Clean(w.Thread), ui.Clean(w.Without),
		w.Version, w.WasVersion, text.Count(len(w.Gone), "item"), text.Plural(len(w.Changed), "field differs", "fields differ"), text.Count(len(w.Rejected), "delta"))
	for _, g := range w.Gone {
		fmt.Fprintf(&b, "  gone: %s (%s)\n", ui.Clean(g.ID), ui.Cut(ui.Clean(g.Title)))
	}
	for _, r := range w.Renamed {
		fmt.Fprintf(&b, "  %s is now %s\n", ui.Clean(r.Was), ui.Clean(r.Now))
	}
	for _, c := range w.Changed {
		fmt.Fprintf(&b, "  differs: %s.%s: %s, was %s\n", ui.Clean(c.Item), ui.Clean(c.Field), ui.Cut(ui.Clean(string(c.To))), ui.Cut(ui.Clean(string(c.From))))
	}
	for _, r := range w.Rejected {
		fmt.Fprintf(&b, "  now rejected: %s, %s: %s %s\n", ui.Clean(r.Agent), ui.OrDash(r.Target), r.Code, ui.Clean(r.Message))
	}
	return b.String()
}
