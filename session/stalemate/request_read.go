package stalemate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/patch"
)

// Codes of requests.
const (
	Placeholder     fault.Code = "EVIDENCE_PLACEHOLDER" // Placeholder text instead of evidence: a warning on import, an error when sending.
	EvidenceChanged fault.Code = "EVIDENCE_CHANGED"     // The hash of a piece of evidence does not match its text.
)

const maxDepth = 32

// reader reads documents field by field and collects all faults.
type reader struct{ faults fault.List }

func (r *reader) text(m artifact.Map, key, place string) string {
	v, _ := m.Get(key)
	t, ok := v.(artifact.Text)
	if !ok || delta.Blank(string(t)) {
		r.faults.Add(delta.MissingRequiredField, place+key, "write some text", "%s is missing or empty", key)
	}
	return string(t)
}

// only adds a fault for each key of an object that is not known. What it says would be lost.
func (r *reader) only(m artifact.Map, place string, known ...string) {
	for _, e := range m {
		if !slices.Contains(known, e.Key) {
			r.faults.Add(delta.InvalidField, place+e.Key, "remove it; known: "+strings.Join(known, ", "), "unknown field")
		}
	}
}

func optional(m artifact.Map, key string) string {
	v, _ := m.Get(key)
	t, _ := v.(artifact.Text)
	return string(t)
}

// ReadRequest reads a request, also one with two parties under keys of their own ("x_hypothesis").
// Warnings name placeholder evidence: such a request may be kept but not sent.
func ReadRequest(data []byte) (Request, []*fault.Error, error) {
	var out Request
	v, err := artifact.ParseValue(data, maxDepth)
	if err != nil {
		return out, nil, err
	}
	top, ok := v.(artifact.Map)
	if !ok {
		return out, nil, &fault.Error{Code: artifact.InvalidJSON, Detail: "valid JSON, but not an object", Hint: "see `brenner schema stalemate.request`"}
	}
	r := &reader{}
	if id := r.text(top, "protocol_id", ""); id != "" && id != Protocol {
		r.faults.Add(patch.BadProtocol, "protocol_id", "write "+Protocol, "the protocol is %s, not %s", fault.Shown(id), Protocol)
	}
	if at := r.text(top, "session_timestamp", ""); at != "" {
		if out.At, err = artifact.ParseInstant(at); err != nil {
			r.faults.Add(delta.InvalidField, "session_timestamp", "write an instant such as 2026-11-15T09:00:00Z", "%s is not an instant", fault.Shown(at))
		}
	}
	out.Summary, out.Arbitration = r.text(top, "stalemate_summary", ""), r.text(top, "arbitration_request", "")
	r.hypotheses(top, &out)
	warnings := r.evidence(top, &out)
	return out, warnings, r.faults.Err()
}

func (r *reader) hypotheses(top artifact.Map, out *Request) {
	v, _ := top.Get("hypotheses")
	m, ok := v.(artifact.Map)
	if !ok {
		r.faults.Add(delta.MissingRequiredField, "hypotheses", "", "hypotheses is missing or not an object")
		return
	}
	rank := func(e artifact.Entry) int { // the order of parties in a document of the program
		return max(0, slices.Index([]string{"", firstParty + keySuffix, secondParty + keySuffix, furtherKey}, e.Key))
	}
	m = slices.Clone(m)
	slices.SortStableFunc(m, func(a, b artifact.Entry) int { return cmp.Compare(rank(a), rank(b)) })
	for _, e := range m {
		place := "hypotheses." + e.Key
		switch name, isParty := strings.CutSuffix(e.Key, keySuffix); {
		case e.Key == "parties", e.Key == furtherKey:
			for i, one := range r.list(e.Value, place) {
				at := fmt.Sprintf("%s[%d].", place, i)
				out.Parties = append(out.Parties, r.hypothesis(one, r.text(one, "party", at), at))
			}
		case e.Key == dissidentKey:
			for i, one := range r.list(e.Value, place) {
				h := r.hypothesis(one, dissidentName(i), fmt.Sprintf("%s[%d].", place, i))
				h.Source = optional(one, "source")
				out.Dissidents = append(out.Dissidents, h)
			}
		case isParty:
			one, _ := e.Value.(artifact.Map)
			out.Parties = append(out.Parties, r.hypothesis(one, cmp.Or(optional(one, "party"), name), place+"."))
		default:
			r.faults.Add(delta.InvalidField, place, "list the parties under names that end with _hypothesis, or under "+furtherKey, "unknown field")
		}
	}
	r.checkCounts(out)
}

