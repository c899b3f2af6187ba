package stalemate

import (
	"brenner/artifact"
	"brenner/internal/fault"
)

// BadCase is the code of a stored case that cannot be read.
const BadCase fault.Code = "BAD_STALEMATE"

// JSON gives a case as canonical JSON, for whoever rules on it later.
func (c *Case) JSON() []byte {
	text := func(key, s string) artifact.Entry { return artifact.Entry{Key: key, Value: artifact.Text(s)} }
	positions, log := artifact.List{}, artifact.List{}
	for _, p := range c.Positions {
		entries := []artifact.Entry{text("party", p.Party), text("statement", p.Statement), text("justification", p.Justification), text("delta", p.Delta)}
		if p.Edit != nil {
			entries = append(entries, artifact.Entry{Key: "edit", Value: p.Edit})
		}
		positions = append(positions, artifact.MapOf(entries...))
	}
	for _, line := range c.Log {
		log = append(log, artifact.Text(line))
	}
	return artifact.Canonical(artifact.MapOf(
		text("id", c.ID), text("kind", c.Kind), text("place", c.Place),
		artifact.Entry{Key: "since", Value: artifact.Number(c.Since)}, artifact.Entry{Key: "round", Value: artifact.Number(c.Round)},
		artifact.Entry{Key: "positions", Value: positions}, artifact.Entry{Key: "log", Value: log},
	))
}

// deepest is room for a field's value, and what stands around it.
const deepest = artifact.MaxDepth + 16

// ReadCase reads what JSON wrote; the item is not part of it.
func ReadCase(data []byte) (Case, error) {
	v, err := artifact.ParseValue(data, deepest)
	m, ok := v.(artifact.Map)
	if err != nil || !ok {
		return Case{}, &fault.Error{Code: BadCase, Detail: "a stored stalemate cannot be read", Cause: err}
	}
	number := func(key string) int {
		v, _ := m.Get(key)
		n, _ := v.(artifact.Number)
		return int(n)
	}
	c := Case{ID: optional(m, "id"), Kind: optional(m, "kind"), Place: optional(m, "place"), Since: number("since"), Round: number("round")}
	v, _ = m.Get("positions")
	list, _ := v.(artifact.List)
	for _, e := range list {
		one, _ := e.(artifact.Map)
		p := Position{Party: optional(one, "party"), Statement: optional(one, "statement"), Justification: optional(one, "justification"), Delta: optional(one, "delta")}
		if edit, ok := one.Get("edit"); ok {
			p.Edit, _ = edit.(artifact.Map)
		}
		c.Positions = append(c.Positions, p)
	}
	v, _ = m.Get("log")
	list, _ = v.(artifact.List)
	for _, e := range list {
		line, _ := e.(artifact.Text)
		c.Log = append(c.Log, string(line))
	}
	return c, nil
}
