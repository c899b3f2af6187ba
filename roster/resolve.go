package roster

import (
	"cmp"
	"slices"
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
