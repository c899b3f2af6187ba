package delta

import (
	"bytes"

	"brenner/artifact"
)

// Lines says on which line each row of a file begins, from 1, in the order in which
// ReadFile gives them. It is for files that ReadFile can read.
func Lines(data []byte) []int {
	dec := artifact.NewDecoder(data)
	if dec.PeekKind() == '[' {
		if _, err := dec.ReadToken(); err != nil {
			return nil
		}
	}
	var lines []int
	line, counted := 1, 0
	for {
		if kind := dec.PeekKind(); kind == ']' || kind == 0 {
			return lines
		}
		at := int(dec.InputOffset())
		at += len(data[at:]) - len(bytes.TrimLeft(data[at:], " \t\r\n,"))
		line += bytes.Count(data[counted:at], []byte("\n"))
		lines, counted = append(lines, line), at
		if err := dec.SkipValue(); err != nil {
			return lines
		}
	}
}
