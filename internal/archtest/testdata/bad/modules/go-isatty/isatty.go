// Package isatty stands in for the real one.
package isatty
