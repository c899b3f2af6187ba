package merge

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

func (p *pass) add(e entry, section artifact.Section) {
	if !p.allowed(e, section, "") {
		return
	}
	taken := e.explainTaken()
	if taken != "" && p.index.rules.RejectTaken {
		e.reject(LabelTaken, taken)
		return
	}
	var room usual
	state, writes := p.section(section), p.check(e, section.Spec(), room[:0])
	for _, rank := range state.required {
		if !holds(writes, rank) {
			e.reject(e.missing(section.Spec(), writes))
			return
		}
	}
	if p.third && p.correct(e, section, writes, taken) {
		return
	}
	if limit := p.index.rules.limit(section).Max; limit > 0 && state.active >= limit {
		e.reject(SectionLimitExceeded, fmt.Sprintf("%s already has %d active items; kill one first", section, state.active))
		return
	}
	if state.highest >= artifact.MaxIDNumber {
		e.reject(SectionLimitExceeded, fmt.Sprintf("%s has no id left: %s is taken", section, section.ItemID(state.highest)))
		return
	}
	sentence, id := state.announce()
	slot := state.add(e, id)
	row := e.row()
	row.TargetID, row.Message = id, sentence
	if e.is(labelled) {
		row.Message += e.labelOf(id)
		if p.second {
			slot.item.SetLabels(e.assumedIDs(id))
		}
	}
	row.noteTaken(taken)
	if p.third {
		p.noteLetterAdd(e, slot)
	}
	for _, w := range state.defaults {
		if !holds(writes, w.rank) {
			writes = append(writes, w)
		}
	}
	if p.plain(e, writes) {
		p.fillNewItem(e, slot, writes)
		return
	}
	e.makeRoomForAdd()
	p.writeAll(e, slot, writes, true)
}

// missing returns what an ADD lacks. An invalid required field rejects the whole ADD.
func (e entry) missing(spec *artifact.SectionSpec, writes []write) (fault.Code, string) {
	var absent, bad []string
	for i := range spec.Fields {
		f := &spec.Fields[i]
		if !f.Required || holds(writes, int32(i)) {
			continue
		}
		given, ok := e.d().Payload.Get(f.Name)
		if ok && !isBlank(given.Value) {
			bad = append(bad, f.Name)
		} else {
			absent = append(absent, f.Name)
		}
	}
	if len(absent) > 0 {
		return delta.MissingRequiredField, fmt.Sprintf("an item of %s needs %s", spec.ID, strings.Join(absent, " and "))
	}
	return delta.InvalidField, fmt.Sprintf("%s cannot be taken, and an item of %s needs it", strings.Join(bad, " and "), spec.ID)
}

// holds reports whether a field of the section table is among the writes.
func holds(writes []write, rank int32) bool {
	for i := range writes {
		if writes[i].rank == rank {
			return true
		}
	}
	return false
}

// isBlank reports whether a value has no content.
func isBlank(v artifact.Value) bool {
	switch v := v.(type) {
	case artifact.Text:
		return delta.Blank(string(v))
	case artifact.Map:
		return len(v) == 0
	}
	return false
}

// edit changes fields of an item, or one prediction cell.
func (p *pass) edit(e entry, section artifact.Section) {
	target, cellKey, ok := p.address(e, section)
	if !ok {
		return
	}
	author := ""
	if target != nil {
		author = target.author()
		e.row().TargetID = targetID(target, cellKey)
	}
	if !p.allowed(e, section, author) {
		return
	}
	if target != nil && target.killed() {
		e.skip(TargetKilled, p.killedBy(target, "was killed"))
		return
	}
	if cellKey != "" {
		p.editCell(e, target, cellKey)
		return
	}
	var room usual
	writes := p.check(e, section.Spec(), room[:0])
	switch {
	case len(writes) == 0 && slices.ContainsFunc(e.row().Fields, func(o FieldOutcome) bool { return o.Outcome == FieldRefused }):
		e.reject(delta.InvalidField, "none of its fields can be taken")
		return
	case len(writes) == 0:
		e.reject(delta.MissingRequiredField, "an EDIT needs at least one field in its payload")
		return
	}
	if section == artifact.ResearchThread && delta.Blank(e.d().Rationale) {
		p.warn(delta.MissingRequiredField, "%s edits the research thread without a rationale", e)
	}
	if target == nil {
		target = p.section(section).add(e, artifact.ThreadID)
		e.row().TargetID = target.id()
	}
	p.writeAll(e, target, writes, true)
}

