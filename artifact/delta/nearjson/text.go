package nearjson

import (
	"bytes"
	"sort"
	"unicode"
	"unicode/utf8"

	"brenner/internal/pattern"
)

// quoteKind is a family of quotation marks. A string begins and ends with the same family.
type quoteKind int

const (
	quoteNone        quoteKind = iota
	quotePlain                 // "
	quoteSingle                // '
	quoteCurly                 // “ ” „ ‟ « »
	quoteCurlySingle           // ‘ ’ ‚ ‛
)

// QuoteLength returns the length of a quotation mark at the start of b, or 0.
func QuoteLength(b []byte) int {
	_, n := quoteAt(b)
	return n
}

// quoteAt returns the quotation mark at the start of b.
func quoteAt(b []byte) (quoteKind, int) {
	if len(b) == 0 {
		return quoteNone, 0
	}
	switch b[0] {
	case '"':
		return quotePlain, 1
	case '\'':
		return quoteSingle, 1
	case 0xC2: // « and »
		if len(b) > 1 && (b[1] == 0xAB || b[1] == 0xBB) {
			return quoteCurly, 2
		}
	case 0xE2: // U+2018 to U+201F
		if len(b) > 2 && b[1] == 0x80 && b[2] >= 0x98 && b[2] <= 0x9F {
			if b[2] >= 0x9C {
				return quoteCurly, 3
			}
			return quoteCurlySingle, 3
		}
	}
	return quoteNone, 0
}

// copyString copies a string, if one begins here.
func (r *Repairer) copyString(key bool) bool {
	kind, n := quoteAt(r.src[r.pos:])
	if kind == quoteNone {
		return false
	}
	r.comma, r.began = -1, false
	if kind == quotePlain {
		r.plainString()
	} else {
		r.nonstandardString(kind, n, key)
	}
	return true
}

// plainString copies a double-quoted string, escaping only what JSON forbids.
func (r *Repairer) plainString() {
	start := r.pos
	r.Text = append(r.Text, '"')
	r.pos++
	for r.pos < len(r.src) {
		n := plainRun(r.src[r.pos:])
		r.Text = append(r.Text, r.src[r.pos:r.pos+n]...)
		r.pos += n
		if r.pos == len(r.src) {
			break
		}
		if r.src[r.pos] == '"' && r.free && !r.endsText(r.pos+1) {
			r.change(fixQuotation, r.pos)
			r.Text = append(r.Text, '\\', '"')
			r.pos++
			continue
		}
		if r.src[r.pos] == '"' {
			r.Text = append(r.Text, '"')
			r.pos++
			return
		}
		r.special(quoteNone)
	}
	r.pos = len(r.src)
	r.misfit(start, "a text begins here and never ends", `close it with ", and write quotes inside it as \"`)
}

// plainRun counts the bytes up to a quote, a backslash or a control character.
func plainRun(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' || c < 0x20 {
			return i
		}
	}
	return len(b)
}

// nonstandardString copies a string in single or typographic quotes. Such marks also occur inside
// texts (don’t), so one ends the string only where JSON continues. A mark that seems to open another
// quotation makes the end ambiguous and could lose words; such a string is not repaired.
func (r *Repairer) nonstandardString(kind quoteKind, n int, key bool) {
	start := r.pos
	r.change(fixQuotes, start)
	r.Text = append(append(r.Text, "   "[:n-1]...), '"')
	r.pos += n
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		k, n := quoteAt(r.src[r.pos:])
		switch {
		case k == kind && r.endsString(r.pos+n, key):
			r.Text = append(append(r.Text, '"'), "   "[:n-1]...)
			r.pos += n
			return
		case k == kind && !letterBefore(r.src[start:r.pos]):
			r.misfit(r.pos, "a quotation inside a text that stands in such quotes itself",
				`put the text in double quotes, and write quotes inside it as \"`)
			return
		case c == '"':
			r.Text = append(r.Text, '\\', '"')
			r.pos++
		case c == '\\' || c < 0x20:
			r.special(kind)
		default:
			n = max(n, 1)
			r.Text = append(r.Text, r.src[r.pos:r.pos+n]...)
			r.pos += n
		}
	}
	r.misfit(start, "a text begins here and never ends", `texts stand in double quotes: "…"`)
}

