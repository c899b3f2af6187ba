package prompts

import "brenner/artifact"

// Meaning and Explained export the explanations of fields.
var Meaning = meaning

func Explained(s artifact.Section) []string {
	var names []string
	for _, m := range meanings[s] {
		names = append(names, m.field)
	}
	return names
}
