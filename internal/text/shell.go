package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain are the characters that mean only themselves, in every shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,@"

// quotes are what some shell takes for the end of a quoted word.
const quotes = "'‘’‚‛"

// ShellCommand joins a program's words to a command line. Words that are not plain are put
// in single quotes, inside which shells leave everything as it is. It returns false where
// a word cannot be quoted so: it is not printable, or contains such a quote, which each
// shell escapes in its own way.
func ShellCommand(words ...string) (string, bool) {
	out := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && strings.Trim(w, plain) == "":
			out[i] = w
		case !utf8.ValidString(w) || strings.ContainsAny(w, quotes) || strings.ContainsFunc(w, hidden):
			return "", false
		default:
			out[i] = "'" + w + "'"
		}
	}
	return strings.Join(out, " "), true
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }

// CommandToCopy returns a command with words from outside, quoted for a shell. Where they
// cannot be quoted, otherwise stands in their place.
func CommandToCopy(command, otherwise string, words ...string) string {
	if quoted, ok := ShellCommand(words...); ok {
		return command + " " + quoted
	}
	return command + " " + otherwise
}
