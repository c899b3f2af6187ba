package prompts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
)

// Shown is what an agent was shown, and how long its reply may be.
type Shown struct {
	Agent    string // its own items may be changed whatever its role
	Artifact *artifact.Artifact
	Items    []string // the ids that it was shown
	MaxReply int      // tokens; 0 is no limit
	// Brief is for small models: only the sections of the role, and no references to new items.
	Brief bool
}

// Answer returns the JSON schema of a reply, for endpoints with structured output, or nil if the reader may change
// nothing. It has a variant for each operation and section that the reader may use, names only items that it was shown,
// and bounds all texts and lists.
//
// It keeps to what OpenAI's strict mode, vLLM, Ollama and llama.cpp all accept: every property is required, an
// optional one may be null, objects have no other properties, and the root is an object.
func (r *Rights) Answer(s Shown) []byte {
	a := answer{Rights: r, Shown: s, limits: limitsFor(s.MaxReply)}
	a.find()
	var variants []any
	for _, section := range artifact.Sections() {
		variants = append(variants, a.variants(section)...)
	}
	if len(variants) == 0 {
		return nil
	}
	deltas := object{{"type", "array"}, {"items", object{{"anyOf", variants}}}, {"maxItems", a.limits.deltas}}
	schema, err := json.Marshal(strictObject(property{"prose", a.text(a.limits.prose)}, property{"deltas", deltas}))
	if err != nil {
		panic("prompts: " + err.Error()) // unreachable: it has only texts, numbers and lists
	}
	return schema
}

// limits bound a reply: a small model may not come to an end otherwise.
type limits struct {
	deltas            int // in number
	prose, text, name int // in characters
	list              int // entries of a list
}

// limitsFor returns the bounds by which a reply most likely fits into its tokens.
func limitsFor(maxReply int) limits {
	const (
		forDelta   = 512 // tokens of a delta at ease
		characters = 3   // of a token
		texts      = 10  // of a delta, and what is around them
	)
	most := limits{deltas: 12, prose: 900, text: 600, name: 80, list: 6}
	if maxReply <= 0 {
		return most
	}
	l := most
	l.deltas = min(most.deltas, max(1, maxReply/forDelta))
	l.text = min(most.text, max(most.name, maxReply*characters/(l.deltas*texts)))
	l.prose = min(most.prose, 2*l.text)
	return l
}

type answer struct {
	*Rights
	Shown
	limits limits
	active [artifact.SectionCount][]*artifact.Item // that are shown
	thirds int                                     // active third alternatives, shown or not
}

// find finds the active items that the agent was shown.
func (a *answer) find() {
	if a.Artifact == nil {
		return
	}
	for _, s := range artifact.Sections() {
		for _, it := range a.Artifact.Active(s) {
			if slices.Contains(a.Items, it.ID) {
				a.active[s] = append(a.active[s], it)
			}
			if it.ThirdAlternative() && s == artifact.HypothesisSlate {
				a.thirds++
			}
		}
	}
}

// variants returns the deltas that the reader may send about a section.
func (a *answer) variants(s artifact.Section) []any {
	var all []any
	if a.offersAdd(s) {
		if payload := a.addPayload(s); payload != nil {
			all = append(all, a.delta("ADD", s, nil, payload))
		}
	}
	if ids := a.targets(s, a.Scopes.MayEdit); len(ids) > 0 {
		all = append(all, a.delta("EDIT", s, ids, a.editPayload(s)))
	}
	if ids := a.killable(s); len(ids) > 0 {
		all = append(all, a.delta("KILL", s, ids, strictObject(property{"reason", a.text(a.limits.text)})))
	}
	return all
}

// offersAdd reports whether the reader may add an item to a section, and there is room for one.
func (a *answer) offersAdd(s artifact.Section) bool {
	spec := s.Spec()
	if spec.Max > 0 && a.Artifact != nil && len(a.Artifact.Active(s)) >= spec.Max || a.mayAdd(s) != "yes" {
		return false
	}
	return !a.Brief || slices.Contains(a.sections(), s)
}

