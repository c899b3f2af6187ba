package critique

import (
	"bytes"
	"strings"

	"brenner/artifact"
)

const maxDepth = 8

// json reads a finding, or a list of them, as JSON.
func (r *reader) json(text []byte, line int) {
	v, err := artifact.ParseValue(bytes.TrimSpace(text), maxDepth)
	if err != nil {
		r.rejectAll(line, "its JSON cannot be read", true, max(1, countAttempts(text)))
		return
	}
	r.value(v, line)
}

func (r *reader) value(v artifact.Value, line int) {
	switch v := v.(type) {
	case artifact.List:
		for _, one := range v {
			r.value(one, line)
		}
		r.none = r.none || len(v) == 0
	case artifact.Map:
		if list, ok := v.Get("findings"); ok {
			r.value(list, line)
			return
		}
		text := func(keys ...string) string {
			for _, key := range keys {
				if t, ok := v.Get(key); ok {
					return textOf(t)
				}
			}
			return ""
		}
		r.add(Finding{Line: line, Records: splitNames(text("records", "record") + " " + text("other")), Wrong: text("wrong"), Words: text("words", "word"), Fix: text("fix")})
	default:
		r.rejectAll(line, "it is not a JSON object with records and wrong", true, 1)
	}
}

// textOf returns a text, or the texts of a list.
func textOf(v artifact.Value) string {
	switch v := v.(type) {
	case artifact.Text:
		return string(v)
	case artifact.List:
		var all []string
		for _, one := range v {
			all = append(all, textOf(one))
		}
		return strings.Join(all, " ")
	}
	return ""
}
