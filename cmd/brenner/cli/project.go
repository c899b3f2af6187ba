package cli

import (
	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/roster"
)

func addProjectFlag(c *cobra.Command, project *string) {
	c.Flags().StringVarP(project, "project", "C", "", "a folder of the project; the working directory if not given ["+config.EnvProject+"]. The project is the nearest folder from there upwards with a "+config.FileName+", or else the repository's root")
}

// loadConfig reads the configuration of the project.
func (a *app) loadConfig(project, sessionConfig string, flags []config.Flag) (*config.Config, error) {
	cfg, err := config.Load(config.Options{
		Dir: config.StartDir(project, a.Environ), Environ: a.Environ, SessionConfig: sessionConfig, Flags: flags,
	})
	if err != nil {
		return nil, err
	}
	a.warnAll(cfg.Warnings)
	a.log.Debug().Str("project", cfg.Project.Dir).Str("file", cfg.Project.File).Msg("read the configuration")
	return cfg, nil
}

// warnAll logs what a person should know and that stops nothing.
func (a *app) warnAll(warnings []roster.Warning) {
	for _, w := range warnings {
		e := a.log.Warn().Str("code", string(w.Code))
		if w.Place != "" {
			e = e.Str("place", w.Place)
		}
		if w.Hint != "" {
			e = e.Str("hint", w.Hint)
		}
		e.Msg(w.Message)
	}
}
