package setupcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/trust"
	"brenner/project"
	"brenner/roster"
	"brenner/store"
)

// TrustCommand returns the trust command.
func TrustCommand(a *ui.App) *cobra.Command {
	var project, sessionConfig string
	var show, forget bool
	c := &cobra.Command{
		Use:     "trust",
		GroupID: ui.Other,
		Short:   "Let this project's file name addresses that get a key, and commands to run",
		Long: `A project's brenner.yaml, or a file for --session-config, may come from anybody. By itself
it cannot make this program send a key to an address, choose which variable is a key, or
run a command: the user looks at the file once, and pins it
by its SHA-256. A file that is changed has to be trusted anew. The list is the user's own
(` + "`$XDG_CONFIG_HOME/brenner/trusted.json`" + `, or what BRENNER_TRUST_FILE names).

Addresses that are named by a flag or in the environment need no trust.`,
		Example: `  brenner trust --show
  brenner trust
  brenner trust --forget

Exit codes: 0 done; 1 the list could not be written; 2 there is no project file.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if show && forget {
				return ui.Usage(c, "--show and --forget contradict each other", "")
			}
			return trustFiles(a, project, sessionConfig, show, forget)
		},
	}
	ui.AddProjectFlag(c, &project)
	c.Flags().StringVar(&sessionConfig, "session-config", "", "trust this file instead of the project's")
	c.Flags().BoolVar(&show, "show", false, "say what the file asks for and whether it is trusted; change nothing")
	c.Flags().BoolVar(&forget, "forget", false, "trust it no more")
	return c
}

func trustFiles(a *ui.App, project, sessionConfig string, show, forget bool) error {
	p, err := a.Open(project, sessionConfig, nil)
	if err != nil {
		return err
	}
	level := roster.ProjectConfig
	if sessionConfig != "" {
		level = roster.SessionConfig
	}
	file, ok := p.Config.FileOf(level)
	if !ok {
		return &fault.Error{
			Code: files.Unreadable, Place: p.Config.Project.Dir, Detail: "there is no " + config.FileName + " to trust",
			Hint: "`brenner init` makes one",
		}
	}
	path, err := files.TrueName(file.Path)
	if err != nil {
		return err
	}
	book, err := trust.Find(a.Environ)
	if err != nil {
		return err
	}
	r := &trustResult{Schema: "brenner.trust/v1", File: path, Book: book.Path(), Asks: asks(a, p, level), SHA256: store.Hash(file.Data)}
	switch {
	case show:
		r.Trusted, err = book.Trusts(path, file.Data)
	case forget:
		_, err = book.Forget(path)
	default:
		_, err = book.Trust(path, file.Data, a.Now())
		r.Trusted = true
	}
	if err != nil {
		return err
	}
	return a.Show(r)
}

// asks lists what a file wants that needs trust.
func asks(a *ui.App, p *project.Project, level roster.Level) []string {
	m := &project.Models{Project: p}
	all := []string{}
	says := func(key string) bool { return p.Config.Origin(key).Level == level }
	add := func(ask string) {
		if !slices.Contains(all, ask) {
			all = append(all, ask)
		}
	}
	if p.Config.BaseURL != "" && says("agents.base_url") {
		add(fmt.Sprintf("send the key of %s to %s", project.EnvKey, p.Config.BaseURL))
	}
	for _, model := range p.Config.Models {
		if says("agents.models") && (model.BaseURL != "" || model.KeyEnv != "") {
			name, _ := m.Key(model)
			add(fmt.Sprintf("send the key of %s to %s", name, m.Address(model)))
		}
		if says("agents.models") && model.Via == config.ViaProgram {
			add("run the programs that the roster names, with your logins")
		}
	}
	for _, ask := range asksToSend(p, says) {
		add(ask)
	}
	if p.Config.Via == config.ViaProgram && says("via") {
		add("run the programs that the roster names, with your logins")
	}
	if ask := embeddingWish(p, says); ask != "" {
		add(ask)
	}
	for _, p := range p.Config.Programs {
		if says("agents.programs") {
			add(project.WantOf(p))
		}
	}
	if _, via, program := project.ArbiterWords(p.Config.Arbiter); via == config.ViaProgram && program != "" && says("session.arbiter") {
		p, _ := p.Config.FindProgram(program)
		add(project.WantOf(p))
	}
	return all
}

// embeddingWish is what a file wants for the endpoint of embeddings, or nothing.
func embeddingWish(p *project.Project, says func(key string) bool) string {
	e := p.Config.Playbook.Embedding
	if e.BaseURL == "" || !says("playbook.embedding.base_url") && !says("playbook.embedding.key_env") {
		return ""
	}
	return fmt.Sprintf("send the key of %s to %s", cmp.Or(e.KeyEnv, project.EnvKey), e.BaseURL)
}

// asksToSend lists where a file wants mail and reports to be sent.
func asksToSend(p *project.Project, says func(key string) bool) []string {
	var all []string
	if p.Config.Mail.BaseURL != "" && (says("mail.base_url") || says("mail.path")) && !project.IsLoopback(p.Config.Mail.BaseURL) {
		all = append(all, project.MailWish(p, p.Config.Mail.BaseURL))
	}
	if says("mail.token_env") {
		all = append(all, "choose "+p.Config.Mail.TokenEnv+" as the mail server's token")
	}
	if says("report.webhook") && p.Config.Report.Webhook != "" && !project.IsLoopback(p.Config.Report.Webhook) {
		all = append(all, project.ReportWish(p.Config.Report.Webhook))
	}
	return all
}

// trustResult is what is trusted now.
type trustResult struct {
	Schema  string   `json:"schema"`
	File    string   `json:"file"`
	Trusted bool     `json:"trusted"`
	SHA256  string   `json:"sha256"`
	Book    string   `json:"list"`
	Asks    []string `json:"asks"`
}

func (r *trustResult) Print(a *ui.App) error {
	state := "is not trusted"
	if r.Trusted {
		state = "is trusted"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", ui.Clean(r.File), state)
	fmt.Fprintf(&b, "sha256 %s; the list of trusted files is %s\n", r.SHA256, ui.Clean(r.Book))
	if len(r.Asks) == 0 {
		b.WriteString("it asks for nothing that needs trust\n")
	}
	for _, ask := range r.Asks {
		b.WriteString("it may " + ui.Clean(ask) + "\n")
	}
	return a.Write([]byte(b.String()))
}
