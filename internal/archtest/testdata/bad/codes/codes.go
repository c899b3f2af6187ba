// Package codes declares a code that exists already, and writes one as text.
package codes

import "bad/internal/fault"

type alias = fault.Code

const Twice fault.Code = "GOOD_1"

const Once alias = "ONCE"

func local() fault.Code {
	const inside fault.Code = "ONCE" // want code
	return inside
}

type report struct{ code fault.Code }

func loose(text string) []report {
	if text == "" {
		return []report{{code: ""}}
	}
	return []report{{code: "LOOSE"}, {code: fault.Code("LOOSE_TOO")}, {code: Once}, {code: fault.Code(text)}} // want code code
}
