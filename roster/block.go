package roster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/internal/markdown"
)

// The fixed lines of the block, as the specification's serialisation section prescribes.
const (
	// BlockHeading is the first line.
	BlockHeading   = "## Session Configuration"
	modeLabel      = "**Roster Mode**: "
	nameLabel      = "**Roster Name**: "
	tableHeader    = "| Agent | Role | Program | Model |"
	tableDelimiter = "|-------|------|---------|-------|"
	blockEnd       = "---"
)

// AppendBlock appends the kickoff's block that lists the participants, from its heading to its
// closing rule and newline. A missing name has no line. Notes and the creation time are omitted.
func AppendBlock(dst []byte, r Roster) []byte {
	dst = append(dst, BlockHeading+"\n\n"+modeLabel...)
	dst = append(appendCell(dst, string(r.Mode.OrDefault())), '\n')
	if r.Name != "" {
		dst = append(dst, nameLabel...)
		dst = append(appendCell(dst, r.Name), '\n')
	}
	dst = append(dst, "\n"+tableHeader+"\n"+tableDelimiter+"\n"...)
	for _, e := range r.Entries {
		for _, cell := range []string{e.Agent, string(e.Role), e.Program, e.Model} {
			dst = append(appendCell(append(dst, "| "...), cell), ' ')
		}
		dst = append(dst, "|\n"...)
	}
	return append(dst, "\n"+blockEnd+"\n"...)
}

// Block returns the block as a string.
func (r Roster) Block() string { return string(AppendBlock(nil, r)) }

// Block is a roster as found in a message.
type Block struct {
	Roster     Roster // the table's columns, mode and name
	Line       int    // of the heading, from 1
	EntryLines []int  // by index as Roster.Entries
}

// ReadBlock reads the first session configuration at the top level of a message: a quoted, fenced
// or commented block is not a roster. It does not check roles and mode; see Roster.Validate.
func ReadBlock(message string) (Block, error) {
	start := FindBlock(message)
	if start == 0 {
		return Block{}, &fault.Error{
			Code: NoBlock, Detail: "the message has no session configuration",
			Hint: "a kickoff has the line \"" + BlockHeading + "\" at the start of a line, outside code and quotations",
		}
	}
	b := blockReader{lines: strings.Split(message, "\n"), at: start, out: Block{Line: start}}
	if err := b.read(); err != nil {
		return Block{}, err
	}
	return b.out, nil
}

type blockReader struct {
	lines []string
	at    int // the next line, from 0
	out   Block
}

func (b *blockReader) read() error {
	b.skipBlank()
	mode, ok, err := b.readLabel(modeLabel)
	if err != nil {
		return err
	}
	if !ok {
		return b.bad("expected \"%s…\"", modeLabel)
	}
	b.out.Roster.Mode = Mode(mode)
	if b.out.Roster.Name, _, err = b.readLabel(nameLabel); err != nil {
		return err
	}
	b.skipBlank()
	if err := b.header(); err != nil {
		return err
	}
	for b.at < len(b.lines) && strings.HasPrefix(b.lines[b.at], "|") {
		if err := b.row(); err != nil {
			return err
		}
	}
	b.skipBlank()
	if b.line() != blockEnd {
		return b.bad("expected a row of the table, or \"%s\" on its own line to end the block", blockEnd)
	}
	return nil
}

// line returns the next line without trailing spaces and carriage return, or "" past the last line.
func (b *blockReader) line() string {
	if b.at >= len(b.lines) {
		return ""
	}
	return strings.TrimRight(b.lines[b.at], " \t\r")
}

func (b *blockReader) skipBlank() {
	for b.at < len(b.lines) && b.line() == "" {
		b.at++
	}
}

func (b *blockReader) bad(format string, args ...any) error {
	found := ", but the message ends"
	if b.at < len(b.lines) {
		found = ", found " + fault.Shown(b.line())
	}
	return &fault.Error{
		Code: BadBlock, Op: "read session configuration", Line: min(b.at+1, len(b.lines)),
		Detail: fmt.Sprintf(format, args...) + found,
		Hint:   "the block must be as kickoff compose writes it; it is not meant to be edited by hand",
	}
}

// readLabel reads "**Label**: text" if the next line has that form.
func (b *blockReader) readLabel(label string) (string, bool, error) {
	rest, ok := strings.CutPrefix(b.line()+" ", label)
	if !ok {
		return "", false, nil
	}
	text, err := readCell(rest)
	if err != nil {
		return "", true, b.bad("%s", err)
	}
	b.at++
	return text, true, nil
}

