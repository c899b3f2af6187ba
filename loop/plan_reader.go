package loop

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/yaml"
	"brenner/session/flow"
)

// The codes of plans that cannot be run.
const (
	InvalidYAML  fault.Code = "PLAN_INVALID_YAML"
	UnknownKey   fault.Code = "PLAN_UNKNOWN_KEY"
	DuplicateKey fault.Code = "PLAN_DUPLICATE_KEY"
	WrongType    fault.Code = "PLAN_WRONG_TYPE"
	InvalidValue fault.Code = "PLAN_INVALID_VALUE"
)

// reader reads a plan.
type reader struct{ yaml.Reader }

func newReader() *reader {
	return &reader{yaml.Reader{
		UnknownKey: UnknownKey, DuplicateKey: DuplicateKey, WrongType: WrongType, See: "`brenner schema loop.plan` says what a plan may hold",
	}}
}

// each reads the elements of a list.
func (r *reader) each(name string, take func(n *yaml.Node, i int)) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) { r.List(n, name, take) }}
}

// text takes a text without the blanks around it.
func (r *reader) text(name string, to *string) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		r.Text(name, to).Take(n)
		*to = strings.TrimSpace(*to)
	}}
}

func (r *reader) texts(name string, to *[]string) yaml.Key {
	return r.each(name, func(n *yaml.Node, _ int) {
		var one string
		r.text(name, &one).Take(n)
		if one == "" && n.ShortTag() == "!!str" {
			r.Add(InvalidValue, n.Line, "leave it out", "an element of %s is empty", name)
			return
		}
		*to = append(*to, one)
	})
}

// word takes one of a few words.
func (r *reader) word(name string, to *string, words ...string) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		for _, w := range words {
			if n.Kind == yaml.ScalarNode && n.Value == w {
				*to = w
				return
			}
		}
		hint := "it is one of " + strings.Join(words, ", ")
		if near, ok := text.Nearest(n.Value, words); ok {
			hint = "did you mean " + near + "? " + hint
		}
		r.Add(InvalidValue, n.Line, hint, "%s cannot be %s", name, yaml.KindOf(n))
	}}
}

// number takes a whole number within bounds.
func (r *reader) number(name string, least, most int, take func(int)) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
			r.Wrong(n, name, "a whole number")
			return
		}
		value, err := strconv.Atoi(n.Value)
		if err != nil || value < least || value > most {
			r.Add(InvalidValue, n.Line, fmt.Sprintf("write a number from %d to %d, in digits", least, most), "%s cannot be %s", name, fault.Shown(n.Value))
			return
		}
		take(value)
	}}
}

// dollars takes an amount of money as billionths of a dollar.
func (r *reader) dollars(name string, take func(int64)) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		tag := n.ShortTag()
		if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
			r.Wrong(n, name, "a number of dollars")
			return
		}
		nano, ok := flow.ParseDollars(n.Value)
		if !ok || nano == 0 {
			r.Add(InvalidValue, n.Line, "write it as 5 or 0.25: more than nothing, at most a million, to nine decimals; leave it out for no limit", "%s cannot be %s", name, fault.Shown(n.Value))
			return
		}
		take(nano)
	}}
}

func (r *reader) duration(name string, to *time.Duration) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
			r.Add(InvalidValue, n.Line, "write a number and its unit, such as 90m or 8h", "%s must be a time, not %s", name, yaml.KindOf(n))
			return
		}
		*to = d
	}}
}
