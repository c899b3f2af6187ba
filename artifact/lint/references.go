package lint

import (
	"fmt"
	"strings"

	"brenner/artifact"
)

// This file checks references from one item to another. Two places have their own rules and are
// skipped here: predictions (WP-101) and discriminates (WT-101).

// dangling collects the dangling references of a field, up to what a message shows.
type dangling struct {
	first []string
	total int
}

func (d *dangling) add(reason string) {
	if d.total++; len(d.first) < maxShown {
		d.first = append(d.first, reason)
	}
}

// id checks one id. doubted means that the item did not exist when the reference was written.
func (d *dangling) id(id string, known, doubted bool) {
	switch {
	case doubted && known:
		d.add(show(id) + " did not exist when this was written, so it is not today's " + show(id))
	case doubted || !known:
		d.add(show(id) + " does not exist")
	}
}

// describe returns a message about the dangling references in a field of an item, or "".
func (d *dangling) describe(it *artifact.Item, field string) string {
	if d.total == 0 {
		return ""
	}
	return show(it.ID) + "'s " + field + ": " + d.list()
}

func (d *dangling) list() string {
	text := strings.Join(d.first, "; ")
	if more := d.total - len(d.first); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

func crossReferences(s *subject, r *report) {
	for _, section := range artifact.Sections() {
		spec := section.Spec()
		for _, it := range s.active[section] {
			for i := range spec.Fields {
				s.fieldReferences(r, section, it, &spec.Fields[i])
			}
		}
	}
}

func (s *subject) fieldReferences(r *report, section artifact.Section, it *artifact.Item, f *artifact.FieldSpec) {
	var d dangling
	like := ""
	switch {
	case f.Kind == artifact.KindReferences:
		s.references(&d, it, f.Name)
		like = `[{"session": "RS-…", "item": "H1", "relation": "extends"}]`
	case !f.Refs || f.Name == "predictions":
		return
	case f.Kind == artifact.KindMap:
		s.keys(&d, it, f.Name)
		like = `{"H1": "…"}`
	case f.Kind == artifact.KindList:
		s.elements(&d, it, f.Name)
		like = `["H1"]`
	}
	if wrong := d.describe(it, f.Name); wrong != "" {
		r.add(inItem(section, it, f.Name), wrong,
			edit(it, `{"%s": %s, "%[1]s_replace": true}, all that shall stand there, with ids that exist`, f.Name, like))
	}
}

// keys checks the keys of a map such as expected_outcomes. A key need not be an id ("control"), but
// the hypotheses that it names must exist.
func (s *subject) keys(d *dangling, it *artifact.Item, field string) {
	doubted := it.Doubts()
	for _, e := range it.Map(field) {
		if doubted[field+"."+e.Key] {
			d.id(e.Key, s.exists(e.Key), true)
			continue
		}
		if _, ok := artifact.SectionOfID(e.Key); ok {
			d.id(e.Key, s.exists(e.Key), false)
			continue
		}
		for _, id := range hypothesesIn(e.Key) {
			d.id(id, s.exists(id), false)
		}
	}
}

// elements checks a list of ids. Each element must name an item of the artifact.
func (s *subject) elements(d *dangling, it *artifact.Item, field string) {
	doubted := it.Doubts()
	list, _ := it.Get(field).(artifact.List)
	for _, v := range list {
		t, ok := v.(artifact.Text)
		if !ok {
			d.add(valueOf(v) + " is not an id")
			continue
		}
		if doubted[field+"."+string(t)] {
			d.id(string(t), s.exists(string(t)), true)
			continue
		}
		ids := idsIn(string(t))
		if len(ids) == 0 {
			d.add(quote(string(t)) + " names no item by its id")
		}
		for _, id := range ids {
			d.id(id, s.exists(id), doubted[field+"."+id])
		}
	}
}

// idsIn returns the ids of any section that a text names.
func idsIn(text string) []string {
	var ids []string
	for _, word := range strings.FieldsFunc(text, notWord) {
		if _, ok := artifact.SectionOfID(word); ok {
			ids = append(ids, word)
		}
	}
	return ids
}

// references checks references to this session. Other sessions are not visible here.
func (s *subject) references(d *dangling, it *artifact.Item, field string) {
	list, _ := it.Get(field).(artifact.List)
	for i, v := range list {
		m, ok := v.(artifact.Map)
		if !ok {
			d.add(fmt.Sprintf("reference %d is not {session, item, relation}", i+1))
			continue
		}
		session, item := textAt(m, "session"), textAt(m, "item")
		switch {
		case item == "":
			d.add(fmt.Sprintf("reference %d names no item", i+1))
		case session == "" || session == s.artifact.Metadata.SessionID:
			d.id(item, s.exists(item), false)
		}
	}
}

func textAt(m artifact.Map, key string) string {
	v, _ := m.Get(key)
	t, _ := v.(artifact.Text)
	return strings.TrimSpace(string(t))
}

// conflicts reports every undecided field and map key. It skips killed items and N/A cells:
// no EDIT could reach them, and the artifact would stay invalid permanently.
func conflicts(s *subject, r *report) {
	for _, section := range artifact.Sections() {
		for _, it := range s.active[section] {
			for _, f := range it.Fields {
				s.fieldConflicts(r, section, it, f)
			}
		}
	}
}

func (s *subject) fieldConflicts(r *report, section artifact.Section, it *artifact.Item, f artifact.Field) {
	switch v := f.Value.(type) {
	case artifact.Conflict:
		fix := edit(it, `{%s: …}, the one value that shall stand, stamped later than these`, jsonText(f.Name))
		r.add(inItem(section, it, f.Name), conflictText(it, show(f.Name), v), fix)
	case artifact.Map:
		cells := section == artifact.PredictionsTable && f.Name == "predictions"
		var row artifact.Row
		if cells {
			row = artifact.RowOf(it, s.struck)
		}
		for _, e := range v {
			c, ok := e.Value.(artifact.Conflict)
			if !ok || (cells && row.NotApplicable(e.Key)) {
				continue
			}
			fix := edit(it, `{%s: {%s: …}}, the one value that shall stand, stamped later than these`, jsonText(f.Name), jsonText(e.Key))
			r.add(inItem(section, it, f.Name), conflictText(it, show(f.Name)+"."+show(e.Key), c), fix)
		}
	}
}

func conflictText(it *artifact.Item, where string, c artifact.Conflict) string {
	var agents []string
	for _, candidate := range c[:min(len(c), maxShown)] {
		agents = append(agents, show(candidate.Agent))
	}
	return fmt.Sprintf("%s's %s is in CONFLICT: %s wrote %d different values with equal right",
		show(it.ID), where, enumerate(agents, len(c)), len(c))
}
