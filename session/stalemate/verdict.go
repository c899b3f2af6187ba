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
)

// The codes of verdicts.
const (
	ArbiterIsParty fault.Code = "ARBITER_IS_PARTY"
	NoVerdict      fault.Code = "NO_VERDICT"
	NothingToWrite fault.Code = "NOTHING_TO_WRITE"
)

// The kinds of arbiters.
const (
	ByPerson = "person"
	ByAgent  = "agent"
)

// Arbiter is who rules.
type Arbiter struct {
	Kind  string
	Name  string
	Model string
}

// Rejection says why a hypothesis does not hold.
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
	// Value is what the field should say where the ruling is for an explanation that
	// nobody wrote a value for; nil otherwise.
	Value artifact.Value
}

// ReadVerdict reads a verdict on a request: JSON, or a reply with JSON in it, fenced
// or bare. One that is quoted, commented out or indented as code is only shown. Who the arbiter is comes from outside, never from the text.
func ReadVerdict(text []byte, arbiter Arbiter, r *Request) (Verdict, error) {
	m, err := verdictObject(text)
	if err != nil {
		return Verdict{}, err
	}
	in := &reader{}
	v := Verdict{
		For: in.text(m, "ruling_for", ""), RootCause: in.text(m, "root_cause", ""), Reasoning: in.texts(m, "reasoning"),
		Arbiter: arbiter,
	}
	if value, ok := m.Get("value"); ok && value != (artifact.Null{}) {
		v.Value = value
	}
	c, _ := m.Get("confidence")
	n, ok := c.(artifact.Number)
	if v.Confidence = float64(n); !ok || !(n >= 0 && n <= 1) { // NaN is none either
		in.faults.Add(delta.InvalidField, "confidence", "write a number from 0 to 1", "confidence is no number from 0 to 1")
	}
	if list, ok := m.Get("rejected"); ok {
		for i, one := range in.list(list, "rejected") {
			place := fmt.Sprintf("rejected[%d].", i)
			v.Rejected = append(v.Rejected, Rejection{in.text(one, "hypothesis", place), in.text(one, "why", place)})
		}
	}
	if err := in.faults.Err(); err != nil {
		return v, err
	}
	err = v.Check(r)
	return v, err
}

// verdictObject finds the JSON object with a ruling in a text.
func verdictObject(text []byte) (artifact.Map, error) {
	none := &fault.Error{
		Code: NoVerdict, Detail: "the text holds no verdict",
		Hint: `a verdict is a JSON object with ruling_for, root_cause, reasoning, rejected and confidence`,
	}
	if v, err := artifact.ParseValue(text, depth); err == nil {
		if m, ok := v.(artifact.Map); ok {
			return m, nil
		}
		return nil, none
	}
	tried := 0
	for b := range markdown.Blocks(text) {
		if b.Kind == markdown.Verbatim || b.Quoted {
			continue
		}
		if m, ok := rulingIn(text, b, &tried); ok {
			return m, nil
		}
	}
	return nil, none
}

// rulingIn finds the first object with a ruling that begins in a block, outside comments.
// An object may go on behind the block: in the lines of a value Markdown means nothing.
func rulingIn(text []byte, b markdown.Block, tried *int) (artifact.Map, bool) {
	const most = 100 // braces that are tried: a reply is not a heap of them
	for at := b.Start; *tried < most; {
		brace := bytes.IndexByte(text[at:b.End], '{')
		if brace < 0 {
			break
		}
		if skip := markdown.InlineComment(text[at:b.End], brace); skip > 0 {
			at += skip
			continue
		}
		at += brace
		*tried++
		v, err := artifact.DecodeValue(artifact.NewDecoder(text[at:]), depth)
		if m, ok := v.(artifact.Map); err == nil && ok {
			if _, ok := m.Get("ruling_for"); ok {
				return m, true
			}
		}
		at++
	}
	return nil, false
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
		r.faults.Add(delta.MissingRequiredField, key, "write the steps as a list of texts", "%s is no list of texts that say something", key)
	}
	return out
}

// Check says what is wrong with a verdict on a request.
func (v *Verdict) Check(r *Request) error {
	var list fault.List
	names := strings.Join(r.Names(), ", ")
	if _, ok := r.Find(v.For); !ok {
		list.Add(delta.InvalidField, "ruling_for", "rule for one of "+names, "%s is no hypothesis of the request", fault.Shown(v.For))
	}
	if v.Arbiter.Name == "" || v.Arbiter.Kind != ByPerson && v.Arbiter.Kind != ByAgent {
		list.Add(delta.InvalidField, "arbiter", "name who rules", "nobody signs the verdict")
	}
	if r.IsParty(v.Arbiter.Name) {
		list.Add(ArbiterIsParty, "arbiter", "let somebody rule who holds none of the positions", "%s is a party", fault.Shown(v.Arbiter.Name))
	}
	said := make(map[string]bool)
	for i, one := range v.Rejected {
		place := fmt.Sprintf("rejected[%d]", i)
		_, known := r.Find(one.Hypothesis)
		switch {
		case !known:
			list.Add(delta.InvalidField, place, "name one of "+names, "%s is no hypothesis of the request", fault.Shown(one.Hypothesis))
		case one.Hypothesis == v.For:
			list.Add(delta.InvalidField, place, "reject the others", "%s is ruled for and rejected", fault.Shown(v.For))
		case said[one.Hypothesis]:
			list.Add(delta.InvalidField, place, "say it once", "%s is rejected twice", fault.Shown(one.Hypothesis))
		}
		said[one.Hypothesis] = true
	}
	for _, name := range r.Names() {
		if name != v.For && !said[name] {
			list.Add(delta.MissingRequiredField, "rejected", "say of every other one why it does not hold", "nothing says why %s does not hold", fault.Shown(name))
		}
	}
	return list.Err()
}

