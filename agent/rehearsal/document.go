package rehearsal

import (
	"brenner/internal/yaml"
)

// document gives the root of the one YAML document in data; nil where what is
// wrong has been said.
func (r *reader) document(data []byte) *yaml.Node {
	root, p := yaml.Read(data)
	switch {
	case p != nil:
		r.Add(InvalidYAML, p.Line, p.Hint, "%s", p.Detail)
	case root == nil:
		r.Add(InvalidYAML, 1, "begin with schema: "+Schema, "the script is empty")
	}
	return root
}
