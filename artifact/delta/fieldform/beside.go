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
	var found []Member
	holder := ""
	for i, m := range extras {
		section, isKind := synonyms.Section(m.Name)
		inner, hasFields := e.members(m.Value, m.At)
		hasFields = hasFields && (is(wraps, m.Name) || is(later, m.Name) || isKind && section == spec.Section)
		if isOld := is(prior, m.Name); !hasFields && !isOld && !is(later, m.Name) && !is(which, m.Name) {
			continue
		}
		if hasFields && !isEdit && holder == "" {
			found = inner
		}
		if hasFields {
			holder = m.Name
		}
		taken = append(taken, i)
	}
	of := func(list []Member) (all []Member) {
		for _, i := range taken {
			all = append(all, list[i])
		}
		return all
	}
	together := slices.Concat(payload, of(extras))
	switch _, isSet := e.set(together); {
	case len(taken) == 0:
		return nil, nil, ""
	case isEdit && isSet:
		return together, taken, ""
	case len(payload) > 0 && holder != "":
		return nil, nil, "the delta has a payload and, beside it, fields in " + shown(holder) + ": which are meant is open"
	case len(payload) > 0 || holder == "":
		return nil, nil, ""
	case isEdit:
		return together, taken, ""
	case len(taken) > 1:
		return nil, nil, ""
	}
	return found, taken, ""
}
