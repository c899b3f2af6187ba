package markdown

import (
	"bytes"
	"slices"

	"brenner/internal/pattern"
)

// result and voice begin the lines of a program above what a tool returned, and above what the model says.
const (
	result = "⎿"
	voice  = "⏺"
)

// mayHaveTraces reports whether a text has one of the words without which no line is a tag that has neither < nor [. The last
// ones are parts of the lines with which programs tell apart what a model thinks, reads and answers.
func mayHaveTraces(text []byte) bool {
	has := func(sign string) bool { return bytes.Contains(text, []byte(sign)) }
	return has("~~") || has(":::") || has("*/}") || has(result) ||
		has(":") && pattern.HasAny(text, "Human:", "User:", "### Instruction:") ||
		has("] ") && pattern.HasAny(text, "] thinking", "] User ", "] user", "] exec", "] bash", "] tool") ||
		pattern.HasAny(text, " succeeded in ", " exited ")
}

// traces reports whether a line is one of a program: above what the model thinks or reads, or above what it
// answers.
func (t *wrapTag) traces(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r")
	begins := func(prefix string) bool { return bytes.HasPrefix(line, []byte(prefix)) }
	switch {
	case begins(voice), string(line) == "codex":
		return true
	case begins(result), begins("exec ") && bytes.HasSuffix(line, []byte(":")) && (bytes.Contains(line, []byte(" succeeded in ")) || bytes.Contains(line, []byte(" exited "))):
		t.opens = true
	case begins("["):
		said := behindTime(line)
		if string(said) == "codex" {
			return true
		}
		t.opens = slices.ContainsFunc([]string{"thinking", "user", "exec", "bash", "tool"}, func(word string) bool { return hasPrefixFold(said, word) })
	}
	t.lone = t.opens
	return t.opens
}

// behindTime returns what follows a time in brackets at the start of a line, or nothing.
func behindTime(line []byte) []byte {
	const form = "[2006-01-02T15:04:05"
	if len(line) < len(form) {
		return nil
	}
	for i := range len(form) {
		if isDigit(form[i]) != isDigit(line[i]) || !isDigit(form[i]) && form[i] != line[i] {
			return nil
		}
	}
	_, said, _ := bytes.Cut(line, []byte("] "))
	return said
}
