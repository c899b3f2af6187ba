package remark

import (
	"bytes"

	"brenner/internal/pattern"
)

var (
	// exampleLead matches a line that calls what follows an example, whatever marks stand between the two.
	exampleLead = pattern.New(`(?i)^(?:(?:here(?:['’]s| is)|this is|just|only|as|for|an?|the|my|another|one|some|worked|short|minimal|small|format|formal|delta|new) )*(?:examples?|samples?|templates?|illustrations?|placeholders?|e\. ?g\.?|eg|format reminder|instance)(?: (?:of the format|delta|block|format|only|output|reply))*(?:(?: ?\([^)]{1,60}\))?[.:,]?$| (?:of|for) (?:an?|the|such|how|what) [^.:]{1,40}:$)|^(?:an?|the|my|such an?) (?:\w+ )?(?:delta|block|change|kill|edit|addition|reply|object|format) (?:looks?|reads?|is written|would look|might look) like(?: this| that)?[.:]$|\((?:do not apply|not a change|not to be applied|example only|for illustration(?: only)?)\)[.:]?$`)
	// glue matches lines between a lead and a change: tags, tables, markers, and titles of a word or two.
	glue = pattern.New("(?i)^(?:<[/\\w -]{1,40}>|<summary>[^<]{0,40}</summary>|\\|[^{}]*\\|?|(?:BEGIN|START)\\b.{0,40}|\\{%[^{}]*%\\}|::: ?\\w*|(?:\\d+[.)]|[-*])?[ \\t]*\\*{0,2}(?:change|delta|block|json|output|reply)(?: \\d)?:?\\*{0,2})$")
	// opener matches the line of a fence.
	opener     = pattern.New("^(?:`{2,}|~{3,}|'{3})[ \\t]*[\\w-]*[ \\t]*$")
	itemFence  = pattern.New("^[ \\t]*(?:[-*+]|\\d{1,2}[.)])[ \\t]+(?:`{3,}|~{3,})")
	pageTags   = pattern.New(`<[/\w -]{1,40}>`)
	speakerTag = pattern.New(`(?i)^(?:assistant|answer|final|output|reply|response)[ \t]*:[ \t]*`)
	// prefixedTag matches a reply that begins with reasoning behind the name of its speaker, and reasonEnd the end of one.
	prefixedTag = pattern.New(`(?i)^\s*[\w ]{1,20}:[ \t]*<(?:think|thinking|thought|reasoning|scratchpad|analysis)>`)
	reasonEnd   = pattern.New(`(?i)</(?:think|thinking|thought|reasoning|scratchpad|analysis)>`)
	callOf      = pattern.New(`^[^"{]*\b\w+\([ \t]*\{|^[ \t]*\w+(?:\.\w+)*\([ \t]*$`)
	language    = pattern.New("(?i)^[ \\t]*(?:`{3,}|~{3,})[ \\t]*(?:js|javascript|jsx|tsx?|typescript|py(?:thon)?3?|go|java|kotlin|ruby|rb|rust|rs|c|cpp|c\\+\\+|cs|csharp|php|swift|lua|perl|r|julia|scala)\\b")
)

// hidden are characters of no width before a mark, which hide it from Markdown.
const hidden = "\u200b\u200c\u200d\ufeff"

// marks are what may stand around the words of a line.
const marks = "*_#|> \t\r\v\f\u00a0\u200b\u200c\u200d\u2028\u2029\u0085\ufeff"

// Shown returns what keeps the change at a line of a reply from being its author's, as far as other rules do not see it: a lead with
// marks between the two, a comment around its fence, a call in code, or reasoning without an end. Lines are those of the reply.
func Shown(lines [][]byte, at int) (why string, ok bool) {
	const reach, most = 60, 6
	if at < 1 || at > len(lines) {
		return "", false
	}
	own := bytes.TrimSpace(lines[at-1])
	if i := bytes.Index(own, []byte("<!--")); i >= 0 && !bytes.Contains(own[i:], []byte("-->")) {
		return "<!--", true
	}
	if bytes.HasPrefix(bytes.TrimLeft(own, hidden), []byte(">")) {
		return ">", true
	}
	i, passed := at-2, 0
	if !opener.Match(own) {
		for i >= max(0, at-reach) && isInObject(bytes.TrimSpace(lines[i])) {
			i--
		}
		if i >= 0 && opener.Match(bytes.TrimSpace(lines[i])) {
			i--
		}
	}
	for ; i >= 0 && passed < most; i-- {
		line := lines[i][bytes.LastIndex(lines[i], []byte("|>"))+1:]
		line = bytes.Trim(pageTags.ReplaceAll(line, nil), marks)
		line = bytes.Trim(speakerTag.ReplaceAll(line, nil), marks)
		switch {
		case exampleLead.Match(line):
			return string(line), true
		case len(line) == 0 || opener.Match(line) || glue.Match(bytes.TrimSpace(lines[i])):
			passed++
		default:
			return "", false
		}
	}
	return "", false
}

// AboveItem returns the line above a change whose fence begins an item of a list, if it leads to it, or nil.
func AboveItem(lines [][]byte, at int) []byte {
	if at < 1 || at > len(lines) || !itemFence.Match(lines[at-1]) {
		return nil
	}
	for i := at - 2; i >= 0; i-- {
		if line := bytes.TrimSpace(lines[i]); len(line) > 0 {
			if line[len(line)-1] != ':' {
				return nil
			}
			return append(bytes.Clone(lines[i]), "\n\n"...)
		}
	}
	return nil
}

// isInObject reports whether a line is inside the JSON before a change of a list.
func isInObject(line []byte) bool {
	return len(line) > 0 && bytes.IndexByte([]byte(`[]{}"`), line[0]) >= 0
}

// InCall reports whether the change at a line is an argument of a call in code.
func InCall(lines [][]byte, at int) bool {
	if at < 1 || at > len(lines) || !callOf.Match(lines[at-1]) && (at < 2 || !callOf.Match(lines[at-2])) {
		return false
	}
	const reach = 400
	for i := at - 2; i >= max(0, at-reach); i-- {
		if line := bytes.TrimSpace(lines[i]); bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")) {
			return language.Match(line)
		}
	}
	return false
}

// OpenReasoning reports whether a reply begins with reasoning behind the name of its speaker that does not end.
func OpenReasoning(text []byte) bool {
	const reach = 200
	return prefixedTag.Match(text[:min(len(text), reach)]) && !reasonEnd.Match(text)
}
