package fieldform

import (
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/text"
)

// Member is a field of a payload as written: a value, or the reason why it has none, and its offset.
type Member struct {
	Name  string
	Value artifact.Value
	Bad   string
	At    int
}

// Note says what was read otherwise than written, or what has to be asked.
type Note struct {
	Text, Hint string
	At         int
	Asks       bool
}

// Words for an object with what changes, and for what is there before and after a change.
var (
	wraps = words("change changes changed field fields field_changes set update updates updated updated_fields edit edits modification modifications patch content item data values payload new_values new_fields")
	later = words("new after to proposed updated revised new_value new_text value replacement changed_to set_to becomes")
	prior = words("old before from current previous original existing was old_value old_text previous_value current_value")
	which = words("field field_name key attribute property path")
	adds  = words("append add extend insert")
	joins = append(words("prepend remove delete subtract"), adds...)
)

func shown(name string) string { return strconv.Quote(text.ClipLine(name, 60)) }

func words(list string) []string { return strings.Fields(list) }

// edit reads the payload of an EDIT.
type edit struct {
	spec   *artifact.SectionSpec
	target string
	notes  []Note
}

// Changes returns the fields that the payload of an EDIT sets, where models write them in other shapes: in an object around them,
// with what was there before, or with a word for what stays. What a shape leaves open is asked.
func Changes(spec *artifact.SectionSpec, target string, payload []Member) ([]Member, []Note) {
	e := &edit{spec: spec, target: target}
	const deepest = 3
	for range deepest {
		inner, ok := e.unwrapped(payload)
		if !ok {
			break
		}
		payload = inner
	}
	payload = e.named(payload)
	payload = slices.DeleteFunc(payload, e.isSame)
	for i := range payload {
		e.settle(&payload[i])
	}
	return e.predicted(payload), e.notes
}

func (e *edit) note(at int, text, hint string) {
	e.notes = append(e.notes, Note{text, hint, at, false})
}

func (e *edit) ask(at int, text, hint string) { e.notes = append(e.notes, Note{text, hint, at, true}) }

// field returns the field that a name means.
func (e *edit) field(name string) (*artifact.FieldSpec, bool) {
	plain := synonyms.PlainKey(name)
	if f, ok := e.spec.Field(plain); ok {
		return f, true
	}
	return e.spec.Field(synonyms.Meaning(synonyms.Fields(e.spec.Section), plain))
}

// isField reports whether a name is that of a field, or of a hypothesis in a prediction.
func (e *edit) isField(name string) bool {
	_, ok := e.field(name)
	return ok || e.isCell(name) || e.role(name) != ""
}

func (e *edit) isCell(name string) bool {
	return e.spec.Section == artifact.PredictionsTable && artifact.HypothesisSlate.ValidID(name)
}

func is(list []string, name string) bool { return slices.Contains(list, synonyms.PlainKey(name)) }

// members returns the entries of an object that has a field of the item, or describes the change of one.
func (e *edit) members(v artifact.Value, at int) (all []Member, ok bool) {
	switch v := v.(type) {
	case artifact.List:
		for _, each := range v {
			one, isSet := e.members(each, at)
			if !isSet {
				return nil, false
			}
			if set, is := e.set(one); is {
				one = []Member{set}
			}
			all = append(all, one...)
		}
		return all, len(all) > 0
	case artifact.Map:
		for _, m := range v {
			all = append(all, Member{Name: m.Key, Value: m.Value, At: at})
			ok = ok || e.isField(m.Key) || m.Key == e.target
		}
		_, isSet := e.set(all)
		return all, ok || isSet
	}
	return nil, false
}

