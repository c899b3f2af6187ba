package delta

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/fieldform"
	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/nearjson"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/remark"
)

// conclude decides whether a delta only repeats an example, and notes keys without an effect. It
// returns true if the block has been recorded.
func (j *judgement) conclude() bool {
	d := &j.b.Delta
	switch {
	case j.r.keys != nil:
		if d.Operation != "" && d.Section != "" {
			*j.r.keys = append(*j.r.keys, exampleEffects(d)...)
			j.r.texts = append(j.r.texts, exampleText{d.Operation, d.Section, d.Target, j.b.draft != nil, itemform.StemSet(j.texts())})
		}
		return true
	case len(j.r.examples) > 0 && slices.Contains(j.r.examples, effect(d, reasonOf(d))):
		j.r.show(fate{shown: FlagExample}, j.b)
		return true
	case j.p.fate == (fate{}) && j.nearExample() != "":
		f := refused(AmbiguousDelta, "a delta "+j.nearExample(), "send it again with your own words and your reason; leave it out if it is the example")
		j.r.put(&passage{fate: f}, j.b)
		return true
	case j.p.fate == (fate{}) && j.heldBack() != "":
		f := refused(AmbiguousDelta, fmt.Sprintf("a delta whose key %q says that it is not to be applied", j.heldBack()), "send it again without that key; leave it out if it is not meant")
		j.r.put(&passage{fate: f}, j.b)
		return true
	case j.p.fate == (fate{}) && j.heldByNote() != "":
		f := refused(AmbiguousDelta, fmt.Sprintf("a delta with a comment that leaves open whether it is meant: %q", clipped(j.heldByNote())), "send it again without that comment; leave it out if it is not meant")
		j.r.put(&passage{fate: f}, j.b)
		return true
	case j.isPattern():
		j.r.show(fate{shown: FlagExample, what: "not read: its fields are placeholders"}, j.b)
		return true
	}
	if d.Operation == Kill && fieldform.IsPlaceholder(artifact.Text(reasonOf(d))) {
		j.problem(InvalidField, j.o.payloadAt, "the reason is a placeholder", "write the reason, or leave the block out")
		j.b.OK = false
	}
	if ignored := j.envelopeKeys(); len(ignored) > 0 {
		verb := " is ignored: it comes from the message"
		if len(ignored) > 1 {
			verb = " are ignored: they come from the message"
		}
		j.b.Flags = append(j.b.Flags, Flag{Name: FlagIgnored, Text: strings.Join(ignored, ", ") + verb})
	}
	return false
}

// holds are keys of an object with the values that say that it is not to be applied. The second reader does not know laterHolds.
var (
	holds = map[string]artifact.Bool{
		"dry_run": true, "dryrun": true, "draft": true, "withdrawn": true, "retracted": true, "example": true,
		"submit": false, "submitted": false, "meant": false, "intended": false, "apply": false, "applied": false, "execute": false, "final": false,
	}
	laterHolds = []string{"submit", "submitted", "meant", "intended"}
)

// heldBack returns the key of the object that says that it is not to be applied, or "".
func (j *judgement) heldBack() string {
	for _, f := range j.o.fields {
		name := strings.ToLower(f.name)
		held, ok := holds[name]
		if ok && f.value == held && (j.r.third || !slices.Contains(laterHolds, name)) || j.fifth() && j.holdsBack(name, f.value) {
			return f.name
		}
	}
	return ""
}

// holdsBack reports whether a key of the object, in small letters, leaves open whether it is to be applied. Without a payload it
// may be a field of the item.
func (j *judgement) holdsBack(name string, value artifact.Value) bool {
	key := synonyms.Key(name)
	isField := j.o.payloadKey == "" || j.spec != nil && slices.ContainsFunc(j.spec.Fields, func(s artifact.FieldSpec) bool { return s.Name == name })
	switch v := value.(type) {
	case artifact.Bool:
		return key == "" && !isField && remark.KeyHoldsBack(name, bool(v))
	case artifact.Text:
		return key == keyRationale && j.r.remarks().NoteHoldsBack(string(v), true) || key == "" && !isField && j.r.remarks().FieldHoldsBack(name, string(v))
	}
	return false
}

// heldByNote returns the comment in the object, or beside it, that says that it is not to be applied, or "".
func (j *judgement) heldByNote() string {
	if !j.r.opt.Reader.Since(FifthReader) || j.p.fixed == nil {
		return ""
	}
	src := j.r.src[j.p.base:]
	notes := nearjson.CommentsOn(src, j.p.fixed.Comments, j.p.fixed.Source(j.o.at), j.p.fixed.Source(j.o.end))
	if j.p.loose {
		notes = append(notes, nearjson.LineAbove(j.r.src[:j.p.base]))
	}
	if i := slices.IndexFunc(notes, func(note string) bool { return j.r.remarks().NoteHoldsBack(note, false) }); i >= 0 {
		return notes[i]
	}
	return ""
}

