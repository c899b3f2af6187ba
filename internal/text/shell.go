package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain are the characters without a special meaning in any shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,@"

// quotes are the characters that end a quoted word in some shell.
const quotes = "'‘’‚‛"

// ShellCommand joins words to a command line. Words that are not plain are single-quoted, which
// every shell keeps literally. It returns false if a word cannot be quoted: it is not printable, or
// contains such a quote, which each shell escapes differently.
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

// CommandToCopy returns a command with words quoted for a shell, or with otherwise if impossible.
func CommandToCopy(command, otherwise string, words ...string) string {
	if quoted, ok := ShellCommand(words...); ok {
		return command + " " + quoted
	}
	return command + " " + otherwise
}
