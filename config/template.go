package config

import (
	_ "embed"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed template.yaml
var template string

// Starter holds the initial values of a new project's file. Empty ones stay comments.
type Starter struct {
	Question string
	Context  string
	Via      string
}

// Template returns a new project's file with every key documented. Load accepts it as written.
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

// keyLine returns a key and its value in YAML: in the encoder's readable style if that
// reads back (some tabs and trailing line ends do not), else quoted. Invalid UTF-8 cannot
// be represented.
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
	return "#" + key + ":\n" // unreachable: quotes can hold every string
}
