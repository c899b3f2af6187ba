package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
)

// shapeFields puts values into the shape that their field has, where that is
// only a matter of form: a single text for a list, a list for a text, a number
// for a text in a map.
func (j *judgement) shapeFields() {
	for i := range j.payload {
		f := &j.payload[i]
		spec, ok := j.spec.Field(f.name)
		if !ok || f.value == nil {
			continue
		}
		shaped, note := reshape(spec, f.value)
		if note == "" {
			continue
		}
		if j.change(InvalidField, f.at, f.name+": "+note, "write it so") {
			f.value = shaped
		}
	}
}

// reshape gives a value in the shape of its field, and says what was done.
func reshape(spec *artifact.FieldSpec, v artifact.Value) (artifact.Value, string) {
	switch spec.Kind {
	case artifact.KindText:
		return joined(v, spec.Refs)
	case artifact.KindList:
		if t, ok := v.(artifact.Text); ok && !Blank(string(t)) {
			return artifact.List{t}, "a single text read as a list of one"
		}
	case artifact.KindReferences:
		if m, ok := v.(artifact.Map); ok {
			return artifact.List{m}, "a single reference read as a list of one"
		}
	case artifact.KindFlag:
		if b, ok := truth(v); ok {
			return b, fmt.Sprintf("the text %q read as %t", clipped(string(v.(artifact.Text))), bool(b))
		}
	case artifact.KindStatus:
		if t, ok := v.(artifact.Text); ok {
			low := strings.ToLower(strings.TrimSpace(string(t)))
			if low != string(t) && slices.Contains(spec.Allowed, low) {
				return artifact.Text(low), fmt.Sprintf("%q read as %s", clipped(string(t)), low)
			}
		}
	case artifact.KindMap:
		return texts(v)
	case artifact.KindScore:
		return marks(v)
	}
	return v, ""
}

// joined makes one text of a list of texts.
func joined(v artifact.Value, refs bool) (artifact.Value, string) {
	list, ok := v.(artifact.List)
	if !ok || len(list) == 0 || !allTexts(list) {
		return v, ""
	}
	const note = "a list of texts read as one text"
	if refs {
		text, _ := Separated(list)
		return text, note
	}
	return artifact.Text(strings.Join(words(list), "\n")), note
}

// Separated makes one text of a list in a field that says what is held against what,
// as "discriminates" does: "H1 vs H2" of two ids, "H1 vs H2, H1 vs H3" of two pairs. It
// is false where not everything in the list is a text.
func Separated(list artifact.List) (artifact.Text, bool) {
	if !allTexts(list) {
		return "", false
	}
	parts, between := words(list), " vs "
	if slices.ContainsFunc(parts, func(s string) bool { return len(strings.Fields(s)) > 1 }) {
		between = ", "
	}
	return artifact.Text(strings.Join(parts, between)), true
}

// words gives the texts of a list that holds nothing else.
func words(list artifact.List) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = string(e.(artifact.Text))
	}
	return out
}

// texts makes texts of the numbers and truth values in a map of texts.
func texts(v artifact.Value) (artifact.Value, string) {
	m, ok := v.(artifact.Map)
	if !ok {
		return v, ""
	}
	out := slices.Clone(m)
	n := 0
	for i, e := range out {
		switch e.Value.(type) {
		case artifact.Number, artifact.Bool:
			out[i].Value = artifact.Text(artifact.Canonical(e.Value))
			n++
		}
	}
	if n == 0 {
		return v, ""
	}
	return out, "numbers and truth values read as texts"
}

// marks makes numbers of the digits in a score.
func marks(v artifact.Value) (artifact.Value, string) {
	m, ok := v.(artifact.Map)
	if !ok {
		return v, ""
	}
	out := slices.Clone(m)
	n := 0
	for i, e := range out {
		if t, ok := e.Value.(artifact.Text); ok && len(t) == 1 && isDigit(t[0]) {
			out[i].Value = artifact.Number(t[0] - '0')
			n++
		}
	}
	if n == 0 {
		return v, ""
	}
	return out, "digits in texts read as numbers"
}

// truth reads a text that says yes or no.
func truth(v artifact.Value) (artifact.Bool, bool) {
	t, ok := v.(artifact.Text)
	if !ok || len(t) > len("false") {
		return false, false
	}
	switch strings.ToLower(string(t)) {
	case "true", "yes":
		return true, true
	case "false", "no":
		return false, true
	}
	return false, false
}

func allTexts(list artifact.List) bool {
	return !slices.ContainsFunc(list, func(v artifact.Value) bool {
		_, ok := v.(artifact.Text)
		return !ok
	})
}

// fits tells whether a value is of the kind that a required field has.
func fits(k artifact.Kind, v artifact.Value) bool {
	switch v.(type) {
	case artifact.Text:
		return k == artifact.KindText || k == artifact.KindAny || k == artifact.KindStatus
	case artifact.Map:
		return k == artifact.KindMap || k == artifact.KindAny || k == artifact.KindScore
	case artifact.List:
		return k == artifact.KindList || k == artifact.KindAny || k == artifact.KindReferences
	case artifact.Bool:
		return k == artifact.KindFlag || k == artifact.KindAny
	default:
		return k == artifact.KindAny
	}
}

// suits tells whether a value, found under another name, could be of a kind
// after reshape.
func suits(k artifact.Kind, v artifact.Value) bool {
	if v == nil {
		return false
	}
	if fits(k, v) {
		return true
	}
	shaped, note := reshape(&artifact.FieldSpec{Kind: k}, v)
	return note != "" && fits(k, shaped)
}
