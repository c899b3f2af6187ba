package config

import (
	"slices"
	"strings"

	"brenner/internal/text"
)

// didYouMean gives "did you mean X? " where a candidate is near, else "".
func didYouMean(word string, candidates []string) string {
	if near, ok := text.Nearest(word, candidates); ok {
		return "did you mean " + near + "? "
	}
	return ""
}

// keyHint says what was probably meant by an unknown key below a path: a
// neighbour that is spelled alike, or a key that belongs elsewhere.
func (t table) keyHint(path, name string) string {
	known := t.below(path)
	if near, ok := text.Nearest(name, known); ok {
		return "did you mean " + join(path, near) + "?"
	}
	if k, ok := t.find(join(path, name)); ok && strings.Contains(name, ".") {
		return "write each part of " + k.path + " on a line of its own, the next one indented below it"
	}
	elsewhere := slices.IndexFunc(t, func(k key) bool { return strings.HasSuffix(k.path, "."+name) })
	if elsewhere >= 0 {
		return "did you mean " + t[elsewhere].path + "?"
	}
	return "known keys here: " + listed(known)
}

// join puts a name below a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
