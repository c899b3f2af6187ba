package roster

import "brenner/artifact"

// Value gives the roster in the specification's JSON, for an artifact's
// metadata. The mode is always said; missing fields are left out.
func (r Roster) Value() artifact.Value {
	entries := make(artifact.List, len(r.Entries))
	for i, e := range r.Entries {
		entries[i] = e.Value()
	}
	return artifact.MapOf(rosterKeys(r, entries)...)
}

// Canonical gives the roster's JSON in canonical bytes.
func (r Roster) Canonical() []byte { return artifact.Canonical(r.Value()) }

// Value gives the resolved roster in the specification's JSON with an "origin"
// for each entry, which says of each of its fields where it came from, and one
// for the mode and the name. ReadJSON takes it back without a warning.
func (r Resolution) Value() artifact.Value {
	entries := make(artifact.List, len(r.Roster.Entries))
	for i, e := range r.Roster.Entries {
		origin := artifact.Entry{Key: "origin", Value: r.Origins[i].value()}
		entries[i] = artifact.MapOf(append(entryKeys(e), origin)...)
	}
	var own []artifact.Entry
	own = addText(own, "mode", r.Mode.String())
	own = addText(own, "name", r.Name.String())
	own = addText(own, "createdAt", r.CreatedAt.String())
	keys := append(rosterKeys(r.Roster, entries), artifact.Entry{Key: "origin", Value: artifact.MapOf(own...)})
	return artifact.MapOf(keys...)
}

func (o EntryOrigin) value() artifact.Value {
	var m []artifact.Entry
	m = addText(m, "agentName", o.Agent.String())
	m = addText(m, "role", o.Role.String())
	m = addText(m, "program", o.Program.String())
	m = addText(m, "model", o.Model.String())
	m = addText(m, "notes", o.Notes.String())
	return artifact.MapOf(m...)
}

func rosterKeys(r Roster, entries artifact.List) []artifact.Entry {
	m := []artifact.Entry{
		{Key: "mode", Value: artifact.Text(r.Mode.OrDefault())},
		{Key: "entries", Value: entries},
	}
	m = addText(m, "name", r.Name)
	return addText(m, "createdAt", r.CreatedAt)
}

// Value returns the entry in the specification's JSON.
func (e Entry) Value() artifact.Value { return artifact.MapOf(entryKeys(e)...) }

func entryKeys(e Entry) []artifact.Entry {
	var m []artifact.Entry
	m = addText(m, "agentName", e.Agent)
	m = addText(m, "role", string(e.Role))
	m = addText(m, "program", e.Program)
	m = addText(m, "model", e.Model)
	return addText(m, "notes", e.Notes)
}

// addText adds a key unless its text is empty, which means missing.
func addText(m []artifact.Entry, key, text string) []artifact.Entry {
	if text == "" {
		return m
	}
	return append(m, artifact.Entry{Key: key, Value: artifact.Text(text)})
}
