package artifact

import (
	"errors"
)

// fieldValue reads a field: a conflict may be the whole of it, or stand behind
// one key of a map.
func fieldValue(v Value) (Value, error) {
	m, ok := v.(Map)
	if !ok {
		return v, CheckValue(v)
	}
	if _, ok := m.Get(ConflictKey); ok {
		return cellValue(m)
	}
	out := make(Map, len(m))
	for i, e := range m {
		cell, err := cellValue(e.Value)
		if err != nil {
			return nil, err
		}
		out[i] = Entry{e.Key, cell}
	}
	return out, nil
}

func cellValue(v Value) (Value, error) {
	m, ok := v.(Map)
	if !ok {
		return v, CheckValue(v)
	}
	candidates, ok := m.Get(ConflictKey)
	if !ok {
		return v, CheckValue(v)
	}
	list, ok := candidates.(List)
	if !ok || len(m) != 1 || len(list) < 2 {
		return nil, errors.New("a conflict has no list of two or more candidates")
	}
	c := make(Conflict, len(list))
	for i, v := range list {
		m, _ := v.(Map)
		agent, okAgent := get[Text](m, "agent")
		delta, okDelta := get[Text](m, "delta_id")
		value, okValue := m.Get("value")
		if !okAgent || !okDelta || !okValue || len(m) != 3 {
			return nil, errors.New("a candidate of a conflict is not {agent, delta_id, value}")
		}
		if err := CheckValue(value); err != nil {
			return nil, err
		}
		c[i] = Candidate{Agent: string(agent), Delta: string(delta), Value: value}
	}
	return c, nil
}

// CheckValue finds what plain JSON must not hold: an object that poses as a
// conflict.
func CheckValue(v Value) error {
	switch v := v.(type) {
	case List:
		for _, e := range v {
			if err := CheckValue(e); err != nil {
				return err
			}
		}
	case Map:
		for _, e := range v {
			if e.Key == ConflictKey {
				return &BadValue{Reason: "the key " + ConflictKey + " is reserved"}
			}
			if err := CheckValue(e.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
