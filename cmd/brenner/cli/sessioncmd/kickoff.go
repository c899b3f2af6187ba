package sessioncmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
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
		Use:   "kickoff",
		Short: "Compose or audit the messages that start a session",
	}, kickoffComposeCommand(a), kickoffAuditCommand(a))
}

func kickoffComposeCommand(a *ui.App) *cobra.Command {
	var flags RosterFlags
	var brief briefFlags
	c := &cobra.Command{
		Use:   "compose",
		Short: "Print the kickoff message for each agent of the roster",
		Long: `Composes and prints the message that each agent would receive at the start of a session.
Nothing is sent or written.`,
		Example: `  brenner kickoff compose --preset default-3-agent --question "Why do cells age?"
  brenner kickoff compose --to BlueLake --role test_designer --question @question.txt --json

Exit codes: 0 printed; 2 invalid roster, brief or configuration.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			k, err := compose(a, c, &flags, &brief)
			if err != nil {
				return err
			}
			v, err := k.Kickoffs(c.Context())
			return ui.Show(a, v, err, func(_ *ui.App, v *project.SessionPreview) string { return messagesText(v.Messages) })
		},
	}
	flags.Add(c)
	brief.add(c)
	return c
}

// separator is printed between two messages.
const separator = "=============================================================================="

// oneMessage is a message in a file, and the number of lines before it.
type oneMessage struct {
	text   string
	before int
}

// splitMessages returns the messages of a file, without the To: and Subject: lines that kickoff
// compose prints before each. Messages may also follow one another directly.
func splitMessages(file string) []oneMessage {
	file = strings.ReplaceAll(file, "\r\n", "\n")
	const between = "\n" + separator + "\n\n"
	var all []oneMessage
	before := 0
	for i, text := range strings.Split(file, between+"To: ") {
		lines := strings.Count(text, "\n") + strings.Count(between, "\n")
		if i > 0 {
			text = "To: " + text
		}
		m := oneMessage{text, before}
		head, rest, ok := strings.Cut(text, "\n\n")
		if ok && strings.HasPrefix(head, "To: ") && strings.Contains(head, "\nSubject: ") {
			m = oneMessage{rest, before + strings.Count(head, "\n") + 2}
		}
		for _, part := range kickoff.Split(m.text) {
			all = append(all, oneMessage{part, m.before})
			m.before += strings.Count(part, "\n")
		}
		before += lines
	}
	return all
}

// messagesText formats messages as mail, one after another.
func messagesText(messages []kickoff.Message) string {
	var b strings.Builder
	for i, m := range messages {
		if i > 0 {
			b.WriteString("\n" + separator + "\n\n")
		}
		fmt.Fprintf(&b, "To: %s\nSubject: %s\n\n%s", ui.Clean(m.To), ui.Clean(m.Subject), m.Body)
	}
	return b.String()
}

func kickoffAuditCommand(a *ui.App) *cobra.Command {
	var rosterFile, thread string
	c := ui.InProject(&cobra.Command{
		Use:   "audit FILE",
		Short: "Check that a kickoff message is consistent",
		Long: `Reads the thread id, the roster table and the template from a kickoff message and checks
that they agree with each other and with a roster. The roster is that of --roster, of
--session, or of the session that the message names, if it is in the store. The file may
hold several messages, as ` + "`brenner kickoff compose`" + ` prints them, or one after the other. Of another tool's message
with a session configuration, only the roster is checked. "-" is standard input.`,
		Example: `  brenner kickoff audit kickoff.md
  brenner kickoff audit kickoff.md --session RS-20261115-cell-fate
  brenner kickoff audit kickoff.md --roster roster.json

Exit codes: 0 consistent; 1 inconsistent, or the session is damaged; 2 invalid file, or
no such session.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error {
			if rosterFile != "" {
				if err := ui.Unused(c, "cannot be combined with --roster", "session", "project"); err != nil {
					return err
				}
			}
			data, err := a.ReadFile("kickoff", args[0])
			if err != nil {
				return err
			}
			r, err := auditFile(a, c, string(data), rosterFile, thread)
			if err == nil && !r.OK {
				a.Exit = ui.ExitFailed
			}
			return ui.Show(a, &r, err, func(a *ui.App, r *kickoff.Report) string { return auditText(a, r, args[0], rosterFile) })
		},
	})
	c.Flags().StringVar(&thread, "session", "", "session or export file that the message must belong to")
	c.Flags().StringVar(&rosterFile, "roster", "", ui.RosterUsage+", that the message must agree with")
	return c
}

