package roster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// Input is everything that a roster is resolved from.
type Input struct {
	// Layers may be in any order of levels; within one level the order counts.
	Layers []Layer
	// Presets are the project's own. Built-in ones are added unless their id is redefined.
	Presets []Preset
	// DefaultPreset is used, with a warning, if neither a recipient nor a preset is named.
	DefaultPreset string
}

// Resolution is the roster of a session with the origin of each part.
type Resolution struct {
	// Roster has one entry for each recipient, in the recipients' order, and always has a mode.
	Roster  Roster
	Origins []EntryOrigin // by index as Roster.Entries
	// Mode, Name and CreatedAt are the origins of the roster's own fields.
	Mode, Name, CreatedAt Origin
	Preset                string   // the id of the preset that was applied, or empty
	Unused                []Unused // entries for agents that do not take part (rule 4)
	Warnings              []Warning
}

// EntryOrigin holds the origin of each field of an entry. A missing field has the zero Origin.
type EntryOrigin struct {
	Agent, Role, Program, Model, Notes Origin
}

// Unused is an entry for an agent that is not a recipient. It is allowed and ignored.
type Unused struct {
	Agent  string
	Origin Origin
}

// Resolve combines all layers into one roster. Recipients are those of --to, else the agents of the
// highest level that names any. Every lower level fills in missing fields of their entries and
// never adds a recipient. A preset is the lowest layer: a recipient with one of its placeholder
// names gets that entry, the others get the remaining ones in order. All errors are returned together; with an error only Warnings is set.
func Resolve(in Input) (Resolution, error) {
	r := &resolver{layers: byLevel(in.Layers), presets: AllPresets(in.Presets)}
	r.checkLayers()
	r.settle()
	whole := r.choose(in.DefaultPreset)
	r.bindLoose()
	r.checkOverrides()
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

type resolver struct {
	layers     []Layer // highest first
	presets    []Preset
	preset     *Preset     // the one that applies
	asked      Origin      // of the request for it
	recipients []recipient // each agent once
	out        Resolution
	found      faults
}

// recipient is an agent that takes part, and the origin of that.
type recipient struct {
	agent  string
	origin Origin
}

func byLevel(layers []Layer) []Layer {
	sorted := slices.Clone(layers)
	slices.SortStableFunc(sorted, func(a, b Layer) int { return cmp.Compare(a.Origin.Level, b.Origin.Level) })
	return sorted
}

// checkLayers checks each layer by itself, so that a higher layer does not hide its errors.
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

// settle determines the mode, name and creation time of the roster.
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
			Hint:    "set each agent's role with --to NAME --role ROLE, or use --preset default-3-agent",
		})
		return
	}
	for _, l := range r.layers {
		if l.Empty {
			r.found.emptyRoster(l.Origin.String())
		}
	}
}

// take sets a field that is still empty and records the origin.
func take[T ~string](field *T, from *Origin, value T, origin Origin) {
	if *field == "" && value != "" {
		*field, *from = value, origin
	}
}

func (r *resolver) warn(w Warning) { r.out.Warnings = append(r.out.Warnings, w) }

// choose determines recipients and preset. It reports whether the entries can be filled in.
func (r *resolver) choose(defaultPreset string) bool {
	if !r.namePreset() {
		return false
	}
	r.recipients = r.namedRecipients()
	if len(r.recipients) > 0 {
		r.warnReplaced()
		r.warnResembling()
		return r.fitsPreset()
	}
	if r.preset != nil {
		return r.usePlaceholders() && r.fitsPreset()
	}
	return r.noneNamed(defaultPreset)
}

// namePreset finds the preset that the highest layer requests, if any.
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
		r.asked = l.Origin
		return true
	}
	return true
}

// warnReplaced warns if fewer agents are named, by flags or at a level below, than a requested
// preset has: not all of its roles take part. A roster that is complete in itself replaces the
// preset of a level below on purpose.
func (r *resolver) warnReplaced() {
	by := r.recipients[0].origin
	if r.preset == nil || len(r.recipients) >= len(r.preset.Entries) {
		return
	}
	names := slices.ContainsFunc(r.layers, func(l Layer) bool { return l.Origin == by && len(l.Recipients) > 0 })
	if by.Level < r.asked.Level && !names || by.Level == r.asked.Level && by.Level != Flags {
		return
	}
	named, hint := "the entries name only", "name all agents with --to, or remove the entries"
	if by.Level == Flags {
		named, hint = "the flags name only", "name all agents with --to, or none"
	}
	r.warn(Warning{
		Code: PresetReplaced, Place: by.String(),
		Message: fmt.Sprintf("%d of the %d agents of preset %s take part: %s %s",
			len(r.recipients), len(r.preset.Entries), fault.Shown(r.preset.ID), named, joinWords(r.agents())),
		Hint: hint,
	})
}

