package artifact

import (
	"slices"
	"strconv"

	"brenner/internal/fault"
)

// metadataFlaw reports a problem of the metadata. Each form of an artifact adds the position.
type metadataFlaw func(kind ProblemKind, format string, args ...any)

// take reads one key of the metadata. A null counts as absent.
func (m *Metadata) take(e Entry, flaw metadataFlaw) {
	if e.Value == (Null{}) {
		return
	}
	if known, ok := takeText(m.texts(), e); known {
		if !ok {
			flaw(BadMetadata, "metadata: %s is not a string; quote it", e.Key)
		}
		return
	}
	switch e.Key {
	case "version":
		m.takeVersion(e.Value, flaw)
	case "contributors":
		m.takeContributors(e.Value, flaw)
	case "roster":
		m.Roster = e.Value
	default:
		if _, kept := m.Extra.Get(e.Key); kept {
			m.keep(e.Key, e.Value)
			return
		}
		m.Extra = append(m.Extra, e)
	}
}

// Keys of the metadata for what has no other place.
const (
	otherText         = "other_text"
	otherContributors = "other_contributors"
	otherVersion      = "other_version"
)

// keep adds values to the list under a key that an artifact does not have.
func (m *Metadata) keep(key string, values ...Value) {
	if len(values) == 0 {
		return
	}
	if before, ok := m.Extra.Get(key); ok {
		list, isList := before.(List)
		if !isList {
			list = List{before}
		}
		values = slices.Concat(list, values)
	}
	m.Extra = MapOf(append(slices.Clone(m.Extra), Entry{key, List(values)})...)
}

type textKey struct {
	key  string
	text *string
}

// takeText reads e if its key is in keys, and reports whether it is and whether it is a text.
func takeText(keys []textKey, e Entry) (known, ok bool) {
	for _, k := range keys {
		if k.key == e.Key {
			t, ok := e.Value.(Text)
			*k.text = string(t)
			return true, ok
		}
	}
	return false, false
}

func appendTexts(entries []Entry, keys ...textKey) []Entry {
	for _, k := range keys {
		if *k.text != "" {
			entries = append(entries, Entry{k.key, Text(*k.text)})
		}
	}
	return entries
}

// texts returns the text keys in reading order.
func (m *Metadata) texts() []textKey {
	return []textKey{
		{"session_id", &m.SessionID},
		{"created_at", &m.CreatedAt},
		{"updated_at", &m.UpdatedAt},
		{"status", &m.Status},
		{"research_program", &m.ResearchProgram},
		{"rules", &m.Rules},
	}
}

func (c *Contributor) texts() []textKey {
	return []textKey{{"agent", &c.Agent}, {"program", &c.Program}, {"model", &c.Model}, {"contributed_at", &c.ContributedAt}, {"asked", &c.Asked}}
}

// known returns the known keys in reading order.
func (m *Metadata) known() []Entry {
	texts := m.texts()
	entries := appendTexts([]Entry{{"session_id", Text(m.SessionID)}}, texts[1:3]...)
	entries = appendTexts(append(entries, Entry{"version", Number(m.Version)}), texts[3])
	if len(m.Contributors) > 0 {
		list := make(List, len(m.Contributors))
		for i := range m.Contributors {
			c := &m.Contributors[i]
			list[i] = Map(appendTexts([]Entry{{"agent", Text(c.Agent)}}, c.texts()[1:]...))
		}
		entries = append(entries, Entry{"contributors", list})
	}
	if m.Roster != nil {
		entries = append(entries, Entry{"roster", m.Roster})
	}
	return appendTexts(entries, texts[4:]...)
}

// value returns the metadata in the order of canonical JSON.
func (m *Metadata) value() Map {
	v := MapOf(append(slices.Clone([]Entry(m.Extra)), m.known()...)...)
	if list, ok := get[List](v, "contributors"); ok && len(m.Contributors) > 0 {
		for i, c := range list {
			list[i] = MapOf(c.(Map)...)
		}
	}
	return v
}

func (m *Metadata) takeVersion(v Value, flaw metadataFlaw) {
	n, ok := v.(Number)
	if ok && n >= 0 && n < MaxInteger && n == Number(int(n)) {
		m.Version = int(n)
		return
	}
	shown := fault.Shown(string(Canonical(v)))
	flaw(BadVersion, "metadata: version %s is not a whole number from 0", shown)
	text, _ := v.(Text)
	if whole, err := strconv.ParseUint(string(text), 10, 53); err == nil {
		flaw(Variant, "the version %s is read as a number", shown)
		m.Version = int(whole)
		return
	}
	flaw(Kept, "the version %s, kept in the metadata under %s; versions are counted from 0", shown, otherVersion)
	m.keep(otherVersion, v)
}

func (m *Metadata) takeContributors(v Value, flaw metadataFlaw) {
	list, ok := v.(List)
	if !ok {
		flaw(BadMetadata, "metadata: contributors is not a list")
	}
	var others List
	for _, v := range list {
		if name, ok := v.(Text); ok {
			flaw(Variant, "the contributor %s is read as an agent", fault.Shown(string(name)))
			v = MapOf(Entry{"agent", name})
		}
		fields, ok := v.(Map)
		if !ok {
			flaw(BadMetadata, "metadata: a contributor is not an object with agent, program, model and contributed_at")
			continue
		}
		var c Contributor
		other := false
		for _, e := range fields {
			switch known, ok := takeText(c.texts(), e); {
			case !known:
				other = true
			case !ok:
				flaw(BadMetadata, "metadata: a contributor's %s cannot be read", fault.Shown(e.Key))
			}
		}
		if other {
			others = append(others, fields)
		}
		m.Contributors = append(m.Contributors, c)
	}
	if len(others) > 0 {
		flaw(Kept, "contributors with other keys, kept in the metadata under %s", otherContributors)
		m.keep(otherContributors, others...)
	}
}
