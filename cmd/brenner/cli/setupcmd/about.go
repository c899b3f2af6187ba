package setupcmd

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/text"
	"brenner/project"
	"brenner/project/schemas"
	"brenner/roster"
)

// DoctorCommand returns the doctor command.
func DoctorCommand(a *ui.App) *cobra.Command {
	var flags sessioncmd.RosterFlags
	c := &cobra.Command{
		Use:     "doctor",
		GroupID: ui.Everyday,
		Short:   "Check configuration, store, roster, mail, models and programs; say how to fix each",
		Example: `  brenner doctor
  brenner doctor --preset default-3-agent --json

Exit codes: 0 nothing is broken; 1 something is.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			d := project.Diagnose(c.Context(), a.Host(), config.Options{Dir: a.Dir, SessionConfig: flags.SessionConfig}, func() (roster.Roster, error) {
				_, res, err := sessioncmd.Resolve(a, c, &flags)
				return res.Roster, err
			})
			if d.Broken() {
				a.Exit = ui.ExitFailed
			}
			return ui.Show(a, d, nil, diagnosisText)
		},
	}
	flags.Add(c)
	return c
}

func diagnosisText(a *ui.App, d *project.Diagnosis) string {
	rows := make([][]string, 0, 2*len(d.Checks))
	for _, c := range d.Checks {
		rows = append(rows, []string{c.Status, c.What, c.Found})
		if c.Fix != "" && !a.Quiet {
			rows = append(rows, []string{"", "", "fix: " + c.Fix})
		}
	}
	return ui.Columns(rows)
}

// SchemaCommand returns the schema command.
func SchemaCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:     "schema [NAME]",
		GroupID: ui.Other,
		Short:   "Print the JSON Schema of a format, or list them",
		Long: `Every JSON document that brenner reads or writes names its schema. This prints it, as
JSON Schema (draft 2020-12). NAME is a schema's whole name, or its middle: both
"brenner.artifact/v1" and "artifact" will do. Without NAME the names are listed.`,
		Example: `  brenner schema
  brenner schema artifact
  brenner schema brenner.merge/v1

Exit codes: 0 printed; 2 there is no such schema.`,
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
				hint := "`brenner schema` lists them"
				if near, ok := text.Nearest("brenner."+args[0]+"/v1", schemas.Names()); ok {
					hint = "did you mean " + near + "?"
				}
				return ui.Usage(c, fmt.Sprintf("there is no schema %q", ui.Clean(args[0])), hint)
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
		Use:     "version",
		GroupID: ui.Other,
		Short:   "Print the version, and which rules and formats it knows",
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
