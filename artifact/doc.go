// Package artifact is the research artifact as a value: one section table, items
// with fields of closed kinds, stamps that say who wrote what, and two forms on
// paper. Canonical JSON is complete; Markdown is for people and carries all
// content but the stamps, and both read back to what was written.
//
// The package is pure. It knows nothing of deltas, of merging or of agents.
package artifact
