package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// turnLine is a line of a plain transcript that says who speaks: "User: …", "**Q:**", "[assistant]", "### Human",
// "Assistant (BlueLake):".
type turnLine struct {
	at    int
	other bool // not the assistant
}

// The names in plain transcripts, in small letters.
var (
	otherNames = []string{"user", "human", "q", "question", "you", "prompt", "me", "moderator", "interviewer"}
	agentNames = []string{"assistant", "ai", "a", "answer", "bot", "chatbot", "chatgpt", "claude", "gemini", "gpt", "gpt-4", "llm", "ai assistant", "agent"}
)

// readTurn returns who speaks from a line on.
func readTurn(line []byte) (other, ok bool) {
	const longest = 60
	line = bytes.TrimRight(line, " \t\r")
	rest := bytes.TrimLeft(line, "*_#")
	isHeading := len(line) > 0 && line[0] == '#'
	if isHeading {
		if len(rest) == 0 || rest[0] != ' ' {
			return false, false
		}
		rest = bytes.TrimLeft(rest, " *_")
	}
	var name []byte
	switch end := bytes.IndexByte(rest[:min(len(rest), longest)], ':'); {
	case len(rest) == 0:
		return false, false
	case rest[0] == '[':
		end = bytes.IndexByte(rest[:min(len(rest), longest)], ']')
		if end < 0 || len(bytes.Trim(rest[end+1:], ":*_ ")) > 0 && !bytes.HasPrefix(rest[end+1:], []byte(":")) {
			return false, false
		}
		name = rest[1:end]
	case end >= 0:
		name = rest[:end]
	case isHeading || len(rest) < len(line) && bytes.HasSuffix(line, []byte("**")):
		name = rest
	default:
		return false, false
	}
	name = bytes.Trim(name, "*_ ")
	if i := bytes.IndexByte(name, '('); i > 0 && name[len(name)-1] == ')' {
		name = bytes.TrimRight(name[:i], " ")
	}
	name = bytes.TrimRight(name, " 0123456789#.")
	if len(name) == 0 || len(name) > len("ai assistant") {
		return false, false
	}
	low := strings.ToLower(string(name))
	other = slices.Contains(otherNames, low)
	return other, other || slices.Contains(agentNames, low)
}

// hasTurns reports whether lines of a text, in code or not, may be those of a transcript with two speakers.
func hasTurns(src []byte) bool {
	var isSpeaking [2]bool
	for line := range bytes.Lines(bytes.TrimPrefix(src, []byte(byteOrder))) {
		if !mayBeTurn(line) {
			continue
		}
		if other, ok := readTurn(bytes.TrimSuffix(line, []byte("\n"))); ok && other {
			isSpeaking[0] = true
		} else if ok {
			isSpeaking[1] = true
		}
	}
	return isSpeaking[0] && isSpeaking[1]
}

// mayBeTurn reports whether a line begins like one that says who speaks. It is quick: most lines do not.
func mayBeTurn(line []byte) bool {
	switch line[0] {
	case '*', '[', '#':
		return true
	}
	return strings.IndexByte("uhqyptmiacbgl", line[0]|0x20) >= 0 && bytes.IndexByte(line[:min(len(line), 60)], ':') >= 0
}

// turns returns the lines of a text outside code and quotations that say who speaks.
func turns(src []byte, blocks []Block) (all []turnLine) {
	at := 0
	if bytes.HasPrefix(src, []byte(byteOrder)) {
		at = len(byteOrder)
	}
	for at < len(src) {
		for len(blocks) > 0 && (blocks[0].End <= at || !blocks[0].Quoted && (blocks[0].Kind == Prose || blocks[0].Kind == Fenced && (!blocks[0].Closed || blocks[0].Damage != ""))) {
			blocks = blocks[1:]
		}
		if len(blocks) > 0 && blocks[0].Start <= at {
			at = blocks[0].End
			continue
		}
		line, _, _ := bytes.Cut(src[at:], []byte("\n"))
		if len(line) > 0 && mayBeTurn(line) {
			if other, ok := readTurn(line); ok {
				all = append(all, turnLine{at, other})
			}
		}
		at += len(line) + 1
	}
	return all
}

// transcript makes doubtful what is quoted in a plain transcript: all turns but the last, or that one as well if it is not
// the assistant's, or if a line above introduces the transcript, which then ends at a rule, a heading or a title of the
// author's own. Turns behind the author's first change are invented, and in doubt, too; that may be in a turn of the
// assistant with which the reply begins.
func (s *scanner) transcript() {
	lines := turns(s.src, s.blocks)
	isOther := func(t turnLine) bool { return t.other }
	other := slices.IndexFunc(lines, isOther)
	if other < 0 || !slices.ContainsFunc(lines, func(t turnLine) bool { return !t.other }) {
		return
	}
	first, last := lines[0], lines[len(lines)-1]
	doubt := part{from: first.at, to: last.at}
	above := bytes.TrimRight(s.src[:first.at], " \t\r\n*_")
	switch spoken := firstChange(s.src, s.blocks); {
	case spoken < first.at, other > 0 && len(bytes.TrimPrefix(above, []byte(byteOrder))) == 0 && spoken < lines[other].at:
		doubt = part{from: lines[other].at, to: len(s.src)}
	case bytes.HasSuffix(above, []byte(":")) || bytes.HasSuffix(above, []byte("：")):
		doubt.to = last.at + transcriptEnd(s.src[last.at:])
	case last.other:
		doubt.to = len(s.src)
	}
	s.wraps.tags = slices.DeleteFunc(s.wraps.tags, func(t wrapTag) bool {
		i, _ := slices.BinarySearchFunc(lines, t.at+1, func(l turnLine, at int) int { return l.at - at })
		return t.name == turn && i > 0 && t.at < lines[i-1].at+maxMarks
	})
	s.wraps.parts = append(s.wraps.parts, doubt)
}

// transcriptEnd returns where the last turn of a transcript ends.
func transcriptEnd(text []byte) int {
	at := 0
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		low := bytes.TrimLeft(bytes.ToLower(trimmed), "*_ ")
		isRule := len(trimmed) >= 3 && (len(bytes.Trim(trimmed, "-")) == 0 || len(bytes.Trim(trimmed, "*")) == 0 || len(bytes.Trim(trimmed, "=")) == 0)
		isOwn := len(trimmed) > 0 && bytes.HasSuffix(bytes.TrimRight(trimmed, "*_"), []byte(":")) && (bytes.HasPrefix(low, []byte("my ")) || bytes.HasPrefix(low, []byte("i ")) || bytes.HasPrefix(low, []byte("now ")))
		if at > 0 && (isRule || isOwn || len(trimmed) > 0 && trimmed[0] == '#') {
			return at
		}
		at += len(line)
	}
	return at
}
