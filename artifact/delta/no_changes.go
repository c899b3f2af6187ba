package delta

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"

	"brenner/internal/markdown"
)

// Statement is the line with which an agent says that there is nothing to change.
type Statement struct {
	Line   int
	Reason string // may be empty in sessions of protocol 2
}

// findNoChanges returns the first line NO CHANGES of a text, or nil. Lines in fences, quotations,
// indented code, HTML comments and <think> … </think> do not count, nor, unless allowed, do
// lines without a reason. Without is the first of those, or 0. For the second reader, a line that is all
// of a delta fence counts.
func findNoChanges(text []byte, opt Options) (found *Statement, without int) {
	for b := range markdown.Blocks(text, opt.Reader.Scanner()) {
		line, at := b.Line, b.Start
		switch {
		case !b.Own():
			continue
		case b.Kind == markdown.Prose:
		case b.Kind == markdown.Fenced && opt.Reader != FirstReader && isDeltaFence(b.Fence) && !NotMeant(b.Fence) && saysNoChanges(text[b.Start:b.End], opt.Reader):
			line++ // that of the fence
		default:
			continue
		}
		for this := range bytes.Lines(text[b.Start:b.End]) {
			if reason, ok := noChanges(string(this), opt.Reader); ok && !(opt.Reader == FirstReader && inThought(text, at)) {
				if opt.BareNoChanges || isReason(reason) {
					return &Statement{Line: line, Reason: reason}, 0
				}
				without = cmp.Or(without, line)
			}
			line, at = line+1, at+len(this)
		}
	}
	return nil, without
}

// saysNoChanges reports whether a line NO CHANGES is all of a text.
func saysNoChanges(text []byte, version Reader) bool {
	text = bytes.TrimSpace(text)
	if bytes.IndexByte(text, '\n') >= 0 {
		return false
	}
	_, ok := noChanges(string(text), version)
	return ok
}

// isReason reports whether a text says something. The form "NO CHANGES: reason" itself does not.
func isReason(text string) bool {
	words := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return words != "" && !strings.EqualFold(words, "reason")
}

// inThought reports whether the text at an offset is between <think> and </think>, which is all that
// the first version knows about reasoning.
func inThought(text []byte, at int) bool {
	opened, closed := bytes.LastIndex(text[:at], []byte("<think>")), bytes.LastIndex(text[:at], []byte("</think>"))
	return opened > closed && bytes.Contains(text[at:], []byte("</think>"))
}

// noChanges returns the reason in a line "NO CHANGES: reason". Emphasis and code marks around the
// words, or around all of it, are ignored; the second reader ignores marks of lists and headings, too.
func noChanges(line string, version Reader) (reason string, ok bool) {
	const marks = "*_`"
	if version != FirstReader {
		line = strings.ReplaceAll(strings.TrimLeft(line, " \t\u00a0#-+•"), "\u00a0", " ")
		if rest, isItem := strings.CutPrefix(line, "* "); isItem {
			line = rest
		}
	}
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, marks)
	opening := line[:len(line)-len(rest)]
	for _, word := range []string{"no", "changes"} {
		if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
			return "", false
		}
		after := strings.TrimLeft(rest[len(word):], " \t")
		if word == "no" && len(after) == len(rest)-len(word) {
			return "", false // one word
		}
		rest = after
	}
	rest, closed := strings.CutPrefix(rest, opening)
	rest = strings.TrimLeft(rest, " \t")
	colons := []string{":", "："}
	if version != FirstReader {
		colons = append(colons, "–", "—", "- ")
	}
	for _, colon := range colons {
		if after, found := strings.CutPrefix(rest, colon); found {
			if inner, whole := strings.CutPrefix(after, opening); !closed && whole {
				after = inner
			} else if !closed {
				after = strings.TrimSuffix(after, opening)
			}
			return strings.TrimSpace(after), true
		}
	}
	return "", rest == "" || rest == "." && version != FirstReader
}
