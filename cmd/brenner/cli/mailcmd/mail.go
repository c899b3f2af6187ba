// Package mailcmd implements `brenner mail`.
package mailcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/text"
	"brenner/mail"
	"brenner/mail/clients"
	"brenner/mail/server"
	"brenner/project"
	"brenner/project/post"
)

// Command returns the mail commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use: "mail", Short: "Serve and use mailboxes for agents",
		Long: `Agent Mail provides mailboxes for agents over HTTP as an MCP server. ` + "`brenner mail serve`" + `
runs such a server; the other commands use it, or another server configured by
` + mail.EnvBaseURL + `, ` + mail.EnvPath + ` and ` + mail.EnvToken + `, or by mail: in
` + config.FileName + `.`,
	}, mailServeCommand(a), mailTokenCommand(a), mailConnectCommand(a), mailHealthCommand(a), mailAgentsCommand(a),
		mailSendCommand(a), mailInboxCommand(a), ui.SessionArg(a, 0, mailThreadCommand(a)), mailAckCommand(a))
}

// MailFlags are the flags for the mail server and the project.
type MailFlags struct{ URL string }

// Add declares the flags on a command.
func (m *MailFlags) Add(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&m.URL, "url", "", "mail server URL (default: "+mail.DefaultBaseURL+") ["+mail.EnvBaseURL+"]")
	return ui.InProject(c)
}

// withMailbox connects to the mail server, calls do, and shows the result.
func withMailbox[V any](a *ui.App, flags *MailFlags, do func(*project.Mailbox) (V, error), text func(*ui.App, V) string) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	m, err := p.MailboxOf(flags.URL, "--url URL")
	if err != nil {
		return err
	}
	v, err := do(m)
	return ui.Show(a, v, err, text)
}

// timeLayout is the layout of times in mail output.
const timeLayout = "2006-01-02 15:04:05"

// messageTable lists messages without their bodies, or prints none for an empty list.
func messageTable(a *ui.App, all []mail.Message, none string) string {
	if len(all) == 0 {
		a.Say(none + "\n")
	}
	var rows [][]string
	for _, m := range all {
		subject := m.Subject
		if n := len(m.Attachments); n > 0 {
			subject += " (" + text.Count(n, "attachment") + ")"
		}
		rows = append(rows, []string{string(m.ID), m.Created.Format(timeLayout), m.From, m.Thread, subject})
	}
	return ui.Columns(rows)
}

// messageTexts formats messages with their bodies.
func messageTexts(a *ui.App, all []mail.Message, none string) string {
	if len(all) == 0 {
		a.Say(none + "\n")
	}
	var b strings.Builder
	for i, m := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		who := m.From
		if to := slices.Concat(m.To, m.CC); len(to) > 0 { // some servers list none
			who += " to " + strings.Join(to, ", ")
		}
		fmt.Fprintf(&b, "%s  %s  %s  %s\n", ui.Clean(string(m.ID)), m.Created.Format(timeLayout), ui.Clean(who), ui.Clean(m.Subject))
		b.WriteString(ui.CleanLines(m.Body, "    "))
		for _, f := range m.Files() {
			fmt.Fprintf(&b, "    attachment %s (%s, %s)\n", ui.Clean(f.Name), ui.Clean(f.MediaType), text.Count(f.Size, "byte"))
		}
	}
	return b.String()
}

const mailExits = `

Exit codes: 0 done; 2 refused by the server, or invalid argument; 3 sent, but some
recipients were not reached; 4 the token is missing or not permitted; 75 the server is
unreachable.`

func mailHealthCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	return flags.Add(&cobra.Command{
		Use: "health", Short: "Check that the mail server works", Example: "  brenner mail health" + mailExits, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withMailbox(a, &flags, func(m *project.Mailbox) (*post.Health, error) { return post.CheckHealth(c.Context(), m) }, healthText)
		},
	})
}

func healthText(_ *ui.App, h *post.Health) string {
	return ui.Columns([][]string{{h.Server, h.Status, h.Version}})
}

func mailAgentsCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	return flags.Add(&cobra.Command{
		Use: "agents", Short: "List the project's mailboxes", Example: "  brenner mail agents" + mailExits, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withMailbox(a, &flags, func(m *project.Mailbox) (*post.Agents, error) { return post.ListAgents(c.Context(), m) }, agentsText)
		},
	})
}

func agentsText(a *ui.App, all *post.Agents) string {
	if len(all.Agents) == 0 {
		a.Say("no mailboxes yet\n")
	}
	var rows [][]string
	for _, o := range all.Agents {
		rows = append(rows, []string{o.Name, ui.OrDash(o.Program), ui.OrDash(o.Model), o.Active.Format(timeLayout)})
	}
	return ui.Columns(rows)
}

func mailSendCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var d mail.Draft
	var attached []string
	c := flags.Add(&cobra.Command{
		Use: "send TEXT|@FILE", Short: "Send a message", Args: ui.One,
		Long: `Sends a message. "@FILE" reads the text from a file, "@-" from standard input. With --key,
the same message is sent only once, even if the command is repeated. The files of --attach
may have 8 MiB together; some servers take none.`,
		Example: `  brenner mail send --to BlueLake --subject "QUESTION: H2" "What would refute it?"` + mailExits,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if d.Attachments, err = post.Attach(attached); err != nil {
				return err
			}
			return mailSend(a, c, &flags, d, args[0])
		},
	})
	f := c.Flags()
	f.StringVar(&d.From, "as", project.OperatorName, "sender")
	f.StringSliceVar(&d.To, "to", nil, "recipient; repeatable")
	f.StringSliceVar(&d.CC, "cc", nil, "recipient of a copy; repeatable")
	f.StringVar(&d.Subject, "subject", "", "subject, as PREFIX: text")
	f.StringVar(&d.Thread, "thread", "", "thread id")
	f.StringVar(&d.Importance, "importance", "", "importance: low, normal, high or urgent")
	f.BoolVar(&d.AckRequired, "ack", false, "request an acknowledgement")
	f.StringArrayVar(&attached, "attach", nil, "file to attach; repeatable")
	f.StringVar(&d.Key, "key", "", "key for which to send the message only once")
	return c
}

func mailSend(a *ui.App, c *cobra.Command, flags *MailFlags, d mail.Draft, body string) (err error) {
	if len(d.To) == 0 || strings.TrimSpace(d.Subject) == "" {
		return ui.Usage(c, "--to and --subject are required", "")
	}
	if d.Body, err = a.Inline("the message", body); err != nil {
		return err
	}
	return withMailbox(a, flags, func(m *project.Mailbox) (*post.Messages, error) {
		s, err := post.Send(c.Context(), m, d)
		if err == nil && len(s.Missed) > 0 {
			a.Say(ui.EachLine(s.Missed, func(name *string) string { return "brenner: not reached: " + *name }))
			a.Exit = ui.ExitPartial
		}
		return s, err
	}, func(a *ui.App, s *post.Messages) string { return messageTable(a, s.Messages, "") })
}

func mailInboxCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	q := mail.InboxQuery{Agent: project.OperatorName}
	var bodies bool
	c := flags.Add(&cobra.Command{
		Use: "inbox [NAME]", Short: "List an agent's messages without marking them as read", Args: cobra.MaximumNArgs(1),
		Example: "  brenner mail inbox\n  brenner mail inbox BlueLake --unread" + mailExits,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				q.Agent = args[0]
			}
			if q.Limit < 0 {
				return ui.Usage(c, "--limit: negative number", "")
			}
			show, none := messageTable, ""
			if bodies {
				show = messageTexts
			}
			return withMailbox(a, &flags, func(m *project.Mailbox) (*post.Messages, error) {
				none = "no messages for " + ui.Clean(m.Name(q.Agent))
				return post.Inbox(c.Context(), m, q)
			}, func(a *ui.App, l *post.Messages) string { return show(a, l.Messages, none) })
		},
	})
	c.Flags().IntVar(&q.Limit, "limit", mail.DefaultLimit, "maximum number of messages, newest first")
	c.Flags().BoolVar(&q.Unread, "unread", false, "list only unread messages")
	c.Flags().BoolVar(&bodies, "bodies", false, "print the message bodies")
	return c
}

func mailThreadCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	return flags.Add(&cobra.Command{
		Use: "thread ID", Short: "Show the messages of a thread, oldest first", Args: ui.One, Example: "  brenner mail thread RS-20261115-cell-fate" + mailExits,
		RunE: func(c *cobra.Command, args []string) error {
			if err := mail.CheckThread(args[0]); err != nil {
				return err
			}
			return withMailbox(a, &flags, func(m *project.Mailbox) (*post.Messages, error) { return post.Thread(c.Context(), m, args[0]) },
				func(a *ui.App, l *post.Messages) string {
					return messageTexts(a, l.Messages, "the thread has no messages")
				})
		},
	})
}

func mailAckCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var as string
	c := flags.Add(&cobra.Command{
		Use: "ack MESSAGE", Short: "Acknowledge a message", Args: ui.One, Example: "  brenner mail ack 17 --as BlueLake" + mailExits,
		RunE: func(c *cobra.Command, args []string) error {
			return withMailbox(a, &flags, func(m *project.Mailbox) (*post.Ack, error) {
				return post.Acknowledge(c.Context(), m, as, mail.ID(args[0]))
			},
				func(*ui.App, *post.Ack) string { return ui.Columns([][]string{{args[0], "acknowledged"}}) })
		},
	})
	c.Flags().StringVar(&as, "as", project.OperatorName, "recipient that acknowledges it")
	return c
}

