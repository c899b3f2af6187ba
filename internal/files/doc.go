// Package files adds to the standard library: bounded reads, atomic writes, locks between
// processes, and file errors with a code and a hint.
package files
