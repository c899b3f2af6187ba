package artifact

import (
	"slices"
	"strings"
	"unicode"

	"brenner/internal/fault"
)

// otherTitles are the names that other tools use for a section.
var otherTitles = [SectionCount][]string{
	{"research question", "research problem", "problem statement", "question", "thread"},
	{"hypotheses", "hypothesis", "hypothesis list"},
	{"predictions", "prediction table", "discriminative predictions"},
	{"tests", "discriminating tests", "experiments", "discriminative experiments"},
	{"assumptions", "assumption register"},
	{"anomalies", "anomaly log", "exceptions"},
	{"critique", "critiques", "adversarial critiques", "objections"},
}

// otherLabels are the labels that other tools use, as slugs, with the names of their fields.
var otherLabels = [SectionCount]map[string]string{
	{
		"rt": "statement", "question": "statement", "research_question": "statement", "problem": "statement",
		"problem_statement": "statement", "research_thread": "statement", "background": "context",
		"why_this_matters": "why_it_matters", "importance": "why_it_matters", "anchor": "anchors", "citations": "anchors",
	},
	{
		"statement": "claim", "hypothesis": "claim", "how_this_could_be_true": "mechanism", "how_it_would_work": "mechanism",
		"how_it_works": "mechanism", "falsified_by": "falsification", "falsification_criterion": "falsification",
		"what_would_falsify_it": "falsification", "falsifier": "falsification", "anchor": "anchors", "citations": "anchors",
	},
	{"observation_condition": "condition", "observation": "condition", "outcomes": "predictions"},
	{
		"design": "procedure", "method": "procedure", "protocol": "procedure", "separates": "discriminates",
		"discriminates_between": "discriminates", "expected_outcome": "expected_outcomes", "outcomes": "expected_outcomes",
		"potency": "potency_check", "potency_control": "potency_check", "evidence_per_week_score": "score",
		"evidence_per_week": "score", "scores": "score", "scoring": "score", "anchor": "anchors", "citations": "anchors",
	},
	{
		"assumption": "statement", "if_wrong": "load", "what_breaks_if_wrong": "load", "what_breaks": "load",
		"check": "test", "how_to_check": "test", "how_to_test": "test", "anchor": "anchors", "citations": "anchors",
	},
	{
		"anomaly": "observation", "quarantine_status": "status", "conflicts": "conflicts_with", "challenges": "conflicts_with",
		"resolution": "resolution_plan", "plan": "resolution_plan", "anchor": "anchors", "citations": "anchors",
	},
	{
		"critique": "attack", "objection": "attack", "evidence_that_would_confirm_this": "evidence",
		"evidence_that_would_confirm": "evidence", "confirming_evidence": "evidence", "why_it_might_be_right": "evidence",
		"status": "current_status", "alternative": "proposed_alternative", "anchor": "anchors", "citations": "anchors",
	},
}

// nouns stand for a section's prefix in a heading such as "Critique 1".
var nouns = [SectionCount][]string{
	nil, {"hypothesis"}, {"prediction"}, {"test", "experiment"}, {"assumption"}, {"anomaly", "exception"}, {"critique", "objection"},
}

// labelled returns the field with a label, in its own form or in a variant.
func (s *SectionSpec) labelled(label string) (*FieldSpec, bool) {
	for i := range s.Fields {
		if strings.EqualFold(s.Fields[i].Title, label) {
			return &s.Fields[i], true
		}
	}
	return otherLabel(s, label)
}

func otherLabel(spec *SectionSpec, label string) (*FieldSpec, bool) {
	name := slug(label)
	if f, ok := spec.Field(name); ok {
		return f, true
	}
	return spec.Field(otherLabels[spec.Section][name])
}

// listLabel splits a list entry such as "Claim: text", and reports whether its label is one of the section. An item with
// labels on lines of their own has none in lists.
func (r *mdReader) listLabel(entry string) (label, raw string, known bool) {
	label, raw, ok := strings.Cut(entry+" ", ": ")
	label = strings.Trim(label, "*_` ")
	if !ok || r.open == nil && r.section != ResearchThread || r.open != nil && r.open.lined {
		return "", "", false
	}
	_, known = r.section.Spec().labelled(label)
	return label, trim(raw), known
}

// isLabelled reports whether a list entry begins with a label.
func (r *mdReader) isLabelled(entry string) bool {
	_, _, known := r.listLabel(entry)
	return known || strings.HasPrefix(entry, "**")
}

// readListLabel reads a list entry with a label that is not in bold. Beside another one, any brief label will do.
func (r *mdReader) readListLabel(entry string) bool {
	label, raw, known := r.listLabel(entry)
	if _, isID := SectionOfID(label); !known && (isID || r.open == nil || !r.open.listed || !isBrief(label) || !plainName(label)) {
		return false
	}
	return r.readLabelled("**"+label+"**: "+raw, true)
}