func (b *blockReader) header() error {
	cells, ok := splitRow(b.line())
	if !ok || !slices.EqualFunc(cells, []string{"Agent", "Role", "Program", "Model"}, sameCell) {
		return b.bad("expected the table's header \"%s\"", tableHeader)
	}
	b.at++
	cells, ok = splitRow(b.line())
	if !ok || len(cells) != 4 || slices.ContainsFunc(cells, notDashes) {
		return b.bad("expected \"%s\" below the table's header", tableDelimiter)
	}
	b.at++
	return nil
}

func sameCell(cell, want string) bool { return strings.Trim(cell, " \t") == want }

func notDashes(cell string) bool {
	cell = strings.Trim(cell, " \t")
	return cell == "" || strings.Trim(cell, "-") != ""
}

func (b *blockReader) row() error {
	cells, ok := splitRow(b.line())
	if !ok {
		return b.bad("the row does not end with a pipe")
	}
	if len(cells) != 4 {
		return b.bad("the row has %d cells instead of 4 (a pipe within a cell is written \\|)", len(cells))
	}
	texts := make([]string, len(cells))
	for i, cell := range cells {
		text, err := readCell(cell)
		if err != nil {
			return b.bad("cell %d: %s", i+1, err)
		}
		texts[i] = text
	}
	b.out.Roster.Entries = append(b.out.Roster.Entries,
		Entry{Agent: texts[0], Role: Role(texts[1]), Program: texts[2], Model: texts[3]})
	b.out.EntryLines = append(b.out.EntryLines, b.at+1)
	b.at++
	return nil
}

// splitRow splits "| a | b |" at its unescaped pipes.
func splitRow(line string) ([]string, bool) {
	rest, ok := strings.CutPrefix(line, "|")
	if !ok {
		return nil, false
	}
	var cells []string
	begin := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, rest[begin:i])
			begin = i + 1
		}
	}
	return cells, begin == len(rest) && len(cells) > 0
}

// missingCell represents a missing value.
const missingCell = "-"

// appendCell appends a text as one cell of the table. The result is one line without a bare pipe,
// does not begin or end with a space, and escapes every invisible or deceptive character, so that
// no text can end its cell, its row or the block.
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

// readCell is the inverse of appendCell. Surrounding spaces are ignored, and an empty cell is a
// missing value. An escape that appendCell never writes is an error, because its meaning is unknown.
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

// readEscape appends the character of the escape at the start of s, and returns its length.
func readEscape(b *strings.Builder, s string) (int, error) {
	if len(s) < 2 {
		return 0, fmt.Errorf(`backslash at the end of the cell; write \\`)
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
	return 0, fmt.Errorf(`unknown escape \%s; write a backslash as \\`, fault.Shown(string(r)))
}

// readNumbered reads \u{…}, a code point, and \x{…}, a byte that is not part of a character.
func readNumbered(b *strings.Builder, s string) (int, error) {
	end := strings.IndexByte(s, '}')
	if end < 0 || !strings.HasPrefix(s[2:], "{") {
		return 0, fmt.Errorf(`incomplete escape \%c; write it as \%c{…}`, s[1], s[1])
	}
	digits := s[3:end]
	n, err := strconv.ParseUint(digits, 16, 32)
	switch {
	case err != nil:
		return 0, fmt.Errorf(`escape \%c: not a hexadecimal number: %s`, s[1], fault.Shown(digits))
	case s[1] == 'u' && n <= unicode.MaxRune && utf8.ValidRune(rune(n)):
		b.WriteRune(rune(n))
	case s[1] == 'x' && n >= utf8.RuneSelf && n <= 0xff:
		b.WriteByte(byte(n))
	default:
		return 0, fmt.Errorf(`escape \%c{%s} out of range`, s[1], digits)
	}
	return end + 1, nil
}

// FindBlock returns the number of the first line that is the block's heading at the top level, or
// 0. Quoted and listed lines do not begin at the line's start.
func FindBlock(message string) int {
	for b := range markdown.Blocks([]byte(message), markdown.First) {
		if b.Kind != markdown.Prose {
			continue
		}
		number := b.Line
		for line := range strings.Lines(message[b.Start:b.End]) {
			if strings.TrimRight(line, " \t\r\n") == BlockHeading {
				return number
			}
			number++
		}
	}
	return 0
}
