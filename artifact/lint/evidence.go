package lint

import (
	"strings"

	"brenner/artifact"
)

// evidenceGiven looks for anchors to evidence that the session was not given. Only an
// artifact of a session says what that was; § anchors point into texts that no artifact
// holds.
func evidenceGiven(s *subject, r *report) {
	given, known := s.evidence()
	if !known {
		return
	}
	instead := `"EV-001", …], "anchors_replace": true}, all of its anchors, with evidence that was given or "inference"`
	if len(given) == 0 {
		instead = `"inference"], "anchors_replace": true}: there is none`
	}
	for _, section := range artifact.Sections() {
		for _, it := range s.active[section] {
			var d dangling
			for _, text := range it.Texts("anchors") {
				if a := readAnchor(text); a.evidence != "" && a.wrong == "" && !given[a.evidence] {
					d.add(quote(text) + " is no evidence of this session")
				}
			}
			if d.total > 0 {
				r.add(inItem(section, it, "anchors"), show(it.ID)+"'s anchors: "+d.list(),
					edit(it, `{"anchors": [%s`, instead))
			}
		}
	}
}

// evidence gives the numbers of the evidence that the metadata lists, without leading
// zeros. Metadata that has neither a list nor a session's seal does not know.
func (s *subject) evidence() (given map[string]bool, known bool) {
	extra := s.artifact.Metadata.Extra
	_, sealed := extra.Get("seal")
	v, listed := extra.Get("evidence")
	list, _ := v.(artifact.List)
	given = make(map[string]bool, len(list))
	for _, e := range list {
		m, _ := e.(artifact.Map)
		if a := readAnchor(textAt(m, "id")); a.evidence != "" {
			given[a.evidence] = true
		}
	}
	return given, sealed || listed
}

// evidenceNumber gives the number that stands after "EV-", so that EV-0001 is EV-001.
func evidenceNumber(rest string) string {
	number, _ := cutDigits(rest)
	return "EV-" + strings.TrimLeft(number, "0")
}
