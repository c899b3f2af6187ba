package fieldform

import (
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
)

// Beside tells which keys beside an operation hold fields of its payload, and what has to be asked if they contradict it, or "". The
// payload is returned with them: an object with fields under another name ({"changes": {"claim": …}}), or a description of what
// changes ({"field": "claim", "value": …}), a part of which may be in the payload.
func Beside(spec *artifact.SectionSpec, target string, isEdit bool, payload, extras []Member) (all []Member, taken []int, ask string) {
	e := &edit{spec: spec, target: target}
	taken, holders, inner := e.beside(extras)
	if len(taken) == 0 {
		return nil, nil, ""
	}
	all = slices.Clone(payload)
	for _, i := range taken {
		all = append(all, extras[i])
	}
	_, isSet := e.set(all)
	switch {
	case isEdit && isSet:
		return all, taken, ""
	case len(holders) > 0 && len(payload) > 0:
		return nil, nil, "the delta has a payload and, beside it, fields in " + shown(holders[0]) + ": which are meant is open"
	case len(holders) > 0 && isEdit:
		return all, taken, ""
	case len(holders) == 1 && len(taken) == 1:
		return inner, taken, ""
	}
	return nil, nil, ""
}

// beside returns which keys may hold fields or describe a change, the names of those that hold fields, and the fields in the last one.
func (e *edit) beside(extras []Member) (taken []int, holders []string, inner []Member) {
	for i, m := range extras {
		section, isKind := synonyms.Section(m.Name)
		fields, hasFields := e.members(m.Value, m.At)
		if hasFields && (is(wraps, m.Name) || is(later, m.Name) || isKind && section == e.spec.Section) {
			taken, holders, inner = append(taken, i), append(holders, m.Name), fields
		} else if is(prior, m.Name) || is(later, m.Name) || is(which, m.Name) {
			taken = append(taken, i)
		}
	}
	return taken, holders, inner
}
