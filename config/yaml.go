package config

import (
	"brenner/internal/yaml"
)

// document gives the root of the one YAML document in data; nil where there is
// none, or where the reason has been said.
func (r *reader) document(data []byte) *yaml.Node {
	root, p := yaml.Read(data)
	if p != nil {
		r.found.Add(InvalidYAML, r.place(p.Line), p.Hint, "%s", p.Detail)
	}
	return root
}
