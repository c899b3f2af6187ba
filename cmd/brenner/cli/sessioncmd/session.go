// Package sessioncmd implements the commands about sessions: session, roster, kickoff, blame and trace.
package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

// Command returns the session commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "session",
		Short: "Run and inspect research sessions",
	}, sessionStartCommand(a),
		ui.SessionArg(a, 0, sessionResumeCommand(a)), ui.SessionOrNewest(a, sessionStatusCommand(a)), sessionListCommand(a),
		ui.SessionOrNewest(a, sessionShowCommand(a)), ui.SessionOrNewest(a, sessionWatchCommand(a)), ui.SessionOrNewest(a, sessionExportCommand(a)),
		ui.SessionOrNewest(a, sessionDiffCommand(a)),
		sessionImportCommand(a), ui.SessionOrNewest(a, sessionReplayCommand(a)), ui.SessionArg(a, 0, sessionApplyCommand(a)),
		completeConflicts(a, ui.SessionArg(a, 0, sessionResolveCommand(a))), ui.SessionArg(a, 0, sessionNoteCommand(a)),
		ui.SessionArg(a, 0, sessionCompileCommand(a)), ui.SessionArg(a, 0, sessionPublishCommand(a)))
}

// dryRunText formats what a session would do.
func dryRunText(a *ui.App, v *project.SessionPreview) string {
	rows := [][]string{{"AGENT", "ROLE", "PROGRAM", "MODEL", "REACHED VIA", "TEMPLATE"}}
	for i, e := range v.Roster.Roster.Entries {
		template := "later"
		for _, m := range v.Messages {
			if m.To == e.Agent {
				template = m.Template
			}
		}
		rows = append(rows, []string{ui.Clean(e.Agent), string(e.Role), ui.OrDash(e.Program), ui.OrDash(e.Model), ui.OrDash(v.Parties[i].Via), template})
	}
	notes := v.Notes
	if len(v.Later) > 0 {
		notes = append(notes, strings.Join(v.Later, ", ")+": asked later in the round; the message depends on the replies to these")
	}
	for _, k := range v.Kickoffs {
		if k.Form == config.KickoffFull && k.Context == 0 {
			continue // as usual
		}
		notes = append(notes, k.Agent+": kickoff "+k.Reason)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Dry run of %s: no message is sent, nothing is written.\n%s", v.ThreadID, strings.TrimSuffix(questionLine(v.Task, v.Question), "\n"))
	if v.Domain != "" && v.Task == "" {
		fmt.Fprintf(&b, "Lessons: domain %s\n", ui.Clean(v.Domain))
	}
	b.WriteString("\n" + ui.Columns(rows))
	for _, n := range notes {
		if !a.Quiet {
			fmt.Fprintf(&b, "note: %s\n", ui.Clean(n))
		}
	}
	if v.Estimate != nil {
		return b.String() + "\n" + estimateText(v.Estimate)
	}
	fmt.Fprintf(&b, "%s\n\n%s", separator, messagesText(v.Messages))
	return b.String()
}

func sessionListCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "list",
		Short: "List the project's sessions",
		Long: `Lists the project's sessions, most recently active first. With --quiet, prints only
their ids.`,
		Example: `  brenner session list
  brenner session list --json
  brenner session list -q | xargs -n 1 brenner session resume

Exit codes: 0 listed, even if empty; 1 the store or one of the sessions is
damaged; 2 invalid configuration.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return listSessions(c.Context(), a) },
	})
}

func listSessions(ctx context.Context, a *ui.App) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	l, err := p.Sessions(ctx)
	if err == nil && l.Damaged() {
		a.Exit = ui.ExitFailed
	}
	return ui.Show(a, l, err, func(a *ui.App, l *audit.List) string { return sessionListText(a, l, p.StorePlace()) })
}

func sessionListText(a *ui.App, l *audit.List, dir string) string {
	if a.Quiet {
		return ui.EachLine(l.Sessions, func(r *audit.Row) string { return r.Thread })
	}
	if len(l.Sessions) == 0 {
		a.Say("No sessions yet in " + ui.Clean(dir) + ". Start one with `brenner session start`.\n")
		return ""
	}
	rows := [][]string{{"SESSION", "PHASE", "ROUND", "VERSION", "CONFLICTS", "UPDATED", "QUESTION"}}
	for i := range l.Sessions {
		rows = append(rows, listCells(&l.Sessions[i]))
	}
	return a.Table(rows)
}

func listCells(r *audit.Row) []string {
	updated := ui.Seconds(r.Updated)
	if r.Phase == session.PhaseDamaged {
		return []string{r.Thread, r.Phase, "-", "-", "-", updated, r.Problem}
	}
	phase := ui.Phase(r.Phase)
	if r.Reason != "" {
		phase = ui.Ended(r.Task, r.Reason, string(r.Verdict))
	}
	question := ui.Cut(ui.Clean(taskLine(r.Task, strings.Join(strings.Fields(r.Question), " "))))
	if r.Rehearsal {
		question = "(rehearsal) " + question
	}
	return []string{
		ui.Clean(r.Thread), phase, strconv.Itoa(r.Round) + " of " + strconv.Itoa(r.Rounds), strconv.Itoa(r.Version),
		strconv.Itoa(r.Conflicts), updated, question,
	}
}

func sessionStatusCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "status [ID|FILE]",
		Short: "Show the status of a session",
		Long: `Shows the phase of a session, the agents' replies, the result of every version, rejected
deltas and open conflicts. For agents with mailboxes it also shows who acknowledged and
who replied. A mail thread started by another tool is shown as far as possible.

Without an argument, shows the most recently active session.`,
		Example: `  brenner session status
  brenner session status RS-20261115-cell-fate --json

Exit codes: 0 shown; 1 the store is damaged; 2 no such session; 3 shown, ended,
but some agent neither contributed nor wrote NO CHANGES in any round; 5 shown, ended with
an open conflict or stalemate.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error {
			err := a.WithWhole(c, args[0], func(ctx context.Context, src *project.Source, h *session.History) error {
				return showStatus(ctx, a, src, h)
			})
			if unknownHere(err) {
				return foreignStatus(a, c, args[0], err)
			}
			return err
		},
	})
}

