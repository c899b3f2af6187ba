package lint

import (
	"fmt"

	"brenner/artifact"
)

// conflicts reports every field, and every key of a map, that nobody has decided.
// Killed items and cells that are N/A are left alone: no EDIT could reach them,
// and the artifact would stay invalid for ever.
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
