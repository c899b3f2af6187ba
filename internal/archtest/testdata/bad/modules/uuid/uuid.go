// Package uuid stands in for the real one.
package uuid

// New makes one by chance.
func New() string { return "" }

// NewSHA1 makes one from content.
func NewSHA1() string { return "" }
