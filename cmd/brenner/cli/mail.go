package cli

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/mail"
)

// The files of mail in a project's state folder.
const (
	operatorFile = "mail-operator.token"
	tokensFile   = "mail-tokens.json"
)

// operatorName is under whose name people and sessions write.
const operatorName = "Operator"

func (a *app) mailCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "mail", GroupID: other, Short: "Mailboxes for agents: serve them, and read and write in them",
		Long: `Agent Mail: agents with mailboxes, reached over HTTP as an MCP server. ` + "`brenner mail serve`" + `
is such a server; the other commands speak to it, or to any other one that
` + mail.EnvBaseURL + `, ` + mail.EnvPath + ` and ` + mail.EnvToken + ` name, or
mail: in ` + config.FileName + `.`,
	}
	c.AddCommand(a.mailServeCommand(), a.mailTokenCommand(), a.mailConnectCommand(), a.mailHealthCommand(), a.mailAgentsCommand(),
		a.mailSendCommand(), a.mailInboxCommand(), a.mailThreadCommand(), a.mailAckCommand())
	group(c)
	return c
}

// exactly wants one argument, and calls it by its name.
func exactly(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(c, fmt.Sprintf("one %s is needed, %d given", what, len(args)), "see `"+c.CommandPath()+" --help`; a text with blanks needs quotation marks")
		}
		return nil
	}
}

// mailFlags say which project's mail it is, and where the server is.
type mailFlags struct{ project, url string }

func (m *mailFlags) add(c *cobra.Command) {
	addProjectFlag(c, &m.project)
	c.Flags().StringVar(&m.url, "url", "", "the server's address ["+mail.EnvBaseURL+"]; "+mail.DefaultBaseURL+" if not given")
}

// mailbox is a project's way to its mail.
type mailbox struct {
	config *Project
	client *mail.Client
	key    string // the project's
}

// mailbox prepares the way to a mail server. Nothing is sent yet.
func (a *app) mailbox(flags mailFlags) (*mailbox, error) {
	cfg, err := a.open(flags.project, "", nil)
	if err != nil {
		return nil, err
	}
	return cfg.mailboxOf(flags.url)
}

func (p *Project) mailboxOf(base string) (*mailbox, error) {
	address, err := p.mailAddress(base)
	if err != nil {
		return nil, err
	}
	keys, err := mail.OpenKeyring(filepath.Join(storeDir(p), tokensFile))
	if err != nil {
		return nil, err
	}
	token, err := p.bearer(address)
	if err != nil {
		return nil, err
	}
	key, err := filepath.Abs(p.Project.Dir)
	if err != nil {
		return nil, &fault.Error{Code: UnreadableFile, Place: p.Project.Dir, Cause: err}
	}
	client, err := mail.New(mail.Options{URL: address, Token: token, Keys: keys, HTTP: &http.Client{Transport: http.DefaultTransport}})
	if err != nil {
		return nil, err
	}
	return &mailbox{config: p, client: client, key: key}, nil
}

// name gives the name that an agent has on the server, which may have given it another
// one than it asked for.
func (b *mailbox) name(asked string) string {
	return b.client.Keys().Name(b.client.URL(), b.key, asked)
}

func (b *mailbox) names(asked []string) []string {
	all := make([]string, len(asked))
	for i, name := range asked {
		all[i] = b.name(name)
	}
	return all
}

// mailAddress gives where the mail server is: what a flag says, or the
// configuration. A file that the user has not looked at cannot send the project's
// mail, or a token, to another machine.
func (p *Project) mailAddress(flag string) (string, error) {
	base := flag
	if base == "" {
		base = p.Mail.BaseURL
	}
	address, err := mail.Address(base, p.Mail.Path)
	if err != nil || isLoopback(address) {
		return address, err
	}
	m := &models{config: p}
	for _, key := range []string{"mail.base_url", "mail.path"} {
		if flag != "" && key == "mail.base_url" {
			continue
		}
		if err := m.mustTrust(p.Origin(key), mailWish(p, base)); err != nil {
			return "", err
		}
	}
	return address, nil
}

// mailWish is what an address of a file comes to.
func mailWish(cfg *Project, base string) string {
	return "send this project's mail, and the token of " + cfg.Mail.TokenEnv + ", to " + base
}

// bearer finds the token for a server: its own if this process serves it, what the
// environment says, or for a server of this machine the one that `mail serve` made.
// That one goes nowhere else.
func (p *Project) bearer(address string) (string, error) {
	if token := p.Served[address]; token != "" {
		return token, nil
	}
	if token := p.variable(p.Mail.TokenEnv); token != "" {
		err := (&models{config: p}).mustTrust(p.Origin("mail.token_env"), "send the token of "+p.Mail.TokenEnv+" to "+address)
		return token, err
	}
	if !isLoopback(address) {
		return "", nil
	}
	token, _, err := readToken(p)
	return token, err
}

// readToken reads the operator's token; false means that there is none.
func readToken(cfg *Project) (token string, there bool, err error) {
	path := filepath.Join(storeDir(cfg), operatorFile)
	data, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err):
		return "", false, nil
	case err != nil:
		return "", false, &fault.Error{Code: UnreadableFile, Op: "read the mail server's token", Place: path, Detail: reason(err)}
	}
	return strings.TrimSpace(string(data)), true, nil
}

// mailList is a list that a command of mail shows.
type mailList struct {
	doc  any
	rows [][]string
	none string
}

func (r *mailList) document() any { return r.doc }

func (r *mailList) text(a *app) error {
	if len(r.rows) == 0 {
		a.say(r.none + "\n")
		return nil
	}
	return a.write([]byte(columns(r.rows)))
}

// mailDocument is the JSON form of messages that a command of mail shows.
type mailDocument struct {
	Schema   string         `json:"schema"`
	Server   string         `json:"server"`
	Messages []mail.Message `json:"messages"`
	Missed   []string       `json:"missed,omitempty"`
	Phase    mail.Phase     `json:"phase,omitempty"` // of a session's thread
}

func messageRows(all []mail.Message) [][]string {
	var rows [][]string
	for _, m := range all {
		rows = append(rows, []string{string(m.ID), m.Created.Format("2006-01-02 15:04:05"), m.From, m.Thread, m.Subject})
	}
	return rows
}

// letters are messages with their texts.
type letters struct {
	doc  mailDocument
	none string
}

func (l *letters) document() any { return l.doc }

func (l *letters) text(a *app) error {
	if len(l.doc.Messages) == 0 {
		a.say(l.none + "\n")
		return nil
	}
	var b strings.Builder
	for i, m := range l.doc.Messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s  %s  %s to %s  %s\n", clean(string(m.ID)), m.Created.Format("2006-01-02 15:04:05"), clean(m.From), clean(strings.Join(slices.Concat(m.To, m.CC), ", ")), clean(m.Subject))
		b.WriteString(cleanLines(m.Body, "    "))
	}
	return a.write([]byte(b.String()))
}
