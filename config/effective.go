package config

import (
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/roster"
)

// rosterLayers gives what each file says about the roster.
func (g given) rosterLayers() []roster.Layer {
	var layers []roster.Layer
	for _, l := range []layer{g.session, g.project} {
		text := func(path string) (s string) { s, _ = l[path].value.(string); return s }
		list, hasList := l["roster.entries"].value.([]roster.Entry)
		one := roster.Layer{
			Entries: list, Empty: hasList && len(list) == 0,
			Mode: roster.Mode(text("roster.mode")), Name: text("roster.name"), Preset: text("roster.preset"),
		}
		for path, s := range l {
			if strings.HasPrefix(path, "roster.") {
				one.Origin = roster.Origin{Level: s.origin.Level, Source: s.origin.Source}
			}
		}
		if one.Origin.Level != 0 {
			layers = append(layers, one)
		}
	}
	return layers
}

func (s *settings) scopes() merge.Scopes {
	scopes := merge.DefaultScopes()
	scopes.Strict = s.Scopes.Mode == scopesStrict
	for i := range scopes.Grants {
		g := &scopes.Grants[i]
		role := s.Scopes.Roles[g.Role]
		g.Write, g.Add, g.KillAnywhere = sectionsOf(role.Write), sectionsOf(role.Add), role.KillAnywhere
	}
	return scopes
}

func sectionsOf(ids []string) []artifact.Section {
	var sections []artifact.Section
	for _, id := range ids {
		if s, ok := artifact.ParseSection(id); ok { // the reader let no other pass
			sections = append(sections, s)
		}
	}
	return sections
}

func (s *settings) limits() map[artifact.Section]merge.Limit {
	limits := make(map[artifact.Section]merge.Limit, len(s.Limits))
	for _, section := range limited() {
		limits[section] = s.Limits[section.String()]
	}
	return limits
}

// check holds what only the whole can tell.
func (c *Config) check(g given) error {
	var found fault.Bounded
	for _, s := range limited() {
		if l := c.Limits[s]; l.Max > 0 && l.Min > l.Max {
			at := "limits." + s.String()
			least, most := c.Origin(at+".min"), c.Origin(at+".max")
			stronger := most
			if least.Level < most.Level || least.Level == most.Level && least.Line > most.Line {
				stronger = least
			}
			found.Add(InvalidValue, stronger.String(), "lower the minimum or raise the maximum; a maximum of 0 is none",
				"%s has a minimum of %d (%s) above its maximum of %d (%s)", at, l.Min, least, l.Max, most)
		}
	}
	for _, path := range []string{"roster.preset", "roster.defaultPreset"} {
		for _, l := range []layer{g.session, g.project} {
			checkPreset(&found, c.Presets, l[path])
		}
	}
	c.checkSession(&found)
	c.checkRecords(&found)
	c.checkPlaybook(&found)
	return found.Err()
}

// checkPreset says when a file names a preset that is not there; an empty name
// means none.
func checkPreset(found *fault.Bounded, all []roster.Preset, named setting) {
	id, _ := named.value.(string)
	if id == "" {
		return
	}
	_, err := roster.FindPreset(all, id)
	for _, one := range fault.All(err) {
		located := *one
		located.Place = named.origin.String()
		found.Take(&located)
	}
}
