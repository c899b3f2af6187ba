package yaml

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// Reader reads objects of a document key by key and collects errors with their lines.
type Reader struct {
	UnknownKey, DuplicateKey, WrongType fault.Code
	// TypeHint is the hint for a value of the wrong type.
	TypeHint string
	Found    fault.Bounded
}

// Add adds an error on a line.
func (r *Reader) Add(code fault.Code, line int, hint, format string, args ...any) {
	r.Found.Take(&fault.Error{Code: code, Line: max(line, 1), Detail: fmt.Sprintf(format, args...), Hint: hint})
}

// Key is one key that an object may have, and the function for its value.
type Key struct {
	Name string
	Take func(n *yaml.Node)
}

// Object reads the keys of a mapping, which must be unique. A key without a value counts as absent.
func (r *Reader) Object(n *yaml.Node, what string, keys ...Key) bool {
	if n.Kind != yaml.MappingNode {
		r.Wrong(n, what, "a mapping")
		return false
	}
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" {
			r.Add(r.WrongType, name.Line, "quote the key", "a key must be a string, not %s", KindOf(name))
			continue
		}
		if line, twice := first[name.Value]; twice {
			r.Add(r.DuplicateKey, name.Line, "remove one", "duplicate key %s (first on line %d)", fault.Shown(name.Value), line)
			continue
		}
		first[name.Value] = name.Line
		r.key(name, value, what, keys)
	}
	return true
}

func (r *Reader) key(name, value *yaml.Node, what string, keys []Key) {
	names := make([]string, len(keys))
	for i, k := range keys {
		if k.Name == name.Value {
			if !IsNull(value) {
				k.Take(value)
			}
			return
		}
		names[i] = k.Name
	}
	hint := "known keys: " + strings.Join(names, ", ")
	if near, ok := text.Nearest(name.Value, names); ok {
		hint = "did you mean " + near + "? " + hint
	}
	r.Add(r.UnknownKey, name.Line, hint, "unknown key %s in %s", fault.Shown(name.Value), what)
}

// List reads the elements of a list.
func (r *Reader) List(n *yaml.Node, what string, take func(n *yaml.Node, i int)) {
	if n.Kind != yaml.SequenceNode {
		r.Wrong(n, what, "a list")
		return
	}
	for i, e := range n.Content {
		take(e, i)
	}
}

// Text returns a Key that stores a string.
func (r *Reader) Text(name string, to *string) Key {
	return Key{name, func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
			r.Wrong(n, name, "a string")
			return
		}
		*to = n.Value
	}}
}

// Flag returns a Key that stores a boolean.
func (r *Reader) Flag(name string, to *bool) Key {
	return Key{name, func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
			r.Wrong(n, name, "true or false")
			return
		}
		*to = strings.EqualFold(n.Value, "true")
	}}
}

// Wrong reports a node of the wrong type.
func (r *Reader) Wrong(n *yaml.Node, what, want string) {
	hint := r.TypeHint
	if want == "a string" && n.Kind == yaml.ScalarNode && !IsNull(n) {
		hint = "quote it"
	}
	r.Add(r.WrongType, n.Line, hint, "%s must be %s, not %s", what, want, KindOf(n))
}

// IsNull reports whether n is a null.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// KindOf returns the kind of a node, for messages.
func KindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if IsNull(n) {
		return "null"
	}
	return fault.Shown(n.Value)
}
