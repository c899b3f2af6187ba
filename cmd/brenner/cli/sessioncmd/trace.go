package sessioncmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/session"
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
				res := &traceList{Schema: "brenner.trace.list/v1", Thread: h.Thread, Rehearsal: h.State.Opened.Rehearsal != "", Calls: []callSummary{}}
				for _, call := range tracedCalls(h.State) {
					res.Calls = append(res.Calls, summaryOf(h.State, call))
				}
				return a.Show(res)
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

// tracedCalls gives all calls of a session in the order of its rounds: those of its
// agents, and those of its arbiter after the round that was stuck.
func tracedCalls(st *flow.State) []*flow.Call {
	all := st.Calls()
	for i := range st.Rulings {
		all = append(all, &st.Rulings[i])
	}
	slices.SortStableFunc(all, func(a, b *flow.Call) int { return cmp.Compare(a.Round, b.Round) })
	return all
}

// callSummary is one call in a few facts.
type callSummary struct {
	Call     string      `json:"call"`
	Round    int         `json:"round"`
	Leg      int         `json:"leg"`
	Turn     string      `json:"turn"`
	Agent    string      `json:"agent"`
	Role     string      `json:"role"`
	Via      string      `json:"via"`
	Model    string      `json:"model"`          // as the roster names it
	ModelID  string      `json:"model_id"`       // as it was asked for
	Observed string      `json:"model_observed"` // as it called itself
	Seed     *int        `json:"seed,omitempty"` // that it was asked with
	Input    int         `json:"input_tokens"`
	Output   int         `json:"output_tokens"`
	Guessed  bool        `json:"guessed"`
	Spent    int         `json:"spent_tokens"` // what a call without an answer may have cost
	Attempts int         `json:"attempts"`
	TookMS   int         `json:"took_ms"`
	Began    string      `json:"began_at"`
	Ended    string      `json:"ended_at"`
	Status   flow.Status `json:"status"`
	Code     fault.Code  `json:"code"`
	Detail   string      `json:"detail"`
	Hint     string      `json:"hint"`
}

func summaryOf(st *flow.State, c *flow.Call) callSummary {
	s := callSummary{
		Call: c.ID, Round: c.Round, Leg: c.Leg, Turn: c.Turn, Agent: c.Agent, Status: c.Status,
		Began: artifact.FormatInstant(c.Began),
	}
	for _, p := range flow.Everyone(st.Opened.Agents, st.Opened.Arbiter) {
		if p.Name == c.Agent {
			s.Role, s.Via, s.Model, s.ModelID, s.Seed = p.Role, p.Via, p.Model, p.ModelID, p.Seed
		}
	}
	switch c.Status {
	case flow.Replied:
		r := &c.Answered
		s.Observed, s.Input, s.Output, s.Guessed, s.Attempts, s.TookMS = r.Model, r.Input, r.Output, r.Guessed, r.Attempts, r.TookMS
	case flow.Lost:
		f := &c.Failed
		s.Code, s.Detail, s.Hint, s.Spent, s.Attempts, s.TookMS = f.Code, f.Detail, f.Hint, f.Spent, f.Attempts, f.TookMS
	}
	if c.Status == flow.Replied || c.Status == flow.Lost {
		s.Ended = artifact.FormatInstant(c.Ended)
	}
	return s
}

// outcome says how a call ended, in a word or two.
func (s *callSummary) outcome() string {
	if s.Code != "" {
		return string(s.Status) + " " + ui.Clean(string(s.Code))
	}
	return string(s.Status)
}

func (s *callSummary) tokens(n int) string {
	switch {
	case s.Status != flow.Replied:
		return "-"
	case s.Guessed:
		return "~" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// asked names the model that was asked.
func (s *callSummary) asked() string {
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

// traceList is every call of a session.
type traceList struct {
	Schema    string        `json:"schema"`
	Thread    string        `json:"thread_id"`
	Rehearsal bool          `json:"rehearsal"`
	Calls     []callSummary `json:"calls"`
}

func (r *traceList) Print(a *ui.App) error {
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
			strconv.Itoa(s.Round), ui.Clean(s.Agent), s.Turn, s.asked(), ui.OrDash(s.Observed), s.tokens(s.Input), s.tokens(s.Output),
			strconv.Itoa(s.Attempts), took(s.TookMS), s.outcome(), ui.Clean(s.Call),
		})
	}
	if len(r.Calls) == 0 {
		return a.Write([]byte(head + ui.Clean(r.Thread) + ": nobody was asked yet\n"))
	}
	return a.Write([]byte(head + ui.Columns(rows)))
}
