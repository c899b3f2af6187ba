package delta

import (
	"bytes"

	"brenner/internal/markdown"
	"brenner/internal/pattern"
)

// forwarded matches the lines above another author's message, as mail programs and authors write them: a
// mark, an attribution, or a header.
var forwarded = pattern.New(`(?im)^[ \t]*(?:` +
	`(?:[-=*_~]{2,}|[–—#\[]+)[ \t\[*_]*(?:(?:forwarded|fwd|weitergeleitete?|begin forwarded)(?:[ \t]+(?:message|letter|mail|reply|delta|nachricht|by|from)\b[^\n]{0,100}|[ \t]*[-=*_~\]–—:]*)|` +
	`(?:original|ursprüngliche)[ \t]+(?:message|letter|e?-?mail|nachricht)\b[^\n]{0,100}|message[ \t]+(?:transféré|original|d.origine)[^\n]{0,100})[ \t]*\r?$|` +
	`[*_]{0,2}(?:begin )?forwarded (?:message|letter|mail|reply)[^\n]{0,100}:[ \t*_]*\r?$|[*_#]{0,4}[ \t]*fwd:[^\n]*$|` +
	`[^\n]{0,60}\d:\d\d[^\n]{0,60} wrote:[ \t]*\r?$|` +
	`(?-i:On|Am|Le) [^\n]{0,150}(?:\n[^\n]{0,100})?\b(?:wrote|schrieb[^\n:]{0,80}|a écrit ?):[ \t]*\r?$|` +
	`(?:[-*][ \t]+)?[*_]{0,2}(?-i:From|Von|De) ?:[^\n]*\n(?:[ \t]*(?:[-*][ \t]+)?[*_]{0,2}(?-i:Sent|Date|To|Cc|Subject|Reply-To|Importance|Gesendet|Datum|An|Betreff|Envoyé|À|Objet) ?:[^\n]*\n){1,7})`)

var (
	// dated finds what an attribution has besides a name: a time, a year or an address.
	dated        = pattern.New(`\d:\d\d|\b\d{4}\b|@|\d\.\d`)
	subjectLine  = pattern.New(`(?m)^[ \t*_-]{0,8}(?:Subject|Betreff|Objet) ?:`)
	forwardedEnd = pattern.New(`(?im)^[ \t]*(?:[-=*_–—]{2,}[ \t]*(?:end|ende|fin)\b|end of (?:the )?(?:forwarded|original|quoted) (?:message|letter|mail|reply))[^\n]{0,100}$`)
)

// findForwarded records where another author's message begins in a block of running text, and where
// a line says that it ends.
func (r *reader) findForwarded(b markdown.Block, c clues) {
	if !c.forwarded || r.foreign.to > int32(b.Start) {
		return
	}
	text := r.src[b.Start:b.End]
	for at := 0; at < len(text); {
		m := forwarded.FindIndex(text[at:])
		if m == nil {
			return
		}
		from, to := b.Start+at+m[0], b.Start+at+m[1]
		if r.isForwarded(from, to) {
			r.foreign = span{int32(to), int32(len(r.src))}
			if end := forwardedEnd.FindIndex(r.src[to:]); end != nil {
				r.foreign.to = int32(to + end[1])
			}
			if r.ownEnd == 0 {
				r.ownEnd = to
			}
			return
		}
		at += max(m[1], 1)
	}
}

// isForwarded reports whether unmarked text of another author follows the lines between two offsets. A
// quotation ends by itself, and a header at the beginning is that of the reply.
func (r *reader) isForwarded(from, to int) bool {
	lines := bytes.TrimLeft(r.src[from:to], " \t*_-")
	switch first, _, _ := bytes.Cut(lines, []byte(":")); string(bytes.TrimRight(first, " ")) {
	case "From", "Von", "De":
		before := bytes.TrimLeft(r.src[:from], " \t\r\n")
		isFirst := !bytes.Contains(before, []byte("\n\n")) && !bytes.Contains(before, []byte("\n\r\n")) // paragraph
		return subjectLine.Match(r.src[from:to]) && (!isFirst || r.opt.Author != "") && !r.isOwnHeader(lines, isFirst)
	}
	if hasPrefix(lines, "On ") || hasPrefix(lines, "Am ") || hasPrefix(lines, "Le ") {
		if !dated.Match(lines) {
			return false
		}
	}
	return !bytes.HasPrefix(bytes.TrimLeft(r.src[to:], " \t\r\n"), []byte(">"))
}

// agentName finds a name of the kind that agents have.
var agentName = pattern.New(`\b[A-Z][a-z]+(?:[A-Z][a-z]*)+\d*\b`)

// isOwnHeader reports whether a header names the author of the reply as its sender, or, at the beginning,
// no other agent.
func (r *reader) isOwnHeader(header []byte, isFirst bool) bool {
	sender, _, _ := bytes.Cut(header, []byte("\n"))
	if r.opt.Author != "" && bytes.Contains(sender, []byte(r.opt.Author)) {
		return true
	}
	return isFirst && !agentName.Match(sender)
}

// isForeign reports whether an offset is in the message of another author.
func (r *reader) isForeign(at int) bool { return int(r.foreign.from) <= at && at < int(r.foreign.to) }

// isForwarded reports whether a block is refused because it is in the message of another author.
func (b *Block) isForwarded() bool {
	return len(b.Problems) > 0 && b.Problems[0].Message == fateForwarded.what
}
