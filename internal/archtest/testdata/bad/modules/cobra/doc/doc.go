// Package doc stands in for the real one.
package doc
