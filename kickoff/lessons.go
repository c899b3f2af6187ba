package kickoff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact/delta"
	"brenner/internal/markdown"
	"brenner/internal/text"
)

// LessonFence is the info word of fences with lessons.
const LessonFence = "lesson"

// aboutMemory returns the introduction to the lessons of earlier sessions.
func (in *Input) aboutMemory(to string) string {
	const about = "What earlier sessions of this project have learned, each with its id. It may be wrong here."
	if !in.Learns {
		return about
	}
	return strings.TrimSpace(about + " Where you rely on one, cite its id in brackets, as it stands here.\n\n" + in.aboutLessons(to))
}

// aboutLessons returns the instructions for writing lessons. The template sets their number; a short
// one does not ask for any.
func (in *Input) aboutLessons(to string) string {
	if !in.Learns || in.Short[to] || in.Task != nil {
		return ""
	}
	return "What you say in a fence with the word `" + LessonFence + "` (see Lessons, below) may reach later sessions. A line that\n" +
		"begins with `helpful:`, `harmful:` or `neutral:` is a lesson of that kind; a fence without such a line is one\n" +
		"lesson of what helps. Say nothing where there is nothing to say."
}

// Lesson is a lesson that an agent reports.
type Lesson struct {
	Kind string // helpful, harmful or neutral
	Text string // one line
}

// FoundLesson is a lesson in a reply. Form and Why say why it is not taken, as for deltas ("draft", "it is in reasoning"), and are
// empty if it is.
type FoundLesson struct {
	Lesson
	Line      int // of its fence
	Form, Why string
}

// maxLessons is how many lessons of a reply are taken.
const maxLessons = 8

// ReadLessons returns the lessons in a reply: in fences with the word lesson, the lines that name their kind, or else the whole
// text of a fence as helpful. Readers before the third take the first one only. A lesson that is quoted, commented out, indented
// as code or inside another fence does not count, as for deltas, nor does the example. Invalid lessons are skipped: replies are
// untrusted, and nothing depends on them. So is the open fence of a cut reply.
func ReadLessons(reply string, cut bool, reader delta.Reader) (all []Lesson) {
	for _, l := range FindLessons(reply, cut, reader) {
		if l.Why == "" {
			all = append(all, l.Lesson)
		}
	}
	if reader.Since(delta.ThirdReader) {
		return all[:min(len(all), maxLessons)]
	}
	return all[:min(len(all), 1)]
}

// FindLessons returns the lessons in a reply as ReadLessons does, and those that are not taken.
func FindLessons(reply string, cut bool, reader delta.Reader) (all []FoundLesson) {
	text, place := reader.Plain([]byte(strings.ToValidUTF8(reply, "\ufffd")), cut)
	isThird := reader.Since(delta.ThirdReader)
	taken := 0
	for b := range markdown.Blocks(text, reader.Scanner()) {
		if b.Kind != markdown.Fenced || !isLessonFence(b.Fence, isThird) {
			continue
		}
		form, why := shownAs(&b, cut)
		content := string(text[b.Start:b.End])
		if b.Quoted {
			content = strings.ReplaceAll(strings.TrimPrefix(content, "> "), "\n> ", "\n")
		}
		for _, one := range readFence(content, isThird) {
			l := FoundLesson{one, place(b.Line), form, why}
			switch {
			case why != "":
			case reader != delta.FirstReader && l.isExample():
				l.Form, l.Why = delta.FlagExample, "it repeats the example of the kickoff"
			case reader != delta.FirstReader && isDisowned(text, b, reader):
				l.Form, l.Why = delta.FlagQuoted, "a line beside it says that it is not meant"
			default:
				if taken++; taken > maxLessons {
					l.Form, l.Why = "limit", fmt.Sprintf("a reply has at most %d lessons", maxLessons)
				}
			}
			all = append(all, l)
		}
	}
	return all
}

// shownAs returns why what is in a fence is not meant, or "".
func shownAs(b *markdown.Block, cut bool) (form, why string) {
	switch {
	case b.Draft:
		return delta.FlagDraft, "it is in reasoning"
	case b.Quoted:
		return delta.FlagQuoted, "it is in a block quote"
	case !b.Own():
		return delta.FlagExample, "it is only shown"
	case cut && !b.Closed:
		return delta.FlagDraft, "the reply was cut in it"
	}
	return "", ""
}

// isLessonFence reports whether a fence is one for lessons.
func isLessonFence(f markdown.Fence, isThird bool) bool {
	word := string(bytes.TrimSpace(f.Info))
	return word == LessonFence || isThird && (strings.EqualFold(word, LessonFence) || strings.EqualFold(word, LessonFence+"s"))
}

// isDisowned reports whether the line before a fence or behind it says that it is not meant.
func isDisowned(text []byte, b markdown.Block, reader delta.Reader) bool {
	above := bytes.TrimSuffix(text[:b.Start], []byte("\n"))
	_, _, ok := reader.Remarks("").Beside(above[:bytes.LastIndexByte(above, '\n')+1], nil, text[b.End:])
	return ok
}

// exampleLesson is the lesson that templates show as an example, without its evidence.
const exampleLesson = "Before explaining a peak, ask whether it is a peak of events or of records"

// isExample reports whether a lesson repeats the example, whatever evidence it names.
func (l Lesson) isExample() bool {
	words := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !inWord(c) }), " ")
	}
	text, _, _ := strings.Cut(l.Text, "(")
	return words(text) == words(exampleLesson)
}

