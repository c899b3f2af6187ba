package loop

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"brenner/fault"
	"brenner/suggest"
)

// The codes of plans that cannot be run.
const (
	InvalidYAML  fault.Code = "PLAN_INVALID_YAML"
	UnknownKey   fault.Code = "PLAN_UNKNOWN_KEY"
	DuplicateKey fault.Code = "PLAN_DUPLICATE_KEY"
	WrongType    fault.Code = "PLAN_WRONG_TYPE"
	InvalidValue fault.Code = "PLAN_INVALID_VALUE"
)

// mostFaults bounds how many faults are told: nobody reads more.
const mostFaults = 20

// reader reads a plan. What is wrong is gathered, each with its line.
type reader struct{ found fault.List }

func (r *reader) add(code fault.Code, line int, hint, format string, args ...any) {
	if len(r.found) < mostFaults {
		r.found.Add(code, fmt.Sprintf("line %d", max(line, 1)), hint, format, args...)
	}
}

// key is one key that an object may have, and what takes its value.
type key struct {
	name string
	take func(n *yaml.Node)
}

// object reads the keys of a mapping, each once. A key without a value is the same
// as none.
func (r *reader) object(n *yaml.Node, what string, keys ...key) bool {
	if n.Kind != yaml.MappingNode {
		r.wrongType(n, what, "keys with values")
		return false
	}
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" {
			r.add(WrongType, name.Line, "put the key in quotes if it is meant", "a key must be a text, not %s", kindOf(name))
			continue
		}
		if line, twice := first[name.Value]; twice {
			r.add(DuplicateKey, name.Line, "keep one of the two", "the key %s stands on line %d already", fault.Shown(name.Value), line)
			continue
		}
		first[name.Value] = name.Line
		r.key(name, value, what, keys)
	}
	return true
}

func (r *reader) key(name, value *yaml.Node, what string, keys []key) {
	names := make([]string, len(keys))
	for i, k := range keys {
		if k.name == name.Value {
			if !isNull(value) {
				k.take(value)
			}
			return
		}
		names[i] = k.name
	}
	hint := "its keys are " + strings.Join(names, ", ")
	if near, ok := suggest.Nearest(name.Value, names); ok {
		hint = "did you mean " + near + "? " + hint
	}
	r.add(UnknownKey, name.Line, hint, "%s has no key %s", what, fault.Shown(name.Value))
}

// each reads the elements of a list.
func (r *reader) each(name string, take func(n *yaml.Node, i int)) key {
	return key{name, func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			r.wrongType(n, name, "a list")
			return
		}
		for i, e := range n.Content {
			take(e, i)
		}
	}}
}

func (r *reader) text(name string, to *string) key {
	return key{name, func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
			r.wrongType(n, name, "a text")
			return
		}
		*to = strings.TrimSpace(n.Value)
	}}
}

func (r *reader) texts(name string, to *[]string) key {
	return r.each(name, func(n *yaml.Node, _ int) {
		var one string
		r.text(name, &one).take(n)
		if one == "" && n.ShortTag() == "!!str" {
			r.add(InvalidValue, n.Line, "leave it out", "an element of %s is empty", name)
			return
		}
		*to = append(*to, one)
	})
}

// word takes one of a few words.
func (r *reader) word(name string, to *string, words ...string) key {
	return key{name, func(n *yaml.Node) {
		for _, w := range words {
			if n.Kind == yaml.ScalarNode && n.Value == w {
				*to = w
				return
			}
		}
		hint := "it is one of " + strings.Join(words, ", ")
		if near, ok := suggest.Nearest(n.Value, words); ok {
			hint = "did you mean " + near + "? " + hint
		}
		r.add(InvalidValue, n.Line, hint, "%s cannot be %s", name, kindOf(n))
	}}
}

func (r *reader) flag(name string, to *bool) key {
	return key{name, func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
			r.wrongType(n, name, "true or false")
			return
		}
		*to = strings.EqualFold(n.Value, "true")
	}}
}

// number takes a whole number within bounds.
func (r *reader) number(name string, least, most int, take func(int)) key {
	return key{name, func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
			r.wrongType(n, name, "a whole number")
			return
		}
		value, err := strconv.Atoi(n.Value)
		if err != nil || value < least || value > most {
			r.add(InvalidValue, n.Line, fmt.Sprintf("write a number from %d to %d, in digits", least, most), "%s cannot be %s", name, fault.Shown(n.Value))
			return
		}
		take(value)
	}}
}

// dollars takes an amount of money as billionths of a dollar.
func (r *reader) dollars(name string, take func(int64)) key {
	return key{name, func(n *yaml.Node) {
		tag := n.ShortTag()
		if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
			r.wrongType(n, name, "a number of dollars")
			return
		}
		nano, ok := nanoDollars(n.Value)
		if !ok {
			r.add(InvalidValue, n.Line, "write it as 5 or 0.25: at most a million, to nine decimals", "%s cannot be %s", name, fault.Shown(n.Value))
			return
		}
		take(nano)
	}}
}

// nanoDollars reads a decimal number exactly: money is never a float.
func nanoDollars(text string) (int64, bool) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > 9 || whole == "" || len(whole) > 7 {
		return 0, false
	}
	digits := whole + part + strings.Repeat("0", 9-len(part))
	if strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n <= 1_000_000*1_000_000_000
}

func (r *reader) duration(name string, to *time.Duration) key {
	return key{name, func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
			r.add(InvalidValue, n.Line, "write a number and its unit, such as 90m or 8h", "%s must be a time, not %s", name, kindOf(n))
			return
		}
		*to = d
	}}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func (r *reader) wrongType(n *yaml.Node, what, want string) {
	hint := "`brenner schema loop.plan` says what a plan may hold"
	if want == "a text" && n.Kind == yaml.ScalarNode && !isNull(n) {
		hint = "put it in quotes"
	}
	r.add(WrongType, n.Line, hint, "%s must be %s, not %s", what, want, kindOf(n))
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	}
	if isNull(n) {
		return "nothing"
	}
	return fault.Shown(n.Value)
}
