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

// briefFlags are the flags that describe the subject of a session.
type briefFlags struct {
	threadID    string
	question    string
	context     string
	excerptFile string
	hypotheses  []string
	constraints []string
}

func (b *briefFlags) add(c *cobra.Command) {
	b.addSubject(c)
	c.Flags().StringVar(&b.threadID, "thread-id", "", "session id, RS-YYYYMMDD-slug (default: from the date and the question)")
}

// addSubject declares the flags without that of the session's id.
func (b *briefFlags) addSubject(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&b.question, "question", "", "research question, or @FILE (default: question in brenner.yaml)")
	f.StringVar(&b.context, "context", "", "background for all agents, or @FILE")
	f.StringVar(&b.excerptFile, "excerpt-file", "", "file to quote in full")
	f.StringArrayVar(&b.hypotheses, "hypotheses", nil, "initial hypothesis, or @FILE with one per line; repeatable")
	f.StringArrayVar(&b.constraints, "constraints", nil, "constraint on the research, or @FILE with one per line; repeatable")
}

// flags returns the configuration keys that the flags set.
func (b *briefFlags) flags(a *ui.App, c *cobra.Command) ([]config.Flag, error) {
	var flags []config.Flag
	for _, f := range []struct{ key, value string }{{"question", b.question}, {"context", b.context}} {
		if !c.Flags().Changed(f.key) { // the doctor has no context
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

// compose reads the configuration, resolves the roster, and composes the messages of the
// first round.
func compose(a *ui.App, c *cobra.Command, r *RosterFlags, b *briefFlags, more ...config.Flag) (project.Composed, error) {
	flags, err := b.flags(a, c)
	if err != nil {
		return project.Composed{}, err
	}
	p, res, err := Resolve(a, c, r, append(flags, more...)...)
	if err != nil {
		return project.Composed{}, err
	}
	in, err := b.input(a)
	if err != nil {
		return project.Composed{}, err
	}
	in.Roster = res.Roster
	return p.Compose(in, res)
}

// input returns what the flags say beside the keys of the configuration.
func (b *briefFlags) input(a *ui.App) (kickoff.Input, error) {
	in := kickoff.Input{ThreadID: b.threadID}
	if b.excerptFile != "" {
		excerpt, err := a.ReadFile("excerpt", b.excerptFile)
		if err == nil {
			err = project.CheckEvidence("excerpt", b.excerptFile, excerpt)
		}
		if err != nil {
			return in, err
		}
		in.Excerpt = string(excerpt)
	}
	hypotheses, err := a.Lines("--hypotheses", b.hypotheses)
	if err != nil {
		return in, err
	}
	for _, h := range hypotheses {
		in.Hypotheses = append(in.Hypotheses, kickoff.Hypothesis{Text: h})
	}
	in.Constraints, err = a.Lines("--constraints", b.constraints)
	return in, err
}

// RosterFlags are the flags of the roster specification, and the project directory.
type RosterFlags struct {
	SessionConfig string
	preset        string
	roster        string
	agentRoles    []string
	unified       bool
	mode          string
	recipients    []recipients
}

// recipients are the names of one --to and the role of the --role after it.
type recipients struct {
	names []string
	role  string
}

// Add declares the flags on a command.
func (r *RosterFlags) Add(c *cobra.Command) {
	ui.InProject(c)
	f := c.Flags()
	f.Var(toFlag{r}, "to", "agent, or several separated by commas; repeatable")
	f.Var(roleFlag{r}, "role", "role for the preceding --to")
	f.StringArrayVar(&r.agentRoles, "agent-role", nil, "role of an agent, as NAME=ROLE; repeatable")
	f.StringVar(&r.roster, "roster", "", ui.RosterUsage)
	f.StringVar(&r.preset, "preset", "", "preset id; see 'brenner roster presets'")
	f.BoolVar(&r.unified, "unified", false, "use one prompt for all agents, regardless of role")
	f.StringVar(&r.mode, "roster-mode", "", "roster mode: role_separated, unified or heuristic (deprecated)")
	f.StringVar(&r.SessionConfig, "session-config", "", "configuration file for this session, or - for standard input; overrides the project's")
}

// namesAgents reports whether any flag names agents.
func (r *RosterFlags) namesAgents() bool {
	return len(r.recipients) > 0 || len(r.agentRoles) > 0 || r.roster != "" || r.preset != ""
}

// toFlag and roleFlag share their state, because a --role belongs to the preceding --to.
type (
	toFlag   struct{ r *RosterFlags }
	roleFlag struct{ r *RosterFlags }
)

func (toFlag) String() string { return "" }

func (toFlag) Type() string { return "NAME" }

// Set adds one --to.
func (t toFlag) Set(value string) error {
	var names []string
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name == "" || !utf8.ValidString(name) {
			return errors.New("blank name, or not valid UTF-8")
		}
		names = append(names, name)
	}
	t.r.recipients = append(t.r.recipients, recipients{names: names})
	return nil
}

func (roleFlag) String() string { return "" }

func (roleFlag) Type() string { return "ROLE" }

// Set adds one --role.
func (f roleFlag) Set(value string) error {
	n := len(f.r.recipients)
	if n == 0 {
		return errors.New("requires a --to before it")
	}
	last := &f.r.recipients[n-1]
	if last.role != "" {
		return fmt.Errorf("%s already has the role %s", strings.Join(last.names, ", "), last.role)
	}
	last.role = value
	return nil
}

// layers returns the roster layers that the flags set.
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
		l := roster.Layer{Origin: from("--agent-role"), Override: true}
		for _, pair := range r.agentRoles {
			name, role, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, ui.Usage(c, fmt.Sprintf("--agent-role: %q is not NAME=ROLE", ui.Clean(pair)), "")
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

// settings returns the layers of the flags that do not name agents.
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

// Resolve reads the configuration, overridden by flags, and merges all layers into one
// roster.
func Resolve(a *ui.App, c *cobra.Command, r *RosterFlags, flags ...config.Flag) (*project.Project, roster.Resolution, error) {
	if r.unified && r.mode != "" && roster.Mode(r.mode) != roster.Unified {
		return nil, roster.Resolution{}, ui.Usage(c, "--unified and --roster-mode "+ui.Clean(r.mode)+" cannot be combined", "")
	}
	p, err := a.OpenWith(r.SessionConfig, flags...)
	if err != nil {
		return nil, roster.Resolution{}, err
	}
	above, err := r.layers(a, c)
	if err != nil {
		return p, roster.Resolution{}, err
	}
	res, err := p.Resolve(above)
	return p, res, err
}

// RosterCommand returns the roster commands.
func RosterCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "roster",
		Short: "Show or validate the roster of agents",
		Long: `A roster assigns a role to each agent. Each field comes from the first of these that
sets it: flags, environment (BRENNER_ROSTER…), session configuration, project
configuration, preset.`,
	}, rosterShowCommand(a), rosterValidateCommand(a), rosterPresetsCommand(a))
}

