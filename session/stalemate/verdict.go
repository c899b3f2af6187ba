package stalemate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/internal/markdown"
	"brenner/internal/text"
)

// Codes of verdicts.
const (
	ArbiterIsParty fault.Code = "ARBITER_IS_PARTY" // The arbiter of a stalemate holds one of its positions.
	NoVerdict      fault.Code = "NO_VERDICT"       // The text contains no verdict, or two that differ.
	NoExplanations fault.Code = "NO_EXPLANATIONS"  // A model was asked for other explanations, and its reply has none in the form asked for.
	NothingToWrite fault.Code = "NOTHING_TO_WRITE" // The ruling changes nothing in the artifact; the ruling itself is kept.
)

// Kinds of arbiters.
const (
	ByPerson = "person"
	ByAgent  = "agent"
)

// Arbiter is the author of a ruling.
type Arbiter struct {
	Kind  string
	Name  string
	Model string
}

// Rejection is the reason why a hypothesis does not hold.
type Rejection struct {
	Hypothesis string // a party, or D1 to D3
	Why        string
}

// Verdict is a ruling.
type Verdict struct {
	For        string // a party, or D1 to D3
	RootCause  string
	Reasoning  []string
	Rejected   []Rejection
	Confidence float64 // 0 to 1
	Arbiter    Arbiter
	// Value is the field's new value if the hypothesis ruled for has none; nil otherwise.
	Value artifact.Value
}

// ValueOf returns the value that a person typed: JSON, or else text.
func ValueOf(typed string) artifact.Value {
	if v, err := artifact.ParseValue([]byte(typed), artifact.MaxDepth); err == nil {
		return v
	}
	return artifact.Text(typed)
}

// ReadVerdict reads a verdict on a request: JSON, or a reply with fenced or bare JSON in it. JSON
// that is quoted, commented out or indented as code does not count. The arbiter comes from the
// caller, never from the text.
func ReadVerdict(text []byte, arbiter Arbiter, r *Request) (Verdict, error) {
	m, err := objectWith(text, rulingKey)
	if err != nil {
		return Verdict{}, err
	}
	in := &reader{}
	v := Verdict{
		For: in.text(m, "ruling_for", ""), RootCause: in.text(m, "root_cause", ""), Reasoning: in.texts(m, "reasoning"),
		Arbiter: arbiter,
	}
	in.only(m, "", "ruling_for", "root_cause", "reasoning", "rejected", "confidence", "value", "arbiter")
	if value, ok := m.Get("value"); ok && value != (artifact.Null{}) {
		v.Value = value
	}
	c, _ := m.Get("confidence")
	n, ok := c.(artifact.Number)
	if v.Confidence = float64(n); !ok || !(n >= 0 && n <= 1) { // also excludes NaN
		in.faults.Add(delta.InvalidField, "confidence", "write a number from 0 to 1", "confidence is not a number from 0 to 1")
	}
	if list, ok := m.Get("rejected"); ok {
		for i, one := range in.list(list, "rejected") {
			place := fmt.Sprintf("rejected[%d].", i)
			in.only(one, place, "hypothesis", "why")
			v.Rejected = append(v.Rejected, Rejection{in.text(one, "hypothesis", place), in.text(one, "why", place)})
		}
	}
	if err := in.faults.Err(); err != nil {
		return v, err
	}
	err = v.Check(r)
	return v, err
}

const rulingKey = "ruling_for"

// objectWith returns the JSON object of a reply that has a key.
func objectWith(text []byte, key string) (artifact.Map, error) {
	none := &fault.Error{
		Code: NoVerdict, Detail: "no verdict in the text",
		Hint: "write a JSON object with ruling_for, root_cause, reasoning, rejected and confidence",
	}
	if key != rulingKey {
		none = &fault.Error{Code: NoExplanations, Detail: "no JSON object with the key " + key + " in the text"}
	}
	if v, err := artifact.ParseValue(text, maxDepth); err == nil {
		if m, ok := v.(artifact.Map); ok {
			return m, nil
		}
		return nil, none
	}
	in := &objects{text: text, key: key}
	for b := range markdown.Blocks(text, markdown.Second) {
		if b.Kind == markdown.Verbatim || !b.Own() || b.Kind == markdown.Fenced && markdown.HoldsFence(text[b.Start:b.End]) {
			continue
		}
		in.find(b)
	}
	switch {
	case in.found == nil:
		return nil, none
	case in.differ:
		none.Detail, none.Hint = "two answers in the text that differ", "send one JSON object, the one that holds"
		return nil, none
	}
	return in.found, nil
}

// objects finds the objects with a key in a text.
type objects struct {
	text   []byte
	key    string
	tried  int
	end    int // of the last one
	found  artifact.Map
	differ bool
}