// JSON gives the verdict as canonical JSON; one that nobody has signed yet names no
// arbiter.
func (v *Verdict) JSON() []byte {
	text := func(key, s string) artifact.Entry { return artifact.Entry{Key: key, Value: artifact.Text(s)} }
	reasoning, rejected := artifact.List{}, artifact.List{}
	for _, s := range v.Reasoning {
		reasoning = append(reasoning, artifact.Text(s))
	}
	for _, one := range v.Rejected {
		rejected = append(rejected, artifact.MapOf(text("hypothesis", one.Hypothesis), text("why", one.Why)))
	}
	entries := []artifact.Entry{
		text("ruling_for", v.For), text("root_cause", v.RootCause),
		{Key: "reasoning", Value: reasoning},
		{Key: "rejected", Value: rejected},
		{Key: "confidence", Value: artifact.Number(v.Confidence)},
	}
	if a := v.Arbiter; a != (Arbiter{}) {
		entries = append(entries, artifact.Entry{Key: "arbiter", Value: artifact.MapOf(text("kind", a.Kind), text("name", a.Name), text("model", a.Model))})
	}
	if v.Value != nil {
		entries = append(entries, artifact.Entry{Key: "value", Value: v.Value})
	}
	return artifact.Canonical(artifact.MapOf(entries...))
}

// Reasons gives the ruling with its reasons in one text, for whoever reads the
// artifact: the first words of an EDIT's rationale.
func (v *Verdict) Reasons(id string) string {
	return fmt.Sprintf("Ruling of %s in %s for %s. Root cause: %s Reasons: %s", v.Arbiter.Name, id, v.For, v.RootCause, strings.Join(v.Reasoning, " "))
}

// Ruling makes of a verdict the deltas of an authority: an EDIT that writes what the
// ruling is for. A ruling that a refusal was right writes nothing: NOTHING_TO_WRITE
// says so, and the ruling stands all the same.
func Ruling(c *Case, v *Verdict) ([]byte, error) {
	id, field, _ := strings.Cut(c.Place, ".")
	section, ok := artifact.SectionOfID(id)
	if !ok {
		return nil, &fault.Error{Code: NothingToWrite, Place: c.ID, Detail: fault.Shown(c.Place) + " is no place of an artifact", Hint: "what the ruling says must be done by hand"}
	}
	payload, err := c.payload(v, field)
	if err != nil {
		return nil, err
	}
	payload = artifact.MapOf(append(slices.Clone([]artifact.Entry(payload)), artifact.Entry{Key: ReasonsField(c.Place), Value: artifact.Text(v.Reasons(c.ID))})...)
	edit := delta.Row{Operation: delta.Edit, Section: section, Target: id, Payload: payload, Rationale: v.Reasons(c.ID)}
	return artifact.Canonical(artifact.List{edit.Value()}), nil
}

// ReasonsField names the field for the reasons of a ruling: they stand beside what was
// ruled on, for whoever reads the artifact alone.
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
		return replacing(artifact.MapOf(artifact.Entry{Key: name, Value: value}), isKey), nil
	}
	for i := range c.Positions {
		if p := &c.Positions[i]; p.Party == v.For && p.Edit != nil {
			return replacing(p.Edit, strings.Contains(field, ".")), nil
		}
	}
	return nil, &fault.Error{
		Code: NothingToWrite, Place: c.ID, Detail: "the ruling for " + fault.Shown(v.For) + " says nothing that could be written into " + c.Place,
		Hint: `say what the field should hold as "value"`,
	}
}

// replacing makes lists and maps take the place of what stood there, unless only one
// key of a map is meant.
func replacing(payload artifact.Map, oneKey bool) artifact.Map {
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

// StoredVerdict reads what JSON wrote, the arbiter included.
func StoredVerdict(data []byte, r *Request) (Verdict, error) {
	m, err := verdictObject(data)
	if err != nil {
		return Verdict{}, err
	}
	by, _ := m.Get("arbiter")
	who, _ := by.(artifact.Map)
	return ReadVerdict(data, Arbiter{Kind: optional(who, "kind"), Name: optional(who, "name"), Model: optional(who, "model")}, r)
}
