package artifact

import (
	"bytes"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/markdown"
)

// shown is a part of the body that the file only shows: a code fence, a comment, <pre> and the like.
// Nothing in it is part of the artifact.
type shown struct {
	start, end int // bytes of the body; whole lines
	comment    bool
}

// maxUnclosed bounds how often the rest of a file is scanned again after a block that never ends.
const maxUnclosed = 8

// findShown finds what the body only shows. A block that never ends is a fault, and is read as text.
func (r *mdReader) findShown(body string) {
	src := []byte(body)
	for at, rounds := 0, 0; rounds < maxUnclosed && mayShow(body[at:]); rounds++ {
		at = r.scanShown(src, at)
	}
}

// mayShow reports whether a text may show something. What the writer writes never does.
func mayShow(text string) bool {
	if strings.Contains(text, "```") || strings.Contains(text, "~~~") {
		return true
	}
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 || i+1 == len(text) {
			return false
		}
		text = text[i+1:]
		if c := text[0]; c == '!' || c == '?' || isLetter(c) && !strings.HasPrefix(text, "br>") {
			return true
		}
	}
}

// scanShown scans the body from a line on. It returns where to resume after a block that never ends.
func (r *mdReader) scanShown(src []byte, from int) (next int) {
	for b := range markdown.Blocks(src[from:], markdown.First) {
		start, end := from+b.Start, from+b.End
		switch b.Kind {
		case markdown.Prose:
			r.inlineComments(src, start, end)
			continue
		case markdown.Fenced:
			next = start
			start = lineStart(src, start-1)
			if b.Closed {
				end = lineEnd(src, end)
			}
		case markdown.Verbatim:
			next = lineEnd(src, start)
			b.Closed = endsHTML(src[start:end])
		}
		if !b.Closed && end == len(src) {
			r.problem(UnreadableLines, r.line+bytes.Count(src[:start], []byte("\n"))+1, "", "the code fence, comment or HTML block that begins here never ends")
			return next
		}
		r.shown = append(r.shown, shown{start, end, isComment(src[start:end])})
	}
	return len(src)
}

func isComment(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, "> \t-"), []byte("<!--"))
}

// endsHTML reports whether verbatim HTML has an end.
func endsHTML(text []byte) bool {
	if isComment(text) {
		return bytes.Contains(text, []byte("-->"))
	}
	return bytes.Contains(text, []byte("</")) || bytes.Contains(text, []byte("?>")) || bytes.HasPrefix(text, []byte("<!"))
}

// inlineComments finds the comments that begin within a line of running text and end on another one.
func (r *mdReader) inlineComments(src []byte, at, end int) {
	for {
		i := bytes.Index(src[at:end], []byte("<!--"))
		if i < 0 {
			return
		}
		at += i
		n := bytes.Index(src[at:end], []byte("-->"))
		if n < 0 {
			return
		}
		if first := lineEnd(src, at); first < at+n && (at == 0 || src[at-1] != '\\' && src[at-1] != '`') {
			r.shown = append(r.shown, shown{first, lineEnd(src, at+n), true})
		}
		at += n
	}
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:max(at, 0)], '\n') + 1 }

func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// takeShown keeps text that is only shown, verbatim: a comment apart from the text around it.
func (r *mdReader) takeShown(text string, comment bool) {
	first := r.line + 1
	if comment {
		r.line += strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		r.keepApart(strings.TrimRight(text, "\r\n"), first)
		return
	}
	r.code = true
	for line := range strings.Lines(text) {
		r.line++
		line = strings.TrimRight(line, " \t\r\n")
		if r.list == nil || len(r.list.raw) > 0 || line == "" || !r.valueBelow(line) {
			r.closeList()
			r.keepLine(line)
		}
	}
	r.code = false
}

// keepApart keeps a text of several lines without ending the text or the list around it.
func (r *mdReader) keepApart(text string, line int) {
	if d := r.open; d != nil {
		r.kept(line, "a comment, kept as a text of %s: %s", d.ID, fault.Shown(text))
		d.texts = append(d.texts, text)
		return
	}
	r.kept(line, "a comment, kept in the metadata under %s: %s", otherText, fault.Shown(text))
	r.others = append(r.others, otherEntry(r.item(), text))
}
