package prompts

import (
	"encoding/json"
	"math"
	"slices"

	"brenner/artifact"
	"brenner/merge"
)

// Shown is what an agent was shown, and how long its reply may be.
type Shown struct {
	Agent    string // its own items may be changed whatever its role
	Artifact *artifact.Artifact
	Items    []string // the ids that it was shown
	MaxReply int      // tokens; 0 is no limit
	// Limits override the section table's maximum of items.
	Limits map[artifact.Section]merge.Limit
	// Brief is for small models: only the sections of the role, and no references to new items.
	Brief bool
	// Creates are the types of records that it may create, Records the addresses to which these may link. Task says
	// that a reply has records only.
	Creates, Records []string
	Task             bool
}

// Answer returns the JSON schema of a reply, for endpoints with structured output, or nil if the reader may change
// nothing. It has a variant for each operation and section that the reader may use, names only items that it was shown,
// and bounds all texts and lists.
//
// It keeps to what OpenAI's strict mode, vLLM, Ollama and llama.cpp all accept: every property is required, an
// optional one may be null, objects have no other properties, and the root is an object.
func (r *Rights) Answer(s Shown) []byte {
	a := answer{Rights: r, Shown: s}
	a.find()
	root := a.fitted()
	if root == nil {
		return nil
	}
	schema, err := json.Marshal(root)
	if err != nil {
		panic("prompts: " + err.Error()) // unreachable: it has only texts, numbers and lists
	}
	return schema
}

// limits bound a reply: a small model may not come to an end otherwise.
type limits struct {
	deltas     int // in number
	text, name int // in characters
	list       int // entries of a list
	paragraphs int // of a record
	records    int // in number, beside deltas
}

// fitted returns the schema with the widest bounds by which the longest reply fits into its tokens, or nil if there is
// nothing to reply.
func (a *answer) fitted() *node {
	const (
		forDelta   = 512 // tokens of a delta at ease
		characters = 3   // of a token
		poor       = 2   // of a token, in the endless texts of small models
		least      = 40
	)
	a.limits = limits{deltas: 12, text: 600, name: 80, list: 6, paragraphs: 12, records: 2}
	room := a.MaxReply * characters
	if a.Brief {
		a.limits.list, room = 2, a.MaxReply*poor
		a.limits.deltas = max(1, min(3, a.room(artifact.HypothesisSlate)))
	}
	if a.MaxReply > 0 {
		a.limits.deltas = min(a.limits.deltas, max(1, a.MaxReply/forDelta))
	}
	if a.Task {
		a.limitTask()
	}
	for {
		root := a.root()
		if root == nil || a.MaxReply <= 0 || root.most <= room || a.limits.text <= least {
			return root
		}
		if a.shortenRecords() {
			continue
		}
		a.limits.text = a.limits.text * 3 / 4
		a.limits.name = min(a.limits.name, a.limits.text)
	}
}