// envelopeKeys returns the keys of the object whose values come from the message.
func (j *judgement) envelopeKeys() []string {
	var names []string
	for _, f := range j.o.fields {
		if f.name == keyAgent || f.name == keyTimestamp || f.name == keyDeltaID {
			names = append(names, f.name)
		}
	}
	return names
}

// reasonOf returns why a KILL is proposed, wherever it says so.
func reasonOf(d *Delta) string {
	if d.Operation != Kill {
		return ""
	}
	if reason := d.Payload.Text("reason"); !Blank(reason) {
		return reason
	}
	return d.Rationale
}

// exampleEffects returns the effects that a repetition of an example may have. A KILL may be repeated
// with its rationale as the reason.
func exampleEffects(d *Delta) []string {
	effects := []string{effect(d, reasonOf(d))}
	if d.Operation == Kill && !Blank(d.Rationale) {
		effects = append(effects, effect(d, d.Rationale))
	}
	return effects
}

// exampleText is what an example of the kickoff would change, and its words.
type exampleText struct {
	operation, section, target string
	record                     bool
	words                      map[string]bool
}

// texts returns the texts of a delta, and its reason. Those of a record are its summary and its content: short
// ones share the type and the relations of their links with the example.
func (j *judgement) texts() string {
	if r := j.b.draft; r != nil {
		return r.Summary + " " + r.Content
	}
	d := &j.b.Delta
	var b strings.Builder
	b.WriteString(reasonOf(d))
	for _, f := range d.Payload {
		if f.Value != nil {
			b.WriteByte(' ')
			b.Write(artifact.AppendValue(nil, f.Value))
		}
	}
	return b.String()
}

// nearExample returns how a delta resembles an example of the kickoff that it answers, or "": it has
// nearly no other words, or kills the same item without a reason.
func (j *judgement) nearExample() string {
	const few = 3 // fewer words may be the same by chance
	d := &j.b.Delta
	var words []string
	for _, e := range j.r.opt.Known.texts {
		switch {
		case e.operation != d.Operation || e.section != d.Section || e.record != (j.b.draft != nil):
			continue
		case d.Operation == Kill && Blank(reasonOf(d)):
			if e.target == d.Target {
				return "that equals the example of the kickoff, without a reason"
			}
			continue
		}
		if words == nil {
			words = slices.Sorted(maps.Keys(itemform.StemSet(j.texts())))
		}
		same := 0
		for _, w := range words {
			if e.words[w] {
				same++
			}
		}
		if same >= few && 5*same >= 4*len(words) {
			return "with nearly the words of the example of the kickoff"
		}
	}
	return ""
}

// effect returns what a delta would do, as a text: whatever its rationale, its labels and its white
// space.
func effect(d *Delta, reason string) string {
	b := make([]byte, 0, 256)
	for _, s := range []string{d.Operation, d.Section, d.Target, fieldform.SqueezedText(reason)} {
		b = artifact.AppendString(b, s)
	}
	for _, f := range d.Payload {
		if d.Operation == Kill && f.Name == "reason" {
			continue
		}
		b = artifact.AppendString(b, f.Name)
		if f.Value == nil {
			b = artifact.AppendString(b, f.Bad)
			continue
		}
		b = artifact.AppendValue(b, fieldform.Squeezed(f.Value))
	}
	return string(b)
}

// isPattern reports whether a delta only shows a form: all that it must have is a placeholder.
func (j *judgement) isPattern() bool {
	d := &j.b.Delta
	switch {
	case d.Target != "" && fieldform.IsPlaceholder(artifact.Text(d.Target)):
		return true
	case j.b.draft != nil:
		draft := j.b.draft
		return fieldform.IsPlaceholder(artifact.Text(draft.ID)) && (draft.Operation != Add || fieldform.IsPlaceholder(artifact.Text(draft.Content)))
	case j.spec == nil:
		return fieldform.IsPlaceholder(artifact.Text(d.Section)) || fieldform.IsPlaceholder(artifact.Text(d.Operation))
	case d.Operation == Add:
		found := false
		for _, spec := range j.spec.Fields {
			if f := j.field(spec.Name); spec.Required && f != nil && f.value != nil {
				if !fieldform.IsPlaceholder(f.value) {
					return false
				}
				found = true
			}
		}
		return found
	case d.Operation == Edit:
		return len(j.payload) > 0 && !slices.ContainsFunc(j.payload, func(f written) bool { return f.value == nil || !fieldform.IsPlaceholder(f.value) })
	}
	return false
}
