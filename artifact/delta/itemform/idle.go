package itemform

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/pattern"
)

// The titles under which lines are not proposed.
const (
	Busy   = iota // none
	Weighs        // options: only operations in capitals are announced
	Tells         // what was rejected, is planned, or others did
)

// KindOfTitle returns which of the three a title is, or the first row of a table. InTable is whether it is another row of one.
func KindOfTitle(title []byte, isRow, inTable bool) int {
	switch {
	case !mayBeIdle(title):
		return Busy
	case idleTitle.Match(title), isRow && !inTable && ifColumn.Match(title) && !orderColumn.Match(title), !isRow && ifTitle.Match(title):
		return Tells
	case optionTitle.Match(title):
		return Weighs
	}
	return Busy
}

func isLatin(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

var (
	ifTitle     = pattern.New(`(?i)\b(?:outcomes?|decision (?:tree|rule|table)|if|unless|in case|what (?:would|happens))\b`)
	ifColumn    = pattern.New(`(?i)\b(?:outcomes?|consequences?|scenario|results?|if|unless|in case)\b`)
	orderColumn = pattern.New(`(?i)\b(?:operation|op|section|target)\b`)
	optionTitle = pattern.New(`(?i)\b(?:options?|weighed|considered)\b`)
	idleTitle   = pattern.New(`(?i)\b(?:reject|discard|already|withdrawn|declined|not (?:proposed|proposing|done)|no longer|next (?:round|step)|later rounds?|recap|` +
		`(?:last|previous|earlier) round|(?:in|of|from) round \d|round \d+ (?:changes|summary|deltas)|what (?:happened|changed)|history|others? (?:did|proposed|changed))`)
)

// mayBeIdle reports whether a word of a line begins as idleTitle needs it.
func mayBeIdle(line []byte) bool {
	const beginnings = " reje disc cons opti alre weig with decl not  no l next late reca last prev earl in r of r from roun what hist othe outc deci unle in c scen resu "
	for i := 0; i+4 <= len(line); i++ {
		switch {
		case line[i] >= utf8.RuneSelf:
			return true
		case !isLatin(line[i]) || i > 0 && (isLatin(line[i-1]) || '0' <= line[i-1] && line[i-1] <= '9' || line[i-1] == '_'):
			continue
		}
		var word [4]byte
		for j, c := range line[i : i+4] {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			word[j] = c
		}
		if strings.Contains(beginnings, string(word[:])) || string(word[:3]) == "if " {
			return true
		}
	}
	return false
}

// Idleness is what the title above a line, or the line itself, says of it. Of a table, that is its first
// row. A title is read only if a line needs it.
type Idleness struct {
	was     int
	title   []byte // not read yet
	inTable bool   // the title is a row of a table, and not its first one
}

// Below returns the idleness of the next line.
func (i *Idleness) Below(line []byte, inTable bool) Idleness {
	const longest = 200
	trimmed := bytes.TrimSpace(line)
	first, _ := utf8.DecodeRune(trimmed)
	switch {
	case len(trimmed) > longest && unicode.IsLetter(first):
		return Idleness{}
	case len(trimmed) > longest:
		return *i
	case IsTitle(trimmed) || first == '|' && i.Kind() == Busy:
		return Idleness{title: trimmed, inTable: inTable}
	case unicode.IsLetter(first):
		return Idleness{} // running text: a list has ended
	}
	return *i
}

// Kind returns which of the three it is.
func (i *Idleness) Kind() int {
	title, isRow := i.title, len(i.title) > 0 && i.title[0] == '|'
	i.title = nil
	if title != nil {
		i.was = KindOfTitle(title, isRow, i.inTable)
	}
	return i.was
}

// IsTitle reports whether a line is a heading, all bold, or ends in a colon.
func IsTitle(line []byte) bool {
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasSuffix(bytes.TrimRight(line, "*_"), []byte(":")) || bytes.HasPrefix(line, []byte("**")) && bytes.HasSuffix(line, []byte("**"))
}
