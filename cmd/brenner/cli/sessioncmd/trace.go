package sessioncmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

// TraceCommand returns the trace command.
func TraceCommand(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "trace",
		GroupID: ui.Other,
		Short:   "See every agent call, and follow a sentence back to its sources",
	}
	c.AddCommand(traceListCommand(a), traceShowCommand(a), traceFindCommand(a))
	ui.Group(c)
	return c
}

func traceListCommand(a *ui.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "list ID|FILE",
		Short: "List the agent calls of a session",
		Long: `Lists every call of a session, those of its arbiter too (turn rule): who was asked in which
round, which model answered, what it used, how long it took and how it ended. A ~ before
a number says that the agent's side did not report it, and that it was counted here.`,
		Example: `  brenner trace list RS-20261115-cell-fate
  brenner trace list cell-fate.jsonl --json

Exit codes: 0 listed; 1 the store is damaged; 2 there is no such session, or the file
cannot be read.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error {
			return a.WithSession(c, dir, args[0], func(_ context.Context, src *project.Source, h *session.History) error {
				if err := ui.WholeSession(c, src.Address); err != nil {
					return err
				}
				return a.Show(callList{audit.ListCalls(h)})
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

// outcome says how a call ended, in a word or two.
func outcome(s *audit.CallSummary) string {
	if s.Code != "" {
		return string(s.Status) + " " + ui.Clean(string(s.Code))
	}
	return string(s.Status)
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

// askedModel names the model that was asked.
func askedModel(s *audit.CallSummary) string {
	if s.ModelID != "" && s.ModelID != s.Model {
		return strings.TrimSpace(ui.Clean(s.Model) + " (" + ui.Clean(s.ModelID) + ")")
	}
	return ui.OrDash(s.Model)
}

func took(ms int) string {
	if ms < 1000 {
		return strconv.Itoa(ms) + " ms"
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// callList is every call of a session.
type callList struct{ *audit.CallList }

func (r callList) Print(a *ui.App) error {
	if a.Quiet {
		var b strings.Builder
		for i := range r.Calls {
			b.WriteString(ui.Clean(r.Calls[i].Call) + "\n")
		}
		return a.Write([]byte(b.String()))
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
			strconv.Itoa(s.Attempts), took(s.TookMS), outcome(s), ui.Clean(s.Call),
		})
	}
	if len(r.Calls) == 0 {
		return a.Write([]byte(head + ui.Clean(r.Thread) + ": nobody was asked yet\n"))
	}
	return a.Write([]byte(head + ui.Columns(rows)))
}
