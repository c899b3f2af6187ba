package kickoff

import "strings"

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

// aboutLessons asks for what an agent has learned.
func (in *Input) aboutLessons() string {
	if !in.Learns {
		return ""
	}
	return "If you learn something about how to work on such questions that later sessions should know, say it in a fence\n" +
		"with the word " + LessonFence + ", one lesson a line, at most " + mostLessonsInWords + ", each with helpful, harmful or neutral and a colon\n" +
		"before it. Say nothing where there is nothing to say."
}

// MostLessons is how many lessons of one reply are listened to.
const (
	MostLessons        = 3
	mostLessonsInWords = "three"
)

// Lesson is something that an agent says it has learned.
type Lesson struct {
	Kind string // helpful, harmful or neutral
	Text string // one line
}

// ReadLessons finds the lessons in a reply: lines of fences with the word lesson. Lines
// that are none are passed over; a reply is hostile until proved otherwise, and nothing
// depends on this.
func ReadLessons(reply string) []Lesson {
	var all []Lesson
	fence := ""
	for line := range strings.Lines(reply) {
		line = strings.TrimSpace(line)
		switch {
		case fence == "":
			if mark := fenceMark(line); mark != "" && strings.TrimSpace(line[len(mark):]) == LessonFence {
				fence = mark
			}
		case strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "":
			fence = ""
		case len(all) < MostLessons:
			if l, ok := readLesson(line); ok {
				all = append(all, l)
			}
		}
	}
	return all
}

// fenceMark gives the backticks or tildes that a line opens a fence with.
func fenceMark(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
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

// Cited gives those of the ids that stand in brackets in a reply.
func Cited(reply string, ids []string) []string {
	var all []string
	for _, id := range ids {
		if strings.Contains(reply, "["+id+"]") {
			all = append(all, id)
		}
	}
	return all
}
