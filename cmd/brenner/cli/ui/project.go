package ui

import (
	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/project"
	"brenner/store"
)

// AddProjectFlag declares -C, --project on a command.
func AddProjectFlag(c *cobra.Command, project *string) {
	c.Flags().StringVarP(project, "project", "C", "", "a folder of the project; the working directory if not given ["+config.EnvProject+"]. The project is the nearest folder from there upwards with a "+config.FileName+", or else the repository's root")
}

// Host is what the application layer gets to know of this process.
func (a *App) Host() *project.Host {
	if a.host == nil {
		a.host = &project.Host{
			Environ: a.Environ, Now: a.Now, Log: a.Log, Pause: a.pause,
			Notice: func(text string) { a.Say("brenner: " + Clean(text) + "\n") },
		}
	}
	return a.host
}

// CloseStore ends a store.
func (a *App) CloseStore(st store.Store) { a.Host().CloseStore(st) }

// Open opens the project of a command.
func (a *App) Open(dir, sessionConfig string, flags []config.Flag) (*project.Project, error) {
	return project.Open(a.Host(), config.Options{Dir: dir, SessionConfig: sessionConfig, Flags: flags})
}