// root returns the schema of a whole reply. A small model may not come to the end of its prose, so that it comes last
// there.
func (a *answer) root() *node {
	var variants []*node
	for _, section := range artifact.Sections() {
		if !a.Task {
			variants = append(variants, a.variants(section)...)
		}
	}
	if a.Task && len(a.Shown.Creates) > 0 {
		variants = append(variants, a.record())
	}
	var lists []property
	if len(variants) > 0 {
		lists = append(lists, property{"deltas", listOf(anyOf(variants...), 0, a.limits.deltas)})
	}
	if !a.Task && len(a.Shown.Creates) > 0 {
		lists = append(lists, property{"records", listOf(a.record(), 0, a.limits.records)})
	}
	prose := property{"prose", text(a.limits.text)}
	switch {
	case len(lists) == 0:
		return nil
	case a.Brief:
		return objectOf(append(lists, prose)...)
	}
	return objectOf(append([]property{prose}, lists...)...)
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
func (a *answer) variants(s artifact.Section) []*node {
	var all []*node
	if a.offersAdd(s) {
		if payload := a.addPayload(s); payload != nil {
			all = append(all, a.delta("ADD", s, nil, payload))
		}
	}
	if ids := a.targets(s, a.Scopes.MayEdit); len(ids) > 0 {
		all = append(all, a.delta("EDIT", s, ids, a.editPayload(s)))
	}
	if ids := a.killable(s); len(ids) > 0 {
		all = append(all, a.delta("KILL", s, ids, objectOf(property{"reason", text(a.limits.text)})))
	}
	return all
}

// offersAdd reports whether the reader may add an item to a section, and there is room for one.
func (a *answer) offersAdd(s artifact.Section) bool {
	if a.room(s) <= 0 || a.mayAdd(s) != "yes" {
		return false
	}
	return !a.Brief || slices.Contains(a.sections(), s)
}

// room returns how many items can be added to a section.
func (a *answer) room(s artifact.Section) int {
	most := s.Spec().Max
	if l, ok := a.Limits[s]; ok {
		most = l.Max
	}
	switch {
	case most == 0:
		return math.MaxInt
	case a.Artifact == nil:
		return most
	}
	return most - len(a.Artifact.Active(s))
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
func (a *answer) delta(operation string, s artifact.Section, targets []string, payload *node) *node {
	properties := []property{{"operation", oneOf(operation)}, {"section", oneOf(s.String())}}
	if len(targets) > 0 {
		properties = append(properties, property{"target_id", oneOf(targets...)})
	}
	if operation == "ADD" && s == artifact.HypothesisSlate && !a.Brief {
		properties = append(properties, property{"ref", orNull(oneOf(newHypotheses...))})
	}
	return objectOf(append(properties, property{"payload", payload}, property{"rationale", text(a.limits.text)})...)
}

// newHypotheses are the words by which other deltas of a reply refer to its new hypotheses.
var newHypotheses = []string{"new_one", "new_two", "new_three"}

// addPayload returns the fields of a new item, or nil if a required one cannot be filled.
func (a *answer) addPayload(s artifact.Section) *node {
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
	return objectOf(properties...)
}

// editPayload returns the change of one field: an EDIT of nothing would be refused.
func (a *answer) editPayload(s artifact.Section) *node {
	var fields []*node
	for i := range s.Spec().Fields {
		f := &s.Spec().Fields[i]
		if value := a.field(f, true); value != nil {
			fields = append(fields, objectOf(property{f.Name, value}))
		}
	}
	return anyOf(fields...)
}

// field returns the schema of a field's value, or nil if it has none here. Of a map, an EDIT changes one key.
func (a *answer) field(f *artifact.FieldSpec, edit bool) *node {
	switch f.Kind {
	case artifact.KindText:
		return a.textField(f)
	case artifact.KindFlag:
		return oneValue(object{{"type", "boolean"}}, "false")
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

func (a *answer) textField(f *artifact.FieldSpec) *node {
	switch {
	case f.Name == "name":
		return text(a.limits.name)
	case !f.Refs:
		return text(a.limits.text)
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
	return append(idsOf(a.active[artifact.HypothesisSlate]), a.references()...)
}

// references returns the words for new hypotheses that a reply may use.
func (a *answer) references() []string {
	if a.Brief || !a.offersAdd(artifact.HypothesisSlate) {
		return nil
	}
	return newHypotheses
}

func idsOf(items []*artifact.Item) []string {
	var ids []string
	for _, it := range items {
		ids = append(ids, it.ID)
	}
	return ids
}

func (a *answer) list(f *artifact.FieldSpec) *node {
	entry := text(a.limits.name)
	switch {
	case f.Name == "anchors":
		entry = oneValue(object{{"type", "string"}, {"pattern", anchor}}, `"EV-001#E10 [inference]"`)
	case f.Refs:
		names := append(a.hypotheses(), idsOf(a.active[artifact.AssumptionLedger])...)
		if len(names) == 0 {
			return nil
		}
		entry = oneOf(names...)
	}
	return listOf(entry, 1, a.limits.list)
}

// anchor matches where an item comes from.
const anchor = `^(inference|(§[0-9]{1,3}|EV-[0-9]{3}|EV-[0-9]{3}#E[0-9]{1,2})( \[inference\])?)$`

// outcomes returns the schema of outcomes by hypothesis: one for each that is shown, or in an EDIT one alone.
func (a *answer) outcomes(edit bool) *node {
	var properties []property
	for _, id := range idsOf(a.active[artifact.HypothesisSlate]) {
		properties = append(properties, property{id, text(a.limits.name)})
	}
	for _, name := range a.references() {
		value := text(a.limits.name)
		if !edit && len(properties) > 0 {
			value = orNull(value)
		}
		properties = append(properties, property{name, value})
	}
	return allOrOne(properties, edit)
}

func score(f *artifact.FieldSpec, edit bool) *node {
	var marks []int
	for mark := range artifact.ScoreMax + 1 {
		marks = append(marks, mark)
	}
	var properties []property
	for _, name := range f.Allowed {
		properties = append(properties, property{name, oneValue(object{{"type", "integer"}, {"enum", marks}}, "0")})
	}
	return allOrOne(properties, edit)
}

// allOrOne returns an object with all properties or with one of them, or nil if there are none.
func allOrOne(properties []property, one bool) *node {
	if len(properties) == 0 {
		return nil
	}
	if !one {
		return objectOf(properties...)
	}
	var variants []*node
	for _, p := range properties {
		variants = append(variants, objectOf(p))
	}
	return anyOf(variants...)
}
