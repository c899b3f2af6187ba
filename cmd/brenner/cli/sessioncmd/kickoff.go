package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/project"
	"brenner/roster"
	"brenner/session"
	"brenner/store"
)

// KickoffCommand returns the kickoff commands.
func KickoffCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "kickoff",
		GroupID: ui.Other,
		Short:   "Compose the messages that start a session, or audit one",
	}, kickoffComposeCommand(a), kickoffAuditCommand(a))
}

func kickoffComposeCommand(a *ui.App) *cobra.Command {
	var flags RosterFlags
	var brief briefFlags
	c := &cobra.Command{
		Use:   "compose",
		Short: "Print the kickoff for each agent of the roster",
		Long: `Composes the message that each agent would get at the start of a session, and prints
them. Nothing is sent and nothing is written.`,
		Example: `  brenner kickoff compose --preset default-3-agent --question "Why do cells age?"
  brenner kickoff compose --to BlueLake --role test_designer --question @question.txt --json

Exit codes: 0 printed; 2 the roster, the brief or the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			k, err := compose(a, c, &flags, &brief)
			if err != nil {
				return err
			}
			return ui.Show(a, composedDocument{Schema: "brenner.kickoff/v1", ThreadID: k.ThreadID, Roster: k.Roster, Messages: k.Messages}, nil, kickoffsText)
		},
	}
	flags.Add(c)
	brief.add(c)
	return c
}

// composedDocument is what a session would send.
type composedDocument struct {
	Schema   string            `json:"schema"`
	DryRun   bool              `json:"dry_run,omitzero"`
	ThreadID string            `json:"thread_id"`
	Question string            `json:"question,omitzero"`
	Roster   roster.Resolution `json:"roster"`
	Messages []kickoff.Message `json:"messages"`
}

func kickoffsText(_ *ui.App, k composedDocument) string { return messagesText(k.Messages) }

// between stands between two messages.
const between = "=============================================================================="

// oneMessage takes the To: and Subject: lines off a message that kickoff compose
// printed: they are the envelope, not the message.
func oneMessage(text string) (string, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if n := strings.Count(text, "\n"+between+"\n"); n > 0 {
		return "", &fault.Error{
			Code: files.Unreadable, Detail: fmt.Sprintf("the file holds %d messages", n+1),
			Hint: "audit one at a time: `brenner kickoff compose --to NAME …`",
		}
	}
	head, rest, ok := strings.Cut(text, "\n\n")
	if ok && strings.HasPrefix(head, "To: ") && strings.Contains(head, "\nSubject: ") {
		return rest, nil
	}
	return text, nil
}

// messagesText puts messages one below the other, as mails would stand.
func messagesText(messages []kickoff.Message) string {
	var b strings.Builder
	for i, m := range messages {
		if i > 0 {
			b.WriteString("\n" + between + "\n\n")
		}
		fmt.Fprintf(&b, "To: %s\nSubject: %s\n\n%s", ui.Clean(m.To), ui.Clean(m.Subject), m.Body)
	}
	return b.String()
}

func kickoffAuditCommand(a *ui.App) *cobra.Command {
	var rosterFile, thread string
	c := ui.InProject(&cobra.Command{
		Use:   "audit FILE",
		Short: "Read a kickoff back and check that its parts agree",
		Long: `Reads the thread id, the roster's table and the template out of a kickoff message and
checks that they agree with each other, and with a roster: the one of --roster, that of the
session of --session, or, if neither is given, that of the session which the message names,
if the project's store has it. "-" is standard input.`,
		Example: `  brenner kickoff audit kickoff.md
  brenner kickoff audit kickoff.md --session RS-20261115-cell-fate
  brenner kickoff audit kickoff.md --roster roster.json

Exit codes: 0 everything agrees; 1 something does not, or the session is damaged; 2 a file cannot
be used, or there is no such session.`,
		Args: ui.OneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if rosterFile != "" {
				if err := ui.Unused(c, "does not go with --roster: one of them says who takes part", "session", "project"); err != nil {
					return err
				}
			}
			data, err := a.ReadFile("kickoff", args[0])
			if err != nil {
				return err
			}
			text, err := oneMessage(string(data))
			if err != nil {
				return fault.InFile("read kickoff", args[0], err)
			}
			want, err := wantedOf(a, c, text, rosterFile, thread)
			if err != nil {
				return err
			}
			r := kickoff.Audit(text, want)
			r.Schema, r.Session = "brenner.kickoff.audit/v1", want.ThreadID
			if !r.OK {
				a.Exit = ui.ExitFailed
			}
			return ui.Show(a, &r, nil, func(a *ui.App, r *kickoff.Report) string { return auditText(a, r, args[0], rosterFile) })
		},
	})
	c.Flags().StringVar(&thread, "session", "", "a session, or the file of an export: the message must be of it")
	c.Flags().StringVar(&rosterFile, "roster", "", ui.RosterUsage+": the message must agree with it")
	return c
}

// wantedOf gives what a message must agree with: a roster of the command line, or that of
// a session.
func wantedOf(a *ui.App, c *cobra.Command, text, rosterFile, thread string) (want kickoff.Expected, err error) {
	if rosterFile != "" {
		r, err := a.ReadRoster(rosterFile)
		return kickoff.Expected{Roster: &r}, err
	}
	named := thread != ""
	if !named {
		thread = kickoff.Audit(text, kickoff.Expected{}).ThreadID
		if kickoff.CheckThreadID(thread) != nil {
			return want, nil // that is a finding
		}
	}
	err = a.WithWhole(c, thread, func(_ context.Context, _ *project.Source, h *session.History) error {
		r, err := h.Roster()
		want = kickoff.Expected{ThreadID: h.Thread, Roster: &r}
		return err
	})
	if code := fault.CodeOf(err); !named && (code == store.NoStore || code == session.NoSession) {
		return kickoff.Expected{}, nil // it is of a session that others have
	}
	return want, err
}

// auditText says what an audit of a message found; against is the file of a roster.
func auditText(a *ui.App, r *kickoff.Report, path, against string) string {
	var b strings.Builder
	b.WriteString(ui.Columns([][]string{
		{"thread", ui.OrDash(r.ThreadID)},
		{"recipient", ui.OrDash(r.Recipient)},
		{"template", ui.OrDash(strings.TrimSpace(r.Template + " " + r.Hash))},
		{"against", ui.OrDash(against + r.Session)},
	}))
	rows := [][]string{}
	for _, e := range r.Roster.Entries {
		rows = append(rows, []string{"roster", e.Agent, string(e.Role), ui.OrDash(e.Program), ui.OrDash(e.Model)})
	}
	b.WriteString(ui.Columns(rows))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d: %s: %s: %s\n", ui.Clean(path), f.Line, f.Code, ui.Clean(f.What), ui.Clean(f.Message))
		if f.Hint != "" && !a.Quiet {
			fmt.Fprintf(&b, "    fix: %s\n", ui.Clean(f.Hint))
		}
	}
	if r.OK {
		b.WriteString("everything agrees\n")
	} else {
		b.WriteString(text.Count(len(r.Findings), "finding") + "\n")
	}
	return b.String()
}
