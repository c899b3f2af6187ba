package config

import (
	"net/url"
	"slices"

	"go.yaml.in/yaml/v3"

	"brenner/fault"
	"brenner/suggest"
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
				if near, ok := suggest.Nearest(p.name, known); ok {
					hint = "did you mean " + near + "?"
				}
				r.found.add(UnknownKey, r.place(p.line), hint, "unknown key %s", fault.Shown(join(o.path, p.name)))
			case !isNull(p.value):
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

// models reads what human-readable models mean.
func (r *reader) models(path string, n *yaml.Node) []Model {
	list := []Model{}
	first := map[string]int{}
	for _, o := range r.objects(path, n, "model", "via", "id", "base_url") {
		m := Model{Model: r.textOf(o, "model"), ID: r.textOf(o, "id"), BaseURL: r.baseURL(o)}
		if via, ok := o.fields["via"]; ok {
			m.Via, _ = r.word(join(o.path, "via"), via, Vias())
		}
		switch line, twice := first[m.Model]; {
		case m.Model == "":
			r.found.add(InvalidValue, r.place(o.line), "give it the name that rosters use, such as model: Opus 4.5", "an entry of %s names no model", path)
		case twice:
			r.found.add(InvalidValue, r.place(o.line), alreadyOn(line), "%s says twice what %s means", path, fault.Shown(m.Model))
		}
		list, first[m.Model] = append(list, m), o.line
	}
	return list
}

// baseURL reads the address of an endpoint. One with a password in it is
// refused: the configuration is shown, and files of projects are shared.
func (r *reader) baseURL(o object) string {
	const field = "base_url"
	s := r.textOf(o, field)
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		r.found.add(InvalidValue, r.place(o.fields[field].Line), "write it like http://localhost:11434/v1, without a user or a password",
			"%s is no address of an endpoint", join(o.path, field))
		return ""
	}
	return s
}
