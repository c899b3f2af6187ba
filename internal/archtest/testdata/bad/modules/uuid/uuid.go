// Package uuid stands in for the real one.
package uuid

// New returns a random one.
func New() string { return "" }

// NewSHA1 derives one from content.
func NewSHA1() string { return "" }