func (r *reader) checkCounts(out *Request) {
	seen := make(map[string]bool)
	for _, h := range out.Parties {
		if seen[h.Name] {
			r.faults.Add(delta.InvalidField, "hypotheses", "list each party once", "duplicate party %s", fault.Shown(h.Name))
		}
		seen[h.Name] = true
	}
	if len(out.Parties) < 2 {
		r.faults.Add(delta.MissingRequiredField, "hypotheses", "list at least two parties that disagree", "number of parties: %d", len(out.Parties))
	}
	if n := len(out.Dissidents); n > MaxExplanations {
		r.faults.Add(delta.InvalidField, "hypotheses."+dissidentKey, "write at most three explanations that no party holds", "number of explanations: %d", n)
	}
}

func (r *reader) hypothesis(m artifact.Map, name, place string) Hypothesis {
	return Hypothesis{Name: name, Statement: r.text(m, "statement", place), Justification: optional(m, "justification")}
}

func (r *reader) list(v artifact.Value, place string) []artifact.Map {
	list, ok := v.(artifact.List)
	if !ok {
		r.faults.Add(delta.InvalidField, place, "write a list of objects", "not a list")
	}
	out := make([]artifact.Map, 0, len(list))
	for i, e := range list {
		m, ok := e.(artifact.Map)
		if !ok {
			r.faults.Add(delta.InvalidField, fmt.Sprintf("%s[%d]", place, i), "write an object", "not an object")
		}
		out = append(out, m)
	}
	return out
}

func (r *reader) evidence(top artifact.Map, out *Request) []*fault.Error {
	v, _ := top.Get("objective_evidence")
	var warnings []*fault.Error
	for i, m := range r.list(v, "objective_evidence") {
		place := fmt.Sprintf("objective_evidence[%d]", i)
		e := Evidence{Type: r.text(m, "type", place+"."), Description: optional(m, "description"), Path: optional(m, "file_path"), Content: optional(m, "content")}
		if e.Path != "" {
			e.Content = optional(m, "file_content")
		}
		e.Hash = HashOf(e.Content)
		if given := optional(m, "sha256"); given != "" && !strings.EqualFold(given, e.Hash) {
			r.faults.Add(EvidenceChanged, place, "restore the evidence, or omit sha256", "the content has the hash %s, not %s", e.Hash, fault.Shown(given))
		}
		if e.isPlaceholder() {
			warnings = append(warnings, missingEvidence(place, &e))
		}
		out.Evidence = append(out.Evidence, e)
	}
	return warnings
}

func (e *Evidence) isPlaceholder() bool {
	s := strings.TrimSpace(e.Content)
	if strings.Trim(s, ".… ") == "" || slices.Contains([]string{"todo", "tbd", "n/a", "see above"}, strings.ToLower(s)) {
		return true
	}
	if !strings.HasPrefix(s, "[") || !strings.HasSuffix(s, "]") || strings.Contains(s, "\n") {
		return false
	}
	_, err := artifact.ParseValue([]byte(s), maxDepth)
	return err != nil // a list in JSON is content
}

func missingEvidence(place string, e *Evidence) *fault.Error {
	return &fault.Error{
		Code: Placeholder, Place: place, Detail: fault.Shown(e.Content) + " is a placeholder, not content",
		Hint: "include the content itself: the arbiter sees nothing else",
	}
}

// Sendable returns an error if evidence is missing or only a placeholder.
func (r *Request) Sendable() error {
	var list fault.List
	for i := range r.Evidence {
		if r.Evidence[i].isPlaceholder() {
			list = append(list, missingEvidence(fmt.Sprintf("objective_evidence[%d]", i), &r.Evidence[i]))
		}
	}
	if len(r.Evidence) == 0 {
		list.Add(delta.MissingRequiredField, "objective_evidence", "add evidence for the arbiter", "no evidence")
	}
	return list.Err()
}

