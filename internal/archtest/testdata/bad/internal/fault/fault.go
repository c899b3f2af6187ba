// Package fault declares the type of codes.
package fault

type Code string

const Good Code = "GOOD_1" // want code

const (
	lower Code = "not_upper" // want code
	dash  Code = "NOT-SNAKE" // want code
	empty Code = ""          // want code
)