func targetID(s *slot, cellKey string) string {
	if cellKey == "" {
		return s.id()
	}
	return s.id() + "." + cellKey
}

func (p *pass) editCell(e entry, row *slot, key string) {
	for _, f := range e.d().Payload {
		if f.Name != "prediction" {
			e.refuse(f.Name, "an EDIT of a cell takes only the field prediction")
		}
	}
	given, ok := e.d().Payload.Get("prediction")
	text, isText := given.Value.(artifact.Text)
	switch {
	case !ok:
		e.reject(delta.MissingRequiredField, "an EDIT of a cell needs the field prediction")
	case !isText:
		e.reject(delta.InvalidField, "prediction is not a text")
	case p.cellGone(e, row, key):
		e.skip(TargetKilled, fmt.Sprintf("%s.%s is %s", row.id(), key, artifact.NotApplicable))
	default:
		spec, _ := artifact.PredictionsTable.Spec().Field("predictions")
		p.takeOver(p.open(row), spec.Name, key)
		p.write(e, row, &write{Field: &delta.Field{Name: spec.Name, Value: artifact.Map{{Key: key, Value: text}}}})
	}
}

// cellGone reports whether a prediction cell was N/A at e's place in order. A write that waited for
// a label is judged as if it had not.
func (p *pass) cellGone(e entry, row *slot, key string) bool {
	if h := p.section(artifact.HypothesisSlate).find(key); h != nil && h.killed() {
		if hit := h.hit(); hit == nil || hit.by[0].index < e.index {
			return true
		}
	}
	return p.open(row).cellKilled(e, key)
}

// kill strikes out an item or one prediction cell. Nothing is removed.
func (p *pass) kill(e entry, section artifact.Section) {
	target, cellKey, ok := p.address(e, section)
	if !ok {
		return
	}
	e.row().TargetID = targetID(target, cellKey)
	if !p.allowed(e, section, target.author()) {
		return
	}
	reason := e.reason()
	if target.killed() {
		if hit := target.hit(); hit != nil {
			hit.by = append(hit.by, e) // refused together with the first one
		}
		e.skip("", p.killedBy(target, "was already killed"))
		return
	}
	k := artifact.Kill{By: e.d().Agent, At: e.d().At, Reason: reason, Stamp: e.stamp()}
	if cellKey != "" {
		if p.cellGone(e, target, cellKey) {
			e.skip("", fmt.Sprintf("%s.%s is already %s", target.id(), cellKey, artifact.NotApplicable))
			return
		}
		d := p.open(target)
		d.killCell(e, cellKey, k)
		if f := d.field("predictions"); f.shape == unset {
			f.shape = mapping
		}
		d.dirty, e.changed = true, true
		p.section(section).touched = true
		return
	}
	if p.vetoed[e] {
		e.reject(NoThirdAlternative, fmt.Sprintf("%s is the last third alternative; add another one first", target.id()))
		return
	}
	d := p.open(target)
	if section == artifact.HypothesisSlate {
		d.hit = &kill{third: target.close().ThirdAlternative(), by: []entry{e}}
		p.kills = append(p.kills, d.hit)
	}
	d.kill = &k
	d.dirty, e.changed = true, true
	state := p.section(section)
	state.active--
	state.touched = true
	e.row().Message = "killed"
}

// killedBy says that an item was killed, and by whom if that is known.
func (p *pass) killedBy(target *slot, was string) string {
	if by := target.killer().By; by != "" || !p.second {
		was += " by " + fault.Shown(by)
	}
	return target.id() + " " + was
}

func (e entry) reason() string {
	reason := ""
	for _, f := range e.d().Payload {
		text, isText := f.Value.(artifact.Text)
		switch {
		case f.Name != "reason":
			e.refuse(f.Name, "a KILL takes only the field reason")
		case !isText:
			e.refuse(f.Name, "it is not a text")
		case !delta.Blank(string(text)):
			reason = string(text)
		}
	}
	return reason
}