// warnResembling warns about names that are almost a name of the preset: other names are valid,
// but get its entries in order.
func (r *resolver) warnResembling() {
	if r.preset == nil {
		return
	}
	names := r.preset.PlaceholderNames
	free := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(r.agents(), name) })
	for _, to := range r.recipients {
		near, ok := text.Nearest(to.agent, free)
		if slices.Contains(names, to.agent) || !ok {
			continue
		}
		r.warn(Warning{
			Code: NameResembles, Place: to.origin.String(),
			Message: fmt.Sprintf("%s is not a name of preset %s, and gets an entry by its position", fault.Shown(to.agent), fault.Shown(r.preset.ID)),
			Hint:    "did you mean " + fault.Shown(near) + "?",
		})
	}
}

func (r *resolver) apply(p Preset) {
	r.preset, r.out.Preset = &p, p.ID
	take(&r.out.Roster.Name, &r.out.Name, p.Name, presetOrigin(p))
}

func presetOrigin(p Preset) Origin { return Origin{Level: FromPreset, Source: p.ID} }

// namedRecipients returns the recipients of --to, else the agents of the highest level that names
// any.
func (r *resolver) namedRecipients() []recipient {
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
		if !l.Loose && !l.Override {
			entered.add(l.Origin, Roster{Entries: l.Entries}.Agents()...)
		}
	}
	if len(asked.list) > 0 {
		return asked.list
	}
	return entered.list
}

// recipientList keeps each name once. checkLayers has reported blank and repeated names.
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

// fitsPreset checks that there are no more names than entries in the preset.
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
		"name fewer agents, choose a preset with more entries, or use a roster without a preset",
		"Too many agents for preset %s: %d named, %d entries; no entry for %s",
		fault.Shown(r.preset.ID), len(r.recipients), have, joinWords(surplus))
	return false
}

func (r *resolver) usePlaceholders() bool {
	origin := presetOrigin(*r.preset)
	names := r.preset.names()
	r.found.checkAgents(origin.String(), names)
	var list recipientList
	list.add(origin, names...)
	r.recipients = list.list
	if len(r.preset.PlaceholderNames) == 0 && len(names) > 0 {
		r.warn(Warning{
			Code: PresetNoNames, Place: origin.String(),
			Message: "no agent is named, and the preset has no placeholder names; using " + joinWords(names),
			Hint:    "name the agents with --to, or add placeholderNames to the preset",
		})
	}
	if len(r.recipients) == 0 {
		r.found.emptyRoster(origin.String())
	}
	return len(r.recipients) > 0
}

// noneNamed handles the case that neither a recipient nor a preset is named. The variables
// of single agents then count as names, unless all of them are about agents of the default
// preset.
func (r *resolver) noneNamed(defaultPreset string) bool {
	var preset Preset
	if defaultPreset != "" {
		p, err := FindPreset(r.presets, defaultPreset)
		if err != nil {
			r.found.addAll("roster.defaultPreset", err)
			return false
		}
		preset = p
	}
	if r.recipients = r.namesOf(func(l Layer) bool { return l.Override }); len(r.recipients) > 0 {
		return true
	}
	loose := r.namesOf(func(l Layer) bool { return l.Loose })
	stranger := slices.ContainsFunc(loose, func(l recipient) bool {
		return !slices.ContainsFunc(preset.names(), func(n string) bool { return strings.EqualFold(n, l.agent) })
	})
	switch {
	case stranger:
		r.recipients = loose
		return true
	case defaultPreset != "":
		r.apply(preset)
		r.warn(Warning{
			Code:    DefaultPresetUsed,
			Message: fmt.Sprintf("no agents or preset given; using the default preset %s", fault.Shown(preset.ID)),
			Hint:    "pass --preset " + fault.Shown(preset.ID) + " to choose it, or name agents with --to and --role",
		})
		return r.usePlaceholders() && r.fitsPreset()
	}
	r.reportNoRecipients()
	return false
}

func (r *resolver) namesOf(which func(Layer) bool) []recipient {
	var names recipientList
	for _, l := range r.layers {
		if which(l) {
			names.add(l.Origin, Roster{Entries: l.Entries}.Agents()...)
		}
	}
	return names.list
}

func (r *resolver) reportNoRecipients() {
	if r.out.Roster.Mode == Heuristic {
		r.found.add(NoRecipients, "", "name the agents with --to", "no agent is named: in heuristic mode the roster may be empty, but not the recipients")
		return
	}
	// An empty roster has already been reported.
	if !slices.ContainsFunc(r.layers, func(l Layer) bool { return l.Empty }) {
		r.found.emptyRoster("")
	}
}
