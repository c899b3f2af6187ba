package ui

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushStdin discards what was typed and not yet read.
func flushStdin() { _ = unix.IoctlSetInt(int(os.Stdin.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
