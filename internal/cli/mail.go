package cli

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/fault"
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
		Use: "mail", GroupID: everyday, Short: "Mailboxes for agents: serve them, and read and write in them",
		Long: `Agent Mail: agents with mailboxes, reached over HTTP as an MCP server. ` + "`brenner mail serve`" + `
is such a server; the other commands speak to it, or to any other one that
` + mail.EnvBaseURL + `, ` + mail.EnvPath + ` and ` + mail.EnvToken + ` name.`,
	}
	c.AddCommand(a.mailServeCommand(), a.mailTokenCommand(), a.mailConnectCommand(), a.mailHealthCommand(), a.mailAgentsCommand(),
		a.mailSendCommand(), a.mailInboxCommand(), a.mailThreadCommand(), a.mailAckCommand())
	group(c)
	return c
}

// mailFlags say which project's mail it is, and where the server is.
type mailFlags struct{ project, url string }

func (m *mailFlags) add(c *cobra.Command) {
	addProjectFlag(c, &m.project)
	c.Flags().StringVar(&m.url, "url", "", "the server's address ["+mail.EnvBaseURL+"]; "+mail.DefaultBaseURL+" if not given")
}

// mailbox is a project's way to its mail.
type mailbox struct {
	config *config.Config
	client *mail.Client
	key    string // the project's
}

// mailbox prepares the way to a mail server. Nothing is sent yet.
func (a *app) mailbox(flags mailFlags) (*mailbox, error) {
	cfg, err := a.loadConfig(flags.project, "", nil)
	if err != nil {
		return nil, err
	}
	return a.mailboxOf(cfg, flags.url)
}

func (a *app) mailboxOf(cfg *config.Config, base string) (*mailbox, error) {
	if base == "" {
		base = a.variable(mail.EnvBaseURL)
	}
	address, err := mail.Address(base, a.variable(mail.EnvPath))
	if err != nil {
		return nil, err
	}
	keys, err := mail.OpenKeyring(filepath.Join(storeDir(cfg), tokensFile))
	if err != nil {
		return nil, err
	}
	token, err := a.bearer(cfg, address)
	if err != nil {
		return nil, err
	}
	key, err := filepath.Abs(cfg.Project.Dir)
	if err != nil {
		return nil, &fault.Error{Code: UnreadableFile, Place: cfg.Project.Dir, Cause: err}
	}
	client, err := mail.New(mail.Options{URL: address, Token: token, Keys: keys, HTTP: &http.Client{Transport: http.DefaultTransport}})
	if err != nil {
		return nil, err
	}
	return &mailbox{config: cfg, client: client, key: key}, nil
}

// bearer finds the token for a server: what the environment says, or for a server
// of this machine the one that `mail serve` made. That one goes nowhere else.
func (a *app) bearer(cfg *config.Config, address string) (string, error) {
	if token := a.variable(mail.EnvToken); token != "" {
		return token, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", nil //nolint:nilerr // the client says what is wrong with it
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", nil
	}
	token, _, err := readToken(cfg)
	return token, err
}

// readToken reads the operator's token; false means that there is none.
func readToken(cfg *config.Config) (token string, there bool, err error) {
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
	for _, row := range r.rows {
		for i := range row {
			row[i] = clean(row[i])
		}
	}
	return a.write([]byte(columns(r.rows)))
}

// mailDocument is the JSON form of what the commands of mail show.
type mailDocument struct {
	Schema   string         `json:"schema"`
	Server   string         `json:"server"`
	Messages []mail.Message `json:"messages,omitempty"`
	Agents   []mail.Agent   `json:"agents,omitempty"`
	Missed   []string       `json:"missed,omitempty"`
	Phase    mail.Phase     `json:"phase,omitempty"` // of a session's thread
	Status   string         `json:"status,omitempty"`
	Version  string         `json:"version,omitempty"`
}

func messageRows(all []mail.Message) [][]string {
	var rows [][]string
	for _, m := range all {
		rows = append(rows, []string{string(m.ID), m.Created.Format("2006-01-02 15:04:05"), m.From, m.Thread, m.Subject})
	}
	return rows
}
