package artifact

import (
	"slices"

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
		m.Extra = append(m.Extra, e)
	}
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
	if !ok || n < 0 || n >= MaxInteger || n != Number(int(n)) {
		flaw(BadVersion, "metadata: version %s is not a whole number from 0", fault.Shown(string(Canonical(v))))
		return
	}
	m.Version = int(n)
}

func (m *Metadata) takeContributors(v Value, flaw metadataFlaw) {
	list, ok := v.(List)
	if !ok {
		flaw(BadMetadata, "metadata: contributors is not a list")
	}
	for _, v := range list {
		fields, ok := v.(Map)
		if !ok {
			flaw(BadMetadata, "metadata: a contributor is not an object with agent, program, model and contributed_at")
			continue
		}
		var c Contributor
		for _, e := range fields {
			if _, ok := takeText(c.texts(), e); !ok {
				flaw(BadMetadata, "metadata: a contributor's %s cannot be read", fault.Shown(e.Key))
			}
		}
		m.Contributors = append(m.Contributors, c)
	}
}
