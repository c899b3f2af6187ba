package sessioncmd

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
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
