// Package term stands in for the real one.
package term
