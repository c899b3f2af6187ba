package rehearsal

import (
	"strconv"
	"time"

	"brenner/internal/fault"
	"brenner/internal/yaml"
)

// reader reads a script.
type reader struct{ yaml.Reader }

func newReader() *reader {
	return &reader{yaml.Reader{
		UnknownKey: UnknownKey, DuplicateKey: DuplicateKey, WrongType: WrongType,
		See: "see the built-in script, agent/rehearsal/cell-fate.yaml, for an example",
	}}
}

// number takes a whole number that is not negative.
func (r *reader) number(name string, to *int) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
			r.Wrong(n, name, "a whole number")
			return
		}
		value, err := strconv.ParseInt(n.Value, 10, 32)
		if err != nil || value < 0 {
			r.Add(InvalidValue, n.Line, "write it in digits, such as 900", "%s cannot be %s", name, fault.Shown(n.Value))
			return
		}
		*to = int(value)
	}}
}

func (r *reader) duration(name string, to *time.Duration) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || d < 0 {
			r.Add(InvalidValue, n.Line, "write a number and its unit, such as 30ms or 1.5s", "%s must be a time, not %s", name, yaml.KindOf(n))
			return
		}
		*to = d
	}}
}