// ReadSubmittedRequest reads a request from a person. Beyond ReadRequest's checks, its question
// must name no party, and no party may have the name of a dissident.
func ReadSubmittedRequest(data []byte) (Request, []*fault.Error, error) {
	r, warnings, err := ReadRequest(data)
	if err == nil {
		err = unknownKeys(data)
	}
	if err != nil {
		return r, warnings, err
	}
	var list fault.List
	for i, h := range r.Parties {
		before := Request{Parties: r.Parties[:i]}
		if before.IsParty(h.Name) {
			list.Add(delta.InvalidField, "hypotheses", "use names that differ by more than case", "duplicate party %s", fault.Shown(h.Name))
		}
		if isReserved(h.Name) {
			list.Add(delta.InvalidField, "hypotheses", "rename the party", "the name %s is reserved for explanations", fault.Shown(h.Name))
		}
	}
	for _, name := range r.Names() {
		if containsName(r.Arbitration, name) {
			list.Add(delta.InvalidField, "arbitration_request", "name no party and no explanation", "the question names %s", fault.Shown(name))
		}
	}
	return r, warnings, list.Err()
}

// unknownKeys returns a fault for each key of a request that the schema does not have.
func unknownKeys(data []byte) error {
	v, err := artifact.ParseValue(data, maxDepth)
	if err != nil {
		return err
	}
	r := &reader{}
	top, _ := v.(artifact.Map)
	r.only(top, "", "protocol_id", "session_timestamp", "stalemate_summary", "hypotheses", "objective_evidence", "arbitration_request")
	v, _ = top.Get("hypotheses")
	hypotheses, _ := v.(artifact.Map)
	for _, e := range hypotheses {
		place := "hypotheses." + e.Key
		switch value := e.Value.(type) {
		case artifact.Map:
			r.only(value, place+".", "party", "statement", "justification")
		case artifact.List:
			for i, one := range r.list(value, place) {
				at := fmt.Sprintf("%s[%d].", place, i)
				if e.Key == dissidentKey {
					r.only(one, at, "statement", "justification", "source")
				} else {
					r.only(one, at, "party", "statement", "justification")
				}
			}
		}
	}
	v, _ = top.Get("objective_evidence")
	for i, one := range r.list(v, "objective_evidence") {
		r.only(one, fmt.Sprintf("objective_evidence[%d].", i), "type", "description", "content", "file_path", "file_content", "sha256")
	}
	return r.faults.Err()
}

// isReserved reports whether a name is Neither, or has the form of a dissident's: a D and a number.
func isReserved(name string) bool {
	if name = strings.TrimSpace(name); strings.EqualFold(name, Neither) {
		return true
	}
	return len(name) > 1 && (name[0] == 'D' || name[0] == 'd') && strings.Trim(name[1:], "0123456789") == ""
}

// containsName reports whether a text contains a name as a word, in any case.
func containsName(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(strings.TrimSpace(name))
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	for at := 0; name != ""; {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		at += next
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		at += len(name)
	}
	return false
}

// AddParties adds the parties of a person's request to a case. A ruling for a party that has written
// nothing writes its statement, unless the verdict has a value.
func AddParties(c *Case, r *Request) {
	for _, h := range r.Parties {
		known := false
		for i := range c.Positions {
			known = known || c.Positions[i].Party == h.Name
		}
		if !known {
			c.Positions = append(c.Positions, Position{Party: h.Name, Statement: h.Statement, Justification: h.Justification, Edit: statementEdit(c.Place, h.Statement)})
		}
	}
}

// statementEdit returns the payload that sets a field to a statement, or nil if place is not a
// field.
func statementEdit(place, statement string) artifact.Map {
	id, path, ok := strings.Cut(place, ".")
	if _, isItem := artifact.SectionOfID(id); !ok || !isItem {
		return nil
	}
	s := spot{}
	s.field, s.key, _ = strings.Cut(path, ".")
	return s.edit(artifact.Text(statement))
}
