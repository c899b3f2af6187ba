package remark

import (
	"bytes"
	"iter"
	"strings"

	"brenner/internal/pattern"
)

const fullColon = "：" // as Chinese text has it

// lowered returns a text in small letters, with plain apostrophes.
func lowered(s string) string { return strings.ToLower(strings.ReplaceAll(s, "’", "'")) }

// sentenceEnd returns where the first sentence of a text ends, before its mark, or -1.
func sentenceEnd(s string) int {
	for i := 0; i+1 < len(s); i++ {
		if s[i+1] == ' ' && isEnd(s[i]) {
			return i
		}
	}
	return -1
}

func isEnd(c byte) bool { return c == '.' || c == '!' || c == '?' || c == ';' }

// sentences returns the sentences of a line, without their marks.
func sentences(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line != "" {
			s, rest := line, ""
			if end := sentenceEnd(line); end >= 0 {
				s, rest = line[:end], line[end+1:]
			}
			if s = strings.TrimSpace(s); s != "" && !yield(s) {
				return
			}
			line = rest
		}
	}
}

// lastEnd returns where the last sentence or clause but one of a line ends, or 0.
func lastEnd(line string) int {
	for i := len(line) - 2; i >= 0; i-- {
		if line[i+1] == ' ' && isEnd(line[i]) {
			return i + 1
		}
	}
	return 0
}

// lastSentence returns the last sentence of a line. Clauses behind a semicolon belong to it.
func lastSentence(line string) string {
	if end := max(strings.LastIndex(line, ". "), strings.LastIndex(line, "! "), strings.LastIndex(line, "? ")); end >= 0 {
		return line[end+2:]
	}
	return line
}

// quoteEnd matches the end of a sentence in quotation marks before another one.
var quoteEnd = pattern.New(`[.!?]["”»] [A-Z]`)

// behindQuote returns what follows the last sentence in quotation marks of a text: He wrote: "Kill it." None objected.
func behindQuote(text string) string {
	if !strings.ContainsAny(text, "\"”»") {
		return text
	}
	all := quoteEnd.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return text
	}
	return text[all[len(all)-1][1]-1:]
}

// paragraph returns the beginning of a text in one line, up to an empty line, a heading, an item of a list or a fence.
// Marks that close a fence may stand before it. It also returns the rest.
func paragraph(text []byte) (line, rest []byte) {
	text = bytes.TrimLeft(text[:min(len(text), maxRemark)], " \t\r\n:`~")
	end := 0
	for line := range bytes.Lines(text) {
		first := bytes.TrimLeft(line, " \t\r\n")
		if end > 0 && (len(first) == 0 || bytes.IndexByte([]byte("#>-+*|`~:{<"), first[0]) >= 0 || number.Match(first)) {
			break
		}
		end += len(line)
		if text[0] == '#' {
			break
		}
	}
	return bytes.ReplaceAll(bytes.TrimRight(text[:end], " \t\r\n"), []byte("\n"), []byte(" ")), text[end:]
}

// lineEnds matches blanks and carriage returns at the end of a line.
var lineEnds = pattern.New(`[ \t\r]+\n`)

// trimLines returns a text without them, so that every blank line ends a paragraph. Rules without oblique sentences keep
// them, and know only empty lines.
func (r Rules) trimLines(text []byte) []byte {
	isTrimmed := !bytes.Contains(text, []byte("\r\n")) && !bytes.Contains(text, []byte(" \n")) && !bytes.Contains(text, []byte("\t\n"))
	if !r.Oblique || isTrimmed {
		return text
	}
	return lineEnds.ReplaceAll(text, []byte("\n"))
}

// isLead reports whether a paragraph ends in a colon.
func isLead(raw []byte) bool {
	raw = bytes.TrimRight(raw, " \t\r*_")
	return bytes.HasSuffix(raw, []byte(":")) || bytes.HasSuffix(raw, []byte(fullColon))
}

// IsEmpty reports whether a text has nothing but the lines of sound fences.
func IsEmpty(text []byte) bool {
	const marks = "`~ \t\r\n-+*>"
	text = bytes.TrimRight(text, marks)
	for bytes.HasSuffix(text, []byte("delta")) {
		text = bytes.TrimRight(text[:len(text)-len("delta")], marks)
	}
	return len(text) == 0
}

// OpeningLine returns where the line begins that opens a fence. What stands before the marks on that line
// belongs to the text before.
func OpeningLine(text []byte, start int) int {
	before := bytes.TrimSuffix(text[:start], []byte("\n"))
	line := bytes.LastIndexByte(before, '\n') + 1
	for i := line; i < len(before); i++ {
		switch c := before[i]; c {
		case '`', '~', '\'', ':', "｀"[0]:
			if c != ':' && c != '\'' || bytes.HasPrefix(before[i+1:], []byte{c, c}) {
				return i
			}
		}
	}
	return line
}

// BeforeStray returns a text without the lines at its end that open a fence for deltas.
func (r Rules) BeforeStray(text []byte, isThird bool) []byte {
	for isThird {
		rest := bytes.TrimRight(text, " \t\r\n")
		line := bytes.TrimLeft(rest[bytes.LastIndexByte(rest, '\n')+1:], " \t")
		word := bytes.TrimLeft(line, "`~")
		if len(line)-len(word) < 3 || !isIn(" delta json ", strings.ToLower(string(word))) {
			break
		}
		text = rest[:len(rest)-len(line)]
	}
	return text
}