// find reads the objects with the key that begin in a block, outside comments and inline code. An
// object may continue after the block: Markdown has no meaning inside a value.
func (in *objects) find(b markdown.Block) {
	const most = 100 // bounds the braces tried in a hostile reply
	text, at := in.text, b.Start
	if b.Kind == markdown.Fenced { // an object may begin on the line of the fence
		line := 1 + bytes.LastIndexByte(bytes.TrimRight(text[:b.Start], "\r\n"), '\n')
		at = line + 1 + bytes.LastIndexByte(text[line:b.Start], b.Fence.Mark)
	}
	for at = max(at, in.end); in.tried < most && at < b.End; at++ {
		brace := bytes.IndexByte(text[at:b.End], '{')
		if brace < 0 {
			break
		}
		if skip := markdown.InlineComment(text[at:b.End], brace); skip > 0 {
			at += skip - 1
			continue
		}
		at += brace
		in.tried++
		if b.Kind == markdown.Prose && inCode(text[b.Start:at]) {
			continue
		}
		d := artifact.NewDecoder(text[at:])
		v, err := d.Value(maxDepth)
		m, _ := v.(artifact.Map)
		if _, ok := m.Get(in.key); err != nil || !ok {
			continue
		}
		in.differ = in.differ || in.found != nil && !bytes.Equal(artifact.Canonical(in.found), artifact.Canonical(m))
		in.found, in.end = m, at+int(d.InputOffset())
		at = in.end - 1
	}
}

// inCode reports whether a text ends in inline code.
func inCode(before []byte) bool {
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return bytes.Count(line, []byte("`"))%2 == 1
}

func (r *reader) texts(m artifact.Map, key string) []string {
	v, _ := m.Get(key)
	list, _ := v.(artifact.List)
	var out []string
	for _, e := range list {
		if t, ok := e.(artifact.Text); ok && !delta.Blank(string(t)) {
			out = append(out, string(t))
		}
	}
	if len(out) == 0 || len(out) != len(list) {
		r.faults.Add(delta.MissingRequiredField, key, "write the steps as a list of strings", "%s is not a list of non-empty strings", key)
	}
	return out
}

// Check returns all faults of a verdict on a request.
func (v *Verdict) Check(r *Request) error {
	var list fault.List
	names := strings.Join(r.Names(), ", ")
	if _, ok := r.Find(v.For); !ok {
		list.Add(delta.InvalidField, "ruling_for", "rule for one of "+names, "%s is not a hypothesis of the request", fault.Shown(v.For))
	}
	if v.Arbiter.Name == "" || v.Arbiter.Kind != ByPerson && v.Arbiter.Kind != ByAgent {
		list.Add(delta.InvalidField, "arbiter", "name the arbiter", "the verdict is unsigned")
	}
	if r.IsParty(v.Arbiter.Name) {
		list.Add(ArbiterIsParty, "arbiter", "choose an arbiter that holds none of the positions", "%s is a party", fault.Shown(v.Arbiter.Name))
	}
	rejected := make(map[string]bool)
	for i, one := range v.Rejected {
		place := fmt.Sprintf("rejected[%d]", i)
		_, known := r.Find(one.Hypothesis)
		switch {
		case !known:
			list.Add(delta.InvalidField, place, "name one of "+names, "%s is not a hypothesis of the request", fault.Shown(one.Hypothesis))
		case one.Hypothesis == v.For:
			list.Add(delta.InvalidField, place, "reject the others", "%s is ruled for and rejected", fault.Shown(v.For))
		case rejected[one.Hypothesis]:
			list.Add(delta.InvalidField, place, "reject it once", "%s is rejected twice", fault.Shown(one.Hypothesis))
		}
		rejected[one.Hypothesis] = true
	}
	for _, name := range r.Names() {
		if name != v.For && !rejected[name] {
			list.Add(delta.MissingRequiredField, "rejected", "give a reason for rejecting every other hypothesis", "%s is neither ruled for nor rejected", fault.Shown(name))
		}
	}
	return list.Err()
}

// Defects returns all that is wrong with an answer, for its author.
func Defects(err error) string {
	const most = 20
	var all []string
	for _, f := range fault.All(err) {
		all = append(all, string(f.Code)+": "+f.Error())
	}
	switch n := len(all); {
	case n == 0:
		all = []string{err.Error()}
	case n > most:
		all = append(all[:most], fmt.Sprintf("and %d more", n-most))
	}
	return strings.ToValidUTF8(strings.Join(all, "; "), "\ufffd")
}

// NotAccepted returns the end of a message that asks an arbiter once more, with all that was wrong.
func NotAccepted(why string) string {
	return "\nYour last answer was not accepted: " + text.Clean(why, text.PromptLine) + "\n"
}

// CheckWithdrawal returns an error if a person cannot withdraw a stalemate: a party, or one without a
// reason.
func (r *Request) CheckWithdrawal(by, why string) error {
	var list fault.List
	if r.IsParty(by) {
		list.Add(ArbiterIsParty, "", "an authority that holds none of the positions can withdraw it", "%s is a party", fault.Shown(by))
	}
	if delta.Blank(why) {
		list.Add(delta.MissingRequiredField, "reason", "pass --reason TEXT", "no reason given")
	}
	return list.Err()
}

