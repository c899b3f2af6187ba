package remark

import (
	"bytes"

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
	// attributed matches the beginning of an attribution, and instant what one has besides a name: a time, a year or an address.
	attributed = pattern.New(`^(?:On|Am|Le) `)
	// ruled matches the rule above the header of a message that some mail programs forward.
	ruled        = pattern.New(`(?:^|\n)[_-]{5,}\s*$`)
	ruledHeader  = pattern.New(`[_-]{5,}[ \t]*\r?\n[ \t*_]*(?:From|Von|De) ?:`)
	instant      = pattern.New(`\d:\d\d|\b\d{4}\b|@|\d\.\d`)
	subjectLine  = pattern.New(`(?m)^[ \t*_-]{0,8}(?:Subject|Betreff|Objet) ?:`)
	forwardedEnd = pattern.New(`(?im)^[ \t]*(?:[-=*_–—]{2,}[ \t]*(?:end|ende|fin)\b|end of (?:the )?(?:forwarded|original|quoted) (?:message|letter|mail|reply))[^\n]{0,100}$`)
)

// IsRuled reports whether a text has the header of a message below a rule.
func IsRuled(text []byte) bool { return ruledHeader.Match(text) }

// Forwarded returns where the unmarked message of another author begins that stands below a line in the part of a text between two
// offsets, and where it ends, as a line says or at the end of the text. Without one it returns two zeros.
func Forwarded(text []byte, at, end int, rules Rules) (from, to int) {
	for at < end {
		m := forwarded.FindIndex(text[at:end])
		if m == nil {
			break
		}
		if from = at + m[1]; !isForwarded(text, at+m[0], from, rules) {
			at += max(m[1], 1)
			continue
		}
		if last := forwardedEnd.FindIndex(text[from:]); last != nil {
			return from, from + last[1]
		}
		return from, len(text)
	}
	return 0, 0
}

// isForwarded reports whether unmarked text of another author follows the lines between two offsets. A
// quotation ends by itself, and a header at the beginning is that of the reply.
func isForwarded(text []byte, from, to int, rules Rules) bool {
	author := rules.Author
	lines := bytes.TrimLeft(text[from:to], " \t*_-")
	switch first, _, _ := bytes.Cut(lines, []byte(":")); string(bytes.TrimRight(first, " ")) {
	case "From", "Von", "De":
		before := bytes.TrimLeft(text[:from], " \t\r\n")
		isFirst := !bytes.Contains(before, []byte("\n\n")) && !bytes.Contains(before, []byte("\n\r\n")) // paragraph
		hasMark := subjectLine.Match(text[from:to]) || rules.Seventh && ruled.Match(before)
		return hasMark && (!isFirst || author != "") && !isOwnHeader(lines, isFirst, author)
	}
	if attributed.Match(lines) && !instant.Match(lines) {
		return false
	}
	return !bytes.HasPrefix(bytes.TrimLeft(text[to:], " \t\r\n"), []byte(">"))
}

// isOwnHeader reports whether a header names the author of the reply as its sender, or, at the beginning,
// no other agent.
func isOwnHeader(header []byte, isFirst bool, author string) bool {
	sender, _, _ := bytes.Cut(header, []byte("\n"))
	if author != "" && bytes.Contains(sender, []byte(author)) {
		return true
	}
	return isFirst && !agentName.Match(sender)
}
