package roster

import (
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
)

// choose decides who takes part and which preset applies. It tells whether the
// entries can be filled in; where not, the reason has been said.
func (r *resolver) choose(defaultPreset string) bool {
	if !r.namePreset() {
		return false
	}
	r.recipients = r.named()
	if len(r.recipients) > 0 {
		return r.fitsPreset()
	}
	if r.preset != nil {
		return r.usePlaceholders() && r.fitsPreset()
	}
	return r.nobodyNamed(defaultPreset)
}

// namePreset finds the preset that the highest layer asks for, if any does.
func (r *resolver) namePreset() bool {
	for _, l := range r.layers {
		if l.Preset == "" {
			continue
		}
		p, err := FindPreset(r.presets, l.Preset)
		if err != nil {
			r.found.addAll(l.Origin.String(), err)
			return false
		}
		r.apply(p)
		return true
	}
	return true
}

// apply makes p the lowest layer.
func (r *resolver) apply(p Preset) {
	r.preset, r.out.Preset = &p, p.ID
	take(&r.out.Roster.Name, &r.out.Name, p.Name, presetOrigin(p))
}

func presetOrigin(p Preset) Origin { return Origin{Level: FromPreset, Source: p.ID} }

// named gives the recipients of the highest level that names any: those of --to,
// else the agents of its entries.
func (r *resolver) named() []recipient {
	for rest := r.layers; len(rest) > 0; {
		level := rest[0].Origin.Level
		n := slices.IndexFunc(rest, func(l Layer) bool { return l.Origin.Level != level })
		if n < 0 {
			n = len(rest)
		}
		if found := recipientsOf(rest[:n]); len(found) > 0 {
			return found
		}
		rest = rest[n:]
	}
	return nil
}

func recipientsOf(peers []Layer) []recipient {
	var asked, entered recipientList
	for _, l := range peers {
		asked.add(l.Origin, l.Recipients...)
		if !l.Loose {
			entered.add(l.Origin, Roster{Entries: l.Entries}.Agents()...)
		}
	}
	if len(asked.list) > 0 {
		return asked.list
	}
	return entered.list
}

// recipientList keeps each name once; blank and repeated names within a layer
// have been reported where the layers were checked.
type recipientList struct {
	list []recipient
	seen map[string]bool
}

func (r *recipientList) add(origin Origin, names ...string) {
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	for _, name := range names {
		if blank(name) || r.seen[name] {
			continue
		}
		r.seen[name] = true
		r.list = append(r.list, recipient{agent: name, origin: origin})
	}
}

// fitsPreset says so when there are more names than the preset has entries.
func (r *resolver) fitsPreset() bool {
	if r.preset == nil || len(r.recipients) <= len(r.preset.Entries) {
		return true
	}
	have := len(r.preset.Entries)
	var surplus []string
	for _, extra := range r.recipients[have:] {
		surplus = append(surplus, extra.agent)
	}
	r.found.add(TooManyAgents, presetOrigin(*r.preset).String(),
		"name fewer agents, choose a preset with more entries, or give a roster without a preset",
		"Too many agents for preset %s: %d are named and it has %d entries; none is left for %s",
		fault.Shown(r.preset.ID), len(r.recipients), have, listed(surplus))
	return false
}

// usePlaceholders makes the preset's own names the recipients.
func (r *resolver) usePlaceholders() bool {
	origin := presetOrigin(*r.preset)
	r.found.checkAgents(origin.String(), r.preset.PlaceholderNames)
	var names recipientList
	names.add(origin, r.preset.PlaceholderNames...)
	r.recipients = names.list
	if len(r.recipients) == 0 {
		r.found.add(PresetNoNames, origin.String(), "name the agents with --to, or give the preset placeholderNames",
			"nobody is named, and the preset %s has no placeholder names", fault.Shown(r.preset.ID))
		return false
	}
	return true
}

// nobodyNamed is the case where neither a recipient nor a preset is named. The
// variables of single agents then count as names, unless all of them are about
// agents of the default preset.
func (r *resolver) nobodyNamed(defaultPreset string) bool {
	var preset Preset
	if defaultPreset != "" {
		p, err := FindPreset(r.presets, defaultPreset)
		if err != nil {
			r.found.addAll("roster.defaultPreset", err)
			return false
		}
		preset = p
	}
	loose := r.looseNames()
	stranger := slices.ContainsFunc(loose, func(l recipient) bool {
		return !slices.ContainsFunc(preset.PlaceholderNames, func(n string) bool { return strings.EqualFold(n, l.agent) })
	})
	switch {
	case stranger:
		r.recipients = loose
		return true
	case defaultPreset != "":
		r.apply(preset)
		r.warn(Warning{
			Code:    DefaultPresetUsed,
			Message: fmt.Sprintf("nobody is named and no preset is chosen; taking the default preset %s", fault.Shown(preset.ID)),
			Hint:    "say --preset " + fault.Shown(preset.ID) + " to choose it, or name agents with --to and --role",
		})
		return r.usePlaceholders() && r.fitsPreset()
	}
	r.sayNobody()
	return false
}

func (r *resolver) looseNames() []recipient {
	var names recipientList
	for _, l := range r.layers {
		if l.Loose {
			names.add(l.Origin, Roster{Entries: l.Entries}.Agents()...)
		}
	}
	return names.list
}

func (r *resolver) sayNobody() {
	if r.out.Roster.Mode == Heuristic {
		r.found.add(NobodyNamed, "", "name the agents with --to", "nobody is named: a roster may be empty in heuristic mode, the recipients may not")
		return
	}
	// A layer that gave an empty roster has been told so already.
	if !slices.ContainsFunc(r.layers, func(l Layer) bool { return l.Empty }) {
		r.found.emptyRoster("")
	}
}
