package ui

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"brenner/artifact"
	"brenner/config"
	"brenner/project"
	"brenner/roster"
)

// LatestSession stands for the newest session wherever a session's id is accepted.
const LatestSession = "latest"

// SessionArg lets the argument at this index be "latest", also before @, # or /, and
// completes it.
func SessionArg(a *App, index int, c *cobra.Command) *cobra.Command {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if index < len(args) {
			id, err := a.Latest(c, args[index])
			if err != nil {
				return err
			}
			args = slices.Clone(args)
			args[index] = id
		}
		return run(c, args)
	}
	c.ValidArgsFunction = a.completeAt(index, func(p *project.Project, c *cobra.Command) []string {
		return append([]string{LatestSession}, p.SessionIDs(c.Context())...)
	})
	return c
}

// SessionOrNewest is SessionArg for a command whose first argument is a session: without one it
// takes the newest. A first argument that names an item is one of the newest session.
func SessionOrNewest(a *App, c *cobra.Command) *cobra.Command {
	check := c.Args
	c.Args = func(c *cobra.Command, args []string) error { return check(c, withNewest(args)) }
	c = SessionArg(a, 0, c)
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error { return run(c, withNewest(args)) }
	return c
}

func withNewest(args []string) []string {
	if len(args) == 0 || isItem(args[0]) {
		return append([]string{LatestSession}, args...)
	}
	return args
}

// isItem reports whether an argument names an item or a field, and not a file.
func isItem(arg string) bool {
	id, _, _ := strings.Cut(arg, ".")
	_, ok := artifact.SectionOfID(id)
	_, err := os.Stat(arg)
	return ok && err != nil
}

// Latest replaces "latest" in the name of a session by the newest session's id, and says so.
func (a *App) Latest(c *cobra.Command, arg string) (string, error) {
	rest, ok := strings.CutPrefix(arg, LatestSession)
	if !ok || rest != "" && !strings.ContainsAny(rest[:1], "@#/") {
		return arg, nil
	}
	if _, _, isFile := project.ExportFile(arg); isFile {
		return arg, nil
	}
	p, err := a.Open()
	if err != nil {
		return "", err
	}
	id, err := p.NewestSession(c.Context())
	if err == nil && !a.Quiet && !a.JSON && c.Name() != "status" { // which names it itself
		a.Say("session " + Clean(id) + "\n")
	}
	return id + rest, err
}

// completeAt completes the argument at an index with what list returns, and others with files.
func (a *App) completeAt(index int, list func(*project.Project, *cobra.Command) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) != index {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return a.Completed(c, list), cobra.ShellCompDirectiveDefault
	}
}

// Completed lists words for the shell; on any error it lists none, silently.
func (a *App) Completed(c *cobra.Command, list func(*project.Project, *cobra.Command) []string) []string {
	dir, _ := c.Flags().GetString("project")
	address, _ := c.Flags().GetString("store")
	host := &project.Host{Environ: a.Environ, Now: a.Now, Log: zerolog.Nop(), Pause: a.pause}
	p, err := project.Open(host, config.Options{Dir: dir, Flags: storeFlag(address)})
	if err != nil {
		return nil
	}
	return list(p, c)
}

// LoopArg completes the first argument with the names of loops.
func LoopArg(a *App, c *cobra.Command) *cobra.Command {
	c.ValidArgsFunction = a.completeAt(0, func(p *project.Project, c *cobra.Command) []string { return p.LoopNames(c.Context()) })
	return c
}

// CompleteFlags completes those flags of a command whose values are known: the words that its help
// lists, presets, vias, roles and names of agents.
func CompleteFlags(a *App, c *cobra.Command) *cobra.Command {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if words := listed(f.Usage); len(words) > 0 {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for name, list := range map[string]func(*project.Project) []string{
		"preset": func(p *project.Project) []string { return p.Config.PresetIDs() },
		"via":    func(*project.Project) []string { return config.Vias() },
		"role":   func(*project.Project) []string { return roles("") },
		"to":     func(p *project.Project) []string { return p.Config.AgentNames() },
		"agent":  func(p *project.Project) []string { return p.Config.AgentNames() },
		"agent-role": func(p *project.Project) []string {
			var all []string
			for _, name := range p.Config.AgentNames() {
				all = append(all, roles(name+"=")...)
			}
			return all
		},
	} {
		if c.Flags().Lookup(name) == nil {
			continue
		}
		// It fails only for an unknown flag, or one completed already.
		_ = c.RegisterFlagCompletionFunc(name, func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.Completed(c, func(p *project.Project, _ *cobra.Command) []string { return list(p) }), cobra.ShellCompDirectiveNoFileComp
		})
	}
	for _, sub := range c.Commands() {
		CompleteFlags(a, sub)
	}
	return c
}

// listed returns the words of which a flag takes one, as its usage lists them: "format: text, dot or
// mermaid", or nil.
func listed(usage string) []string {
	m := regexp.MustCompile(`(?:^|: )((?:\w+, )*\w+,? or \w+)(?:$|;|:| \()`).FindStringSubmatch(usage)
	if m == nil {
		return nil
	}
	return strings.Split(strings.NewReplacer(", or ", ",", " or ", ",", ", ", ",").Replace(m[1]), ",")
}

func roles(prefix string) []string {
	var all []string
	for _, r := range roster.AllRoles() {
		all = append(all, prefix+string(r))
	}
	return all
}
