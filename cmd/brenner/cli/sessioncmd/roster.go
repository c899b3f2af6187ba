package sessioncmd

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/roster"
)

// RosterCommand returns the roster commands.
func RosterCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "roster",
		GroupID: ui.Everyday,
		Short:   "Show or check who takes part, and where that came from",
		Long: `A roster gives each agent its role. It is made, field by field, from flags, the
environment (BRENNER_ROSTER_…), the session's configuration, the project's, and a
preset, in this order.`,
	}, rosterShowCommand(a), rosterValidateCommand(a), rosterPresetsCommand(a))
}

func rosterShowCommand(a *ui.App) *cobra.Command {
	var flags RosterFlags
	c := &cobra.Command{
		Use:   "show",
		Short: "Print the resolved roster, with the origin of each entry",
		Example: `  brenner roster show --preset default-3-agent
  brenner roster show --to BlueLake --role hypothesis_generator --to RedSky --role adversarial_critic
  BRENNER_ROSTER_PRESET=hypothesis-critique brenner roster show --json

Exit codes: 0 shown; 2 the roster or the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, res, err := Resolve(a, c, &flags)
			if err != nil {
				return err
			}
			doc := jsontext.Value(artifact.Canonical(withSchema(res.Value(), "brenner.roster/v1")))
			return ui.Show(a, doc, err, func(*ui.App, jsontext.Value) string { return resolvedText(&res) })
		},
	}
	flags.Add(c)
	return c
}

// resolvedText shows a roster and where it came from.
func resolvedText(r *roster.Resolution) string {
	title := string(r.Roster.Mode)
	if r.Roster.Name != "" {
		title = r.Roster.Name + ", " + title
	}
	rows := [][]string{{"AGENT", "ROLE", "PROGRAM", "MODEL", "WHERE FROM"}}
	for i, e := range r.Roster.Entries {
		rows = append(rows, []string{
			ui.Clean(e.Agent), ui.Clean(string(e.Role)), ui.OrDash(e.Program), ui.OrDash(e.Model), ui.Clean(whereFrom(r.Origins[i])),
		})
	}
	out := ui.Clean(title) + "\n\n" + ui.Columns(rows)
	for _, u := range r.Unused {
		out += fmt.Sprintf("not taking part: %s (%s)\n", ui.Clean(u.Agent), ui.Clean(u.Origin.String()))
	}
	return out
}

// whereFrom names the origin of an entry, field by field where they differ.
func whereFrom(o roster.EntryOrigin) string {
	fields := []struct {
		name string
		from roster.Origin
	}{{"agent", o.Agent}, {"role", o.Role}, {"program", o.Program}, {"model", o.Model}, {"notes", o.Notes}}
	var parts []string
	for i, f := range fields {
		if f.from == (roster.Origin{}) {
			continue
		}
		names := f.name
		for j := i + 1; j < len(fields); j++ {
			if fields[j].from == f.from {
				names += ", " + fields[j].name
				fields[j].from = roster.Origin{}
			}
		}
		parts = append(parts, names+" from "+f.from.String())
	}
	return strings.Join(parts, "; ")
}

// withSchema adds the name of its schema to an object.
func withSchema(v artifact.Value, schema string) artifact.Value {
	m, _ := v.(artifact.Map)
	entries := append([]artifact.Entry{{Key: "schema", Value: artifact.Text(schema)}}, m...)
	return artifact.MapOf(entries...)
}

func rosterValidateCommand(a *ui.App) *cobra.Command {
	var flags RosterFlags
	c := &cobra.Command{
		Use:   "validate [FILE]",
		Short: "Check a roster file, or the roster that flags and configuration give",
		Example: `  brenner roster validate roster.json
  brenner roster validate --preset default-3-agent --to BlueLake,RedSky

Exit codes: 0 valid; 2 not valid, with every reason.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			doc := validRoster{Schema: "brenner.roster.validate/v1", Valid: true}
			if len(args) == 0 {
				_, res, err := Resolve(a, c, &flags)
				doc.Roster = res.Roster
				return ui.Show(a, doc, err, validText)
			}
			r, err := a.ReadRoster(args[0])
			doc.Roster = r
			return ui.Show(a, doc, err, validText)
		},
	}
	flags.Add(c)
	return c
}

// validRoster is a roster that was found to be right.
type validRoster struct {
	Schema string        `json:"schema"`
	Valid  bool          `json:"valid"`
	Roster roster.Roster `json:"roster"`
}

func validText(_ *ui.App, v validRoster) string {
	return fmt.Sprintf("valid: %s, %s\n", text.Count(len(v.Roster.Entries), "agent"), v.Roster.Mode.OrDefault())
}

func rosterPresetsCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "presets",
		Short: "List the presets: the built-in ones and the project's",
		Example: `  brenner roster presets
  brenner roster presets --json

Exit codes: 0 listed; 2 the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.Open()
			if err != nil {
				return err
			}
			return ui.Show(a, presetList{"brenner.roster.presets/v1", roster.AllPresets(p.Config.Presets)}, nil, presetsText)
		},
	})
}

// presetList is all presets.
type presetList struct {
	Schema  string          `json:"schema"`
	Presets []roster.Preset `json:"presets"`
}

func presetsText(_ *ui.App, p presetList) string {
	var b strings.Builder
	for i, preset := range p.Presets {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", ui.Clean(preset.ID), ui.Clean(preset.Name))
		if preset.Description != "" {
			fmt.Fprintf(&b, "  %s\n", ui.Clean(preset.Description))
		}
		rows := make([][]string, len(preset.Entries))
		for i, e := range preset.Entries {
			name := "-"
			if i < len(preset.PlaceholderNames) {
				name = ui.Clean(preset.PlaceholderNames[i])
			}
			rows[i] = []string{"  " + name, string(e.Role), ui.OrDash(e.Program), ui.OrDash(e.Model)}
		}
		b.WriteString(ui.Columns(rows))
	}
	return b.String()
}
