package schemaform

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// textsOf returns the texts of a member that is a list of texts, or nil. A list with other values, with fences or with braces is
// left to the reader, and so is one for reasoning.
func (f *form) textsOf(m member) (all []member) {
	if !f.titled || f.src[m.from] != '[' || isReasoning(m.name) {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(f.src[m.from:m.to]))
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		value, err := d.ReadValue()
		if err != nil || !isText(value) {
			return nil
		}
		to := m.from + int(d.InputOffset())
		all = append(all, member{from: to - len(value), to: to})
	}
	if d.PeekKind() != ']' {
		return nil
	}
	return all
}

// isText reports whether a value has no marks of deltas.
func isText(value []byte) bool {
	return !bytes.ContainsAny(value, "{`~<")
}

// texts writes a member with texts.
func (f *form) texts(r *Reply, m member) {
	list := f.textsOf(m)
	switch isObject := f.src[m.from] == '[' || f.src[m.from] == '{'; {
	case list != nil:
		r.title(m.name)
		for _, text := range list { // a paragraph each: the list of a plan would not be read
			r.unquoted(f.src[text.from:text.to], text.from)
			r.write("\n\n")
		}
		return
	case isObject:
		return // it is a block
	case f.titled && f.src[m.from] == '"' && isText(f.src[m.from:m.to]):
		r.title(m.name)
		r.unquoted(f.src[m.from:m.to], m.from)
	default:
		r.write(m.name + ": ")
		r.unquoted(f.src[m.from:m.to], m.from)
	}
	r.write("\n\n")
}

// title writes the name of a member as the title of its text.
func (r *Reply) title(name string) {
	r.write("## " + strings.Join(strings.FieldsFunc(name, func(c rune) bool { return c <= ' ' || c == '_' || c == '#' }), " ") + "\n\n")
}

// Move sets the place of a problem to the one in the reply. Since the fifth reader its words are those for a list: there are no
// fences.
func (r *Reply) Move(message, hint *string, line, column *int) {
	*line, *column = r.Place(*line, *column)
	if r.titled {
		*message, *hint = inList(*message), inList(*hint)
	}
}

func inList(text string) string { return listWords.Replace(text) }

var listWords = strings.NewReplacer("a change in a fence with the word json that", "a change outside the list deltas that", "a change in a fence that", "a change outside the list deltas that",
	"outside a delta fence", "outside the list deltas", "put it into a fence that begins with ```delta", "put it into the list deltas", "as one JSON object in a fence that begins with ```delta", "as one object in the list deltas")
