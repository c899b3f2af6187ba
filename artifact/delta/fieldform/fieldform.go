// Package fieldform converts the values of fields to the shape that a field has, where only the form differs.
package fieldform

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/text"
)

// Fit converts a value to the shape of its field, and describes the change.
func Fit(spec *artifact.FieldSpec, v artifact.Value) (artifact.Value, string) {
	switch spec.Kind {
	case artifact.KindText:
		return Join(v, spec.Refs)
	case artifact.KindList:
		if t, ok := v.(artifact.Text); ok && strings.TrimSpace(string(t)) != "" {
			return artifact.List{t}, "a single text read as a list of one"
		}
	case artifact.KindReferences:
		if m, ok := v.(artifact.Map); ok {
			return artifact.List{m}, "a single reference read as a list of one"
		}
	case artifact.KindFlag:
		if b, ok := truth(v); ok {
			return b, fmt.Sprintf("the text %q read as %t", text.ClipLine(string(v.(artifact.Text)), 60), bool(b))
		}
	case artifact.KindStatus:
		if t, ok := v.(artifact.Text); ok {
			low := strings.ToLower(strings.TrimSpace(string(t)))
			if low != string(t) && slices.Contains(spec.Allowed, low) {
				return artifact.Text(low), fmt.Sprintf("%q read as %s", text.ClipLine(string(t), 60), low)
			}
		}
	case artifact.KindMap:
		return eachEntry(v, "numbers and truth values read as texts", asText)
	case artifact.KindScore:
		return eachEntry(v, "digits in texts read as numbers", asMark)
	}
	return v, ""
}

// Flatten joins an object of texts, one line for each.
func Flatten(v artifact.Value) (artifact.Value, string) {
	object, _ := v.(artifact.Map)
	lines := make([]string, 0, len(object))
	for _, e := range object {
		text, ok := e.Value.(artifact.Text)
		if !ok {
			return v, ""
		}
		lines = append(lines, e.Key+": "+string(text))
	}
	if len(lines) == 0 {
		return v, ""
	}
	return artifact.Text(strings.Join(lines, "\n")), "an object of texts read as one text"
}

// Join joins a list of texts, one line for each; with refs, as JoinContrasted does.
func Join(v artifact.Value, refs bool) (artifact.Value, string) {
	list, _ := v.(artifact.List)
	parts, ok := artifact.TextsOf(list)
	if !ok || len(parts) == 0 {
		return v, ""
	}
	const note = "a list of texts read as one text"
	if refs {
		text, _ := JoinContrasted(list)
		return text, note
	}
	return artifact.Text(strings.Join(parts, "\n")), note
}

// JoinContrasted joins a list for a field that contrasts items, such as "discriminates": "H1 vs H2"
// for two ids, "H1 vs H2, H1 vs H3" for two pairs. It returns false if an element is not a text.
func JoinContrasted(list artifact.List) (artifact.Text, bool) {
	parts, ok := artifact.TextsOf(list)
	between := " vs "
	if slices.ContainsFunc(parts, func(s string) bool { return len(strings.Fields(s)) > 1 }) {
		between = ", "
	}
	return artifact.Text(strings.Join(parts, between)), ok
}

// eachEntry applies shape to the entries of a map. It returns note if any entry changed.
func eachEntry(v artifact.Value, note string, shape func(artifact.Value) (artifact.Value, bool)) (artifact.Value, string) {
	m, _ := v.(artifact.Map)
	var out artifact.Map
	for i, e := range m {
		shaped, ok := shape(e.Value)
		if !ok {
			continue
		}
		if out == nil {
			out = slices.Clone(m)
		}
		out[i].Value = shaped
	}
	if out == nil {
		return v, ""
	}
	return out, note
}

func asText(v artifact.Value) (artifact.Value, bool) {
	switch v.(type) {
	case artifact.Number, artifact.Bool:
		return artifact.Text(artifact.Canonical(v)), true
	}
	return nil, false
}

func asMark(v artifact.Value) (artifact.Value, bool) {
	t, ok := v.(artifact.Text)
	if !ok || len(t) != 1 || t[0] < '0' || t[0] > '9' {
		return nil, false
	}
	return artifact.Number(t[0] - '0'), true
}

// truth reads a text that means yes or no.
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

// Has reports whether a value has the kind of a required field.
func Has(k artifact.Kind, v artifact.Value) bool {
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

// Suits reports whether a value found under another name could have kind k after Fit.
func Suits(k artifact.Kind, v artifact.Value) bool {
	if v == nil {
		return false
	}
	if Has(k, v) {
		return true
	}
	shaped, note := Fit(&artifact.FieldSpec{Kind: k}, v)
	return note != "" && Has(k, shaped)
}

// IsEmpty reports whether a value is a blank text, or a list or an object without entries.
func IsEmpty(v artifact.Value) bool {
	switch v := v.(type) {
	case artifact.Text:
		return strings.TrimSpace(string(v)) == ""
	case artifact.Map:
		return len(v) == 0
	case artifact.List:
		return len(v) == 0
	}
	return false
}

// Parts returns the values of a field with their names: its own, or those of the keys of a map. A list has none, for it may be
// added to.
func Parts(name string, v artifact.Value) (all []artifact.Entry) {
	switch v := v.(type) {
	case nil, artifact.List:
		return nil
	case artifact.Map:
		for _, e := range v {
			all = append(all, artifact.Entry{Key: name + "." + e.Key, Value: e.Value})
		}
		return all
	}
	return []artifact.Entry{{Key: name, Value: v}}
}
