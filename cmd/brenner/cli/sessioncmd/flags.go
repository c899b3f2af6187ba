package sessioncmd

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/project"
	"brenner/roster"
)

// briefFlags are the flags that say what a session is about.
type briefFlags struct {
	threadID    string
	question    string
	context     string
	excerptFile string
	hypotheses  []string
	constraints []string
}

func (b *briefFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&b.question, "question", "", "the research question, or @FILE; brenner.yaml's if not given")
	f.StringVar(&b.context, "context", "", "what everybody should know about it, or @FILE")
	f.StringVar(&b.excerptFile, "excerpt-file", "", "a file to quote in full")
	f.StringArrayVar(&b.hypotheses, "hypotheses", nil, "a hypothesis to start from, or @FILE with one a line; repeatable")
	f.StringArrayVar(&b.constraints, "constraints", nil, "something to keep to, or @FILE with one a line; repeatable")
	f.StringVar(&b.threadID, "thread-id", "", "RS-YYYYMMDD-slug; made from the date and the question if not given")
}

// flags gives those that set keys of the configuration.
func (b *briefFlags) flags(a *ui.App, c *cobra.Command) ([]config.Flag, error) {
	var flags []config.Flag
	for _, f := range []struct{ key, value string }{{"question", b.question}, {"context", b.context}} {
		if !c.Flags().Changed(f.key) {
			continue
		}
		text, err := a.Inline("--"+f.key, f.value)
		if err != nil {
			return nil, err
		}
		flags = append(flags, config.Flag{Key: f.key, Name: "--" + f.key, Values: []string{strings.TrimSpace(text)}})
	}
	return flags, nil
}

// compose reads the configuration, resolves the roster, and makes the messages of
// the first round.
func compose(a *ui.App, c *cobra.Command, r *RosterFlags, b *briefFlags, more ...config.Flag) (project.Composed, error) {
	flags, err := b.flags(a, c)
	if err != nil {
		return project.Composed{}, err
	}
	p, res, err := Resolve(a, c, r, append(flags, more...)...)
	if err != nil {
		return project.Composed{}, err
	}
	in := kickoff.Input{ThreadID: b.threadID, Roster: res.Roster}
	if b.excerptFile != "" {
		excerpt, err := a.ReadFile("excerpt", b.excerptFile)
		if err == nil {
			err = project.CheckEvidence("excerpt", b.excerptFile, excerpt)
		}
		if err != nil {
			return project.Composed{}, err
		}
		in.Excerpt = string(excerpt)
	}
	hypotheses, err := a.Lines("--hypotheses", b.hypotheses)
	if err != nil {
		return project.Composed{}, err
	}
	for _, h := range hypotheses {
		in.Hypotheses = append(in.Hypotheses, kickoff.Hypothesis{Text: h})
	}
	if in.Constraints, err = a.Lines("--constraints", b.constraints); err != nil {
		return project.Composed{}, err
	}
	return p.Compose(in, res)
}

// RosterFlags are the flags that say who takes part, as the roster specification
// has them, and where the project is.
type RosterFlags struct {
	SessionConfig string
	preset        string
	roster        string
	agentRoles    []string
	unified       bool
	mode          string
	recipients    []recipients
}

// recipients are the names of one --to, and the role of the --role behind it.
type recipients struct {
	names []string
	role  string
}

// Add declares the flags on a command.
func (r *RosterFlags) Add(c *cobra.Command) {
	ui.InProject(c)
	f := c.Flags()
	f.Var(toFlag{r}, "to", "an agent, or several with commas; repeatable")
	f.Var(roleFlag{r}, "role", "the role of the agents of the --to before it")
	f.StringArrayVar(&r.agentRoles, "agent-role", nil, "NAME=ROLE; repeatable")
	f.StringVar(&r.roster, "roster", "", ui.RosterUsage)
	f.StringVar(&r.preset, "preset", "", "the id of a preset; the command roster presets lists them")
	f.BoolVar(&r.unified, "unified", false, "one prompt for all, whatever their roles")
	f.StringVar(&r.mode, "roster-mode", "", "role_separated, unified or heuristic (deprecated)")
	f.StringVar(&r.SessionConfig, "session-config", "", "a configuration file for this session, above the project's")
}

