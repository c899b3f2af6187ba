package roster

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/fault"
)

// missingCell stands for a text that is missing.
const missingCell = "-"

// appendCell appends a text as one cell of the table. What it appends stands on
// one line, has no bare pipe, begins and ends with something that is not a
// space, and shows every character that could hide or deceive: so no text can
// end its cell, its row or the block.
func appendCell(dst []byte, text string) []byte {
	switch text {
	case "":
		return append(dst, missingCell...)
	case missingCell:
		return append(dst, `\-`...)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = fmt.Appendf(dst, `\x{%02x}`, text[i])
		case r == '\\' || r == '|':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == ' ' && (i == 0 || i+1 == len(text)), !unicode.IsPrint(r):
			dst = fmt.Appendf(dst, `\u{%x}`, r)
		default:
			dst = append(dst, text[i:i+size]...)
		}
		i += size
	}
	return dst
}

// readCell is the inverse of appendCell. Spaces around the cell are no part of
// it, and an empty cell is a missing one. An escape that appendCell never writes
// is an error: whoever wrote it meant something that nobody can know.
func readCell(cell string) (string, error) {
	cell = strings.Trim(cell, " \t")
	if cell == missingCell {
		return "", nil
	}
	var b strings.Builder
	for cell != "" {
		at := strings.IndexByte(cell, '\\')
		if at < 0 {
			b.WriteString(cell)
			break
		}
		b.WriteString(cell[:at])
		cell = cell[at:]
		n, err := readEscape(&b, cell)
		if err != nil {
			return "", err
		}
		cell = cell[n:]
	}
	return b.String(), nil
}

// readEscape writes what the escape at the start of s stands for, and gives the
// length of the escape.
func readEscape(b *strings.Builder, s string) (int, error) {
	if len(s) < 2 {
		return 0, fmt.Errorf(`a backslash stands at the end of the cell; write \\`)
	}
	switch s[1] {
	case '\\', '|', '-':
		b.WriteByte(s[1])
		return 2, nil
	case 'n':
		b.WriteByte('\n')
		return 2, nil
	case 'r':
		b.WriteByte('\r')
		return 2, nil
	case 't':
		b.WriteByte('\t')
		return 2, nil
	case 'u', 'x':
		return readNumbered(b, s)
	}
	r, _ := utf8.DecodeRuneInString(s[1:])
	return 0, fmt.Errorf(`the escape \%s is unknown; a backslash itself is written \\`, fault.Shown(string(r)))
}

// readNumbered reads \u{…}, a character by its number, and \x{…}, a byte that is
// part of no character.
func readNumbered(b *strings.Builder, s string) (int, error) {
	end := strings.IndexByte(s, '}')
	if end < 0 || !strings.HasPrefix(s[2:], "{") {
		return 0, fmt.Errorf(`the escape \%c is cut off; it is written \%c{…}`, s[1], s[1])
	}
	digits := s[3:end]
	n, err := strconv.ParseUint(digits, 16, 32)
	switch {
	case err != nil:
		return 0, fmt.Errorf(`the escape \%c has no hexadecimal number: %s`, s[1], fault.Shown(digits))
	case s[1] == 'u' && n <= unicode.MaxRune && utf8.ValidRune(rune(n)):
		b.WriteRune(rune(n))
	case s[1] == 'x' && n >= utf8.RuneSelf && n <= 0xff:
		b.WriteByte(byte(n))
	default:
		return 0, fmt.Errorf(`the escape \%c{%s} is out of range`, s[1], digits)
	}
	return end + 1, nil
}
