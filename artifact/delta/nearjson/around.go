package nearjson

import (
	"bytes"
	"strings"

	"brenner/internal/markdown"
)

// CodeComment returns where the source-code comment around limit ends, or 0.
func CodeComment(text []byte, limit int) int {
	before := text[:limit]
	if start := bytes.LastIndex(before, []byte("/*")); start >= 0 && !bytes.Contains(before[start+2:], []byte("*/")) {
		if end := bytes.Index(text[limit:], []byte("*/")); end >= 0 {
			return limit + end + len("*/")
		}
		return len(text)
	}
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	if !bytes.Contains(line, []byte("//")) && !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
		return 0
	}
	if end := bytes.IndexByte(text[limit:], '\n'); end >= 0 {
		return limit + end
	}
	return len(text)
}

// Unfinished returns the length of an object, that of its first paragraph if the object has no end:
// what follows may be text.
func Unfinished(object []byte) int {
	object = bytes.TrimRight(object, " \t\r\n")
	if bytes.HasSuffix(object, []byte("}")) {
		return len(object)
	}
	n := 0
	for line := range bytes.Lines(object) {
		if n += len(line); n > len(line) && len(bytes.TrimSpace(line)) == 0 {
			break
		}
	}
	return n
}

// LeadingSpace counts the bytes of white space before the next token.
func LeadingSpace(b []byte) int {
	n := 0
	for n < len(b) && (b[n] == ' ' || b[n] == ',' || b[n] == ':' || b[n] == '\n' || b[n] == '\t' || b[n] == '\r') {
		n++
	}
	return n
}

// IsChatter reports whether the text after the JSON holds nothing that could be part of a delta.
func IsChatter(left []byte) bool {
	return bytes.IndexByte(left, '{') < 0 && bytes.IndexByte(left, '[') < 0 &&
		!bytes.Contains(left, []byte("```")) && !bytes.Contains(left, []byte("~~~"))
}

// CommentAbove returns the comment above the JSON of a fence, without its marks.
func CommentAbove(text []byte) []byte {
	above := text[:max(0, bytes.IndexAny(text, "{["))]
	isOpen := bytes.Count(above, []byte("/*")) > bytes.Count(above, []byte("*/")) // the JSON is in it
	if isOpen || !bytes.HasSuffix(bytes.TrimRight(above, " \t"), []byte("\n")) {
		return nil
	}
	return bytes.Trim(above, " \t\r\n/*#")
}

// CommentsOn returns the comments in a part of a source, in the lines directly above it, and behind it on its last line.
func CommentsOn(src []byte, comments []Span, from, to int) (all []string) {
	for _, c := range comments {
		start, end := int(c.From), int(c.To)
		var isOn bool
		switch {
		case end <= from:
			isOn = !bytes.ContainsAny(src[end:from], "{}") && len(bytes.TrimLeft(src[bytes.LastIndexByte(src[:start], '\n')+1:start], " \t[")) == 0
		case start >= to:
			isOn = len(bytes.Trim(src[to:start], " \t,]")) == 0
		default:
			isOn = true
		}
		if isOn {
			all = append(all, string(bytes.Trim(src[start:end], " \t\r\n/*#")))
		}
	}
	return all
}

// LineAbove returns the comment that is the last line of a text, without its marks. A longer line is that of a program.
func LineAbove(text []byte) string {
	const longest = 1 << 14
	text = bytes.TrimRight(text, " \t\r\n")
	text = text[max(0, len(text)-longest):]
	line := bytes.TrimLeft(text[bytes.LastIndexByte(text, '\n')+1:], " \t")
	if !bytes.HasPrefix(line, []byte("//")) && !bytes.HasPrefix(line, []byte("/*")) {
		return ""
	}
	return string(bytes.Trim(line, " \t\r\n/*"))
}

// InnerFence removes a fence around the JSON inside a ::: block.
func InnerFence(text []byte, base int) ([]byte, int) {
	body := bytes.TrimSpace(text)
	if len(body) == 0 {
		return text, base
	}
	first, rest, ok := bytes.Cut(body, []byte("\n"))
	f, isFence := markdown.OpenFence(bytes.TrimSpace(first))
	end := bytes.LastIndexByte(rest, '\n')
	if !ok || !isFence || end < 0 || !f.ClosedBy(bytes.TrimSpace(rest[end:])) {
		return text, base
	}
	at := bytes.Index(text, body) + len(first) + 1
	return text[at : at+end], base + at
}

// PossibleFence returns false only if a text has no fence with the word delta.
func PossibleFence(text string) bool {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") && !strings.Contains(text, ":::") {
		return false
	}
	const word = "delta"
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}
