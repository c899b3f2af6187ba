package config

import (
	_ "embed"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed template.yaml
var template string

// Starter is what a new project's file says from the start; what is empty stays
// a comment.
type Starter struct {
	Question string
	Context  string
	Via      string
}

// Template gives a project's file with every key explained. Load takes it as it
// is, and with any of its commented keys uncommented.
func Template(s Starter) []byte {
	given := map[string]string{"#question:": s.Question, "#context:": s.Context, "#via:": s.Via}
	var b strings.Builder
	for line := range strings.Lines(template) {
		word, _, _ := strings.Cut(line, " ")
		if value := given[word]; value != "" {
			line = keyLine(strings.Trim(word, "#:"), value)
		}
		b.WriteString(line)
	}
	return []byte(b.String())
}

// keyLine gives a key and its text in YAML: in the encoder's own style, which is
// the readable one, if it can be read back in front of other lines (some tabs and
// trailing line ends cannot), else in quotes. What is no UTF-8 has no form there.
func keyLine(key, value string) string {
	value = strings.ToValidUTF8(value, "\uFFFD")
	for _, style := range []yaml.Style{0, yaml.DoubleQuotedStyle} {
		line, err := yaml.Marshal(map[string]*yaml.Node{
			key: {Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Style: style},
		})
		var back map[string]string
		if err == nil && yaml.Unmarshal(append(line, "\n#\nnext: key\n"...), &back) == nil && back[key] == value {
			return string(line)
		}
	}
	return "#" + key + ":\n" // not reached: quotes hold every text
}
