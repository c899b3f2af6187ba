package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/trust"
	"brenner/roster"
	"brenner/store"
)

func (a *app) trustCommand() *cobra.Command {
	var project, sessionConfig string
	var show, forget bool
	c := &cobra.Command{
		Use:     "trust",
		GroupID: other,
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
				return usage(c, "--show and --forget contradict each other", "")
			}
			return a.trust(project, sessionConfig, show, forget)
		},
	}
	addProjectFlag(c, &project)
	c.Flags().StringVar(&sessionConfig, "session-config", "", "trust this file instead of the project's")
	c.Flags().BoolVar(&show, "show", false, "say what the file asks for and whether it is trusted; change nothing")
	c.Flags().BoolVar(&forget, "forget", false, "trust it no more")
	return c
}

func (a *app) trust(project, sessionConfig string, show, forget bool) error {
	cfg, err := a.open(project, sessionConfig, nil)
	if err != nil {
		return err
	}
	level := roster.ProjectConfig
	if sessionConfig != "" {
		level = roster.SessionConfig
	}
	file, ok := cfg.FileOf(level)
	if !ok {
		return &fault.Error{
			Code: UnreadableFile, Place: cfg.Project.Dir, Detail: "there is no " + config.FileName + " to trust",
			Hint: "`brenner init` makes one",
		}
	}
	path, err := trueName(file.Path)
	if err != nil {
		return err
	}
	book, err := trust.Find(a.Environ)
	if err != nil {
		return err
	}
	r := &trustResult{Schema: "brenner.trust/v1", File: path, Book: book.Path(), Asks: a.asks(cfg, level), SHA256: store.Hash(file.Data)}
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
	return a.show(r)
}

// asks lists what a file wants that needs trust.
func (a *app) asks(cfg *Project, level roster.Level) []string {
	m := &models{config: cfg}
	all := []string{}
	says := func(key string) bool { return cfg.Origin(key).Level == level }
	add := func(ask string) {
		if !slices.Contains(all, ask) {
			all = append(all, ask)
		}
	}
	if cfg.BaseURL != "" && says("agents.base_url") {
		add(fmt.Sprintf("send the key of %s to %s", envKey, cfg.BaseURL))
	}
	for _, model := range cfg.Models {
		if says("agents.models") && (model.BaseURL != "" || model.KeyEnv != "") {
			name, _ := m.key(model)
			add(fmt.Sprintf("send the key of %s to %s", name, m.address(model)))
		}
		if says("agents.models") && model.Via == config.ViaProgram {
			add("run the programs that the roster names, with your logins")
		}
	}
	for _, ask := range asksToSend(cfg, says) {
		add(ask)
	}
	if cfg.Via == config.ViaProgram && says("via") {
		add("run the programs that the roster names, with your logins")
	}
	if ask := embeddingWish(cfg, says); ask != "" {
		add(ask)
	}
	for _, p := range cfg.Programs {
		if says("agents.programs") {
			add(wantOf(p))
		}
	}
	if _, via, program := arbiterWords(cfg.Arbiter); via == config.ViaProgram && program != "" && says("session.arbiter") {
		p, _ := cfg.FindProgram(program)
		add(wantOf(p))
	}
	return all
}

// embeddingWish is what a file wants for the endpoint of embeddings, or nothing.
func embeddingWish(cfg *Project, says func(key string) bool) string {
	e := cfg.Playbook.Embedding
	if e.BaseURL == "" || !says("playbook.embedding.base_url") && !says("playbook.embedding.key_env") {
		return ""
	}
	return fmt.Sprintf("send the key of %s to %s", cmp.Or(e.KeyEnv, envKey), e.BaseURL)
}

// asksToSend lists where a file wants mail and reports to be sent.
func asksToSend(cfg *Project, says func(key string) bool) []string {
	var all []string
	if cfg.Mail.BaseURL != "" && (says("mail.base_url") || says("mail.path")) && !isLoopback(cfg.Mail.BaseURL) {
		all = append(all, mailWish(cfg, cfg.Mail.BaseURL))
	}
	if says("mail.token_env") {
		all = append(all, "choose "+cfg.Mail.TokenEnv+" as the mail server's token")
	}
	if says("report.webhook") && cfg.Report.Webhook != "" && !isLoopback(cfg.Report.Webhook) {
		all = append(all, reportWish(cfg.Report.Webhook))
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

func (r *trustResult) document() any { return r }

func (r *trustResult) text(a *app) error {
	state := "is not trusted"
	if r.Trusted {
		state = "is trusted"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", clean(r.File), state)
	fmt.Fprintf(&b, "sha256 %s; the list of trusted files is %s\n", r.SHA256, clean(r.Book))
	if len(r.Asks) == 0 {
		b.WriteString("it asks for nothing that needs trust\n")
	}
	for _, ask := range r.Asks {
		b.WriteString("it may " + clean(ask) + "\n")
	}
	return a.write([]byte(b.String()))
}