// auditFile audits the messages of a file. Without a roster or session, several are compared
// with one another.
func auditFile(a *ui.App, c *cobra.Command, file, rosterFile, thread string) (kickoff.Report, error) {
	var all []kickoff.Report
	messages := splitMessages(file)
	common := commonKickoff(messages)
	for _, m := range messages {
		want, err := expectedKickoff(a, c, m.text, rosterFile, thread)
		if err != nil {
			return kickoff.Report{}, err
		}
		against := want.ThreadID
		if want.Roster == nil {
			want = common
		}
		r := kickoff.Audit(m.text, want)
		r.Schema, r.Session = "brenner.kickoff.audit/v1", against
		for i := range r.Findings {
			f := &r.Findings[i]
			f.Line += m.before
			if f.Code == kickoff.RosterDiffers && want == common {
				f.Hint = "one of the messages was changed; --session or --roster says which"
			}
		}
		all = append(all, r)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	sum := kickoff.Report{Schema: all[0].Schema, OK: true, ThreadID: all[0].ThreadID, Round: all[0].Round, Roster: all[0].Roster, Session: all[0].Session, Messages: all}
	for i := range all {
		sum.OK = sum.OK && all[i].OK
		sum.Findings = append(sum.Findings, all[i].Findings...)
	}
	return sum, nil
}

// commonKickoff returns what most of several messages agree on. Of as many, the roster counts whose
// roles more of the messages were written for, then the first.
func commonKickoff(messages []oneMessage) (common kickoff.Expected) {
	most, count := [2]int{}, map[string]int{}
	if len(messages) < 2 {
		return common
	}
	reports := make([]kickoff.Report, len(messages))
	key := func(r *kickoff.Report) string { return r.ThreadID + "\n" + r.Roster.Block() }
	for i, m := range messages {
		reports[i] = kickoff.Audit(m.text, kickoff.Expected{})
		count[key(&reports[i])]++
	}
	for i := range reports {
		r := &reports[i]
		if n := [2]int{count[key(r)], fitting(&r.Roster, reports)}; slices.Compare(n[:], most[:]) > 0 && len(r.Roster.Entries) > 0 {
			most = n
			common = kickoff.Expected{ThreadID: r.ThreadID, Roster: &r.Roster, Source: fmt.Sprintf("the message at line %d", messages[i].before+1)}
		}
	}
	return common
}

// fitting returns how many messages have the template of their recipient's role in a roster.
func fitting(r *roster.Roster, messages []kickoff.Report) int {
	n := 0
	for i := range messages {
		e, ok := r.Find(messages[i].Recipient)
		if ok && messages[i].TemplateRole() == string(e.Role) {
			n++
		}
	}
	return n
}

// expectedKickoff returns what a message must agree with: the roster of the command line,
// or that of a session.
func expectedKickoff(a *ui.App, c *cobra.Command, text, rosterFile, thread string) (want kickoff.Expected, err error) {
	if rosterFile != "" {
		r, err := a.ReadRoster(rosterFile)
		return kickoff.Expected{Roster: &r}, err
	}
	named := thread != ""
	if named {
		if thread, err = a.Latest(c, thread); err != nil {
			return want, err
		}
	} else {
		thread = kickoff.Audit(text, kickoff.Expected{}).ThreadID
		if kickoff.CheckThreadID(thread) != nil {
			return want, nil // reported as a finding
		}
	}
	err = a.WithWhole(c, thread, func(_ context.Context, _ *project.Source, h *session.History) error {
		r, err := h.Roster(kickoff.Audit(text, kickoff.Expected{}).Roster)
		want = kickoff.Expected{ThreadID: h.Thread, Roster: &r, Source: "session " + h.Thread}
		return err
	})
	if code := fault.CodeOf(err); !named && (code == store.NoStore || code == session.NoSession) {
		return kickoff.Expected{}, nil // the session belongs to another store
	}
	return want, err
}

// auditText formats the findings of an audit; against is a roster file.
func auditText(a *ui.App, r *kickoff.Report, path, against string) string {
	var b strings.Builder
	against += r.Session
	rows := [][]string{{"thread", ui.OrDash(r.ThreadID)}}
	for i := range r.Messages {
		rows = append(rows, auditRows(&r.Messages[i])...)
	}
	if len(r.Messages) == 0 {
		rows = append(rows, auditRows(r)...)
	}
	b.WriteString(ui.Columns(append(rows, []string{"against", ui.OrDash(against)})))
	rows = nil
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
	return b.String() + auditVerdict(r, against) + "\n"
}

func auditRows(r *kickoff.Report) [][]string {
	return [][]string{{"recipient", ui.OrDash(r.Recipient)}, {"template", ui.OrDash(strings.TrimSpace(r.Template + " " + r.Hash))}}
}

// auditVerdict says what was found, and what the message was compared with.
func auditVerdict(r *kickoff.Report, against string) string {
	verdict := "consistent"
	switch {
	case !r.OK:
		return text.Count(len(r.Findings), "finding")
	case against == "":
		verdict = "consistent in itself; compared with nothing"
	}
	if r.RosterOnly {
		verdict += " (only the roster: the message is not one of this program)"
	}
	return verdict
}