func letterBefore(b []byte) bool {
	last, _ := utf8.DecodeLastRune(b)
	return unicode.IsLetter(last) || unicode.IsDigit(last)
}

// endsString reports whether JSON continues at pos as after a string.
func (r *Repairer) endsString(pos int, key bool) bool {
	for pos < len(r.src) && bytes.IndexByte([]byte(" \t\r\n"), r.src[pos]) >= 0 {
		pos++
	}
	switch {
	case pos == len(r.src):
		return !key
	case key:
		return r.src[pos] == ':'
	default:
		return bytes.IndexByte([]byte(",}]"), r.src[pos]) >= 0
	}
}

// special copies a backslash with what follows, or a raw control character.
func (r *Repairer) special(kind quoteKind) {
	c := r.src[r.pos]
	if c != '\\' {
		r.control(c)
		return
	}
	rest := r.src[r.pos+1:]
	if r.Latex && isLatex(r.src, r.pos) || r.Commands && isBesideLatex(r.src, r.pos) {
		r.change(fixLatex, r.pos)
		r.Text = append(r.Text, '\\', '\\')
		r.pos++
		return
	}
	if n := escapeLength(rest); n > 0 {
		r.Text = append(r.Text, r.src[r.pos:r.pos+1+n]...)
		r.pos += 1 + n
		return
	}
	r.change(fixEscape, r.pos)
	if k, n := quoteAt(rest); n > 0 && (k == kind || rest[0] == '\'') {
		r.Text = append(r.Text, rest[:n]...) // \' stands for '
		r.pos += 1 + n
		return
	}
	r.Text = append(r.Text, '\\', '\\') // the backslash is part of the text
	r.pos++
}

// escapeLength returns the length of a JSON escape, without its backslash.
func escapeLength(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	if b[0] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), b[0]) >= 0 {
			return 1
		}
		return 0
	}
	for i := 1; i <= 4; i++ {
		if i == len(b) || (!isDigit(b[i]) && (b[i]|0x20 < 'a' || b[i]|0x20 > 'f')) {
			return 0
		}
	}
	return 5
}

// control escapes a raw control character. \r\n within a text is one line break.
func (r *Repairer) control(c byte) {
	r.change(fixControl, r.pos)
	r.pos++
	switch {
	case c == '\r' && r.pos < len(r.src) && r.src[r.pos] == '\n':
		r.pos++
		r.Text = append(r.Text, `\n`...)
	case c == '\n':
		r.Text = append(r.Text, `\n`...)
	case c == '\r':
		r.Text = append(r.Text, `\r`...)
	case c == '\t':
		r.Text = append(r.Text, `\t`...)
	default:
		const hex = "0123456789abcdef"
		r.Text = append(r.Text, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
}

// Source maps an offset in the repaired text to the source, exactly at the start of a token.
func (r *Repaired) Source(offset int) int {
	behind := sort.Search(len(r.shifts), func(i int) bool { return int(r.shifts[i].out) > offset })
	if behind > 0 {
		s := r.shifts[behind-1]
		offset += int(s.src) - int(s.out)
	}
	return min(max(offset, 0), max(r.End, 0))
}

// nextField matches what follows a text in an object: the next key.
var nextField = pattern.New(`^\s{0,99},\s{0,99}"[a-z_]{1,20}"\s{0,9}:`)

// endsText reports whether the quotation mark before an offset ends a text, as what follows shows.
func (r *Repairer) endsText(pos int) bool {
	rest := r.src[pos:]
	after := bytes.TrimLeft(rest, " \t\r\n")
	if len(after) == 0 || len(r.open) == 0 || r.want == wantKey {
		return true
	}
	inList := r.open[len(r.open)-1] == '['
	switch after[0] {
	case ',':
		next := bytes.TrimLeft(after[1:], " \t\r\n")
		return inList && len(next) > 0 && next[0] == '"' || !inList && nextField.Match(rest[:min(len(rest), 250)])
	case '}', ']':
		if inList != (after[0] == ']') {
			return false
		}
		behind := bytes.TrimLeft(after[1:], " \t\r\n")
		return len(behind) == 0 || bytes.IndexByte([]byte("}],"), behind[0]) >= 0
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
