package roster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
)

// Input is everything a roster is resolved from.
type Input struct {
	// Layers in any order of levels; within one level the order counts.
	Layers []Layer
	// Presets are the project's own; the built-in ones are always there too,
	// unless the project has one of the same id.
	Presets []Preset
	// DefaultPreset is the id of the preset taken, with a warning, when nobody is
	// named and no preset is asked for; or empty.
	DefaultPreset string
}

// Resolution is the roster of a session and where each part of it came from.
type Resolution struct {
	// Roster has one entry for each recipient, in the recipients' order, and
	// always says its mode.
	Roster  Roster
	Origins []EntryOrigin // by index as Roster.Entries
	// Mode, Name and CreatedAt are the origins of the roster's own fields.
	Mode, Name, CreatedAt Origin
	Preset                string   // the id of the preset that was applied, or empty
	Unused                []Unused // entries for agents that take no part (rule 4)
	Warnings              []Warning
}

// EntryOrigin says of each field of an entry where it came from; a field that is
// missing has the zero Origin.
type EntryOrigin struct {
	Agent, Role, Program, Model, Notes Origin
}

// Unused is an entry for an agent that is no recipient: allowed, and ignored.
type Unused struct {
	Agent  string
	Origin Origin
}

// Resolve makes one roster of all layers. Recipients are those that --to names,
// else the agents of the highest level that names any; every level below fills
// in what is missing of their entries, field by field, and never adds a
// recipient. A preset is the lowest layer and goes by order, not by name. All
// faults are said at once; with an error only Warnings of the result are set.
func Resolve(in Input) (Resolution, error) {
	r := &resolver{layers: byLevel(in.Layers), presets: AllPresets(in.Presets)}
	r.checkLayers()
	r.settle()
	whole := r.choose(in.DefaultPreset)
	r.bindLoose()
	r.checkTwoRoles()
	if whole {
		r.fill()
		r.listUnused()
	}
	if err := r.found.err(); err != nil {
		return Resolution{Warnings: r.out.Warnings}, err
	}
	return r.out, nil
}

// resolver is one run of Resolve.
type resolver struct {
	layers     []Layer // highest first
	presets    []Preset
	preset     *Preset     // the one that applies
	recipients []recipient // each agent once
	out        Resolution
	found      faults
}

// recipient is an agent that takes part, and who says so.
type recipient struct {
	agent  string
	origin Origin
}

func byLevel(layers []Layer) []Layer {
	sorted := slices.Clone(layers)
	slices.SortStableFunc(sorted, func(a, b Layer) int { return cmp.Compare(a.Origin.Level, b.Origin.Level) })
	return sorted
}

// checkLayers finds what is wrong within one layer, also where a higher one
// would hide it: a file with a wrong role in it is wrong on every day.
func (r *resolver) checkLayers() {
	for _, l := range r.layers {
		place := l.Origin.String()
		r.found.checkAgents(place, l.Recipients)
		r.found.checkAgents(place, Roster{Entries: l.Entries}.Agents())
		for _, e := range l.Entries {
			if e.Role != "" && !e.Role.Valid() {
				r.found.invalidRole(place, e.Agent, e.Role)
			}
		}
		if !l.Mode.Valid() {
			r.found.invalidMode(place, l.Mode)
		}
	}
}

// settle decides what belongs to the whole roster: mode, name, instant.
func (r *resolver) settle() {
	roster, out := &r.out.Roster, &r.out
	for _, l := range r.layers {
		take(&roster.Mode, &out.Mode, l.Mode, l.Origin)
		take(&roster.Name, &out.Name, l.Name, l.Origin)
		take(&roster.CreatedAt, &out.CreatedAt, l.CreatedAt, l.Origin)
	}
	take(&roster.Mode, &out.Mode, RoleSeparated, Origin{Level: Default})
	if roster.Mode == Heuristic {
		r.warn(Warning{
			Code: HeuristicDeprecated, Place: out.Mode.String(),
			Message: "heuristic mode is deprecated: it guesses roles from names",
			Hint:    "give each agent a role with --to NAME --role ROLE, or use --preset default-3-agent",
		})
		return
	}
	for _, l := range r.layers {
		if l.Empty {
			r.found.emptyRoster(l.Origin.String())
		}
	}
}

// take fills a field that is still empty and remembers from where.
func take[T ~string](field *T, from *Origin, value T, origin Origin) {
	if *field == "" && value != "" {
		*field, *from = value, origin
	}
}

func (r *resolver) warn(w Warning) { r.out.Warnings = append(r.out.Warnings, w) }

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
