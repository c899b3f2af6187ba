package rehearsal

import (
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"brenner/fault"
	"brenner/suggest"
)

// reader reads a script. What is wrong is gathered, each with its line.
type reader struct{ found fault.List }

// key is one key that an object may have, and what takes its value.
type key struct {
	name string
	take func(n *yaml.Node)
}

// object reads the keys of a mapping, each once. A key without a value is the
// same as none.
func (r *reader) object(n *yaml.Node, what string, keys ...key) bool {
	if n.Kind != yaml.MappingNode {
		r.wrongType(n, what, "keys with values")
		return false
	}
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" {
			r.add(WrongType, name.Line, "put the key in quotes if it is meant", "a key must be a text, not %s", kindOf(name))
			continue
		}
		if line, twice := first[name.Value]; twice {
			r.add(DuplicateKey, name.Line, "keep one of the two", "the key %s stands on line %d already", fault.Shown(name.Value), line)
			continue
		}
		first[name.Value] = name.Line
		r.key(name, value, what, keys)
	}
	return true
}

func (r *reader) key(name, value *yaml.Node, what string, keys []key) {
	names := make([]string, len(keys))
	for i, k := range keys {
		if k.name == name.Value {
			if !isNull(value) {
				k.take(value)
			}
			return
		}
		names[i] = k.name
	}
	hint := "its keys are " + strings.Join(names, ", ")
	if near, ok := suggest.Nearest(name.Value, names); ok {
		hint = "did you mean " + near + "? " + hint
	}
	r.add(UnknownKey, name.Line, hint, "%s has no key %s", what, fault.Shown(name.Value))
}

// list reads the elements of a list.
func (r *reader) list(n *yaml.Node, what string, take func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.wrongType(n, what, "a list")
		return
	}
	for _, e := range n.Content {
		take(e)
	}
}

// text takes a text as it stands.
func (r *reader) text(name string, to *string) key {
	return key{name, func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
			r.wrongType(n, name, "a text")
			return
		}
		*to = n.Value
	}}
}

func (r *reader) flag(name string, to *bool) key {
	return key{name, func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
			r.wrongType(n, name, "true or false")
			return
		}
		*to = strings.EqualFold(n.Value, "true")
	}}
}

// number takes a whole number that is not negative.
func (r *reader) number(name string, to *int) key {
	return key{name, func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
			r.wrongType(n, name, "a whole number")
			return
		}
		value, err := strconv.ParseInt(n.Value, 10, 32)
		if err != nil || value < 0 {
			r.add(InvalidValue, n.Line, "write it in digits, such as 900", "%s cannot be %s", name, fault.Shown(n.Value))
			return
		}
		*to = int(value)
	}}
}

func (r *reader) duration(name string, to *time.Duration) key {
	return key{name, func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || d < 0 {
			r.add(InvalidValue, n.Line, "write a number and its unit, such as 30ms or 1.5s", "%s must be a time, not %s", name, kindOf(n))
			return
		}
		*to = d
	}}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func (r *reader) wrongType(n *yaml.Node, what, want string) {
	hint := "see the built-in script, agent/rehearsal/cell-fate.yaml, for an example"
	if want == "a text" && n.Kind == yaml.ScalarNode && !isNull(n) {
		hint = "put it in quotes"
	}
	r.add(WrongType, n.Line, hint, "%s must be %s, not %s", what, want, kindOf(n))
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	}
	if isNull(n) {
		return "nothing"
	}
	return fault.Shown(n.Value)
}
