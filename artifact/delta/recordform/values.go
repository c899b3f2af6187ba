// Package recordform knows the forms in which agents write records of the project besides the one that is asked for: as
// YAML, front matter, tags, tables or JSON without an operation, and with links and tags of other types.
//
// The package is pure.
package recordform

import (
	"slices"
	"strings"

	"brenner/artifact"
)

// Paragraphs joins a list of texts: with empty lines between them, unless some are empty lines themselves.
func Paragraphs(v artifact.Value) artifact.Value {
	list, _ := v.(artifact.List)
	parts, _ := artifact.TextsOf(list)
	between := "\n\n"
	if slices.ContainsFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }) {
		between = "\n"
	}
	return artifact.Text(strings.Join(parts, between))
}

// Tags returns the texts of a list, or one text.
func Tags(v artifact.Value) ([]string, bool) {
	switch v := v.(type) {
	case artifact.Text:
		return strings.FieldsFunc(string(v), func(c rune) bool { return c == ',' || c == ' ' || c == '\n' }), true
	case artifact.List:
		return artifact.TextsOf(v)
	}
	return nil, false
}

// Links returns links in the form RELATION=ADDRESS from the other forms that agents use: one text, an object of
// addresses by relation, or objects of a relation and an address.
func Links(v artifact.Value) ([]string, bool) {
	switch v := v.(type) {
	case artifact.Text:
		var all []string
		for part := range strings.FieldsFuncSeq(string(v), func(c rune) bool { return c == ',' || c == '\n' }) {
			all = append(all, linkOf(part))
		}
		return all, true
	case artifact.List:
		var all []string
		for _, e := range v {
			if text, ok := e.(artifact.Text); ok {
				all = append(all, linkOf(string(text)))
				continue
			}
			links, ok := Links(e)
			if _, isMap := e.(artifact.Map); !ok || !isMap {
				return nil, false
			}
			all = append(all, links...)
		}
		return all, true
	case artifact.Map:
		return linksOfMap(v)
	}
	return nil, false
}

func linksOfMap(m artifact.Map) ([]string, bool) {
	var relation, address string
	for _, e := range m {
		text, _ := e.Value.(artifact.Text)
		switch strings.ToLower(e.Key) {
		case "relation", "rel", "type", "kind":
			relation = string(text)
		case "address", "target", "to", "id", "record", "ref":
			address = string(text)
		}
	}
	if len(m) == 2 && relation != "" && address != "" {
		return []string{relation + "=" + address}, true
	}
	var all []string
	for _, e := range m {
		addresses, ok := Tags(e.Value)
		if !ok {
			return nil, false
		}
		for _, a := range addresses {
			all = append(all, e.Key+"="+a)
		}
	}
	return all, true
}

// linkOf returns a link with an equals sign between relation and address.
func linkOf(text string) string {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "=") {
		return text
	}
	relation, address, ok := strings.Cut(text, ":")
	if relation, address = strings.TrimSpace(relation), strings.TrimSpace(address); ok && relation != "" && address != "" {
		return relation + "=" + address
	}
	return text
}
