package prompts

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is a JSON schema.
type node struct {
	object
	most int // characters of its longest value, without white space
}

// text returns the schema of a text in one line that is not blank.
func text(characters int) *node {
	// The grammar of llama.cpp knows no \s, and matches a class with the JSON of a text.
	const (
		blank   = " \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
		special = `"\\\x00-\x1F\x7F`
	)
	pattern := fmt.Sprintf("^[^%s%s][^%s]{0,%d}$", blank, special, special, characters-1)
	return &node{object{{"type", "string"}, {"pattern", pattern}}, characters + len(`""`)}
}

// oneOf returns the schema of one of several words.
func oneOf(words ...string) *node {
	n := &node{object: object{{"type", "string"}, {"enum", words}}}
	for _, w := range words {
		n.most = max(n.most, utf8.RuneCountInString(w)+len(`""`))
	}
	return n
}

// oneValue returns a schema with an example of its longest values.
func oneValue(schema object, longest string) *node { return &node{schema, len(longest)} }

func anyOf(variants ...*node) *node {
	n := &node{object: object{{"anyOf", variants}}}
	for _, v := range variants {
		n.most = max(n.most, v.most)
	}
	return n
}

func orNull(n *node) *node { return anyOf(n, oneValue(object{{"type", "null"}}, "null")) }

func listOf(entry *node, least, most int) *node {
	schema := object{{"type", "array"}, {"items", entry}}
	if least > 0 {
		schema = append(schema, property{"minItems", least})
	}
	return &node{append(schema, property{"maxItems", most}), len("[]") + most*(entry.most+len(","))}
}

// objectOf returns the schema of an object with these properties, which are nodes, and no others.
func objectOf(properties ...property) *node {
	var names []string
	most := len("{}")
	for _, p := range properties {
		names = append(names, p.name)
		most += len(p.name) + len(`"":,`) + p.value.(*node).most
	}
	return &node{object{{"type", "object"}, {"properties", object(properties)}, {"required", names}, {"additionalProperties", false}}, most}
}

// object is a JSON object. The order counts: models write the properties of a schema in its order.
type object []property

type property struct {
	name  string
	value any
}

// MarshalJSON encodes an object in the order of its members.
func (o object) MarshalJSON() ([]byte, error) {
	members := make([]string, len(o))
	for i, p := range o {
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		members[i] = strconv.Quote(p.name) + ":" + string(value)
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}
