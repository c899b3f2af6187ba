package nearjson

import (
	"bytes"
	"slices"
)

// latex are LaTeX commands that begin with the letter of an escape for a tab or a line break, and are not the beginning of a word.
var latex = []string{
	"nabla", "neq", "not", "notin", "nexists", "nleq", "ngeq", "nsubseteq", "nparallel", "nonumber", "norm", "nearrow", "nwarrow", "newline", "newcommand",
	"theta", "tau", "times", "text", "textbf", "textit", "textrm", "texttt", "tanh", "tilde", "triangle", "triangleq", "tfrac", "top", "title", "toprule",
	"rho", "right", "rightarrow", "rangle", "rm", "rceil", "rfloor", "rvert", "ref", "renewcommand",
}

// isLatex reports whether what is behind a backslash is a LaTeX command, and not an escape for a control character. Short
// commands count only before what follows them in a formula. No text has a backspace or a form feed before a word.
func isLatex(rest []byte) bool {
	n := 0
	for n < len(rest) && 'a' <= rest[n]|0x20 && rest[n]|0x20 <= 'z' {
		n++
	}
	if n < 2 {
		return false
	}
	word := string(rest[:n])
	isShort := slices.Contains([]string{"nu", "ne", "ni", "neg", "tan", "to"}, word)
	return rest[0] == 'b' || rest[0] == 'f' || slices.Contains(latex, word) || isShort && n < len(rest) && slices.Contains([]byte(`_^{}$\()`), rest[n])
}

// HasLatex reports whether a text of JSON has a LaTeX command whose backslash is not escaped, so that it would be read as a
// control character.
func HasLatex(text []byte) bool {
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			return false
		}
		if isLatex(text[at+1:]) {
			return true
		}
		text = text[at+2:]
	}
}