// JSON returns the verdict as canonical JSON; an unsigned one names no arbiter.
func (v *Verdict) JSON() []byte {
	reasoning, rejected := artifact.List{}, artifact.List{}
	for _, s := range v.Reasoning {
		reasoning = append(reasoning, artifact.Text(s))
	}
	for _, one := range v.Rejected {
		rejected = append(rejected, artifact.MapOf(textOf("hypothesis", one.Hypothesis), textOf("why", one.Why)))
	}
	entries := []artifact.Entry{
		textOf("ruling_for", v.For), textOf("root_cause", v.RootCause),
		{Key: "reasoning", Value: reasoning},
		{Key: "rejected", Value: rejected},
		{Key: "confidence", Value: artifact.Number(v.Confidence)},
	}
	if a := v.Arbiter; a != (Arbiter{}) {
		entries = append(entries, artifact.Entry{Key: "arbiter", Value: artifact.MapOf(textOf("kind", a.Kind), textOf("name", a.Name), textOf("model", a.Model))})
	}
	if v.Value != nil {
		entries = append(entries, artifact.Entry{Key: "value", Value: v.Value})
	}
	return artifact.Canonical(artifact.MapOf(entries...))
}

// Reasons returns the ruling with its reasons in one text, which begins the rationale of the EDIT.
func (v *Verdict) Reasons(id string) string {
	return fmt.Sprintf("Ruling of %s in %s for %s. Root cause: %s Reasons: %s", v.Arbiter.Name, id, v.For, v.RootCause, strings.Join(v.Reasoning, " "))
}

// Ruling returns a verdict as the deltas of an authority: an EDIT that writes the value ruled for.
// For a ruling that upholds a refusal it returns a NOTHING_TO_WRITE error; the ruling is still
// valid.
func Ruling(c *Case, v *Verdict) ([]byte, error) {
	id, field, _ := strings.Cut(c.Place, ".")
	section, ok := artifact.SectionOfID(id)
	if !ok {
		return nil, &fault.Error{Code: NothingToWrite, Place: c.ID, Detail: fault.Shown(c.Place) + " is not a place in an artifact", Hint: "carry out the ruling by hand"}
	}
	payload, err := c.payload(v, field)
	if err != nil {
		return nil, err
	}
	payload = artifact.MapOf(append(slices.Clone([]artifact.Entry(payload)), artifact.Entry{Key: ReasonsField(c.Place), Value: artifact.Text(v.Reasons(c.ID))})...)
	edit := delta.Row{Operation: delta.Edit, Section: section, Target: id, Payload: payload, Rationale: v.Reasons(c.ID)}
	return artifact.Canonical(artifact.List{edit.Value()}), nil
}

// ReasonsField returns the field for a ruling's reasons, next to the one ruled on.
func ReasonsField(place string) string {
	_, field, ok := strings.Cut(place, ".")
	if !ok {
		return "ruling"
	}
	return "ruling_" + strings.ReplaceAll(field, ".", "_")
}

func (c *Case) payload(v *Verdict, field string) (artifact.Map, error) {
	if v.Value != nil && field != "" {
		name, key, isKey := strings.Cut(field, ".")
		value := v.Value
		if isKey {
			value = artifact.MapOf(artifact.Entry{Key: key, Value: value})
		}
		return withReplace(artifact.MapOf(artifact.Entry{Key: name, Value: value}), isKey), nil
	}
	for i := range c.Positions {
		if p := &c.Positions[i]; p.Party == v.For && p.Edit != nil {
			return withReplace(p.Edit, strings.Contains(field, ".")), nil
		}
	}
	return nil, &fault.Error{
		Code: NothingToWrite, Place: c.ID, Detail: "the ruling for " + fault.Shown(v.For) + " has no value to write to " + c.Place,
		Hint: `add the new value of the field as "value"`,
	}
}

// withReplace makes lists and maps replace the old value, unless only one key of a map is meant.
func withReplace(payload artifact.Map, oneKey bool) artifact.Map {
	if oneKey {
		return payload
	}
	out := []artifact.Entry(payload)
	for _, e := range payload {
		switch e.Value.(type) {
		case artifact.List, artifact.Map:
			if !strings.HasSuffix(e.Key, "_replace") {
				out = append(out[:len(out):len(out)], artifact.Entry{Key: e.Key + "_replace", Value: artifact.Bool(true)})
			}
		}
	}
	return artifact.MapOf(out...)
}

// StoredVerdict reads the output of Verdict.JSON, including the arbiter.
func StoredVerdict(data []byte, r *Request) (Verdict, error) {
	m, err := objectWith(data, rulingKey)
	if err != nil {
		return Verdict{}, err
	}
	value, _ := m.Get("arbiter")
	by, _ := value.(artifact.Map)
	return ReadVerdict(data, Arbiter{Kind: optional(by, "kind"), Name: optional(by, "name"), Model: optional(by, "model")}, r)
}
