package config

import (
	"slices"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/yaml"
)

// object is one element of a list of objects.
type object struct {
	line   int
	path   string
	fields map[string]*yaml.Node
}

// objects reads a list of objects that have only the known keys.
func (r *reader) objects(path string, n *yaml.Node, known ...string) []object {
	nodes, _ := r.list(path, n)
	all := make([]object, 0, len(nodes))
	for _, one := range nodes {
		o := object{line: one.Line, path: path + "[]", fields: make(map[string]*yaml.Node, len(known))}
		if one.Kind != yaml.MappingNode {
			r.wrongType(one, o.path, "keys with values")
			continue
		}
		for _, p := range r.pairs(o.path, one) {
			switch {
			case !slices.Contains(known, p.name):
				hint := "known keys here: " + listed(known)
				if near, ok := text.Nearest(p.name, known); ok {
					hint = "did you mean " + near + "?"
				}
				r.found.Add(UnknownKey, r.place(p.line), hint, "unknown key %s", fault.Shown(join(o.path, p.name)))
			case !yaml.IsNull(p.value):
				o.fields[p.name] = p.value
			}
		}
		all = append(all, o)
	}
	return all
}

// textOf gives the text of an object's field, or "" where it is missing.
func (r *reader) textOf(o object, field string) string {
	n, ok := o.fields[field]
	if !ok {
		return ""
	}
	s, _ := r.text(join(o.path, field), n)
	return s
}
