package fieldform

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"brenner/artifact"
)

const (
	nameWordCount = 8
	nameLength    = 60
)

// NameFrom returns the name of an item without one: the first sentence of its main field, or the first words.
func NameFrom(text string) string {
	const enough = 4 * nameLength * 4 // bytes: more than any name needs
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "")
	}
	var name []byte
	i, length := 0, 0
	for w := range strings.FieldsSeq(artifact.TrimID(text)) {
		if length += utf8.RuneCountInString(w); i > 0 {
			length++
			name = append(name, ' ')
		}
		if i == nameWordCount || (i > 0 && length > nameLength) {
			break
		}
		name = append(name, w...)
		if i > 0 && strings.ContainsAny(w[len(w)-1:], ".;:!?") {
			break
		}
		i++
	}
	if utf8.RuneCount(name) > nameLength {
		name = []byte(string([]rune(string(name))[:nameLength]))
	}
	return strings.TrimRight(string(name), ".,;: ")
}

// Required returns the names of the fields that an item of a section must have, with their kinds.
func Required(spec *artifact.SectionSpec) string {
	var names []string
	for _, f := range spec.Fields {
		if f.Required {
			names = append(names, fmt.Sprintf("%s (%s)", f.Name, KindName(f.Kind)))
		}
	}
	return strings.Join(names, " and ")
}

// KindName returns how a kind of fields is called.
func KindName(k artifact.Kind) string {
	switch k {
	case artifact.KindMap:
		return "an object of texts"
	case artifact.KindList:
		return "a list of texts"
	default:
		return "a text"
	}
}
