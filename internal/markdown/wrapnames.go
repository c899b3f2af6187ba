package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// layoutTags say how text looks, besides blockTags, and nothing about what it is.
var layoutTags = []string{
	"a", "abbr", "b", "bdi", "bdo", "big", "br", "button", "em", "font", "i", "img", "input", "ins", "label", "mark", "picture",
	"small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "note", "info", "tip", "warning", "important",
	"caution", "danger", "success", "text", "data", "root", "xml", "yaml", "add", "edit", "kill", "op", "item", "items", "value", "name",
}

// ownWords are parts of names of tags around an answer, or around the changes in it.
var ownWords = []string{
	"answer", "output", "response", "reply", "final", "delta", "change", "result", "solution", "artifact", "contribution", "update",
	"message", "content", "submission", "report", "summary", "conclusion", "proposal", "proposed", "decision", "action", "operation",
	"section", "target", "payload", "json", "call", "function", "tool", "invoke", "param", "arg", "hypothes", "anomal", "assumption",
	"prediction", "discriminative", "adversarial", "designer", "assistant", "patch", "_of_box", "channel", "im_", "header",
}

// setAsideParts and setAsideWords say that a text is not proposed, or not its author's.
var (
	setAsideParts = []string{
		"example", "sample", "template", "quot", "draft", "reject", "discard", "withdraw", "previous",
		"hypothetical", "alternativ", "scratch", "fewshot", "few_shot", "toolresponse", "tool_response", "toolresult", "tool_result", "tooloutput", "tool_output",
		"functionresult", "function_result", "functionresponse", "function_response",
	}
	setAsideWords = []string{"old", "bad", "wrong", "not", "no", "prior", "before", "hidden", "from", "author", "agent", "by", "user", "human", "original", "wip", "skip", "ignore", "considered"}
)

// isWrapper reports whether a pair of tags with a name and attributes changes nothing: it says how the
// text looks, or that it is an answer.
func isWrapper(name, attributes []byte) bool {
	low := strings.ToLower(string(name))
	has := func(word string) bool { return strings.Contains(low, word) }
	if isSetAside(name) || low != "a" && isSetAside(attributes) || has("think") || has("thought") || has("reason") {
		return false
	}
	return slices.Contains(layoutTags, low) || slices.Contains(blockTags, low) ||
		slices.ContainsFunc(ownWords, has)
}

// reasonNames are names of tags around the reasons for a change. Without its end such a tag reaches as far as its paragraph.
var reasonNames = []string{"rationale", "justification", "explanation", "evidence", "context", "background", "why", "comment", "comments", "discussion", "motivation", "argument", "basis", "critique", "review", "remarks"}

// paragraphEnd returns where the paragraph at the start of a text ends: at a blank line, a heading, or a fence below words.
func paragraphEnd(text []byte) int {
	at, isBegun := 0, false
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		isFence := bytes.HasPrefix(trimmed, []byte("```")) || bytes.HasPrefix(trimmed, []byte("~~~"))
		if at > 0 && (len(trimmed) == 0 || trimmed[0] == '#' || isFence && isBegun) {
			return at
		}
		isBegun = isBegun || len(trimmed) > 0
		at += len(line)
	}
	return at
}

// draftWords are parts of names of what is not final.
var draftWords = []string{"plan", "brainstorm", "working", "think", "thought"}

// isDraft reports whether a name in lower case says that what it names is not final.
func isDraft(name string) bool {
	return holdsPart([]byte(name)) || slices.ContainsFunc(draftWords, func(word string) bool { return strings.Contains(name, word) })
}

// sumsUpDraft reports whether the summary of a details element says that its text is not proposed.
func sumsUpDraft(summary []byte) bool {
	low := strings.ToLower(string(summary))
	return isDraft(low) || slices.ContainsFunc([]string{"reasoning", "earlier", "superseded", "not to be", "do not", "don't"}, func(word string) bool { return strings.Contains(low, word) })
}

// isSetAside reports whether a text says that what it names is not proposed, or not its author's.
func isSetAside(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	low := bytes.ToLower(text)
	if holdsPart(low) {
		return true
	}
	for word := range bytes.FieldsFuncSeq(low, func(c rune) bool { return c < 'a' || 'z' < c && c < 0x80 }) {
		if slices.Contains(setAsideWords, string(word)) {
			return true
		}
	}
	return false
}

func holdsPart(text []byte) bool {
	text = bytes.ToLower(text)
	return slices.ContainsFunc(setAsideParts, func(part string) bool { return bytes.Contains(text, []byte(part)) })
}

// summary returns the summary of a details element, whose content is text.
func summary(text []byte) []byte {
	const open, end = "<summary>", "</summary>"
	text = bytes.TrimLeft(text[:min(len(text), maxTagLength)], " \t\r\n")
	text, ok := bytes.CutPrefix(text, []byte(open))
	if !ok {
		return nil
	}
	text, _, _ = bytes.Cut(text, []byte(end))
	return text
}