// slug returns a label as the name of a field.
func slug(label string) string {
	var b strings.Builder
	gap := false
	for _, c := range strings.ToLower(label) {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteRune(c)
	}
	return b.String()
}

// ownName returns the name of a field for a label that is not in the table.
func ownName(label string) string {
	name := slug(label)
	if name == "" || IsSystemField(name) {
		name = "other_" + name
	}
	return strings.TrimSuffix(name, "_")
}

// otherSectionTitle reads a section's heading in the form of another tool.
func otherSectionTitle(title string) (Section, bool) {
	title = strings.Trim(title, "*_ ")
	if at := strings.LastIndex(title, " ("); at > 0 && strings.HasSuffix(title, ")") {
		title = title[:at]
	}
	words := strings.TrimPrefix(strings.ToLower(title), "section ")
	words = strings.TrimLeft(words, "0123456789.):-–—§# ")
	for s := range Section(SectionCount) {
		if strings.EqualFold(words, s.Spec().Title) || slices.Contains(otherTitles[s], words) {
			return s, true
		}
	}
	return 0, false
}

func cutBullet(line string) (rest string, ok bool) {
	if len(line) > 1 && line[1] == ' ' && strings.IndexByte("-*+", line[0]) >= 0 {
		return trim(line[2:]), true
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && digits < 4 && len(line) > digits+1 && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' ' {
		return trim(line[digits+2:]), true
	}
	return line, false
}

// isRule reports whether a line is a horizontal rule.
func isRule(line string) bool {
	mark, n := line[0], 0
	if mark != '-' && mark != '*' && mark != '_' {
		return false
	}
	for i := range len(line) {
		switch line[i] {
		case mark:
			n++
		case ' ':
		default:
			return false
		}
	}
	return n >= 3
}

// cutEntry splits "H1: text", also with a bold key.
func cutEntry(entry string) (key, raw string, ok bool) {
	key, raw, ok = cutPlain(entry, ":")
	if inside, bold := strings.CutPrefix(key, "**"); bold {
		if before, closed := strings.CutSuffix(inside, "**"); closed {
			key = before
		} else if after, closed := strings.CutPrefix(raw, "**"); closed {
			key, raw = inside, trim(after)
		}
	}
	return key, raw, ok && key != "" && raw != ""
}

// outcomeKey reads "If H1" or "H1 (refuted)" as H1.
func (r *mdReader) outcomeKey(key string) string {
	l := r.list
	if !r.isForeign() || l.spec == nil || l.spec.Kind != KindMap || HypothesisSlate.ValidID(key) {
		return key
	}
	if id, ok := conditionalID(key); ok {
		r.variant("key", key, id)
		return id
	}
	return key
}

// conditionalID returns the hypothesis of "If H1", "if H1 is true" or "H1 (refuted)".
func conditionalID(text string) (id string, ok bool) {
	if head, rest, marked := strings.Cut(text, " ("); marked && strings.HasSuffix(rest, ")") {
		if id = strings.Trim(head, "*_` "); HypothesisSlate.ValidID(id) {
			return id, true
		}
	}
	words := strings.Fields(strings.ToLower(strings.Trim(text, "*_`: ")))
	if len(words) < 2 || words[0] != "if" && words[0] != "under" {
		return "", false
	}
	id = strings.ToUpper(strings.Trim(words[1], "*_`"))
	switch strings.Join(words[2:], " ") {
	case "", "true", "is true", "holds", "is right", "is correct":
		return id, HypothesisSlate.ValidID(id)
	}
	return "", false
}

// otherList reads a list below a label whose value the writer never writes as a list, and reports
// whether it was one.
func (r *mdReader) otherList(l *listing) bool {
	for _, e := range l.entries {
		if _, ok := e.Value.(Conflict); ok {
			for _, entry := range l.odd {
				r.problem(UnreadableLines, l.line, r.open.ID, "an entry is written `- key: value`, not %s", fault.Shown(entry))
			}
			return false
		}
	}
	switch kind := l.spec.Kind; {
	case kind == KindScore && (len(l.odd) > 0 || r.isForeign()):
		r.scoreList(l)
		return true
	case kind == KindList:
		list := List{}
		for _, line := range l.raw {
			entry, _ := cutBullet(strings.TrimLeft(line, " \t"))
			list = append(list, Text(readText(entry)))
		}
		r.setField(l.name, list, l.line)
		return true
	case kind != KindMap && kind != KindScore && (kind != KindAny || len(l.odd) > 0):
		r.problem(Variant, l.line, r.open.ID, "the list below %s is read as a text", fault.Shown(l.name))
		r.setField(l.name, Text(strings.Join(l.raw, "\n")), l.line)
		return true
	}
	for _, entry := range l.odd {
		r.kept(l.line, "an entry of %s without a key, kept as a text: %s", fault.Shown(l.name), fault.Shown(entry))
		r.open.texts = append(r.open.texts, "- "+entry)
	}
	return len(l.entries) == 0
}
