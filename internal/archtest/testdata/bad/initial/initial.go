// Package initial has an init function.
package initial

func init() {} // want init

type t struct{}

func (t) init() {}
