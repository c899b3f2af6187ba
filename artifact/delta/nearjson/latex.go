package nearjson

import (
	"bytes"
	"slices"
)

// latex are LaTeX commands that begin with the letter of an escape for a tab or a line break, and are not the beginning of a word.
var latex = []string{
	"nabla", "neq", "notin", "nexists", "nleq", "ngeq", "nsubseteq", "nparallel", "nonumber", "nearrow", "nwarrow", "newline", "newcommand",
	"theta", "times", "text", "textbf", "textit", "textrm", "texttt", "tanh", "triangleq", "tfrac", "toprule",
	"rho", "right", "rightarrow", "rangle", "rceil", "rfloor", "rvert", "ref", "renewcommand",
}

// inFormula are LaTeX commands that may also be a tab or a line break before other letters: they count only between dollar signs.
var inFormula = []string{"nu", "ne", "ni", "neg", "not", "norm", "tau", "tan", "to", "top", "tilde", "triangle", "rm"}

// isLatex reports whether a backslash in a text begins a LaTeX command, and not an escape for a control character. No text
// has a backspace or a form feed before a word.
func isLatex(text []byte, at int) bool {
	rest, n := text[at+1:], 0
	for n < len(rest) && 'a' <= rest[n]|0x20 && rest[n]|0x20 <= 'z' {
		n++
	}
	if n < 2 {
		return false
	}
	word := string(rest[:n])
	return rest[0] == 'b' || rest[0] == 'f' || slices.Contains(latex, word) || slices.Contains(inFormula, word) && isInFormula(text[:at])
}

// isInFormula reports whether a text of JSON ends between dollar signs of a string.
func isInFormula(text []byte) bool {
	for at := bytes.LastIndexByte(text, '"'); at > 0; at = bytes.LastIndexByte(text[:at], '"') {
		if text[at-1] != '\\' {
			text = text[at:]
			break
		}
	}
	return bytes.Count(text, []byte("$"))%2 == 1
}

// isBesideLatex reports whether a backslash begins a LaTeX command that may also be an escape, beside another command whose
// backslash is not escaped: the author of the text escapes none. A line break follows the end of a sentence or a line.
func isBesideLatex(text []byte, at int) bool {
	const near = 200
	rest, n := text[at+1:], 0
	for n < len(rest) && 'a' <= rest[n]|0x20 && rest[n]|0x20 <= 'z' {
		n++
	}
	if at == 0 || bytes.IndexByte([]byte(" ({^_=+-*/$"), text[at-1]) < 0 || !slices.Contains(inFormula, string(rest[:n])) {
		return false
	}
	before, after := text[max(0, at-near):at], rest[n:min(len(rest), n+near)]
	before = before[bytes.LastIndexByte(before, '"')+1:]
	after, _, _ = bytes.Cut(after, []byte(`"`))
	return hasCommand(before) || hasCommand(after)
}

// hasCommand reports whether a part of a text of JSON has a LaTeX command that can be no escape.
func hasCommand(text []byte) bool {
	for at := bytes.IndexByte(text, '\\'); at >= 0; {
		rest := text[at+1:]
		if len(rest) > 1 && rest[0] == '\\' {
			rest = rest[1:]
		} else if isLatex(text, at) || len(rest) > 1 && 'a' <= rest[0] && rest[0] <= 'z' && bytes.IndexByte([]byte("bfnrtu"), rest[0]) < 0 && 'a' <= rest[1] && rest[1] <= 'z' {
			return true
		}
		next := bytes.IndexByte(rest, '\\')
		if next < 0 {
			return false
		}
		at = len(text) - len(rest) + next
	}
	return false
}

// HasLatex reports whether a text of JSON has a LaTeX command whose backslash is not escaped, so that it would be read as a
// control character.
func HasLatex(text []byte) bool {
	for at := 0; ; at += 2 {
		next := bytes.IndexByte(text[min(at, len(text)):], '\\')
		if next < 0 {
			return false
		}
		if at += next; isLatex(text, at) {
			return true
		}
	}
}