// unwrapped returns the fields in the object around them.
func (e *edit) unwrapped(payload []Member) ([]Member, bool) {
	if set, ok := e.set(payload); ok {
		e.note(set.At, "the value of "+set.Name+" taken from a description of its change", "write {\"field\": \"value\"}")
		return []Member{set}, true
	}
	at := -1
	var inner []Member
	for i, m := range payload {
		_, isField := e.spec.Field(m.Name)
		section, isKind := synonyms.Section(m.Name)
		if isField || !is(wraps, m.Name) && !is(later, m.Name) && m.Name != e.target && !(isKind && section == e.spec.Section) {
			continue
		}
		if found, ok := e.members(m.Value, m.At); ok && at < 0 {
			at, inner = i, found
		}
	}
	if at < 0 {
		return nil, false
	}
	for i, m := range payload {
		_, isObject := m.Value.(artifact.Map)
		isOld := is(prior, m.Name) && isObject
		isTarget := m.Value == artifact.Text(e.target) && e.target != ""
		if i != at && !isOld && !isTarget && !artifact.IsSystemField(m.Name) {
			e.ask(m.At, "the payload has "+shown(payload[at].Name)+", with fields in it, and other fields beside it: which are meant is open", "write all fields into the payload itself")
			return nil, false
		}
	}
	e.note(payload[at].At, "the fields taken out of "+shown(payload[at].Name), "write the fields into the payload itself")
	return inner, true
}

// set returns the field that an object describes the change of: {"field": "claim", "old_value": …, "new_value": …}.
func (e *edit) set(payload []Member) (set Member, ok bool) {
	var name string
	values := 0
	for _, m := range payload {
		text, isText := m.Value.(artifact.Text)
		switch {
		case is(which, m.Name) && isText && name == "":
			name, set.At = strings.TrimPrefix(strings.TrimPrefix(string(text), "/"), e.target+"."), m.At
		case is(later, m.Name):
			set.Value, set.Bad = m.Value, m.Bad
			values++
		case is(prior, m.Name), is(words("op action operation"), m.Name) && is(words("set replace edit update change"), string(text)):
		default:
			return Member{}, false
		}
	}
	f, known := e.field(name)
	if !known || values != 1 {
		return Member{}, false
	}
	set.Name = f.Name
	return set, true
}

// role returns the field that a name such as old_claim, claim_new or append_to_claim is about.
func (e *edit) role(name string) (of string) {
	plain := synonyms.PlainKey(name)
	if _, ok := e.field(plain); ok {
		return ""
	}
	for _, list := range [][]string{later, prior, joins} {
		for _, w := range list {
			base := plain
			if rest, ok := strings.CutPrefix(plain, w); ok && strings.HasPrefix(rest, "_") {
				base = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(rest, "_"), "to_"), "from_")
			} else if rest, ok := strings.CutSuffix(plain, w); ok && strings.HasSuffix(rest, "_") {
				base = rest[:len(rest)-1]
			}
			if base == plain {
				continue
			}
			if f, ok := e.field(base); ok {
				return f.Name
			}
		}
	}
	return ""
}

func (e *edit) isList(field string) bool {
	f, _ := e.spec.Field(field)
	return f.Kind == artifact.KindList
}

// hasWord reports whether a plain name begins or ends with one of some words.
func hasWord(list []string, name string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.HasPrefix(name, w+"_") || strings.HasSuffix(name, "_"+w) })
}

