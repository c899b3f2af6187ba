// Package initial works at import.
package initial

func init() {} // want init

type t struct{}

func (t) init() {}
