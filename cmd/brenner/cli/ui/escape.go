package ui

import "bytes"

// The marks around pasted text.
const pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"

// plainKey returns the first byte of input outside escape sequences and pasted
// text. If there is none, it returns the incomplete sequence at the end, to be read on.
func plainKey(input []byte) (key byte, found bool, rest []byte) {
	for len(input) > 0 {
		if input[0] != escape {
			return input[0], true, nil
		}
		n := sequenceLength(input)
		if n == 0 {
			return 0, false, input
		}
		input = input[n:]
	}
	return 0, false, nil
}

const escape = 0x1b

// sequenceLength returns the length of the escape sequence that input begins with, or 0 if
// its end is missing.
func sequenceLength(input []byte) int {
	if len(input) < 2 {
		return 0
	}
	switch input[1] {
	case '[':
		return controlLength(input)
	case 'O': // a function key
		if len(input) < 3 {
			return 0
		}
		return 3
	case ']', 'P', 'X', '^', '_': // a report of the terminal, up to BEL or ST
		if i := bytes.IndexByte(input, '\a'); i > 0 {
			return i + 1
		}
		if i := bytes.Index(input, []byte("\x1b\\")); i > 0 {
			return i + 2
		}
		return 0
	case escape:
		return 1
	}
	return 2 // a key with Alt
}

// controlLength is sequenceLength for a sequence that begins with ESC [.
func controlLength(input []byte) int {
	const mouseBytes, consoleBytes = 3, 1
	if bytes.HasPrefix(input, []byte(pasteBegin)) {
		if i := bytes.Index(input, []byte(pasteEnd)); i > 0 {
			return i + len(pasteEnd)
		}
		return 0
	}
	end := 2
	for end < len(input) && (input[end] < '@' || input[end] > '~') {
		end++
	}
	more := 1
	if end == 2 && end < len(input) {
		switch input[end] {
		case 'M':
			more += mouseBytes
		case '[':
			more += consoleBytes
		}
	}
	if end+more > len(input) {
		return 0
	}
	return end + more
}
