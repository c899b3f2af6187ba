package artifact

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/internal/fault"
)

// maxProblems bounds the problems recorded for one file.
const maxProblems = 10_000

// readMarkdown reads the Markdown form leniently. No text is dropped without a problem.
func readMarkdown(data []byte) (Document, error) {
	switch {
	case !utf8.Valid(data):
		return Document{}, notMarkdown("not valid UTF-8")
	case bytes.IndexByte(data, 0) >= 0:
		return Document{}, notMarkdown("it has a NUL byte")
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	r := mdReader{}
	r.doc.Lines = Lines{"metadata": 1}
	r.file(text)
	if !r.fronted && !slices.ContainsFunc(r.headings[:], func(line int) bool { return line > 0 }) {
		return Document{}, notMarkdown("it has neither front matter nor any of the seven sections")
	}
	r.finish()
	if r.guessed {
		own := mdReader{foreign: foreign{literal: true}}
		own.doc.Lines = Lines{"metadata": 1}
		own.file(text)
		own.finish()
		if own.wrote(text) {
			return own.doc, nil
		}
	}
	return r.doc, nil
}

// wrote reports whether the writer wrote the file. Only it writes what became of a label.
func (r *mdReader) wrote(text string) bool {
	return len(r.doc.Problems) == 0 && (len(r.doc.Unkept) > 0 || string(r.doc.Artifact.Markdown()) == strings.ReplaceAll(text, "\r\n", "\n"))
}

func notMarkdown(detail string) error {
	return &fault.Error{
		Code: NotAnArtifact, Detail: detail,
		Hint: "an artifact is Markdown with front matter and sections such as `## 2. Hypothesis Slate`, or the JSON of one",
	}
}

// mdReader reads the file line by line, in one pass.
type mdReader struct {
	doc      Document
	line     int               // the current line
	last     int               // the last line of the file
	rest     string            // the lines after the current one
	fronted  bool              // front matter was read
	titled   bool              // the title was read
	headings [SectionCount]int // the line of each section's heading; 0 if not seen
	said     [SectionCount]emptiness
	newest   int     // the highest section seen so far, from 1
	section  Section // the current section, if inside is set
	inside   bool
	drafts   []*draft // all items, in the order of the file
	ids      [SectionCount]map[string]*draft
	open     *draft // the item being read
	level    int    // of its heading
	list     *listing
	table    *tableHead
	problems int
	foreign
}

// emptiness is what a section says about being empty.
type emptiness uint8

const (
	notSaid   emptiness = iota
	saidSo              // with the line that the writer writes
	saidOther           // in other words
)

func (r *mdReader) problem(kind ProblemKind, line int, item, format string, args ...any) {
	r.problems++
	if r.problems > maxProblems {
		return
	}
	r.doc.Problems = append(r.doc.Problems, Problem{Kind: kind, Line: line, Item: item, Message: fmt.Sprintf(format, args...)})
}

func (r *mdReader) unreadable(format string, args ...any) {
	r.problem(UnreadableLines, r.line, r.item(), format, args...)
}

func (r *mdReader) item() string {
	switch {
	case r.open != nil:
		return r.open.ID
	case r.inside:
		return r.section.String()
	}
	return ""
}

func (r *mdReader) file(text string) {
	front, body, ok := cutFrontMatter(text)
	if ok {
		r.fronted = true
		r.line = strings.Count(text[:len(text)-len(body)], "\n")
		r.frontMatter(front)
	} else {
		r.problem(NoFrontMatter, 1, "metadata", "the file does not begin with front matter between two lines of ---")
	}
	r.findShown(body)
	for at := 0; at < len(body); {
		if len(r.shown) > 0 && r.shown[0].start <= at {
			s := r.shown[0]
			r.shown = r.shown[1:]
			r.takeShown(body[at:s.end], s.comment)
			at = s.end
			continue
		}
		line, _, _ := strings.Cut(body[at:], "\n")
		at += len(line) + 1
		r.line++
		r.rest = body[min(at, len(body)):]
		r.take(strings.TrimRight(line, " \t\r"))
	}
	r.closeList()
	r.closeRun()
	r.last = max(r.line, 1)
}

// cutFrontMatter splits the file into the YAML between its first --- lines and the rest.
func cutFrontMatter(text string) (front, body string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != mdFence {
		return "", text, false
	}
	for at := 0; at < len(rest); {
		line, _, found := strings.Cut(rest[at:], "\n")
		if strings.TrimRight(line, " \t\r") == mdFence {
			end := at + len(line)
			if found {
				end++
			}
			return rest[:at], rest[end:], true
		}
		at += len(line) + 1
	}
	return "", text, false
}

// take reads one line, without trailing blanks.
func (r *mdReader) take(line string) {
	switch {
	case r.under == r.line:
	case line == "":
		r.gap = append(r.gap, '\n') // also within a list
	case r.list != nil && r.listLine(line):
	default:
		r.closeList()
		r.outside(line)
	}
}

// outside reads a line that is not in a list.
func (r *mdReader) outside(line string) {
	if level, title, ok := r.headingOf(line); ok {
		r.heading(level, title, line)
		return
	}
	label, bulleted := cutBullet(line)
	label = trimSymbols(label)
	switch {
	case isRule(line):
		r.gap = append(append(r.gap, line...), '\n') // it counts only within a text that is kept
	case !r.inside || r.loose:
		r.keepLine(line)
	case bulleted && r.run != nil && r.run.spec != nil && !r.run.more && !r.run.nested:
		r.keepLine(line)
	case r.lineItem(label, bulleted):
	case strings.HasPrefix(label, "**") && r.readLabelled(label, bulleted):
	case bulleted && r.readListLabel(label):
	case line[0] == '|' && r.tableLine(line):
	case strings.HasPrefix(label, "**") && !bulleted && r.lead != "":
		r.closeRun()
		r.lead = "" // a line that begins in bold continues nothing
		r.plain(line)
	default:
		r.plain(line)
	}
}

// plain reads a line without markup. Only "None registered" is part of the form.
func (r *mdReader) plain(line string) {
	if rest, ok := killWords(line); ok || rest != "" {
		r.doubt("text", line)
	}
	if r.inside && r.open == nil && r.run == nil && r.said[r.section] == notSaid {
		if saysEmpty(r.section, line) {
			r.said[r.section] = saidSo
			return
		}
		if saysNothing(line) {
			r.said[r.section] = saidOther
		}
	}
	r.keepLine(line)
}

func saysEmpty(s Section, line string) bool {
	return strings.EqualFold(strings.TrimSuffix(line, "."), s.Spec().Empty)
}

func (r *mdReader) heading(level int, title, line string) {
	isItem := level > 1 && r.isItem(title)
	switch {
	case !isItem && r.isSection(level, title):
		r.closeRun()
		r.sectionHeading(title, line)
	case level == 1 && strings.HasPrefix(line+" ", mdTitle) && !r.titled && r.newest == 0:
		r.closeRun()
		r.title(line)
	case level > 1 && r.inside && (isItem || likeID(title)):
		r.closeRun()
		r.loose, r.level = false, level
		r.itemHeading(title)
	case r.inside && r.labelHeading(level, title):
	default:
		r.otherHeading(level, line)
	}
}

// otherHeading keeps a heading that means nothing. It ends the item above, unless it is below its heading.
func (r *mdReader) otherHeading(level int, line string) {
	part := r.open != nil && level > r.level // of the item, but not a field
	if within := level > 2 && (!r.inside || r.loose); !within || r.open != nil && !part {
		r.closeRun()
		r.lead, r.loose = "", true
		if !part {
			r.open, r.inside = nil, r.inside && level > 1
		}
	}
	r.keepLine(line)
}

// isSection reports whether a heading ends the section before it: that of a section, or any of level 2.
func (r *mdReader) isSection(level int, title string) bool {
	if s, known := parseSectionTitle(title); known {
		return level < 3 || r.headings[s] == 0
	}
	if level == 1 {
		_, other := otherSectionTitle(title)
		return other
	}
	return level == 2
}

// title reads the first heading. The session id in it counts only if there is no front matter.
func (r *mdReader) title(line string) {
	r.titled = true
	md := &r.doc.Artifact.Metadata
	if md.Rehearsal() {
		line = strings.TrimSuffix(line, mdRehearsal)
	}
	id := readText(trim((line + " ")[len(mdTitle):]))
	switch {
	case !r.fronted:
		md.SessionID = id
	case id != md.SessionID:
		r.problem(BadMetadata, r.line, "metadata", "the title names the session %s, the front matter %s", fault.Shown(id), fault.Shown(md.SessionID))
	}
}

func (r *mdReader) sectionHeading(title, line string) {
	r.open, r.table, r.headed, r.inside, r.loose = nil, nil, nil, false, false
	s, ok := parseSectionTitle(title)
	if !ok {
		if s, ok = otherSectionTitle(title); !ok {
			r.keepLine(line)
			return
		}
		r.variant("heading", title, s.Spec().Title)
	}
	r.section, r.inside = s, true
	switch first := r.headings[s]; {
	case first > 0:
		r.problem(SectionOrder, r.line, s.String(), "duplicate section %s (first on line %d)", s.Spec().Title, first)
		return
	case int(s) < r.newest-1:
		r.problem(SectionOrder, r.line, s.String(), "the section %s is after %s", s.Spec().Title, Section(r.newest-1).Spec().Title)
	}
	r.headings[s] = r.line
	r.newest = max(r.newest, int(s)+1)
	r.doc.Lines[s.String()] = r.line
}

// parseSectionTitle reads "2. Hypothesis Slate". The number is ignored.
func parseSectionTitle(title string) (Section, bool) {
	if number, rest, ok := strings.Cut(title, "."); ok && strings.Trim(number, "0123456789") == "" {
		title = trim(rest)
	}
	for s := range Section(SectionCount) {
		if strings.EqualFold(title, s.Spec().Title) {
			return s, true
		}
	}
	return 0, false
}
