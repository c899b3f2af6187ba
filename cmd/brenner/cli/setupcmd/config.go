// Package setupcmd holds the commands that set up and describe an installation: init, doctor, config, trust,
// schema and version.
package setupcmd

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/project"
)

// ConfigCommand returns the config commands.
func ConfigCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "config",
		GroupID: ui.Other,
		Short:   "Show the effective configuration",
	}, configShowCommand(a))
}

func configShowCommand(a *ui.App) *cobra.Command {
	var session string
	var origin bool
	c := ui.InProject(&cobra.Command{
		Use:   "show",
		Short: "Print every key with its value, and where it came from",
		Example: `  brenner config show
  brenner config show --origin
  BRENNER_VIA=openai brenner config show --origin --json

Exit codes: 0 shown; 2 the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.OpenWith(session)
			if err != nil {
				return err
			}
			doc := configDocument{Schema: "brenner.config/v1"}
			for _, v := range p.Config.Values() {
				doc.Values = append(doc.Values, configRow{v.Key, jsontext.Value(artifact.Canonical(v.Value)), strings.TrimSpace(v.Origin.String())})
			}
			return ui.Show(a, doc, nil, func(_ *ui.App, doc configDocument) string { return configText(doc, origin) })
		},
	})
	c.Flags().StringVar(&session, "session-config", "", "a configuration file for one session, above the project's")
	c.Flags().BoolVar(&origin, "origin", false, "say where each value came from")
	return c
}

// configDocument is the effective configuration.
type configDocument struct {
	Schema string      `json:"schema"`
	Values []configRow `json:"values"`
}

type configRow struct {
	Key    string         `json:"key"`
	Value  jsontext.Value `json:"value"`
	Origin string         `json:"origin"`
}

func configText(doc configDocument, origin bool) string {
	rows := make([][]string, len(doc.Values))
	for i, v := range doc.Values {
		rows[i] = []string{v.Key, string(v.Value)}
		if origin {
			rows[i] = []string{v.Key, v.Origin, string(v.Value)}
		}
	}
	return ui.Columns(rows)
}

// TrustCommand returns the trust command.
func TrustCommand(a *ui.App) *cobra.Command {
	var sessionConfig string
	var show, forget bool
	c := ui.InProject(&cobra.Command{
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
			do := project.TrustFile
			switch {
			case show:
				do = project.ShowTrust
			case forget:
				do = project.ForgetFile
			}
			p, err := a.OpenWith(sessionConfig)
			if err != nil {
				return err
			}
			s, err := p.Trust(sessionConfig != "", do)
			return ui.Show(a, s, err, trustText)
		},
	})
	c.Flags().StringVar(&sessionConfig, "session-config", "", "trust this file instead of the project's")
	c.Flags().BoolVar(&show, "show", false, "say what the file asks for and whether it is trusted; change nothing")
	c.Flags().BoolVar(&forget, "forget", false, "trust it no more")
	return c
}

func trustText(_ *ui.App, r *project.TrustState) string {
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
	return b.String()
}

// InitCommand returns the init command.
func InitCommand(a *ui.App) *cobra.Command {
	var dir, question string
	c := &cobra.Command{
		Use:     "init",
		GroupID: ui.Everyday,
		Short:   "Make a commented brenner.yaml and the .brenner folder",
		Long: `Writes a brenner.yaml in which every key is explained, and the folder .brenner, which
git ignores. A file that is there already is never touched.`,
		Example: `  brenner init
  brenner init -C my-project --question "Why do cells age?"

Exit codes: 0 made; 1 the folder cannot be written to; 2 there is a brenner.yaml
already, or the folder is missing.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			made, err := project.Init(config.StartDir(dir, a.Environ), config.Starter{Question: question})
			return ui.Show(a, made, err, initText)
		},
	}
	c.Flags().StringVarP(&dir, "project", "C", "", "the folder that becomes a project; the working directory if not given ["+config.EnvProject+"]")
	c.Flags().StringVar(&question, "question", "", "the question of sessions that are started without one")
	return c
}

func initText(a *ui.App, i *project.Initialised) string {
	text := "made " + ui.Clean(i.File) + " and " + ui.Clean(i.Folder) + "\n"
	if !a.Quiet {
		text += "next: say in it how your models are reached, then `brenner doctor`\n"
	}
	return text
}
