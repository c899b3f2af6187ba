package lint

import (
	"cmp"
	"strings"

	"brenner/artifact"
)

const inference = "inference"

type anchor struct {
	source    bool   // it refers, or tries to refer, to a text or to evidence
	evidence  string // the evidence it refers to
	inference bool   // it is labelled as inference
	wrong     string // what is wrong with its form, to follow the text
}

// readAnchor reads one anchor:
//
//	anchor = ( "§" n [ dash [ "§" ] n ] | "EV-" nnn [ "#E" n ] | "inference" ) [ "[inference]" ] | "[inference]"
//
// Numbers are compared as digits and ranges are not expanded, so the cost is linear in the text.
func readAnchor(text string) anchor {
	var a anchor
	text = strings.TrimSpace(text)
	if rest, ok := cutSuffixFold(text, "["+inference+"]"); ok {
		a.inference = true
		text = strings.TrimSpace(rest)
		if text == "" {
			return a
		}
	}
	if rest, ok := strings.CutPrefix(text, "§"); ok {
		a.source = true
		a.wrong = wrongSection(rest)
		return a
	}
	if rest, ok := strings.CutPrefix(text, "EV-"); ok {
		a.source = true
		a.evidence, a.wrong = evidenceNumber(rest), wrongEvidence(rest)
		return a
	}
	if strings.EqualFold(text, inference) {
		a.inference = true
		return a
	}
	a.wrong = "is not an anchor"
	return a
}

// wrongSection returns what is wrong with the text after a §.
func wrongSection(rest string) string {
	from, rest := cutDigits(rest)
	if from == "" {
		return "has no number right after its §"
	}
	if isZero(from) {
		return "starts at 0: sections are counted from 1"
	}
	if rest == "" {
		return ""
	}
	rest, ok := cutDash(rest)
	if !ok {
		return "has more after its number than a range may have"
	}
	to, rest := cutDigits(strings.TrimPrefix(rest, "§"))
	switch {
	case to == "":
		return "is a range without an end"
	case rest != "":
		return "has more after its number than a range may have"
	case compareDigits(from, to) > 0:
		return "is a range that runs backwards"
	}
	return ""
}

// wrongEvidence returns what is wrong with the text after "EV-".
func wrongEvidence(rest string) string {
	number, rest := cutDigits(rest)
	if len(number) < 3 {
		return "needs three digits or more after EV-"
	}
	if rest == "" {
		return ""
	}
	excerpt, ok := strings.CutPrefix(rest, "#E")
	if !ok {
		return "has something other than #E1 after its number"
	}
	if number, rest := cutDigits(excerpt); number == "" || rest != "" {
		return "needs a number, and nothing else, after #E"
	}
	return ""
}

func cutDigits(text string) (digits, rest string) {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	return text[:end], text[end:]
}

// cutDash cuts a leading hyphen or en dash; ranges use both.
func cutDash(text string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		return rest, true
	}
	return strings.CutPrefix(text, "–")
}

func isZero(digits string) bool { return strings.Trim(digits, "0") == "" }

// compareDigits compares two numbers of any length.
func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// cutSuffixFold cuts a suffix of ASCII letters, ignoring case.
func cutSuffixFold(text, suffix string) (string, bool) {
	at := len(text) - len(suffix)
	if at < 0 || !strings.EqualFold(text[at:], suffix) {
		return text, false
	}
	return text[:at], true
}

// evidenceExists reports anchors to evidence that the session was not given. Only the artifact of a
// session lists its evidence. § anchors refer to texts outside any artifact.
func evidenceExists(s *subject, r *report) {
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
			if wrong := d.describe(it, "anchors"); wrong != "" {
				r.add(inItem(section, it, "anchors"), wrong, edit(it, `{"anchors": [%s`, instead))
			}
		}
	}
}

// evidence returns the numbers of the evidence that the metadata lists, without leading zeros.
// known is false if the metadata has neither a list nor a session's seal.
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

// evidenceNumber returns the number after "EV-", so that EV-0001 equals EV-001.
func evidenceNumber(rest string) string {
	number, _ := cutDigits(rest)
	return "EV-" + strings.TrimLeft(number, "0")
}
