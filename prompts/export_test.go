package prompts

import "brenner/artifact"

// Meaning and Explained show the explanations of fields to tests.
var Meaning = meaning

func Explained(s artifact.Section) []string {
	var names []string
	for _, m := range meanings[s] {
		names = append(names, m.field)
	}
	return names
}
