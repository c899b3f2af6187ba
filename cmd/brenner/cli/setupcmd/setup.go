// Package setupcmd implements the commands that set up and describe an installation:
// init, doctor, config, trust, schema and version.
package setupcmd

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/text"
	"brenner/project"
	"brenner/project/doctor"
	"brenner/project/schemas"
)

// ConfigCommand returns the config commands.
func ConfigCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "config",
		Short: "Show the effective configuration",
	}, configShowCommand(a))
}

func configShowCommand(a *ui.App) *cobra.Command {
	var session string
	var origin bool
	c := ui.InProject(&cobra.Command{
		Use:   "show",
		Short: "Print every configuration key with its value",
		Example: `  brenner config show
  brenner config show --origin
  BRENNER_VIA=openai brenner config show --origin --json

Exit codes: 0 shown; 2 invalid configuration.`,
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
	c.Flags().StringVar(&session, "session-config", "", "configuration file for one session, or - for standard input; overrides the project's")
	c.Flags().BoolVar(&origin, "origin", false, "print the origin of each value")
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
		Use:   "trust",
		Short: "Trust the project's configuration file",
		Long: `A project's brenner.yaml, or a file for --session-config, may come from an untrusted
source. Until you trust it, it cannot make brenner send a key to a URL, choose which
variable holds a key, or run a command. Trust is pinned to the file's SHA-256: a changed
file must be trusted again. The list of trusted files is
` + "`$XDG_CONFIG_HOME/brenner/trusted.json`" + `, or $BRENNER_TRUST_FILE.

URLs from flags or the environment need no trust.`,
		Example: `  brenner trust --show
  brenner trust
  brenner trust --forget

Exit codes: 0 done; 1 writing the list failed; 2 no project file.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if show && forget {
				return ui.Usage(c, "--show and --forget cannot be combined", "")
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
	c.Flags().StringVar(&sessionConfig, "session-config", "", "file to trust instead of the project's, or - for standard input")
	c.Flags().BoolVar(&show, "show", false, "show what the file requests and whether it is trusted")
	c.Flags().BoolVar(&forget, "forget", false, "stop trusting the file")
	return c
}

func trustText(_ *ui.App, r *project.TrustState) string {
	state := "is not trusted"
	if r.Trusted {
		state = "is trusted"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", ui.Clean(r.File), state)
	fmt.Fprintf(&b, "sha256 %s; list of trusted files: %s\n", r.SHA256, ui.Clean(r.Book))
	if len(r.Asks) == 0 {
		b.WriteString("it requests nothing that needs trust\n")
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
		Use:   "init",
		Short: "Create a commented brenner.yaml and the .brenner directory",
		Long: `Creates a brenner.yaml that explains every key, and the directory .brenner, which git
ignores. Existing files are never overwritten.`,
		Example: `  brenner init
  brenner init -C my-project --question "Why do cells age?"

Exit codes: 0 created; 1 the directory is not writable; 2 brenner.yaml already exists, or
the directory does not exist.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			made, err := project.Init(config.StartDir(dir, a.Environ), config.Starter{Question: question})
			return ui.Show(a, made, err, initText)
		},
	}
	c.Flags().StringVarP(&dir, "project", "C", "", "directory to initialise (default: working directory) ["+config.EnvProject+"]")
	c.Flags().StringVar(&question, "question", "", "default question of sessions")
	return c
}

func initText(a *ui.App, i *project.Initialised) string {
	text := "created " + ui.Clean(i.File) + " and " + ui.Clean(i.Folder) + "\n"
	if !a.Quiet {
		text += a.Named("next: configure your models in it, then run `brenner doctor`\n")
	}
	return text
}

// DoctorCommand returns the doctor command.
func DoctorCommand(a *ui.App) *cobra.Command {
	var setup sessioncmd.Setup
	var models bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the setup and print how to fix it",
		Long: `Checks the configuration, store, roster, mail, models and programs, and whether a session
with these flags could start: everything that ` + "`brenner session start`" + ` refuses is broken. Without
flags for a session, a missing question is only noted.

With --models, each model and program is asked a short question and for one delta, which costs
a few hundred tokens, or some thousand with a program: the check shows how long the reply took,
what was read in it, its cost, and the size of the model's context if the server reports it.`,
		Example: `  brenner doctor
  brenner doctor --preset default-3-agent --via openai --base-url http://127.0.0.1:8080/v1 --model llama3
  brenner doctor --preset default-3-agent --models
  brenner doctor --preset default-3-agent --json

Exit codes: 0 nothing is broken; 1 something is broken; 2 unreadable question or script.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o, err := setup.Options(a, c)
			if err != nil {
				return err
			}
			o.Models = models
			if len(a.Places) > 0 {
				o.Engine = a.Places[0].Check
			}
			d := doctor.Diagnose(c.Context(), o)
			if d.Broken() {
				a.Exit = ui.ExitFailed
			}
			return ui.Show(a, d, nil, diagnosisText)
		},
	}
	setup.Add(c)
	c.Flags().BoolVar(&models, "models", false, "ask each model and program a short question and for one delta")
	return c
}

func diagnosisText(a *ui.App, d *doctor.Diagnosis) string {
	rows := make([][]string, 0, 2*len(d.Checks))
	for _, c := range d.Checks {
		rows = append(rows, []string{c.Status, c.What, c.Found})
		if c.Fix != "" && !a.Quiet {
			rows = append(rows, []string{"", "", "fix: " + a.Named(c.Fix)})
		}
	}
	return ui.Columns(rows)
}

// SchemaCommand returns the schema command.
func SchemaCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print a JSON Schema, or list all schemas",
		Long: `Prints the JSON Schema (draft 2020-12) of a document that brenner reads or writes. NAME is
the full name or its middle part: "brenner.artifact/v1" or "artifact". Without NAME, lists
all names.`,
		Example: `  brenner schema
  brenner schema artifact
  brenner schema brenner.merge/v1

Exit codes: 0 printed; 2 no such schema.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return schemas.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return ui.Show(a, schemaNames{"brenner.schemas/v1", schemas.Names()}, nil, func(_ *ui.App, s schemaNames) string { return strings.Join(s.Names, "\n") + "\n" })
			}
			schema, ok := schemas.Find(args[0])
			if !ok {
				hint := "`brenner schema` lists the schemas"
				if near, ok := text.Nearest("brenner."+args[0]+"/v1", schemas.Names()); ok {
					hint = "did you mean " + near + "?"
				}
				return ui.Usage(c, fmt.Sprintf("no such schema: %q", ui.Clean(args[0])), hint)
			}
			return ui.Show(a, jsontext.Value(schema), nil, func(_ *ui.App, s jsontext.Value) string { return string(s) })
		},
	}
}

// schemaNames is the list of all schemas.
type schemaNames struct {
	Schema string   `json:"schema"`
	Names  []string `json:"names"`
}

// VersionCommand returns the version command.
func VersionCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the merge rules",
		Example: `  brenner version
  brenner version --json

Exit codes: 0 printed.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return ShowVersion(a) },
	}
}

// ShowVersion prints the version of this program.
func ShowVersion(a *ui.App) error { return ui.Show(a, project.Version(), nil, versionText) }

func versionText(_ *ui.App, v *project.VersionInfo) string {
	line := "brenner " + v.Version
	if len(v.Revision) > 12 {
		line += " (" + v.Revision[:12] + ")"
	}
	return fmt.Sprintf("%s, rules %s, %s, %s\n", line, v.Rules, v.Go, v.Platform)
}
