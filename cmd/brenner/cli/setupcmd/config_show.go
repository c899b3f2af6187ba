package setupcmd

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
)

// ConfigCommand returns the config commands.
func ConfigCommand(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "config",
		GroupID: ui.Other,
		Short:   "Show the effective configuration",
	}
	c.AddCommand(configShowCommand(a))
	ui.Group(c)
	return c
}

func configShowCommand(a *ui.App) *cobra.Command {
	var project, session string
	var origin bool
	c := &cobra.Command{
		Use:   "show",
		Short: "Print every key with its value, and where it came from",
		Example: `  brenner config show
  brenner config show --origin
  BRENNER_VIA=openai brenner config show --origin --json

Exit codes: 0 shown; 2 the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.Open(project, session, nil)
			if err != nil {
				return err
			}
			return a.Show(configValues{p.Config.Values(), origin})
		},
	}
	ui.AddProjectFlag(c, &project)
	c.Flags().StringVar(&session, "session-config", "", "a configuration file for one session, above the project's")
	c.Flags().BoolVar(&origin, "origin", false, "say where each value came from")
	return c
}

// configValues is the effective configuration.
type configValues struct {
	values []config.Value
	origin bool
}

func (v configValues) Print(a *ui.App) error {
	rows := make([][]string, len(v.values))
	for i, value := range v.values {
		rows[i] = []string{value.Key, string(artifact.Canonical(value.Value))}
		if v.origin {
			rows[i] = []string{value.Key, value.Origin.String(), rows[i][1]}
		}
	}
	return a.Write([]byte(ui.Columns(rows)))
}

func (v configValues) Document() any {
	type row struct {
		Key    string         `json:"key"`
		Value  jsontext.Value `json:"value"`
		Origin string         `json:"origin"`
	}
	rows := make([]row, len(v.values))
	for i, value := range v.values {
		rows[i] = row{value.Key, jsontext.Value(artifact.Canonical(value.Value)), strings.TrimSpace(value.Origin.String())}
	}
	return struct {
		Schema string `json:"schema"`
		Values []row  `json:"values"`
	}{"brenner.config/v1", rows}
}