// fillNewItem sets the fields of a new item. No other delta can have changed it yet, so there is
// nothing to weigh; a later change in the batch opens a draft as for any other item.
//
// Fields are in table order, then by name. The number of table fields before a field is its index,
// so no sorting is needed.
func (p *pass) fillNewItem(e entry, s *slot, writes []write) {
	var ranks uint64 // of the table's fields with content
	unknown := 0
	for i := range writes {
		switch w := &writes[i]; {
		case w.adds() == 0:
		case w.known:
			ranks |= 1 << w.rank
		default:
			unknown++
		}
	}
	known := bits.OnesCount64(ranks)
	fields := p.fields.take(known + unknown)[:known+unknown]
	rest := fields[known:]
	for i := range writes {
		switch w := &writes[i]; {
		case w.adds() == 0:
		case w.known:
			p.fillNewField(s, &fields[bits.OnesCount64(ranks&(1<<w.rank-1))], w)
		default:
			p.fillNewField(s, &rest[0], w)
			rest = rest[1:]
		}
	}
	slices.SortFunc(fields[known:], func(a, b artifact.Field) int { return artifact.CompareKeys(a.Name, b.Name) })
	s.item.Fields = fields
	if e.is(replaces) {
		p.markReplacements(e, s.item, writes)
	}
}

func (p *pass) fillNewField(s *slot, f *artifact.Field, w *write) {
	f.Name, f.Value = w.Name, w.Value
	if shapeOf(w.Value) == union {
		f.Value = distinct(w.Value)
	}
	if w.free && split(f) {
		p.section(s.section()).split = true
	}
}

// markReplacements records which lists and maps of a new item were written as replacements: older
// writes that are processed later lose to them.
func (p *pass) markReplacements(e entry, it *artifact.Item, writes []write) {
	self := p.self(e)
	replaced := make(map[string]bool)
	for i := range writes {
		if writes[i].replace && shapeOf(writes[i].Value) != scalar {
			replaced[writes[i].Name] = true
		}
	}
	marks := slices.Repeat([]artifact.Marks{{One: e.stamp()}}, len(it.Fields))
	for i := range it.Fields {
		if f := &it.Fields[i]; replaced[f.Name] {
			marks[i] = artifact.Marks{Parts: &artifact.Parts{Floor: self, Each: repeat(self, f.Value)}}
		}
	}
	it.SetMarks(marks)
}

// distinct removes repeated elements. It returns v itself if all are distinct, as nearly always.
func distinct(v artifact.Value) artifact.Value {
	list := v.(artifact.List)
	if len(list) <= manyParts && !hasRepeats(list) {
		return v
	}
	var united field
	self := []*artifact.Stamp{{}}
	for _, v := range list {
		united.addElement(v, self, 0, nil)
	}
	if len(united.list) == len(list) {
		return v
	}
	out := make(artifact.List, len(united.list))
	for i, el := range united.list {
		out[i] = el.value
	}
	return out
}

func hasRepeats(list artifact.List) bool {
	for i, v := range list {
		for _, earlier := range list[:i] {
			if artifact.Equal(v, earlier) {
				return true
			}
		}
	}
	return false
}

func repeat(by []*artifact.Stamp, v artifact.Value) [][]*artifact.Stamp {
	n := 0
	switch v := v.(type) {
	case artifact.List:
		n = len(v)
	case artifact.Map:
		n = len(v)
	}
	return slices.Repeat([][]*artifact.Stamp{by}, n)
}

// plain reports whether all references are ids of existing items; others need a draft.
func (p *pass) plain(e entry, writes []write) bool {
	for i := range writes {
		w := &writes[i]
		if !w.refs {
			continue
		}
		for _, ref := range p.mentioned(e, w) {
			if s, found, letter := p.mean(e, ref); found != known || s.id() != ref || !letter.none() {
				return false
			}
		}
	}
	return true
}

// noteBirth makes the cells of a draft track the writes of its ADD, which may lose from now on.
func (p *pass) noteBirth(e entry, s *slot) {
	e.makeRoomForAdd()
	for i := range s.item.Fields {
		f, open := &s.item.Fields[i], &s.draft.fields[i]
		if open.shape == mapping {
			for k := range open.keys {
				out := e.outcome(f.Name + "." + open.keys[k].key)
				out.Outcome = FieldApplied
				open.keys[k].cell.first.out = out
			}
			continue
		}
		out := e.outcome(f.Name)
		out.Outcome = FieldApplied
		if open.shape == union {
			spec, known := s.section().Spec().Field(f.Name)
			p.recordAddition(s, e, f.Value, known && spec.Refs, out)
		} else {
			open.cell.first.out = out
		}
	}
}
