// Package mailcmd holds the commands of `brenner mail`.
package mailcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/mail"
	"brenner/mail/server"
	"brenner/project"
)

// Command returns the mail commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use: "mail", GroupID: ui.Other, Short: "Mailboxes for agents: serve them, and read and write in them",
		Long: `Agent Mail: agents with mailboxes, reached over HTTP as an MCP server. ` + "`brenner mail serve`" + `
is such a server; the other commands speak to it, or to any other one that
` + mail.EnvBaseURL + `, ` + mail.EnvPath + ` and ` + mail.EnvToken + ` name, or
mail: in ` + config.FileName + `.`,
	}, mailServeCommand(a), mailTokenCommand(a), mailConnectCommand(a), mailHealthCommand(a), mailAgentsCommand(a),
		mailSendCommand(a), mailInboxCommand(a), mailThreadCommand(a), mailAckCommand(a))
}

// MailFlags say which project's mail it is, and where the server is.
type MailFlags struct{ URL string }

// Add declares the flags on a command.
func (m *MailFlags) Add(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&m.URL, "url", "", "the server's address ["+mail.EnvBaseURL+"]; "+mail.DefaultBaseURL+" if not given")
	return ui.InProject(c)
}

// ask prepares the way to a mail server, asks it something, and shows the answer.
func ask[V any](a *ui.App, flags *MailFlags, do func(*project.Mailbox) (V, error), text func(*ui.App, V) string) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	m, err := p.MailboxOf(flags.URL)
	if err != nil {
		return err
	}
	v, err := do(m)
	return ui.Show(a, v, err, text)
}

// clock is how instants of mail are shown.
const clock = "2006-01-02 15:04:05"

// messageTable lists messages without their texts; none is what to say where there are none.
func messageTable(a *ui.App, all []mail.Message, none string) string {
	if len(all) == 0 {
		a.Say(none + "\n")
	}
	var rows [][]string
	for _, m := range all {
		rows = append(rows, []string{string(m.ID), m.Created.Format(clock), m.From, m.Thread, m.Subject})
	}
	return ui.Columns(rows)
}

// messageTexts shows messages with their texts.
func messageTexts(a *ui.App, all []mail.Message, none string) string {
	if len(all) == 0 {
		a.Say(none + "\n")
	}
	var b strings.Builder
	for i, m := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s  %s  %s to %s  %s\n", ui.Clean(string(m.ID)), m.Created.Format(clock), ui.Clean(m.From), ui.Clean(strings.Join(slices.Concat(m.To, m.CC), ", ")), ui.Clean(m.Subject))
		b.WriteString(ui.CleanLines(m.Body, "    "))
	}
	return b.String()
}

const mailExits = `

Exit codes: 0 done; 2 the server refused it, or an argument is wrong; 3 sent, but not to
everybody; 4 the token is missing or not allowed to do this; 75 the server cannot be reached.`

func mailHealthCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	return flags.Add(&cobra.Command{
		Use: "health", Short: "Say whether the mail server works", Example: "  brenner mail health" + mailExits, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(a, &flags, func(m *project.Mailbox) (*project.MailHealth, error) { return m.Health(c.Context()) }, healthText)
		},
	})
}

func healthText(_ *ui.App, h *project.MailHealth) string {
	return ui.Columns([][]string{{h.Server, h.Status, h.Version}})
}

func mailAgentsCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	return flags.Add(&cobra.Command{
		Use: "agents", Short: "List the project's mailboxes", Example: "  brenner mail agents" + mailExits, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(a, &flags, func(m *project.Mailbox) (*project.MailAgents, error) { return m.Agents(c.Context()) }, agentsText)
		},
	})
}

func agentsText(a *ui.App, all *project.MailAgents) string {
	if len(all.Agents) == 0 {
		a.Say("there are no mailboxes yet\n")
	}
	var rows [][]string
	for _, o := range all.Agents {
		rows = append(rows, []string{o.Name, ui.OrDash(o.Program), ui.OrDash(o.Model), o.Active.Format(clock)})
	}
	return ui.Columns(rows)
}

func mailSendCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	d := mail.Draft{}
	c := flags.Add(&cobra.Command{
		Use: "send TEXT|@FILE", Short: "Send a message", Args: ui.Exactly("text"),
		Long: `Sends a message. "@FILE" takes the text from a file, "@-" from standard input. With --key the
same message is sent once, however often the command is run.`,
		Example: `  brenner mail send --to BlueLake --subject "QUESTION: H2" "What would refute it?"` + mailExits,
		RunE:    func(c *cobra.Command, args []string) error { return mailSend(a, c, &flags, d, args[0]) },
	})
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

func mailSend(a *ui.App, c *cobra.Command, flags *MailFlags, d mail.Draft, text string) (err error) {
	if len(d.To) == 0 || strings.TrimSpace(d.Subject) == "" {
		return ui.Usage(c, "a message needs --to and --subject", "")
	}
	if d.Body, err = a.Inline("the message", text); err != nil {
		return err
	}
	return ask(a, flags, func(m *project.Mailbox) (*project.MailMessages, error) {
		s, err := m.Send(c.Context(), d)
		if err == nil && len(s.Missed) > 0 {
			a.Say(ui.EachLine(s.Missed, func(name *string) string { return "brenner: not reached: " + *name }))
			a.Exit = ui.ExitPartial
		}
		return s, err
	}, func(a *ui.App, s *project.MailMessages) string { return messageTable(a, s.Messages, "") })
}

func mailInboxCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	q := mail.InboxQuery{Agent: project.OperatorName}
	var bodies bool
	c := flags.Add(&cobra.Command{
		Use: "inbox [NAME]", Short: "Show what was sent to an agent; nothing is marked as read", Args: cobra.MaximumNArgs(1),
		Example: "  brenner mail inbox\n  brenner mail inbox BlueLake --unread" + mailExits,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				q.Agent = args[0]
			}
			show, none := messageTable, ""
			if bodies {
				show = messageTexts
			}
			return ask(a, &flags, func(m *project.Mailbox) (*project.MailMessages, error) {
				none = "nothing was sent to " + ui.Clean(m.Name(q.Agent))
				return m.Inbox(c.Context(), q)
			}, func(a *ui.App, l *project.MailMessages) string { return show(a, l.Messages, none) })
		},
	})
	c.Flags().IntVar(&q.Limit, "limit", mail.DefaultLimit, "how many, newest first")
	c.Flags().BoolVar(&q.Unread, "unread", false, "only what was not marked as read")
	c.Flags().BoolVar(&bodies, "bodies", false, "with their texts")
	return c
}

func mailThreadCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	return flags.Add(&cobra.Command{
		Use: "thread ID", Short: "Show a thread with its texts, oldest first", Args: ui.Exactly("thread"), Example: "  brenner mail thread RS-20261115-cell-fate" + mailExits,
		RunE: func(c *cobra.Command, args []string) error {
			if err := mail.CheckThread(args[0]); err != nil {
				return err
			}
			return ask(a, &flags, func(m *project.Mailbox) (*project.MailMessages, error) { return m.Thread(c.Context(), args[0]) },
				func(a *ui.App, l *project.MailMessages) string {
					return messageTexts(a, l.Messages, "the thread has no messages")
				})
		},
	})
}

func mailAckCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var as string
	c := flags.Add(&cobra.Command{
		Use: "ack MESSAGE", Short: "Acknowledge a message", Args: ui.Exactly("message"), Example: "  brenner mail ack 17 --as BlueLake" + mailExits,
		RunE: func(c *cobra.Command, args []string) error {
			return ask(a, &flags, func(m *project.Mailbox) (*project.MailAck, error) {
				return m.Acknowledge(c.Context(), as, mail.ID(args[0]))
			},
				func(*ui.App, *project.MailAck) string { return ui.Columns([][]string{{args[0], "acknowledged"}}) })
		},
	})
	c.Flags().StringVar(&as, "as", project.OperatorName, "who acknowledges it")
	return c
}

