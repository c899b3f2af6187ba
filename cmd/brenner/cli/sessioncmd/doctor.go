package sessioncmd

import (
	"slices"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/project"
	"brenner/project/doctor"
	"brenner/roster"
)

// Setup is the setup of a session according to flags, for the doctor. It has the flags of
// `session start` that decide whether a session could start.
type Setup struct{ startOptions }

// Add declares the flags on a command.
func (s *Setup) Add(c *cobra.Command) {
	s.addSetup(c)
	c.Flags().StringVar(&s.brief.question, "question", "", "research question, or @FILE (default: question in brenner.yaml)")
}

// Options returns what to check.
func (s *Setup) Options(a *ui.App, c *cobra.Command) (*doctor.Options, error) {
	if err := s.readScript(a, c); err != nil {
		return nil, err
	}
	flags, err := s.brief.flags(a, c)
	if err != nil {
		return nil, err
	}
	return &doctor.Options{
		Resolve: func() (*project.Project, roster.Resolution, error) {
			return Resolve(a, c, &s.roster, append(flags, s.keys(c)...)...)
		},
		Chosen: chosen(c),
		Start:  project.StartOptions{Agents: *s.agents(), Traffic: s.run.traffic, Script: s.played, AnyQuestion: c.Flags().Changed("via")},
	}, nil
}

// chosen reports whether flags decide how a session runs, not only which agents take part.
func chosen(c *cobra.Command) bool {
	names := []string{"question", "via", "model", "script", "arbiter", "base-url"}
	for _, o := range config.RunFlags() {
		names = append(names, o.Name)
	}
	return slices.ContainsFunc(names, c.Flags().Changed)
}
