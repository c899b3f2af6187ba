package ui

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushStdin discards what was typed and not yet read.
func flushStdin() {
	const input = 1 // FREAD
	_ = unix.IoctlSetPointerInt(int(os.Stdin.Fd()), unix.TIOCFLUSH, input)
}