// named reads names that say which value of a field they have.
func (e *edit) named(payload []Member) []Member {
	isSet, isOwn, hasRole := make(map[string]bool), make(map[string]bool), false
	for _, m := range payload {
		if f, ok := e.field(m.Name); ok {
			isSet[f.Name], isOwn[f.Name] = true, true
		} else if field := e.role(m.Name); field != "" {
			hasRole = true
			isSet[field] = isSet[field] || hasWord(later, synonyms.PlainKey(m.Name))
		}
	}
	if !hasRole {
		return payload
	}
	var out []Member
	for _, m := range payload {
		field, plain := e.role(m.Name), synonyms.PlainKey(m.Name)
		switch {
		case field == "":
		case hasWord(adds, plain) && e.isList(field) && !isOwn[field]:
			isOwn[field] = true
			e.note(m.At, shown(m.Name)+" read as "+field+", to which an EDIT adds", "write "+field)
			m.Name = field
		case hasWord(joins, plain):
			e.ask(m.At, shown(m.Name)+" is no field, and what "+field+" should be as a whole is open", "write the whole value of "+field)
		case hasWord(prior, plain) && isSet[field]:
			e.note(m.At, shown(m.Name)+" left out: the payload has what replaces it", "leave it out")
			continue
		case !hasWord(later, plain):
		case isOwn[field]:
			e.ask(m.At, shown(m.Name)+" stands beside "+field+": which is meant is open", "write only "+field)
		default:
			isOwn[field] = true
			e.note(m.At, shown(m.Name)+" read as "+field, "write "+field)
			m.Name = field
		}
		out = append(out, m)
	}
	return out
}

// settle takes the new value of a field that is written with the old one, and asks about values that are no whole ones.
func (e *edit) settle(m *Member) {
	f, ok := e.field(m.Name)
	if !ok && !e.isCell(m.Name) {
		e.checkStatus(m)
		return
	}
	isMap := ok && (f.Kind == artifact.KindMap || f.Kind == artifact.KindScore)
	if v, changed := after(m.Value, isMap); changed && !(ok && f.Kind == artifact.KindAny) {
		e.note(m.At, "the new value of "+m.Name+" taken from one with the old one", "write only the new value")
		m.Value = v
	} else if object, isObject := m.Value.(artifact.Map); isObject && len(object) > 0 && (!ok || f.Kind == artifact.KindText) && !slices.ContainsFunc(object, func(x artifact.Entry) bool { return !is(prior, x.Key) }) {
		e.ask(m.At, m.Name+" has only its old value", "write its new value")
	}
	text, isText := m.Value.(artifact.Text)
	switch {
	case isText && (!ok || f.Kind == artifact.KindText) && isAddition(string(text)):
		e.ask(m.At, m.Name+" begins with a mark for other text, so what it should be as a whole is open", "write the whole value of "+m.Name)
	case ok && (f.Kind == artifact.KindStatus || f.Name == "current_status"):
		e.checkStatus(m)
	}
}

// after returns the new value in an object with an old and a new one. The entries of a map may be such objects.
func after(v artifact.Value, isMap bool) (artifact.Value, bool) {
	object, _ := v.(artifact.Map)
	var to artifact.Value
	news, others := 0, 0
	for _, x := range object {
		switch {
		case is(later, x.Key):
			to = x.Value
			news++
		case !is(prior, x.Key):
			others++
		}
	}
	if _, isObject := to.(artifact.Map); news == 1 && others == 0 && to != nil && (isObject || !isMap) {
		return to, true
	}
	if !isMap {
		return v, false
	}
	out, changed := slices.Clone(object), false
	for i := range out {
		if inner, ok := after(out[i].Value, false); ok {
			out[i].Value, changed = inner, true
		}
	}
	if !changed {
		return v, false
	}
	return out, true
}

// isSame reports whether the value of a field says that it stays as it is.
func (e *edit) isSame(m Member) bool {
	f, ok := e.field(m.Name)
	if !ok || f.Kind == artifact.KindMap || f.Kind == artifact.KindAny {
		return false
	}
	v := m.Value
	if list, isList := v.(artifact.List); isList && len(list) == 1 {
		v = list[0]
	}
	text, isText := v.(artifact.Text)
	if !isText || len(text) > 60 || slices.Contains(f.Allowed, string(text)) || !saysSame(string(text)) {
		return false
	}
	e.note(m.At, f.Name+" left out: its value says that it stays as it is", "leave it out")
	return true
}

