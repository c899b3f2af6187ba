package cli

import (
	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/store"
)

func addProjectFlag(c *cobra.Command, project *string) {
	c.Flags().StringVarP(project, "project", "C", "", "a folder of the project; the working directory if not given ["+config.EnvProject+"]. The project is the nearest folder from there upwards with a "+config.FileName+", or else the repository's root")
}

// host is what the application layer gets to know of this process.
func (a *app) host() *Host {
	return &Host{Environ: a.Environ, Now: a.Now, Log: a.log, Pause: a.pause, Served: a.served, Notice: func(text string) { a.say("brenner: " + clean(text) + "\n") }}
}

// closeStore ends a store.
func (a *app) closeStore(st store.Store) { a.host().closeStore(st) }

// open opens the project of a command.
func (a *app) open(dir, sessionConfig string, flags []config.Flag) (*Project, error) {
	return Open(a.host(), config.Options{Dir: dir, SessionConfig: sessionConfig, Flags: flags})
}
