package config

import (
	"slices"
	"strings"

	"github.com/spf13/viper"

	"brenner/internal/fault"
	"brenner/roster"
	"brenner/session/flow"
)

// layerStack holds the layers above the built-in one.
type layerStack struct {
	flags, environment, session, project layer
}

// settle determines the effective layer of each key.
func (g layerStack) settle(c *Config, t table) error {
	g.dropContexts()
	var found fault.Bounded
	if g.narrow(&found); found.Len() > 0 {
		return found.Err()
	}
	v := g.stack(t)
	for _, k := range t {
		value := v.Get(k.path)
		k.set(value)
		c.values = append(c.values, Value{Key: k.path, Value: valueOf(value), Origin: g.origin(k.path), raw: value})
	}
	slices.SortFunc(c.values, func(a, b Value) int { return strings.Compare(a.Key, b.Key) })
	c.Session.Limits = c.Timeouts.times()
	c.Presets = roster.AllPresets(c.Presets)
	c.Layers = g.rosterLayers()
	return c.check(g, t)
}

// dropContexts removes the context of each layer whose question a stronger layer replaces: it
// describes that question.
func (g layerStack) dropContexts() {
	var question any
	for _, l := range []layer{g.flags, g.environment, g.session, g.project} {
		own, ok := l["question"]
		switch {
		case ok && question == nil:
			question = own.value
		case ok && question != own.value:
			delete(l, "context")
		}
	}
}

// stack merges the layers, the weakest first. Environment and flags are both overrides in viper,
// which only reads the process's own environment; the later override wins.
func (g layerStack) stack(t table) *viper.Viper {
	v := viper.New()
	for _, k := range t {
		v.SetDefault(k.path, k.builtIn)
	}
	for _, file := range []layer{g.project, g.session} {
		// Merging a map never fails.
		_ = v.MergeConfigMap(file.nested())
	}
	for _, above := range []layer{g.environment, g.flags} {
		for path, s := range above {
			v.Set(path, s.value)
		}
	}
	return v
}

// nested returns the layer as nested maps, one level per dot of a path.
func (l layer) nested() map[string]any {
	top := map[string]any{}
	for path, s := range l {
		at := top
		parts := strings.Split(path, ".")
		for _, part := range parts[:len(parts)-1] {
			if _, ok := at[part]; !ok {
				at[part] = map[string]any{}
			}
			at = at[part].(map[string]any) //nolint:forcetypeassert // no key is the beginning of another
		}
		at[parts[len(parts)-1]] = s.value
	}
	return top
}

// origin returns the effective layer of a key.
func (g layerStack) origin(path string) Origin {
	for _, l := range []layer{g.flags, g.environment, g.session, g.project} {
		if s, ok := l[path]; ok {
			return s.origin
		}
	}
	return Origin{Level: roster.Default}
}

// joinPresets adds the presets of a weaker file that this one does not redefine.
func (l layer) joinPresets(weaker layer) {
	const path = "roster.presets"
	own, ok := l[path]
	if !ok {
		return
	}
	all, _ := own.value.([]roster.Preset)
	replaced := make(map[string]bool, len(all))
	for _, p := range all {
		replaced[p.ID] = true
	}
	other, _ := weaker[path].value.([]roster.Preset)
	for _, p := range other {
		if !replaced[p.ID] {
			all = append(all, p)
		}
	}
	l[path] = setting{all, own.origin}
}

func (g layerStack) rosterLayers() []roster.Layer {
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

// ChangeByFlags changes only the session settings and deadlines that flags set.
func (c *Config) ChangeByFlags(s *flow.Settings) {
	changed := &Config{Session: *s}
	for _, k := range keyTable(changed) {
		if v := c.value(k.path); v.Origin.Level == roster.Flags {
			k.set(v.raw)
		}
	}
	*s = changed.Session
	s.Limits = c.Session.Limits
}

// PresetIDs returns the ids of all presets.
func (c *Config) PresetIDs() []string {
	var ids []string
	for i := range c.Presets {
		ids = append(ids, c.Presets[i].ID)
	}
	return ids
}

// AgentNames returns the agents that the files and the presets name.
func (c *Config) AgentNames() []string {
	var names []string
	for _, l := range c.Layers {
		names = append(names, roster.Roster{Entries: l.Entries}.Agents()...)
	}
	for i := range c.Presets {
		names = append(names, c.Presets[i].PlaceholderNames...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
