package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// htmlKind is the kind of an HTML block: CommonMark's seven kinds, with the last two combined.
type htmlKind int

const (
	htmlNone        htmlKind = iota
	htmlVerbatim             // <pre>, <script>, <style>, <textarea>
	htmlComment              // <!--
	htmlInstruction          // <?
	htmlDeclaration          // <!DOCTYPE
	htmlCDATA                // <![CDATA[
	htmlTag                  // any other tag; ends at a blank line
)

// verbatimTags enclose text that is shown verbatim.
var verbatimTags = []string{"pre", "script", "style", "textarea"}

// blockTags begin an HTML block even within a paragraph.
var blockTags = []string{
	"address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col",
	"colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure",
	"footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html",
	"iframe", "legend", "li", "link", "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option",
	"p", "param", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr",
	"track", "ul",
}

// htmlStart returns the kind of HTML block that begins with rest.
func htmlStart(rest []byte, inParagraph bool) htmlKind {
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return htmlComment
	case bytes.HasPrefix(rest, []byte("<?")):
		return htmlInstruction
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return htmlCDATA
	case len(rest) > 2 && rest[1] == '!' && isLetter(rest[2]):
		return htmlDeclaration
	}
	after, closing := bytes.CutPrefix(rest[1:], []byte("/"))
	n := tagLength(after)
	if n == 0 {
		return htmlNone
	}
	name := strings.ToLower(string(after[:min(n, maxWord)]))
	after = after[n:]
	ends := len(after) == 0 || after[0] == ' ' || after[0] == '\t' || after[0] == '>'
	switch {
	case slices.Contains(verbatimTags, name):
		if ends && !closing {
			return htmlVerbatim
		}
	case (ends || bytes.HasPrefix(after, []byte("/>"))) && slices.Contains(blockTags, name):
		return htmlTag
	case !inParagraph && aloneOnLine(after, closing):
		return htmlTag
	}
	return htmlNone
}

func tagLength(b []byte) int {
	n := 0
	for n < len(b) && (isLetter(b[n]) || (n > 0 && (isDigit(b[n]) || b[n] == '-'))) {
		n++
	}
	return n
}

// aloneOnLine reports whether the attributes of a tag end with > and only space follows.
func aloneOnLine(after []byte, closing bool) bool {
	if len(after) == 0 || (after[0] != '>' && after[0] != '/' && after[0] != ' ' && after[0] != '\t') {
		return false
	}
	if closing {
		after = bytes.TrimLeft(after, " \t")
		return len(after) > 0 && after[0] == '>' && onlySpace(after[1:])
	}
	quote := byte(0)
	for i, c := range after {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<' || c == '`':
			return false
		case c == '>':
			return onlySpace(after[i+1:])
		}
	}
	return false
}

// endsIn reports whether line is the last one of the block.
func (k htmlKind) endsIn(line []byte) bool {
	switch k {
	case htmlVerbatim:
		return slices.ContainsFunc(verbatimTags, func(tag string) bool { return closesTag(line, tag) })
	case htmlComment:
		return bytes.Contains(line, []byte("-->"))
	case htmlInstruction:
		return bytes.Contains(line, []byte("?>"))
	case htmlDeclaration:
		return bytes.IndexByte(line, '>') >= 0
	case htmlCDATA:
		return bytes.Contains(line, []byte("]]>"))
	}
	return false
}

// closesTag reports whether a line contains </tag>, in any case.
func closesTag(line []byte, tag string) bool {
	for {
		i := bytes.Index(line, []byte("</"))
		if i < 0 {
			return false
		}
		line = line[i+2:]
		if len(line) > len(tag) && line[len(tag)] == '>' && strings.EqualFold(string(line[:len(tag)]), tag) {
			return true
		}
	}
}
