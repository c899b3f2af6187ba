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

// reader reads the values of a plan.
type reader struct{ yaml.Reader }

func newReader() *reader {
	return &reader{yaml.Reader{
		UnknownKey: UnknownKey, DuplicateKey: DuplicateKey, WrongType: WrongType, TypeHint: "`brenner schema loop.plan` lists the keys of a plan",
	}}
}

// each reads the elements of a list.
func (r *reader) each(name string, take func(n *yaml.Node, i int)) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) { r.List(n, name, take) }}
}

// text reads a string and trims white space.
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
			r.Add(InvalidValue, n.Line, "remove it", "%s has an empty element", name)
			return
		}
		*to = append(*to, one)
	})
}

// word reads one of the given words.
func (r *reader) word(name string, to *string, words ...string) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		for _, w := range words {
			if n.Kind == yaml.ScalarNode && n.Value == w {
				*to = w
				return
			}
		}
		hint := "use one of " + strings.Join(words, ", ")
		if near, ok := text.Nearest(n.Value, words); ok {
			hint = "did you mean " + near + "? " + hint
		}
		r.Add(InvalidValue, n.Line, hint, "invalid %s: %s", name, yaml.KindOf(n))
	}}
}

// number reads an integer within bounds.
func (r *reader) number(name string, least, most int, take func(int)) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
			r.Wrong(n, name, "a whole number")
			return
		}
		value, err := strconv.Atoi(n.Value)
		if err != nil || value < least || value > most {
			r.Add(InvalidValue, n.Line, fmt.Sprintf("write a number from %d to %d, in digits", least, most), "invalid %s: %s", name, fault.Shown(n.Value))
			return
		}
		take(value)
	}}
}

// tokens reads a number of tokens: digits, or one such as 100k or 1.5M.
func (r *reader) tokens(name string, least, most int, take func(int)) yaml.Key {
	digits := r.number(name, least, most, take)
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
			digits.Take(n)
			return
		}
		value, ok := text.Amount(n.Value)
		if !ok || value < least || value > most {
			r.Add(InvalidValue, n.Line, fmt.Sprintf("write a number from %d to %d, such as 100k or 1.5M", least, most), "invalid %s: %s", name, fault.Shown(n.Value))
			return
		}
		take(value)
	}}
}

// dollars reads an amount of money as billionths of a dollar.
func (r *reader) dollars(name string, take func(int64)) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		tag := n.ShortTag()
		if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
			r.Wrong(n, name, "a number of dollars")
			return
		}
		nano, ok := flow.ParseDollars(n.Value)
		if !ok || nano == 0 {
			r.Add(InvalidValue, n.Line, "write a number such as 5 or 0.25: above 0, at most a million, up to nine decimals; remove it for no limit", "invalid %s: %s", name, fault.Shown(n.Value))
			return
		}
		take(nano)
	}}
}

func (r *reader) duration(name string, to *time.Duration) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
			r.Add(InvalidValue, n.Line, "write a number and a unit, such as 90m or 8h", "%s must be a duration, not %s", name, yaml.KindOf(n))
			return
		}
		*to = d
	}}
}
