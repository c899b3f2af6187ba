package mailcmd

import (
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/mail"
	"brenner/project"
)

const mailExits = `

Exit codes: 0 done; 2 the server refused it, or an argument is wrong; 3 sent, but not to
everybody; 4 the token is missing or not allowed to do this; 75 the server cannot be reached.`

func mailHealthCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	c := &cobra.Command{
		Use: "health", Short: "Say whether the mail server works", Example: "  brenner mail health" + mailExits, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := mailbox(a, flags)
			if err != nil {
				return err
			}
			h, err := m.Health(c.Context())
			if err != nil {
				return err
			}
			return a.Show(&mailList{doc: h, rows: [][]string{{h.Server, h.Status, h.Version}}})
		},
	}
	flags.Add(c)
	return c
}

func mailAgentsCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	c := &cobra.Command{
		Use: "agents", Short: "List the project's mailboxes", Example: "  brenner mail agents" + mailExits, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := mailbox(a, flags)
			if err != nil {
				return err
			}
			all, err := m.Agents(c.Context())
			if err != nil {
				return err
			}
			r := &mailList{doc: all, none: "there are no mailboxes yet"}
			for _, o := range all.Agents {
				r.rows = append(r.rows, []string{o.Name, ui.OrDash(o.Program), ui.OrDash(o.Model), o.Active.Format("2006-01-02 15:04:05")})
			}
			return a.Show(r)
		},
	}
	flags.Add(c)
	return c
}

func mailSendCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	d := mail.Draft{}
	c := &cobra.Command{
		Use: "send TEXT|@FILE", Short: "Send a message", Args: ui.Exactly("text"),
		Long: `Sends a message. "@FILE" takes the text from a file, "@-" from standard input. With --key the
same message is sent once, however often the command is run.`,
		Example: `  brenner mail send --to BlueLake --subject "QUESTION: H2" "What would refute it?"` + mailExits,
		RunE:    func(c *cobra.Command, args []string) error { return mailSend(a, c, flags, d, args[0]) },
	}
	flags.Add(c)
	f := c.Flags()
	f.StringVar(&d.From, "as", project.OperatorName, "who sends it")
	f.StringSliceVar(&d.To, "to", nil, "agents; repeatable")
	f.StringSliceVar(&d.CC, "cc", nil, "agents who get a copy; repeatable")
	f.StringVar(&d.Subject, "subject", "", "PREFIX: text")
	f.StringVar(&d.Thread, "thread", "", "the thread that it belongs to")
	f.StringVar(&d.Importance, "importance", "", "low, normal, high or urgent")
	f.BoolVar(&d.AckRequired, "ack", false, "ask for an acknowledgement")
	f.StringVar(&d.Key, "key", "", "send the message once for this key")
	return c
}

func mailSend(a *ui.App, c *cobra.Command, flags MailFlags, d mail.Draft, text string) error {
	if len(d.To) == 0 || strings.TrimSpace(d.Subject) == "" {
		return ui.Usage(c, "a message needs --to and --subject", "")
	}
	text, err := a.Inline("the message", text)
	if err != nil {
		return err
	}
	m, err := mailbox(a, flags)
	if err != nil {
		return err
	}
	d.Body = text
	s, err := m.Send(c.Context(), d)
	if err != nil {
		return err
	}
	for _, name := range s.Missed {
		a.Say("brenner: not reached: " + ui.Clean(name) + "\n")
		a.Exit = ui.ExitPartial
	}
	return a.Show(&mailList{doc: s, rows: messageRows(s.Messages)})
}

func mailInboxCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var q mail.InboxQuery
	var bodies bool
	c := &cobra.Command{
		Use: "inbox [NAME]", Short: "Show what was sent to an agent; nothing is marked as read", Args: cobra.MaximumNArgs(1),
		Example: "  brenner mail inbox\n  brenner mail inbox BlueLake --unread" + mailExits,
		RunE: func(c *cobra.Command, args []string) error {
			name := project.OperatorName
			if len(args) > 0 {
				name = args[0]
			}
			m, err := mailbox(a, flags)
			if err != nil {
				return err
			}
			q.Agent = name
			all, err := m.Inbox(c.Context(), q)
			if err != nil {
				return err
			}
			none := "nothing was sent to " + ui.Clean(m.Name(name))
			if bodies {
				return a.Show(&lettersView{all, none})
			}
			return a.Show(&mailList{doc: all, rows: messageRows(all.Messages), none: none})
		},
	}
	flags.Add(c)
	c.Flags().IntVar(&q.Limit, "limit", mail.DefaultLimit, "how many, newest first")
	c.Flags().BoolVar(&q.Unread, "unread", false, "only what was not marked as read")
	c.Flags().BoolVar(&bodies, "bodies", false, "with their texts")
	return c
}

func mailThreadCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	c := &cobra.Command{
		Use: "thread ID", Short: "Show a thread with its texts, oldest first", Args: ui.Exactly("thread"), Example: "  brenner mail thread RS-20261115-cell-fate" + mailExits,
		RunE: func(c *cobra.Command, args []string) error {
			if err := mail.CheckThread(args[0]); err != nil {
				return err
			}
			m, err := mailbox(a, flags)
			if err != nil {
				return err
			}
			all, err := m.Thread(c.Context(), args[0])
			if err != nil {
				return err
			}
			return a.Show(&lettersView{all, "the thread has no messages"})
		},
	}
	flags.Add(c)
	return c
}

func mailAckCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var as string
	c := &cobra.Command{
		Use: "ack MESSAGE", Short: "Acknowledge a message", Args: ui.Exactly("message"), Example: "  brenner mail ack 17 --as BlueLake" + mailExits,
		RunE: func(c *cobra.Command, args []string) error {
			m, err := mailbox(a, flags)
			if err != nil {
				return err
			}
			ack, err := m.Acknowledge(c.Context(), as, mail.ID(args[0]))
			if err != nil {
				return err
			}
			return a.Show(&mailList{doc: ack, rows: [][]string{{args[0], "acknowledged"}}})
		},
	}
	flags.Add(c)
	c.Flags().StringVar(&as, "as", project.OperatorName, "who acknowledges it")
	return c
}