// showStatus shows the status of a session and sets the exit code.
func showStatus(ctx context.Context, a *ui.App, src *project.Source, h *session.History) error {
	s, err := src.Status(ctx, h)
	if err != nil {
		return err
	}
	if s.Phase == session.PhaseEnded {
		if a.Exit = verdictCode(s); a.Exit == ui.ExitFailed { // showing it has not failed
			a.Exit = ui.ExitPartial
		}
	}
	return ui.Show(a, s, nil, summaryText)
}

func mailStatus(t *audit.ThreadAgent) string {
	switch {
	case t.Answered:
		return "answered"
	case t.Acknowledged:
		return "acknowledged, no reply yet"
	}
	return "no reply"
}

// ackText says who acknowledged the messages that ask for it, as the server reports.
func ackText(t *audit.Thread) string {
	if t.NoAcks {
		return "the server does not report who acknowledged"
	}
	var agents []string
	asked, missing := make(map[string]int), make(map[string][]string)
	for _, a := range t.Acks {
		if asked[a.Agent]++; asked[a.Agent] == 1 {
			agents = append(agents, a.Agent)
		}
		if !a.Acked {
			missing[a.Agent] = append(missing[a.Agent], string(a.Message))
		}
	}
	for i, name := range agents {
		agents[i] = fmt.Sprintf("%s acknowledged %d of %d", ui.Clean(name), asked[name]-len(missing[name]), asked[name])
		if n := len(missing[name]); n > 0 {
			agents[i] += ", not " + ui.Clean(text.Some(missing[name]))
		}
	}
	return strings.Join(agents, "; ")
}

// threadRows returns the rows of a status about the mail thread.
func threadRows(t *audit.Thread) [][]string {
	if t.Problem != "" {
		return [][]string{{"Mail", "cannot read: " + t.Problem}}
	}
	messages := text.Count(t.Messages, "message")
	if t.Own > 0 {
		messages += " (" + strconv.Itoa(t.Own) + " sent by the session or its operator)"
	}
	rows := [][]string{{"Mail", string(t.Phase) + ", " + messages + " at " + t.Server}}
	for i := range t.Agents {
		rows = append(rows, []string{"", t.Agents[i].Name + ": " + mailStatus(&t.Agents[i])})
	}
	for _, agent := range slices.Sorted(maps.Keys(t.Names)) {
		rows = append(rows, []string{"", agent + " is registered as " + t.Names[agent]})
	}
	if acks := ackText(t); acks != "" {
		rows = append(rows, []string{"Receipts", acks})
	}
	return rows
}

func foreignThreadText(a *ui.App, f *project.ForeignThread) string {
	return ui.Clean(f.Thread) + ": mail thread from another tool; no such session in this project\n\n" + ui.Columns(threadRows(f.Mail)) + a.NextText(f.Next)
}

// foreignStatus shows a thread without a session in this store. If there is no such
// thread either, it returns missing.
func foreignStatus(a *ui.App, c *cobra.Command, arg string, missing error) error {
	address, err := session.ParseAddress(arg)
	if err != nil || ui.WholeSession(c, address) != nil {
		return missing
	}
	p, err := a.Open()
	if err != nil {
		return missing
	}
	f, err := p.ForeignThread(c.Context(), address.Thread)
	switch {
	case fault.CodeOf(err) == mail.NoAuth:
		return errors.Join(missing, err) // the thread may exist
	case err != nil || f == nil:
		return missing // a failing mail server is not worth reporting here
	}
	return ui.Show(a, f, nil, foreignThreadText)
}

// unmailedLine reports a version that was not mailed to all recipients.
func unmailedLine(u *flow.Published) string {
	what := "Version " + strconv.Itoa(u.Version) + " was not mailed"
	if len(u.Missed) > 0 {
		what += " to " + strings.Join(u.Missed, ", ")
	}
	if u.Code != "" {
		what += ": " + u.Detail
	}
	return ui.Clean(what)
}
