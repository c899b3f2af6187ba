package mailcmd

import (
	"strings"

	"github.com/spf13/cobra"

	agentmail "brenner/agent/mail"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/project"
)

const mailExits = `

Exit codes: 0 done; 2 the server refused it, or an argument is wrong; 3 sent, but not to
everybody; 4 the token is missing or not allowed to do this; 75 the server cannot be reached.`

// mailHealth is how a server is.
type mailHealth struct {
	Schema  string `json:"schema"`
	Server  string `json:"server"`
	Status  string `json:"status"`
	Version string `json:"version"`
}

// mailAgents is who has a mailbox.
type mailAgents struct {
	Schema string       `json:"schema"`
	Server string       `json:"server"`
	Agents []mail.Agent `json:"agents"`
}

// mailAck is a message that was acknowledged.
type mailAck struct {
	Schema  string  `json:"schema"`
	Server  string  `json:"server"`
	Message mail.ID `json:"message_id"`
	Agent   string  `json:"agent"`
}

func mailHealthCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	c := &cobra.Command{
		Use: "health", Short: "Say whether the mail server works", Example: "  brenner mail health" + mailExits, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := mailbox(a, flags)
			if err != nil {
				return err
			}
			h, err := m.Client.Health(c.Context())
			if err != nil {
				return err
			}
			return a.Show(&mailList{
				doc:  mailHealth{Schema: "brenner.mail.health/v1", Server: m.Client.URL(), Status: h.Status, Version: h.Version},
				rows: [][]string{{m.Client.URL(), h.Status, h.Version}},
			})
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
			p, err := m.Client.EnsureProject(c.Context(), m.Key)
			if err != nil {
				return err
			}
			all, err := m.Client.Agents(c.Context(), p.Slug)
			if err != nil {
				return err
			}
			r := &mailList{doc: mailAgents{Schema: "brenner.mail.agents/v1", Server: m.Client.URL(), Agents: append([]mail.Agent{}, all...)}, none: "there are no mailboxes yet"}
			for _, o := range all {
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
	desk := agentmail.New(agentmail.Options{Client: m.Client, Project: m.Key, Sender: d.From})
	if err := desk.Open(c.Context()); err != nil {
		return err
	}
	d.Project, d.Body, d.From = m.Key, text, desk.Own()
	d.To, d.CC = m.Names(d.To), m.Names(d.CC)
	s, err := m.Client.Send(c.Context(), d)
	if err != nil {
		return err
	}
	doc := mailDocument{Schema: "brenner.mail.sent/v1", Server: m.Client.URL(), Messages: s.Messages}
	for _, o := range s.Missed {
		doc.Missed = append(doc.Missed, o.Agent)
		a.Say("brenner: not reached: " + ui.Clean(o.Agent) + "\n")
		a.Exit = ui.ExitPartial
	}
	return a.Show(&mailList{doc: doc, rows: messageRows(s.Messages)})
}

func mailInboxCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var limit int
	var unread, bodies bool
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
			name = m.Name(name)
			all, err := m.Client.Inbox(c.Context(), mail.InboxQuery{Project: m.Key, Agent: name, Limit: limit, Unread: unread}, 0)
			if err != nil {
				return hinted(err, mail.NotFound, mailboxHint(name))
			}
			doc := mailDocument{Schema: "brenner.mail.inbox/v1", Server: m.Client.URL(), Messages: append([]mail.Message{}, all...)}
			none := "nothing was sent to " + ui.Clean(name)
			if bodies {
				return a.Show(&letters{doc, none})
			}
			return a.Show(&mailList{doc: doc, rows: messageRows(all), none: none})
		},
	}
	flags.Add(c)
	c.Flags().IntVar(&limit, "limit", mail.DefaultLimit, "how many, newest first")
	c.Flags().BoolVar(&unread, "unread", false, "only what was not marked as read")
	c.Flags().BoolVar(&bodies, "bodies", false, "with their texts")
	return c
}

// mailboxHint says how a mailbox comes to be that is not there: a server speaks to agents,
// of tools that nobody has at a terminal.
func mailboxHint(name string) string {
	if name == project.OperatorName {
		return "nobody has written here yet: `brenner mail send --to NAME --subject TEXT …` makes the operator's mailbox, and so does a session whose agents are reached via mail"
	}
	return "`brenner mail agents` lists the mailboxes there are; " + text.CommandToCopy("brenner mail token", "NAME", name) + " makes this one"
}

// hinted is an error with another hint, if it has a code.
func hinted(err error, code fault.Code, hint string) error {
	if fault.CodeOf(err) != code {
		return err
	}
	f := *fault.Distinct(err)[0]
	f.Hint = hint
	return &f
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
			all, err := m.Client.Thread(c.Context(), mail.ThreadQuery{Project: m.Key, Thread: args[0], Reader: m.Name(project.OperatorName), Receipts: true})
			if err != nil {
				return hinted(err, mail.NotFound, mailboxHint(project.OperatorName))
			}
			doc := mailDocument{Schema: "brenner.mail.thread/v1", Server: m.Client.URL(), Messages: append([]mail.Message{}, all...), Phase: mail.Read(all).Phase}
			return a.Show(&letters{doc, "the thread has no messages"})
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
			as = m.Name(as)
			if err := m.Client.Acknowledge(c.Context(), m.Key, as, mail.ID(args[0])); err != nil {
				return hinted(err, mail.NotFound, text.CommandToCopy("brenner mail inbox", "NAME", as)+" lists what was sent to it")
			}
			return a.Show(&mailList{doc: mailAck{Schema: "brenner.mail.ack/v1", Server: m.Client.URL(), Message: mail.ID(args[0]), Agent: as}, rows: [][]string{{args[0], "acknowledged"}}})
		},
	}
	flags.Add(c)
	c.Flags().StringVar(&as, "as", project.OperatorName, "who acknowledges it")
	return c
}