func mailServeCommand(a *ui.App) *cobra.Command {
	var opt project.MailServer
	c := ui.InProject(&cobra.Command{
		Use: "serve", Short: "Run the project's mail server until Ctrl-C",
		Long: `Serves the project's mail (.brenner/mail.db) over HTTP, on this machine only unless --addr
says otherwise. The first start makes the operator's token (.brenner/mail-operator.token,
readable by its owner only) and prints it once. Killing the server loses nothing.`,
		Example: `  brenner mail serve
  brenner mail serve --addr 127.0.0.1:0

Exit codes: 0 ended by Ctrl-C; 1 the mailbox cannot be written; 2 the address cannot be
listened at; 4 others could reach it without a token.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return mailServe(c.Context(), a, &opt) },
	})
	f := c.Flags()
	f.StringVar(&opt.Addr, "addr", server.DefaultAddress, "where to listen; port 0 takes a free one")
	f.StringArrayVar(&opt.Hosts, "host", nil, "a name under which the server may be asked, beside localhost; repeatable")
	f.BoolVar(&opt.NoToken, "no-token", false, "hear everybody; only on this machine")
	return c
}

func mailServe(ctx context.Context, a *ui.App, opt *project.MailServer) (err error) {
	p, err := a.Open()
	if err != nil {
		return err
	}
	m, err := p.OpenMail(ctx, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Box.Close()) }()
	ctx, drain, done := a.Interrupts.Gently(ctx, func() {})
	defer done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-drain:
			cancel()
		case <-ctx.Done():
		}
	}()
	serving := mailServing{Schema: "brenner.mail.serve/v1", URL: m.URL(), Project: p.Config.Project.Dir}
	if err := ui.Show(a, serving, nil, func(_ *ui.App, s mailServing) string { return s.URL + "\n" }); err != nil {
		return err
	}
	a.Say("brenner: mail of " + ui.Clean(p.Config.Project.Dir) + "; `brenner mail connect NAME` says how an agent joins; Ctrl-C ends\n")
	return m.Server.Serve(ctx, m.Listener)
}

// mailServing is where a server is.
type mailServing struct {
	Schema  string `json:"schema"`
	URL     string `json:"url"`
	Project string `json:"project"`
}

func mailTokenCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var r mail.Registration
	c := flags.Add(&cobra.Command{
		Use: "token NAME", Short: "Give an agent a new token, and the mailbox if it has none",
		Long: `Makes a token for an agent, in the place of the one it had, and prints it. The agent sends it
as its bearer token; with it, it can act for itself and read its own mail, nothing else.`,
		Example: `  export MAIL_TOKEN=$(brenner mail token BlueLake)

Exit codes: 0 done; 1 the mailbox cannot be written; 2 not a name.`,
		Args: ui.Exactly("name"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Name = args[0]
			return ask(a, &flags, func(m *project.Mailbox) (*project.MailToken, error) { return m.MakeToken(c.Context(), r) },
				func(_ *ui.App, t *project.MailToken) string { return t.Token + "\n" })
		},
	})
	c.Flags().StringVar(&r.Program, "program", "", "the program that the agent is")
	c.Flags().StringVar(&r.Model, "model", "", "the model that the agent is")
	return c
}

func mailConnectCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	return flags.Add(&cobra.Command{
		Use: "connect NAME", Short: "Print what Claude Code, Codex CLI, Gemini CLI and Cursor need to join as an agent", Args: ui.Exactly("name"),
		Long: `Prints the configuration with which an agent program reaches this project's mail. The token
itself is not in it: every program takes it from the variable ` + project.ClientToken + `. Where a file is
there already, what is printed has its place beside what it holds.`,
		Example: `  brenner mail connect BlueLake

Exit codes: 0 printed; 2 not a name, or the address is none.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := mail.CheckName(args[0]); err != nil {
				return err
			}
			return ask(a, &flags, func(m *project.Mailbox) (*project.MailConnection, error) { return m.Connect(args[0]), nil }, connectionText)
		},
	})
}

func connectionText(_ *ui.App, r *project.MailConnection) string {
	var b strings.Builder
	b.WriteString("export " + project.ClientToken + "=$(brenner mail token " + r.Agent + ")\n")
	for _, c := range r.Clients {
		b.WriteString("\n# " + c.Program + ": " + c.File + "\n" + c.Text + "\n")
	}
	b.WriteString("\n# and say to it:\nYou are " + r.Agent + " in the project " + ui.Clean(r.ProjectKey) + ". Read your mail with fetch_inbox, acknowledge what asks for it, and answer with reply_message.\n")
	return b.String()
}
