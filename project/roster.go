package project

import (
	"brenner/config"
	"brenner/roster"
)

// Resolve makes one roster of the layers of a face, the environment and the
// configuration. Warnings are logged.
func (p *Project) Resolve(above []roster.Layer) (roster.Resolution, error) {
	environment, warnings, err := config.RosterFromEnvironment(p.Environ)
	if err != nil {
		return roster.Resolution{}, err
	}
	p.Warn(warnings)
	res, err := roster.Resolve(p.Config.RosterInput(append(above, environment...)...))
	if err == nil {
		p.Warn(res.Warnings) // what would have been taken is no news where nothing is
	}
	return res, err
}
