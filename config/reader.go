package config

import (
	"slices"

	"brenner/internal/fault"
	"brenner/internal/yaml"
	"brenner/roster"
)

// source is the level of a file among the layers, and its name.
type source struct {
	level roster.Level
	name  string
}

// setting is a value and its origin. Its Go type is that of its key.
type setting struct {
	value  any
	origin Origin
}

// layer holds the settings of one source, by key path.
type layer map[string]setting

// reader reads one file against the table of keys and collects errors with their lines.
type reader struct {
	table table
	from  source
	read  layer
	found *fault.Bounded
}

// file reads the bytes of a file. The result is complete only if no error was found.
func (r *reader) file(data []byte) layer {
	r.read = layer{}
	root, p := yaml.Read(data)
	if p != nil {
		r.found.Add(InvalidYAML, r.place(p.Line), p.Hint, "%s", p.Detail)
	}
	if root != nil {
		r.section("", root)
		r.checkMode()
	}
	return r.read
}

// origin returns the origin of a value on a line of the file.
func (r *reader) origin(line int) Origin {
	return Origin{Level: r.from.level, Source: r.from.name, Line: line}
}

func (r *reader) place(line int) string { return r.origin(line).String() }

func (r *reader) section(path string, n *yaml.Node) {
	for _, p := range r.pairs(path, n) {
		at := join(path, p.name)
		k, isKey := r.table.find(at)
		switch {
		case !slices.Contains(r.table.below(path), p.name):
			r.found.Add(UnknownKey, r.place(p.line), r.table.keyHint(path, p.name), "unknown key %s", fault.Shown(at))
		case !isKey:
			r.section(at, p.value)
		case yaml.IsNull(p.value) && path != "endpoints":
			// Same as omitting the key. A restriction must not be lost that way.
		default:
			if v, ok := k.form.read(r, at, p.value); ok {
				r.read[at] = setting{v, r.origin(p.line)}
			}
		}
	}
}

type pair struct {
	name  string
	line  int
	value *yaml.Node
}

// pairs returns the keys of a mapping without duplicates. A null is an empty mapping.
func (r *reader) pairs(path string, n *yaml.Node) []pair {
	if yaml.IsNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.wrongType(n, path, "a mapping")
		return nil
	}
	first := make(map[string]int, len(n.Content)/2)
	var all []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.ShortTag() != tagText {
			r.found.Add(WrongType, r.place(name.Line), "quote the key", "a key must be a string, not %s", kindOf(name))
			continue
		}
		if line, twice := first[name.Value]; twice {
			r.found.Add(DuplicateKey, r.place(name.Line), "remove one", "duplicate key %s (first on line %d)", fault.Shown(join(path, name.Value)), line)
			continue
		}
		first[name.Value] = name.Line
		all = append(all, pair{name.Value, name.Line, value})
	}
	return all
}

// wrongType reports a node of the wrong type.
func (r *reader) wrongType(n *yaml.Node, path, want string) {
	hint := "see `brenner init` for an example of every key"
	if want == wantText && n.Kind == yaml.ScalarNode && !yaml.IsNull(n) {
		hint = `quote it: "` + fault.Shown(n.Value) + `"`
	}
	what := fault.Shown(path)
	if path == "" {
		what = "the configuration"
	}
	r.found.Add(WrongType, r.place(n.Line), hint, "%s must be %s, not %s", what, want, kindOf(n))
}

// Descriptions of types.
const (
	wantText   = "a string"
	wantNumber = "a number"
	wantSwitch = "true or false"
)

func (r *reader) text(path string, n *yaml.Node) (string, bool) {
	v, ok := textForm().read(r, path, n)
	s, _ := v.(string)
	return s, ok
}

func (r *reader) list(path string, n *yaml.Node) ([]*yaml.Node, bool) {
	if n.Kind != yaml.SequenceNode {
		r.wrongType(n, path, "a list")
		return nil, false
	}
	return n.Content, true
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case tagText:
		return wantText
	case tagInt, tagFloat:
		return wantNumber
	case tagBool:
		return wantSwitch
	case "!!timestamp":
		return "a date"
	case "!!null":
		return "null"
	default:
		return "another type"
	}
}
