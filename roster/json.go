package roster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
)

// jsonDepth exceeds the depth of any roster, so that unknown keys are only warnings.
const jsonDepth = 32

// ReadJSON reads a roster in the array or the object form. Duplicate keys and values of the wrong
// type are errors with line and column. Unknown keys are warnings; null equals omitting the key.
// Fields may be missing and roles invalid: Validate and Resolve check the rest.
func ReadJSON(data []byte) (Roster, []Warning, error) {
	v, err := artifact.ParseValue(data, jsonDepth)
	if err != nil {
		return Roster{}, nil, err
	}
	d := decoder{}
	d.roster(v)
	d.place(data)
	return d.result()
}

// FromValue is ReadJSON for a parsed value. Its errors name the key, but no line.
func FromValue(v artifact.Value) (Roster, []Warning, error) {
	d := decoder{}
	d.roster(v)
	return d.result()
}

// decoder turns a JSON value into a roster. Its findings are located by a path of keys first.
type decoder struct {
	out      Roster
	found    faults
	warnings []Warning
}

func (d *decoder) result() (Roster, []Warning, error) {
	if err := d.found.err(); err != nil {
		return Roster{}, d.warnings, err
	}
	return d.out, d.warnings, nil
}

func (d *decoder) roster(v artifact.Value) {
	switch v := v.(type) {
	case artifact.List:
		d.entries("", v)
	case artifact.Map:
		// "origin" and "schema" are added by roster show --json.
		d.unknownKeys("", v, "entries", "mode", "name", "createdAt", "origin", "schema")
		d.out.Mode = Mode(d.text("", v, "mode"))
		d.out.Name = d.text("", v, "name")
		d.createdAt(v)
		switch entries, _ := v.Get("entries"); entries := entries.(type) {
		case nil, artifact.Null:
		case artifact.List:
			d.entries("/entries", entries)
		default:
			d.wrongType("/entries", "a list of entries", entries)
		}
	default:
		d.wrongType("", `a list of entries or an object with "entries"`, v)
	}
}

// createdAt keeps the value as written, even if it is invalid: no decision depends on it.
func (d *decoder) createdAt(m artifact.Map) {
	d.out.CreatedAt = d.text("", m, "createdAt")
	if d.out.CreatedAt == "" || isISO8601(d.out.CreatedAt) {
		return
	}
	d.warnings = append(d.warnings, Warning{
		Code: BadInstant, Place: "/createdAt", Message: fmt.Sprintf("%s is not an ISO 8601 time; kept unchanged", fault.Shown(d.out.CreatedAt)),
		Hint: "write it like 2025-12-31T10:00:00Z, or 2025-12-31",
	})
}

func isISO8601(text string) bool {
	for _, form := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly,
		"20060102T150405Z0700", "20060102T150405", "20060102",
	} {
		if _, err := time.Parse(form, text); err == nil {
			return true
		}
	}
	return false
}

func (d *decoder) entries(path string, list artifact.List) {
	d.out.Entries = make([]Entry, 0, len(list))
	for i, v := range list {
		at := path + "/" + strconv.Itoa(i)
		m, ok := v.(artifact.Map)
		if !ok {
			d.wrongType(at, "an object with agentName and role", v)
			continue
		}
		d.unknownKeys(at, m, "agentName", "role", "program", "model", "notes", "origin")
		d.out.Entries = append(d.out.Entries, Entry{
			Agent: d.text(at, m, "agentName"), Role: Role(d.text(at, m, "role")),
			Program: d.text(at, m, "program"), Model: d.text(at, m, "model"), Notes: d.text(at, m, "notes"),
		})
	}
}

func (d *decoder) text(path string, m artifact.Map, key string) string {
	switch v, _ := m.Get(key); v := v.(type) {
	case nil, artifact.Null:
	case artifact.Text:
		return string(v)
	default:
		d.wrongType(path+"/"+key, "a string", v)
	}
	return ""
}

func (d *decoder) unknownKeys(path string, m artifact.Map, known ...string) {
	for _, e := range m {
		if slices.Contains(known, e.Key) {
			continue
		}
		d.warnings = append(d.warnings, Warning{
			Code: UnknownKey, Place: path + "/" + pointerToken(e.Key),
			Message: fmt.Sprintf("unknown key %s ignored", fault.Shown(e.Key)),
			Hint:    didYouMean(e.Key, known) + "known keys: " + joinWords(known),
		})
	}
}

func (d *decoder) wrongType(path, want string, v artifact.Value) {
	d.found.add(WrongType, path, `a roster is [{"agentName":"BlueLake","role":"hypothesis_generator"},…], or an object with that list as "entries"`,
		"must be %s, not %s", want, kindOf(v))
}

func kindOf(v artifact.Value) string {
	switch v.(type) {
	case artifact.Text:
		return "a string"
	case artifact.Number:
		return "a number"
	case artifact.Bool:
		return "true or false"
	case artifact.List:
		return "a list"
	case artifact.Map:
		return "an object"
	default:
		return "null"
	}
}

// pointerToken escapes a key for a JSON pointer (RFC 6901).
func pointerToken(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// mostPlaced bounds how many findings get a line and column: each costs a pass over the text.
const mostPlaced = 20

// place adds line and column to the findings.
func (d *decoder) place(data []byte) {
	places := make([]*string, 0, mostPlaced)
	for _, f := range d.found {
		places = append(places, &f.Place)
	}
	for i := range d.warnings {
		places = append(places, &d.warnings[i].Place)
	}
	for _, p := range places[:min(len(places), mostPlaced)] {
		*p = strings.TrimSpace(artifact.Position(data, offsetOf(data, *p)) + " " + shownPath(*p))
	}
}

func shownPath(path string) string {
	if path == "" {
		return ""
	}
	return "(" + fault.Shown(path) + ")"
}

// offsetOf returns the offset of a JSON pointer's target: a member's key or an element's value.
func offsetOf(data []byte, pointer string) int {
	dec := artifact.NewDecoder(data)
	for {
		end := int(dec.InputOffset())
		if _, err := dec.ReadToken(); err != nil {
			return 0 // unreachable: the text was parsed before
		}
		if string(dec.StackPointer()) == pointer {
			rest := data[end:]
			return end + len(rest) - len(strings.TrimLeft(string(rest), " \t\r\n,:"))
		}
	}
}

// Value returns the roster in the specification's JSON, for an artifact's metadata. The mode is
// always present; missing fields are omitted.
func (r Roster) Value() artifact.Value {
	entries := make(artifact.List, len(r.Entries))
	for i, e := range r.Entries {
		entries[i] = e.Value()
	}
	return artifact.MapOf(rosterKeys(r, entries)...)
}

// Canonical returns the roster's canonical JSON.
func (r Roster) Canonical() []byte { return artifact.Canonical(r.Value()) }

// MarshalJSON returns the roster in the specification's JSON.
func (r Roster) MarshalJSON() ([]byte, error) { return r.Canonical(), nil }

// MarshalJSON returns the resolved roster in the specification's JSON.
func (r Resolution) MarshalJSON() ([]byte, error) { return artifact.Canonical(r.Value()), nil }

// MarshalJSON returns the preset in the specification's JSON.
func (p Preset) MarshalJSON() ([]byte, error) { return artifact.Canonical(p.Value()), nil }

// Value returns the resolved roster in the specification's JSON, with an "origin" object for each
// entry and for the mode and the name. ReadJSON accepts it without a warning.
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
