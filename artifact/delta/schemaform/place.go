package schemaform

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Place returns the line and the column in the reply of a line and a column of the text, all from 1.
func (r *Reply) Place(line, column int) (int, int) {
	if r.lines == nil {
		r.lines, r.starts = starts(r.Text), starts(r.src)
	}
	at := r.source(r.lines[min(max(line, 1), len(r.lines))-1] + max(column, 1) - 1)
	n, ok := slices.BinarySearch(r.starts, at)
	if !ok {
		n--
	}
	return n + 1, at - r.starts[n] + 1
}

// starts returns where the lines of a text begin.
func starts(text []byte) []int {
	all := []int{0}
	for i, c := range text {
		if c == '\n' && i+1 < len(text) {
			all = append(all, i+1)
		}
	}
	return all
}

// source returns the offset in the reply of an offset in the text: that of the next piece for what is in none.
func (r *Reply) source(offset int) int {
	i, _ := slices.BinarySearchFunc(r.pieces, offset, func(p piece, at int) int {
		if p.at+p.n <= at {
			return -1
		}
		return 1
	})
	if i == len(r.pieces) {
		return max(0, len(bytes.TrimRight(r.src, " \t\r\n"))-1)
	}
	p := &r.pieces[i]
	within := max(0, offset-p.at)
	if !p.quoted {
		return p.from + within
	}
	if within < p.last[0] {
		p.last = [2]int{}
	}
	for p.last[0] < within {
		decoded, raw := step(r.src[p.from+p.last[1]:])
		p.last[0], p.last[1] = p.last[0]+decoded, p.last[1]+raw
	}
	return p.from + p.last[1]
}

// step returns how many bytes the next character of a JSON string has, and how it is written.
func step(raw []byte) (decoded, written int) {
	if raw[0] != '\\' || len(raw) < 2 {
		return 1, 1
	}
	if raw[1] != 'u' {
		return 1, 2
	}
	first := escaped(raw)
	if utf16.IsSurrogate(first) {
		if both := utf16.DecodeRune(first, escaped(raw[min(6, len(raw)):])); both != utf8.RuneError {
			return utf8.RuneLen(both), 12
		}
		first = utf8.RuneError
	}
	return utf8.RuneLen(first), 6
}

// escaped returns the character of an escape such as \u00e4.
func escaped(raw []byte) rune {
	if len(raw) < 6 || raw[0] != '\\' {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