// targets returns the items of a section that the reader may change: all, or its own.
func (a *answer) targets(s artifact.Section, allows func(string, artifact.Section) bool) []string {
	var ids []string
	for _, it := range a.active[s] {
		if a.mayAll(s, allows) || it.Created != nil && it.Created.Agent == a.Agent {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// killable returns the items of a section that the reader may kill. The last third alternative stays.
func (a *answer) killable(s artifact.Section) []string {
	if s == artifact.ResearchThread {
		return nil
	}
	ids := a.targets(s, a.Scopes.MayKill)
	if s == artifact.HypothesisSlate && a.thirds == 1 {
		for _, it := range a.active[s] {
			if it.ThirdAlternative() {
				ids = slices.DeleteFunc(ids, func(id string) bool { return id == it.ID })
			}
		}
	}
	return ids
}

// delta returns the schema of a delta.
func (a *answer) delta(operation string, s artifact.Section, targets []string, payload any) object {
	properties := []property{{"operation", oneOf(operation)}, {"section", oneOf(s.String())}}
	if len(targets) > 0 {
		properties = append(properties, property{"target_id", oneOf(targets...)})
	}
	if operation == "ADD" && s == artifact.HypothesisSlate && !a.Brief {
		properties = append(properties, property{"ref", orNull(oneOf(newHypotheses...))})
	}
	return strictObject(append(properties, property{"payload", payload}, property{"rationale", a.text(a.limits.text)})...)
}

// newHypotheses are the words by which other deltas of a reply refer to its new hypotheses.
var newHypotheses = []string{"h_1", "h_2", "h_3"}

// addPayload returns the fields of a new item, or nil if a required one cannot be filled.
func (a *answer) addPayload(s artifact.Section) any {
	var properties []property
	for i := range s.Spec().Fields {
		f := &s.Spec().Fields[i]
		value := a.field(f, false)
		switch {
		case value == nil && f.Required:
			return nil
		case value == nil:
			continue
		case !f.Required && f.Name != "name":
			value = orNull(value)
		}
		properties = append(properties, property{f.Name, value})
	}
	return strictObject(properties...)
}

// editPayload returns the change of one field: an EDIT of nothing would be refused.
func (a *answer) editPayload(s artifact.Section) any {
	var fields []any
	for i := range s.Spec().Fields {
		f := &s.Spec().Fields[i]
		if value := a.field(f, true); value != nil {
			fields = append(fields, strictObject(property{f.Name, value}))
		}
	}
	return object{{"anyOf", fields}}
}

// field returns the schema of a field's value, or nil if it has none here. Of a map, an EDIT changes one key.
func (a *answer) field(f *artifact.FieldSpec, edit bool) any {
	switch f.Kind {
	case artifact.KindText:
		return a.textField(f)
	case artifact.KindFlag:
		return object{{"type", "boolean"}}
	case artifact.KindStatus:
		return oneOf(f.Allowed...)
	case artifact.KindList:
		return a.list(f)
	case artifact.KindMap:
		return a.outcomes(edit)
	case artifact.KindScore:
		return score(f, edit)
	}
	return nil
}

func (a *answer) textField(f *artifact.FieldSpec) any {
	switch {
	case f.Name == "name":
		return a.text(a.limits.name)
	case !f.Refs:
		return a.text(a.limits.text)
	}
	var pairs []string
	hypotheses := a.hypotheses()
	for i, one := range hypotheses {
		for _, other := range hypotheses[i+1:] {
			pairs = append(pairs, one+" vs "+other)
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return oneOf(pairs...)
}

// hypotheses returns the words for hypotheses: the ids that are shown and, unless the reply is brief, those for new
// ones.
func (a *answer) hypotheses() []string {
	names := idsOf(a.active[artifact.HypothesisSlate])
	if !a.Brief && a.offersAdd(artifact.HypothesisSlate) {
		names = append(names, newHypotheses...)
	}
	return names
}

func idsOf(items []*artifact.Item) []string {
	var ids []string
	for _, it := range items {
		ids = append(ids, it.ID)
	}
	return ids
}

func (a *answer) list(f *artifact.FieldSpec) any {
	entry := a.text(a.limits.name)
	switch {
	case f.Name == "anchors":
		entry = object{{"type", "string"}, {"pattern", anchor}}
	case f.Refs:
		names := append(a.hypotheses(), idsOf(a.active[artifact.AssumptionLedger])...)
		if len(names) == 0 {
			return nil
		}
		entry = oneOf(names...)
	}
	return object{{"type", "array"}, {"items", entry}, {"minItems", 1}, {"maxItems", a.limits.list}}
}

// anchor matches where an item comes from.
const anchor = `^(§[0-9]{1,3}|EV-[0-9]{3}|EV-[0-9]{3}#E[0-9]{1,2}|inference)$`

// outcomes returns the schema of outcomes by hypothesis: one for each that is shown, or in an EDIT one alone.
func (a *answer) outcomes(edit bool) any {
	var properties []property
	for _, it := range a.active[artifact.HypothesisSlate] {
		properties = append(properties, property{it.ID, a.text(a.limits.text)})
	}
	if !a.Brief && a.offersAdd(artifact.HypothesisSlate) {
		for i, name := range newHypotheses {
			value := a.text(a.limits.text)
			if !edit && (i > 0 || len(properties) > 0) {
				value = orNull(value)
			}
			properties = append(properties, property{name, value})
		}
	}
	return wholeOrOne(properties, edit)
}

func score(f *artifact.FieldSpec, edit bool) any {
	var marks []int
	for mark := range artifact.ScoreMax + 1 {
		marks = append(marks, mark)
	}
	var properties []property
	for _, name := range f.Allowed {
		properties = append(properties, property{name, object{{"type", "integer"}, {"enum", marks}}})
	}
	return wholeOrOne(properties, edit)
}

// wholeOrOne returns an object with all properties or with one of them, or nil if there are none.
func wholeOrOne(properties []property, one bool) any {
	if len(properties) == 0 {
		return nil
	}
	if !one {
		return strictObject(properties...)
	}
	var variants []any
	for _, p := range properties {
		variants = append(variants, strictObject(p))
	}
	return object{{"anyOf", variants}}
}

// text returns the schema of a text in one line that is not blank.
func (a *answer) text(characters int) object {
	// No \s: the grammar of llama.cpp does not know it, and reads a class without the rules of JSON.
	const visible = `"\\\x00-\x1F\x7F`
	return object{{"type", "string"}, {"pattern", fmt.Sprintf("^[^ "+visible+"][^"+visible+"]{0,%d}$", characters-1)}}
}

// oneOf returns the schema of one of several words.
func oneOf(words ...string) object { return object{{"type", "string"}, {"enum", words}} }

func orNull(schema any) object {
	return object{{"anyOf", []any{schema, object{{"type", "null"}}}}}
}

// strictObject returns the schema of an object with these properties and no others.
func strictObject(properties ...property) object {
	var names []string
	values := object{}
	for _, p := range properties {
		names = append(names, p.name)
		values = append(values, p)
	}
	return object{{"type", "object"}, {"properties", values}, {"required", names}, {"additionalProperties", false}}
}

// property is a member of an object. The order counts: models write the properties of a schema in its order.
type property struct {
	name  string
	value any
}

type object []property

// MarshalJSON encodes an object in the order of its members.
func (o object) MarshalJSON() ([]byte, error) {
	members := make([]string, len(o))
	for i, p := range o {
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		members[i] = strconv.Quote(p.name) + ":" + string(value)
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}
