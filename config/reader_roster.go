package config

import (
	"fmt"

	"brenner/internal/yaml"

	"brenner/internal/fault"
	"brenner/roster"
)

// The rules for rosters and their wording are package roster's; here what it
// finds is put on its line of the file.

// presets reads rosters that are saved without their agents.
func (r *reader) presets(path string, n *yaml.Node) []roster.Preset {
	list := []roster.Preset{}
	first := map[string]int{}
	for _, o := range r.objects(path, n, "id", "name", "description", "entries", "placeholderNames") {
		before := r.found.Len()
		p := r.preset(o)
		list = append(list, p)
		if r.found.Len() == before {
			r.takeFaults(o.line, roster.ValidatePresets([]roster.Preset{p}), "")
		}
		if line, twice := first[p.ID]; twice && r.found.Len() == before {
			r.takeFaults(o.line, roster.ValidatePresets([]roster.Preset{p, p}), alreadyOn(line))
		}
		first[p.ID] = o.line
	}
	return list
}

func (r *reader) preset(o object) roster.Preset {
	p := roster.Preset{ID: r.textOf(o, "id"), Name: r.textOf(o, "name"), Description: r.textOf(o, "description")}
	if names, ok := o.fields["placeholderNames"]; ok {
		p.PlaceholderNames, _ = r.texts(key{path: join(o.path, "placeholderNames")}, names)
	}
	if given, ok := o.fields["entries"]; ok {
		for _, e := range r.objects(join(o.path, "entries"), given, "role", "program", "model", "notes") {
			p.Entries = append(p.Entries, r.entry(e))
		}
	}
	return p
}

// entries reads who takes part. Fields may be missing: a layer need not be
// whole, and what no layer gives is for roster.Resolve to say.
func (r *reader) entries(path string, n *yaml.Node) []roster.Entry {
	list := []roster.Entry{}
	first := map[string]int{}
	for _, o := range r.objects(path, n, "agentName", "role", "program", "model", "notes") {
		before := r.found.Len()
		e := r.entry(o)
		e.Agent = r.textOf(o, "agentName")
		list = append(list, e)
		if r.found.Len() == before {
			r.takeFaults(o.line, partial(e).Validate(), "")
		}
		if line, twice := first[e.Agent]; twice && r.found.Len() == before {
			r.takeFaults(o.line, partial(e, e).Validate(), alreadyOn(line))
		}
		first[e.Agent] = o.line
	}
	return list
}

// partial makes a roster whose entries may lack roles without being wrong.
func partial(entries ...roster.Entry) roster.Roster {
	return roster.Roster{Mode: roster.Heuristic, Entries: entries}
}

func (r *reader) entry(o object) roster.Entry {
	return roster.Entry{
		Role: roster.Role(r.textOf(o, "role")), Program: r.textOf(o, "program"),
		Model: r.textOf(o, "model"), Notes: r.textOf(o, "notes"),
	}
}

// checkMode says when the roster's mode is none.
func (r *reader) checkMode() {
	mode, ok := r.read["roster.mode"]
	if !ok {
		return
	}
	whole := roster.Roster{
		Mode:    roster.Mode(mode.value.(string)), //nolint:forcetypeassert // the key's kind is aText
		Entries: []roster.Entry{{Agent: "anybody", Role: roster.TestDesigner}},
	}
	r.takeFaults(mode.origin.Line, whole.Validate(), "")
}

func alreadyOn(line int) string {
	return fmt.Sprintf("it stands on line %d already; keep one of the two", line)
}

// takeFaults adds what package roster found, with its line and, where one is
// given, a better hint.
func (r *reader) takeFaults(line int, err error, hint string) {
	for _, f := range fault.All(err) {
		located := *f
		located.Line, located.Place = 0, r.place(line)
		if where := f.Where(); where != "" {
			located.Place += ", " + where
		}
		if hint != "" {
			located.Hint = hint
		}
		r.found.Take(&located)
	}
}
