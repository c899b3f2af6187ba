package artifact

import "strings"

// frontMatter writes the metadata as YAML, by hand: one form for one value, no
// line of which can be mistaken for another, whatever the texts say.
func (w *mdWriter) frontMatter(m *Metadata) {
	w.put(mdFence)
	w.end()
	for _, e := range m.entries() {
		w.yamlEntry(e, 0)
	}
	w.put(mdFence)
	w.end()
}

// entries gives the metadata in the order in which people want to read it.
func (m *Metadata) entries() []Entry {
	entries := []Entry{{"session_id", Text(m.SessionID)}}
	text := func(key, s string) {
		if s != "" {
			entries = append(entries, Entry{key, Text(s)})
		}
	}
	text("created_at", m.CreatedAt)
	text("updated_at", m.UpdatedAt)
	entries = append(entries, Entry{"version", Number(m.Version)})
	text("status", m.Status)
	if len(m.Contributors) > 0 {
		entries = append(entries, Entry{"contributors", m.contributorsForPeople()})
	}
	if m.Roster != nil {
		entries = append(entries, Entry{"roster", m.Roster})
	}
	text("research_program", m.ResearchProgram)
	text("rules", m.Rules)
	return append(entries, m.Extra...)
}

// contributorsForPeople is contributors with the keys in the order of the schema.
func (m *Metadata) contributorsForPeople() List {
	list := make(List, len(m.Contributors))
	for i, c := range m.Contributors {
		one := Map{{"agent", Text(c.Agent)}}
		for _, e := range []Entry{
			{"program", Text(c.Program)}, {"model", Text(c.Model)}, {"contributed_at", Text(c.ContributedAt)},
		} {
			if e.Value != Text("") {
				one = append(one, e)
			}
		}
		list[i] = one
	}
	return list
}

// maxYAMLKey is the length up to which a key stands before its colon; YAML
// wants longer ones (from 1024 on) behind a question mark.
const maxYAMLKey = 500

func (w *mdWriter) yamlEntry(e Entry, indent int) {
	start := len(w.buf)
	w.yamlText(e.Key)
	if len(w.buf)-start > maxYAMLKey {
		key := string(w.buf[start:])
		w.buf = w.buf[:start]
		w.put("? " + key)
		w.end()
		w.indent(indent)
	}
	w.put(":")
	if nested(e.Value) {
		w.end()
		w.indent(indent + 2)
		w.yamlValue(e.Value, indent+2)
		return
	}
	w.put(" ")
	w.yamlValue(e.Value, indent)
}

// nested tells whether a value takes lines of its own.
func nested(v Value) bool {
	switch v := v.(type) {
	case List:
		return len(v) > 0
	case Map:
		return len(v) > 0
	}
	return false
}

// yamlValue writes a value from the current column, which is indent for one
// that takes lines of its own, and ends the line.
func (w *mdWriter) yamlValue(v Value, indent int) {
	switch v := v.(type) {
	case Text:
		w.yamlText(string(v))
	case List:
		for i, e := range v {
			if i > 0 {
				w.indent(indent)
			}
			w.put("- ")
			w.yamlValue(e, indent+2)
		}
		if len(v) > 0 {
			return
		}
		w.put("[]")
	case Map:
		for i, e := range v {
			if i > 0 {
				w.indent(indent)
			}
			w.yamlEntry(e, indent)
		}
		if len(v) > 0 {
			return
		}
		w.put("{}")
	default:
		w.buf = AppendValue(w.buf, v)
	}
	w.end()
}

func (w *mdWriter) indent(n int) {
	for range n {
		w.buf = append(w.buf, ' ')
	}
}

// yamlText writes a text plain where no reader of YAML can see anything else in
// it, and otherwise in double quotes, as JSON does.
func (w *mdWriter) yamlText(s string) {
	if plainYAML(s) {
		w.put(s)
		return
	}
	w.json = AppendString(w.json[:0], s)
	w.buf = appendQuotable(w.buf, w.json, "", true)
}

func plainYAML(s string) bool {
	if s == "" || len(s) > 200 {
		return false
	}
	if isDigit(s[0]) {
		_, err := ParseInstant(s)
		return err == nil && strings.Contains(s, "T")
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isLetter(c):
		case i == 0:
			return false
		case isDigit(c), strings.IndexByte("_./@+-", c) >= 0:
		case c == ' ' && i < len(s)-1:
		default:
			return false
		}
	}
	return !yamlWord(s)
}

// yamlWord tells whether some version of YAML takes s for something else than a text.
func yamlWord(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return true
	}
	return false
}
