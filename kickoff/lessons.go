package kickoff

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/markdown"
)

// LessonFence is the word of the fences in which agents say what they have learned.
const LessonFence = "lesson"

// aboutMemory is what a message says of what earlier sessions have learned.
func (in *Input) aboutMemory() string {
	const about = "What earlier sessions of this project have learned, each with its id. It may be wrong here."
	if !in.Learns {
		return about
	}
	return about + " Where you rely on one, cite its id in brackets, as it stands here.\n\n" + in.aboutLessons()
}

// aboutLessons says how the lessons are read that the template asks for. How many they
// may be is the template's to say.
func (in *Input) aboutLessons() string {
	if !in.Learns {
		return ""
	}
	return "What you say in a fence with the word `" + LessonFence + "` (see Lessons, below) may reach later sessions. A line that\n" +
		"begins with `helpful:`, `harmful:` or `neutral:` is a lesson of that kind; a fence without such a line is one\n" +
		"lesson of what helps. Say nothing where there is nothing to say."
}

// Lesson is something that an agent says it has learned.
type Lesson struct {
	Kind string // helpful, harmful or neutral
	Text string // one line
}

// ReadLesson finds the lesson in a reply: in a fence with the word lesson, the line that
// says of which kind it is, or else all of it as one that helps. Of several the first
// counts, since one is what the templates ask for. A lesson that is quoted, commented out,
// indented as code or within another fence is only shown, as a delta is there.
// What is none is passed over; a reply is hostile until proved otherwise, and nothing
// depends on this.
func ReadLesson(reply string) (Lesson, bool) {
	text := []byte(strings.ToValidUTF8(reply, "\ufffd"))
	for b := range markdown.Blocks(text) {
		if b.Kind != markdown.Fenced || b.Quoted || string(bytes.TrimSpace(b.Fence.Info)) != LessonFence {
			continue
		}
		if l, ok := readFence(string(text[b.Start:b.End])); ok {
			return l, true
		}
	}
	return Lesson{}, false
}

// readFence reads the text of one fence.
func readFence(text string) (Lesson, bool) {
	for line := range strings.Lines(text) {
		if l, ok := readLesson(strings.TrimSpace(line)); ok {
			return l, true
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	return Lesson{"helpful", text}, text != ""
}

func readLesson(line string) (Lesson, bool) {
	line = strings.TrimSpace(strings.TrimPrefix(line, "- "))
	kind, text, ok := strings.Cut(line, ":")
	kind, text = strings.ToLower(strings.TrimSpace(kind)), strings.TrimSpace(text)
	switch kind {
	case "helpful", "harmful", "neutral":
		return Lesson{kind, text}, ok && text != ""
	}
	return Lesson{}, false
}

// Cited gives those of the ids that a reply names: in brackets, or, where they have the
// form of our own, anywhere as a word. An id of another tool may be any word.
func Cited(reply string, ids []string) []string {
	var all []string
	for _, id := range ids {
		if strings.Contains(reply, "["+id+"]") || isOwn(id) && hasWord(reply, id) {
			all = append(all, id)
		}
	}
	return all
}

// isOwn tells ids such as pb-00012.
func isOwn(id string) bool {
	digits, ok := strings.CutPrefix(id, "pb-")
	return ok && len(digits) >= 5 && strings.Trim(digits, "0123456789") == ""
}

// hasWord tells whether a word stands in a text by itself.
func hasWord(text, word string) bool {
	for {
		before, after, ok := strings.Cut(text, word)
		if !ok {
			return false
		}
		if !endsWord(before) && !beginsWord(after) {
			return true
		}
		text = after
	}
}

func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r == '-' || inWord(r)
}

// beginsWord tells whether a text goes on with the word before it: a stop or a hyphen
// does only where something follows.
func beginsWord(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	if r == '-' || r == '.' {
		r, _ = utf8.DecodeRuneInString(text[n:])
	}
	return inWord(r)
}

func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// QuestionOf gives the research question that a kickoff asks, whoever composed it:
// the text below its heading, out of the quotation; empty where there is none.
func QuestionOf(message string) string {
	_, text, ok := strings.Cut("\n"+clean(message), "\n"+headQuestion+"\n")
	if !ok {
		return ""
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "#") {
			break
		}
		line = strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")
		lines = append(lines, strings.TrimRight(line, " \t"))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