func rosterShowCommand(a *ui.App) *cobra.Command {
	var flags RosterFlags
	c := &cobra.Command{
		Use:   "show",
		Short: "Show the resolved roster with the origin of each entry",
		Example: `  brenner roster show --preset default-3-agent
  brenner roster show --to BlueLake --role hypothesis_generator --to RedSky --role adversarial_critic
  BRENNER_ROSTER_PRESET=hypothesis-critique brenner roster show --json

Exit codes: 0 shown; 2 invalid roster or configuration.`,
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

// resolvedText formats a roster and its origins.
func resolvedText(r *roster.Resolution) string {
	title := string(r.Roster.Mode)
	if r.Roster.Name != "" {
		title = r.Roster.Name + ", " + title
	}
	rows := [][]string{{"AGENT", "ROLE", "PROGRAM", "MODEL", "ORIGIN"}}
	for i, e := range r.Roster.Entries {
		rows = append(rows, []string{
			ui.Clean(e.Agent), ui.Clean(string(e.Role)), ui.OrDash(e.Program), ui.OrDash(e.Model), ui.Clean(originOf(r.Origins[i])),
		})
	}
	out := ui.Clean(title) + "\n\n" + ui.Columns(rows)
	for _, u := range r.Unused {
		out += fmt.Sprintf("not taking part: %s (%s)\n", ui.Clean(u.Agent), ui.Clean(u.Origin.String()))
	}
	return out
}

// originOf formats the origin of an entry, field by field where they differ.
func originOf(o roster.EntryOrigin) string {
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

// withSchema adds a schema field to an object.
func withSchema(v artifact.Value, schema string) artifact.Value {
	m, _ := v.(artifact.Map)
	entries := append([]artifact.Entry{{Key: "schema", Value: artifact.Text(schema)}}, m...)
	return artifact.MapOf(entries...)
}

func rosterValidateCommand(a *ui.App) *cobra.Command {
	var flags RosterFlags
	c := &cobra.Command{
		Use:   "validate [FILE]",
		Short: "Validate a roster file, or the roster from flags and configuration",
		Example: `  brenner roster validate roster.json
  brenner roster validate --preset default-3-agent --to BlueLake,RedSky

Exit codes: 0 valid; 2 invalid, all reasons printed.`,
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

// validRoster is the result for a valid roster.
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
		Short: "List the built-in presets and the project's own",
		Example: `  brenner roster presets
  brenner roster presets --json

Exit codes: 0 listed; 2 invalid configuration.`,
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

// presetList is the list of all presets.
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
