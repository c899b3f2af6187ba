package mailcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/mail"
	"brenner/project"
)

// Command returns the mail commands.
func Command(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use: "mail", GroupID: ui.Other, Short: "Mailboxes for agents: serve them, and read and write in them",
		Long: `Agent Mail: agents with mailboxes, reached over HTTP as an MCP server. ` + "`brenner mail serve`" + `
is such a server; the other commands speak to it, or to any other one that
` + mail.EnvBaseURL + `, ` + mail.EnvPath + ` and ` + mail.EnvToken + ` name, or
mail: in ` + config.FileName + `.`,
	}
	c.AddCommand(mailServeCommand(a), mailTokenCommand(a), mailConnectCommand(a), mailHealthCommand(a), mailAgentsCommand(a),
		mailSendCommand(a), mailInboxCommand(a), mailThreadCommand(a), mailAckCommand(a))
	ui.Group(c)
	return c
}

// MailFlags say which project's mail it is, and where the server is.
type MailFlags struct{ Project, URL string }

// Add declares the flags on a command.
func (m *MailFlags) Add(c *cobra.Command) {
	ui.AddProjectFlag(c, &m.Project)
	c.Flags().StringVar(&m.URL, "url", "", "the server's address ["+mail.EnvBaseURL+"]; "+mail.DefaultBaseURL+" if not given")
}

// mailbox prepares the way to a mail server. Nothing is sent yet.
func mailbox(a *ui.App, flags MailFlags) (*project.Mailbox, error) {
	p, err := a.Open(flags.Project, "", nil)
	if err != nil {
		return nil, err
	}
	return p.MailboxOf(flags.URL)
}

// mailList is a list that a command of mail shows.
type mailList struct {
	doc  any
	rows [][]string
	none string
}

func (r *mailList) Document() any { return r.doc }

func (r *mailList) Print(a *ui.App) error {
	if len(r.rows) == 0 {
		a.Say(r.none + "\n")
		return nil
	}
	return a.Write([]byte(ui.Columns(r.rows)))
}

func messageRows(all []mail.Message) [][]string {
	var rows [][]string
	for _, m := range all {
		rows = append(rows, []string{string(m.ID), m.Created.Format("2006-01-02 15:04:05"), m.From, m.Thread, m.Subject})
	}
	return rows
}

// lettersView are messages with their texts.
type lettersView struct {
	*project.Letters
	none string
}

func (l *lettersView) Print(a *ui.App) error {
	if len(l.Messages) == 0 {
		a.Say(l.none + "\n")
		return nil
	}
	var b strings.Builder
	for i, m := range l.Messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s  %s  %s to %s  %s\n", ui.Clean(string(m.ID)), m.Created.Format("2006-01-02 15:04:05"), ui.Clean(m.From), ui.Clean(strings.Join(slices.Concat(m.To, m.CC), ", ")), ui.Clean(m.Subject))
		b.WriteString(ui.CleanLines(m.Body, "    "))
	}
	return a.Write([]byte(b.String()))
}