// given tells whether any flag names agents.
func (r *RosterFlags) given() bool {
	return len(r.recipients) > 0 || len(r.agentRoles) > 0 || r.roster != "" || r.preset != ""
}

// toFlag and roleFlag share what was given so far, because a --role belongs to
// the --to before it.
type (
	toFlag   struct{ r *RosterFlags }
	roleFlag struct{ r *RosterFlags }
)

func (toFlag) String() string { return "" }

func (toFlag) Type() string { return "NAME" }

// Set takes one --to.
func (t toFlag) Set(value string) error {
	var names []string
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name == "" || !utf8.ValidString(name) {
			return errors.New("it has a name that is blank, or no UTF-8")
		}
		names = append(names, name)
	}
	t.r.recipients = append(t.r.recipients, recipients{names: names})
	return nil
}

func (roleFlag) String() string { return "" }

func (roleFlag) Type() string { return "ROLE" }

// Set takes one --role.
func (f roleFlag) Set(value string) error {
	n := len(f.r.recipients)
	if n == 0 {
		return errors.New("it needs a --to before it")
	}
	last := &f.r.recipients[n-1]
	if last.role != "" {
		return fmt.Errorf("%s already has the role %s", strings.Join(last.names, ", "), last.role)
	}
	last.role = value
	return nil
}

// layers gives what the flags say about the roster.
func (r *RosterFlags) layers(a *ui.App, c *cobra.Command) ([]roster.Layer, error) {
	var layers []roster.Layer
	from := func(flag string) roster.Origin { return roster.Origin{Level: roster.Flags, Source: flag} }
	if len(r.recipients) > 0 {
		l := roster.Layer{Origin: from("--to")}
		for _, group := range r.recipients {
			for _, name := range group.names {
				l.Recipients = append(l.Recipients, name)
				if group.role != "" {
					l.Entries = append(l.Entries, roster.Entry{Agent: name, Role: roster.Role(group.role)})
				}
			}
		}
		layers = append(layers, l)
	}
	if len(r.agentRoles) > 0 {
		l := roster.Layer{Origin: from("--agent-role")}
		for _, pair := range r.agentRoles {
			name, role, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, ui.Usage(c, fmt.Sprintf("--agent-role %q is not NAME=ROLE", ui.Clean(pair)), "")
			}
			l.Entries = append(l.Entries, roster.Entry{Agent: name, Role: roster.Role(role)})
		}
		layers = append(layers, l)
	}
	if r.roster != "" {
		data, _, err := a.RosterText(r.roster)
		if err != nil {
			return nil, err
		}
		l, warnings, err := roster.ReadLayer(from("--roster"), data)
		if err != nil {
			return nil, err
		}
		a.Host().Warn(warnings)
		layers = append(layers, l)
	}
	return append(layers, r.settings(from)...), nil
}

// settings gives the layers of the flags that name nobody.
func (r *RosterFlags) settings(from func(string) roster.Origin) []roster.Layer {
	var layers []roster.Layer
	if r.preset != "" {
		layers = append(layers, roster.Layer{Origin: from("--preset"), Preset: r.preset})
	}
	if r.unified {
		layers = append(layers, roster.Layer{Origin: from("--unified"), Mode: roster.Unified})
	}
	if r.mode != "" {
		layers = append(layers, roster.Layer{Origin: from("--roster-mode"), Mode: roster.Mode(r.mode)})
	}
	return layers
}

// Resolve reads the configuration and makes one roster of all layers. Further
// flags set keys of the configuration.
func Resolve(a *ui.App, c *cobra.Command, r *RosterFlags, flags ...config.Flag) (*project.Project, roster.Resolution, error) {
	if r.unified && r.mode != "" && roster.Mode(r.mode) != roster.Unified {
		return nil, roster.Resolution{}, ui.Usage(c, "--unified and --roster-mode "+ui.Clean(r.mode)+" contradict each other", "")
	}
	p, err := a.OpenWith(r.SessionConfig, flags...)
	if err != nil {
		return nil, roster.Resolution{}, err
	}
	above, err := r.layers(a, c)
	if err != nil {
		return nil, roster.Resolution{}, err
	}
	res, err := p.Resolve(above)
	return p, res, err
}

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