func readFence(text string, isThird bool) (all []Lesson) {
	for line := range strings.Lines(text) {
		if l, ok := readLesson(strings.TrimSpace(line)); ok && (len(all) == 0 || isThird) {
			all = append(all, l)
		}
	}
	if text = strings.Join(strings.Fields(text), " "); len(all) == 0 && text != "" {
		return []Lesson{{"helpful", text}}
	}
	return all
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

// CitedIDs returns the ids that a reply names: in brackets, or anywhere as a word if they have this
// program's form. An id of another tool may be any word.
func CitedIDs(reply string, ids []string) []string {
	var all []string
	for _, id := range ids {
		if strings.Contains(reply, "["+id+"]") || isOwn(id) && hasWord(reply, id) {
			all = append(all, id)
		}
	}
	return all
}

// isOwn reports whether an id has the form pb-00012.
func isOwn(id string) bool {
	digits, ok := strings.CutPrefix(id, "pb-")
	return ok && len(digits) >= 5 && strings.Trim(digits, "0123456789") == ""
}

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

// beginsWord reports whether a text continues a word. A period or hyphen does so if a letter or
// digit follows.
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

// QuestionOf returns the research question of any kickoff, or its task, unquoted, or "".
func QuestionOf(message string) string {
	message = "\n" + clean(message)
	_, text, ok := strings.Cut(message, "\n"+headQuestion+"\n")
	if !ok {
		_, text, ok = strings.Cut(message, "\n"+headTask+"\n")
		_, text, _ = strings.Cut(text, "\n\n") // the line that names it
	}
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

// examples returns the deltas that a message shows: those of the worked example and any in outside
// texts. A reply that repeats one, quoted or not, does not propose it. Names in the roster cannot
// be quoted; if they look like a delta, the whole message is an example.
func (f *Frame) examples(sections []section, body string, version delta.Reader) []string {
	examples := []string{f.example}
	for _, s := range sections {
		examples = appendShown(examples, s.text, version)
		if s.text != s.raw { // an agent may repeat it without the marks for invisible characters
			examples = appendShown(examples, strings.ToValidUTF8(s.raw, "\ufffd"), version)
		}
	}
	if !f.plain && slices.ContainsFunc(delta.Read([]byte(body), delta.Options{Reader: version, Examples: examples, Records: delta.WithRecords}).Blocks, isOK) {
		examples = append(examples, body)
	}
	return examples
}

// appendShown appends a text that shows a delta, as written and without quote or comment marks.
func appendShown(examples []string, text string, version delta.Reader) []string {
	if delta.Possible(text) && showsDelta(text, version) {
		examples = append(examples, text)
	}
	if delta.PossibleBare(text) || hasComment(text) {
		if bare := stripMarks(text); delta.PossibleBare(bare) && showsDelta(bare, version) {
			examples = append(examples, bare)
		}
	}
	return examples
}

func showsDelta(text string, version delta.Reader) bool {
	return len(delta.Read([]byte(text), delta.Options{Reader: version}).Blocks) > 0
}

// hasComment reports whether a text has comment marks, whose removal may join words.
func hasComment(text string) bool {
	return strings.Contains(text, "<!--") || strings.Contains(text, "-->") || strings.Contains(text, "*/")
}

// stripMarks returns a text in one fence, without quote marks, comment marks and fences.
func stripMarks(text string) string {
	if hasComment(text) {
		text = strings.NewReplacer("<!--", "", "-->", "", "*/", "").Replace(text)
	}
	var b strings.Builder
	b.Grow(len(text) + len("```\n\n```\n"))
	b.WriteString("```\n")
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "> \t/*#`~:"))
	}
	b.WriteString("\n```\n")
	return b.String()
}

func isOK(b delta.Block) bool { return b.OK }

// CompiledMessage is the content of a COMPILED message, the current state of the artifact.
type CompiledMessage struct {
	ThreadID     string
	Version      int
	Question     string
	Head         string // of the journal
	Changes      string // "round 2: 4 applied, 1 rejected, 0 in conflict"
	Contributors []string
	Counts       []Count // in the order of the sections
	Lint         string  // "valid, 2 findings"
	// Artifact is Markdown: a view for an agent, the whole artifact for a person.
	Artifact string
}

// Count is the number of active items of a section.
type Count struct {
	Section string
	Items   int
}

// Subject returns the subject of the message.
func (c *CompiledMessage) Subject() string {
	return text.Clip(fmt.Sprintf("COMPILED: v%d %s", c.Version, oneLine(c.Question)), maxSubject)
}

// Body returns the message. For an agent the artifact is quoted, like every outside text.
func (c *CompiledMessage) Body(toAgent bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# COMPILED: %s v%d\n\n", c.ThreadID, c.Version)
	fmt.Fprintf(&b, "- Changes: %s\n- Contributors: %s\n", inert(c.Changes), inert(strings.Join(c.Contributors, ", ")))
	for _, n := range c.Counts {
		fmt.Fprintf(&b, "- %s: %d\n", n.Section, n.Items)
	}
	fmt.Fprintf(&b, "- Lint: %s\n- Journal head: %s\n\n", inert(c.Lint), c.Head)
	if !toAgent {
		return b.String() + c.Artifact
	}
	b.WriteString(headArtifact + "\n\n" + quoted(c.Artifact))
	b.WriteString("\nNo answer is needed. Whoever finds something wrong replies with the subject \"CRITIQUE: …\" " +
		"and says it in deltas, each in a fence of its own: only those are merged.\n")
	return b.String()
}