func mailServeCommand(a *ui.App) *cobra.Command {
	var opt project.MailServer
	c := ui.InProject(&cobra.Command{
		Use: "serve", Short: "Run the project's mail server",
		Long: `Serves the project's mail (.brenner/mail.db) over HTTP until interrupted, by default on
localhost only. The first start creates the operator's token
(.brenner/mail-operator.token, mode 0600) and prints it once. A token that came with the
project, or that others can read, is refused. Killing the server loses no messages.`,
		Example: `  brenner mail serve
  brenner mail serve --addr 127.0.0.1:0

Exit codes: 0 interrupted; 1 the mailbox is not writable; 2 cannot listen on the address;
4 other hosts could reach it without a token, or the operator's token is not yours.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if opt.NoToken && opt.Renew {
				return ui.Usage(c, "--no-token and --new-token cannot be combined", "")
			}
			return mailServe(c.Context(), a, &opt)
		},
	})
	f := c.Flags()
	f.StringVar(&opt.Addr, "addr", server.DefaultAddress, "address to listen on; port 0 picks a free port")
	f.StringArrayVar(&opt.Hosts, "host", nil, "host name to accept besides localhost; repeatable")
	f.BoolVar(&opt.NoToken, "no-token", false, "accept requests without a token; localhost only")
	f.BoolVar(&opt.Renew, "new-token", false, "replace the operator's token")
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
	a.Say("brenner: serving mail of " + ui.Clean(p.Config.Project.Dir) + "; connect an agent with `brenner mail connect NAME`; Ctrl-C stops\n")
	return m.Server.Serve(ctx, m.Listener)
}

// mailServing is the URL of a running server.
type mailServing struct {
	Schema  string `json:"schema"`
	URL     string `json:"url"`
	Project string `json:"project"`
}

func mailTokenCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	var r mail.Registration
	c := flags.Add(&cobra.Command{
		Use: "token NAME", Short: "Create a new token for an agent",
		Long: `Creates a token for an agent, replacing the previous one, and prints it. The mailbox is
created if needed. The agent sends it as a bearer token, which permits only to act as
this agent and to read its mail.`,
		Example: `  export MAIL_TOKEN=$(brenner mail token BlueLake)

Exit codes: 0 done; 1 the mailbox is not writable; 2 invalid name.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error {
			r.Name = args[0]
			return withMailbox(a, &flags, func(m *project.Mailbox) (*project.MailToken, error) { return m.MakeToken(c.Context(), r) },
				func(_ *ui.App, t *project.MailToken) string { return t.Token + "\n" })
		},
	})
	c.Flags().StringVar(&r.Program, "program", "", "agent's program")
	c.Flags().StringVar(&r.Model, "model", "", "agent's model")
	return c
}

func mailConnectCommand(a *ui.App) *cobra.Command {
	var flags MailFlags
	return flags.Add(&cobra.Command{
		Use: "connect NAME", Short: "Print the configuration to connect an agent program", Args: ui.One,
		Long: `Prints the configuration with which Claude Code, Codex CLI, Gemini CLI, opencode, Qwen Code,
Continue, Cline and Cursor connect to this project's mail. It does not contain the token, which is read from the environment
variable ` + clients.Token + `. Add it to an existing configuration file.`,
		Example: `  brenner mail connect BlueLake

Exit codes: 0 printed; 2 invalid name or URL; 4 an agent of another project.`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := mail.CheckName(args[0]); err != nil {
				return err
			}
			token := "$(brenner mail token " + args[0] + ")"
			return withMailbox(a, &flags, func(m *project.Mailbox) (*clients.Connection, error) {
				ctx, cancel := context.WithTimeout(c.Context(), 2*time.Second)
				defer cancel()
				if m.Client.Foreign(ctx) { // it cannot know a token that is made here
					token = "…  # the token of that server, if it has one"
					if err := m.CheckOwn(ctx, args[0]); err != nil {
						return nil, err
					}
				}
				return m.Connect(args[0]), nil
			}, func(_ *ui.App, r *clients.Connection) string { return connectionText(r, token) })
		},
	})
}

func connectionText(r *clients.Connection, token string) string {
	var b strings.Builder
	b.WriteString("export " + clients.Token + "=" + token + "\n")
	for _, c := range r.Clients {
		b.WriteString("\n# " + c.Program + ": " + c.File + "\n" + c.Text + "\n")
	}
	b.WriteString("\n# and tell the agent:\nYou are " + r.Agent + " in the project " + ui.Clean(r.ProjectKey) + ". Read your mail with fetch_inbox, acknowledge what asks for it, and answer with reply_message.\n")
	return b.String()
}