// saysSame reports whether a text only says that something stays: "(unchanged)", "same as before".
func saysSame(text string) bool {
	isPart := func(c rune) bool { return c >= 'a' && c <= 'z' }
	said := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !isPart(c) })
	for i, w := range said {
		if said[i] = strings.TrimSuffix(w, "s"); w == "as" || w == "is" || w == "previous" {
			said[i] = w
		}
	}
	return slices.Contains([]string{
		"unchanged", "same", "no change", "not changed", "as before", "as is", "same as before", "unmodified", "keep", "keep as is", "keep as before", "keep unchanged", "keep existing", "keep current", "kept", "kept as is",
		"remain unchanged", "remain", "stay", "stay as is", "stay the same", "the same", "remain the same", "no edit", "no modification", "same as existing", "same as current", "same as previous", "as existing", "no update", "leave as is", "leave unchanged", "existing text", "existing value", "current value",
	}, strings.Join(said, " ")) && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz .,!()[]<>{}*_-–—=~\"'") == ""
}

// isAddition reports whether a text continues another one: "… and so on", "[existing text] plus this".
func isAddition(text string) bool {
	text = strings.TrimSpace(text)
	for _, marks := range []string{"[]", "()", "<>", "{}"} {
		if inner, rest, ok := strings.Cut(text, marks[1:]); ok && strings.HasPrefix(inner, marks[:1]) {
			return strings.TrimSpace(rest) != "" && standsFor(inner[1:])
		}
	}
	rest := strings.TrimLeft(text, ".…")
	return strings.TrimSpace(rest) != "" && (strings.HasPrefix(text, "…") || strings.HasPrefix(text, ".."))
}

// standsFor reports whether the words in brackets stand for the text that is there.
func standsFor(text string) bool {
	text = strings.TrimSpace(strings.ToLower(text))
	if text != "" && strings.Trim(text, ".…") == "" {
		return true
	}
	first, _, _ := strings.Cut(text, " ")
	return len(text) < 40 && is(words("existing current previous old original same unchanged rest"), first)
}

// The words of states that only a KILL leads to, and keys that say so with true or false.
var (
	gone   = words("kill killed dead remove removed delete deleted drop dropped retire retired discard discarded eliminate eliminated")
	states = words("status state current_status disposition action operation op verdict decision outcome")
	alive  = words("alive active live")
)

// checkStatus asks about a state that says that an item is killed: only a KILL does that.
func (e *edit) checkStatus(m *Member) {
	plain := strings.TrimPrefix(synonyms.PlainKey(m.Name), "is_")
	says := false
	switch v := m.Value.(type) {
	case artifact.Text:
		says = slices.Contains(states, plain) && is(gone, strings.Trim(strings.ToLower(string(v)), " .!*_()[]"))
	case artifact.Bool:
		says = bool(v) && slices.Contains(gone, plain) || !bool(v) && slices.Contains(alive, plain)
	}
	if says {
		e.ask(m.At, "an EDIT cannot kill an item, and "+shown(m.Name)+" says so", "send a KILL if the item is to be killed; leave "+m.Name+" out if not")
	}
}

// predicted puts texts under ids of hypotheses into the predictions of a row.
func (e *edit) predicted(payload []Member) (out []Member) {
	var cells artifact.Map
	at := 0
	for _, m := range payload {
		if _, isText := m.Value.(artifact.Text); isText && e.isCell(m.Name) {
			cells, at = append(cells, artifact.Entry{Key: m.Name, Value: m.Value}), m.At
			continue
		}
		out = append(out, m)
	}
	if len(cells) == 0 {
		return payload
	}
	if i := slices.IndexFunc(out, func(m Member) bool { f, ok := e.field(m.Name); return ok && f.Name == "predictions" }); i >= 0 {
		e.ask(at, "the row has predictions, and others beside them: which are meant is open", "write all of them into predictions")
		return payload
	}
	e.note(at, "texts under ids of hypotheses read as predictions", "write \"predictions\": {\"H1\": \"…\"}")
	return append(out, Member{Name: "predictions", Value: artifact.MapOf(cells...), At: at})
}
