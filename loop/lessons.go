package loop

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// longestLesson bounds what one is: a sentence, not an essay.
const longestLesson = 500

// Lessons gives what a reply says in fences that begin with the word lesson. Those
// within a longer fence are only shown, and count for nothing.
func Lessons(reply []byte) []string {
	var all []string
	fence, lesson := 0, false // of the open fence: how many backticks, and what it is
	var text strings.Builder
	for line := range bytes.Lines(reply) {
		line = bytes.TrimSpace(line)
		ticks := len(line) - len(bytes.TrimLeft(line, "`"))
		rest := bytes.TrimSpace(line[ticks:])
		switch {
		case fence == 0 && ticks >= 3:
			fence, lesson = ticks, string(rest) == "lesson"
			text.Reset()
		case fence > 0 && ticks >= fence && len(rest) == 0:
			if words := strings.Join(strings.Fields(text.String()), " "); lesson && words != "" && utf8.ValidString(words) {
				all = append(all, shortened(words))
			}
			fence = 0
		case fence > 0 && lesson && text.Len() <= 4*longestLesson:
			text.Write(line)
			text.WriteByte(' ')
		}
	}
	return all
}

func shortened(text string) string {
	if r := []rune(text); len(r) > longestLesson {
		return string(r[:longestLesson-1]) + "…"
	}
	return text
}
