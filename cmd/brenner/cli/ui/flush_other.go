//go:build !linux && !darwin

package ui

// flushStdin does nothing: keys pressed early are dropped only as far as one read returns them.
func flushStdin() {}
