package roster

import (
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
)

// Block is a roster as it was found in a message.
type Block struct {
	Roster     Roster // the table's columns, mode and name
	Line       int    // of the heading, from 1
	EntryLines []int  // by index as Roster.Entries
}

// ReadBlock finds the first session configuration in a whole message and reads
// it back. It must stand at the top level: what is quoted, fenced or commented
// out is talk about a roster, not a roster. Roles and the mode are not judged
// here; Roster.Validate does that.
func ReadBlock(message string) (Block, error) {
	lines := strings.Split(message, "\n")
	start := findHeading(lines)
	if start < 0 {
		return Block{}, &fault.Error{
			Code: NoBlock, Detail: "the message has no session configuration",
			Hint: "a kickoff has the line \"" + blockHeading + "\" at the start of a line, outside code and quotations",
		}
	}
	b := blockReader{lines: lines, at: start + 1, out: Block{Line: start + 1}}
	if err := b.read(); err != nil {
		return Block{}, err
	}
	return b.out, nil
}

// blockReader walks the lines of a block.
type blockReader struct {
	lines []string
	at    int // the next line, from 0
	out   Block
}

func (b *blockReader) read() error {
	b.skipBlank()
	mode, ok, err := b.labelled(modeLabel)
	if err != nil {
		return err
	}
	if !ok {
		return b.bad("expected \"%s…\"", modeLabel)
	}
	b.out.Roster.Mode = Mode(mode)
	if b.out.Roster.Name, _, err = b.labelled(nameLabel); err != nil {
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
		return b.bad("expected a row of the table, or \"%s\" on a line of its own to end the block", blockEnd)
	}
	return nil
}

// line gives the next line without the spaces and the carriage return that
// transport may leave at its end; past the last line it is empty.
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

// labelled reads "**Label**: text" if that is what stands here.
func (b *blockReader) labelled(label string) (string, bool, error) {
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

// splitRow cuts "| a | b |" at its pipes, except those after a backslash that is
// not itself escaped.
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
