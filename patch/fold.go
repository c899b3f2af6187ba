package patch

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a normalized text with a mapping to the original.
type folded struct {
	text string
	from []int // start of a stretch in text
	to   []int // its start in the original
	orig string
}

// fold makes look-alikes equal: composed and decomposed characters, kinds of spaces, quotes and
// dashes. It drops zero-width characters and, if bare is set, whitespace.
func fold(s string, bare bool) *folded {
	f := &folded{orig: s}
	var b strings.Builder
	b.Grow(len(s))
	mark := func(at int) {
		f.from, f.to = append(f.from, b.Len()), append(f.to, at)
	}
	jumped := true
	for i := 0; i < len(s); {
		if n := plain(s[i:], bare); n > 0 { // the bulk of a text, in one step
			if jumped {
				mark(i)
			}
			jumped = false
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		n, out := segment(s[i:])
		for _, r := range out {
			if zeroWidth(r) || bare && unicode.IsSpace(r) {
				jumped = true
				continue
			}
			if jumped || n > 1 {
				mark(i)
			}
			jumped = n > 1 // only plain characters map one to one
			if r < utf8.RuneSelf {
				b.WriteByte(byte(r))
			} else {
				b.WriteString(lookAlike(r))
			}
		}
		i += n
	}
	f.text = b.String()
	return f
}

// plain returns how many leading bytes map to themselves, whatever follows: ASCII before ASCII,
// without whitespace if bare is set.
func plain(s string, bare bool) int {
	n := 0
	for n < len(s) && s[n] < utf8.RuneSelf && (!bare || s[n] > ' ' || !unicode.IsSpace(rune(s[n]))) {
		n++
	}
	if n > 0 && n < len(s) && s[n] >= utf8.RuneSelf {
		n-- // the next character may combine with it
	}
	return n
}

// segment returns the length of the first character with combining marks, and its composed form.
func segment(s string) (int, string) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, s[:1]
	}
	n := norm.NFC.NextBoundaryInString(s, true)
	if n <= 0 {
		n = len(s)
	}
	return n, norm.NFC.String(s[:n])
}

// original maps a range of the folded text to the original.
func (f *folded) original(start, end int) (from, to int) {
	from, to = f.place(start), len(f.orig)
	if end < len(f.text) {
		to = f.place(end)
	}
	return from, max(from, to)
}

// place returns the start of the original character that a byte came from.
func (f *folded) place(offset int) int {
	i := sort.SearchInts(f.from, offset+1) - 1
	at := min(f.to[i]+offset-f.from[i], len(f.orig))
	for at > 0 && at < len(f.orig) && !utf8.RuneStart(f.orig[at]) {
		at--
	}
	return at
}

func withoutSpace(s string) *folded {
	f := &folded{orig: s}
	var b strings.Builder
	b.Grow(len(s))
	jumped := true
	for i, r := range s {
		if unicode.IsSpace(r) {
			jumped = true
			continue
		}
		if jumped {
			f.from, f.to = append(f.from, b.Len()), append(f.to, i)
		}
		jumped = false
		b.WriteRune(r)
	}
	f.text = b.String()
	return f
}

// ending returns where in the original the last character before an offset ends.
func (f *folded) ending(offset int) int {
	_, size := utf8.DecodeLastRuneInString(f.text[:offset])
	return f.place(offset-size) + size
}

func (f *folded) find(word string) (from, to int, ok bool) {
	at := strings.Index(f.text, word)
	if word == "" || at < 0 {
		return 0, 0, false
	}
	from, to = f.original(at, at+len(word))
	return from, to, true
}

// zeroWidth reports whether a character has no width and is not a combining mark.
func zeroWidth(r rune) bool {
	switch r {
	case '\u00ad', '\u034f', '\u061c', '\u180e', '\ufeff', '\u2060', '\u2061', '\u2062', '\u2063', '\u2064':
		return true
	}
	return r >= '\u200b' && r <= '\u200f' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' ||
		r >= '\ufe00' && r <= '\ufe0f'
}

// lookAlike returns the plain text that a non-ASCII character looks like.
func lookAlike(r rune) string {
	switch {
	case r == '\u0085' || r == '\u2028' || r == '\u2029':
		return "\n"
	case unicode.IsSpace(r):
		return " "
	}
	switch r {
	case '‘', '’', '‚', '‛', '′', '´', 'ʼ', '＇':
		return "'"
	case '“', '”', '„', '‟', '″', '«', '»', '＂':
		return `"`
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹣', '－':
		return "-"
	case '…':
		return "..."
	}
	return string(r)
}

var names = map[rune]string{
	' ':      "space",
	'\t':     "tab",
	'\n':     "line end",
	'\u00a0': "no-break space",
	'\u00ad': "soft hyphen",
	'\u200b': "zero width space",
	'\u200c': "zero width non-joiner",
	'\u200d': "zero width joiner",
	'\u200e': "left-to-right mark",
	'\u200f': "right-to-left mark",
	'\u2060': "word joiner",
	'\u202f': "narrow no-break space",
	'\u2009': "thin space",
	'\u3000': "ideographic space",
	'\'':     "apostrophe",
	'"':      "quotation mark",
	'-':      "hyphen-minus",
	'‐':      "hyphen",
	'‑':      "non-breaking hyphen",
	'–':      "en dash",
	'—':      "em dash",
	'−':      "minus sign",
	'…':      "ellipsis",
}

func nameOf(r rune) string {
	name, ok := names[r]
	switch {
	case ok:
		return name
	case strings.ContainsRune("‘’“”„‚«»‛‟", r):
		return "typographic quotation mark"
	case zeroWidth(r):
		return "invisible character"
	case unicode.Is(unicode.Mn, r):
		return "combining mark"
	case unicode.IsSpace(r):
		return "space character"
	}
	return ""
}
