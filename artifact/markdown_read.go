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
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return Document{}, notMarkdown("not valid UTF-8")
	}
	r := mdReader{}
	r.doc.Lines = Lines{"metadata": 1}
	r.file(strings.TrimPrefix(string(data), "\uFEFF"))
	if !r.fronted && !slices.ContainsFunc(r.headings[:], func(line int) bool { return line > 0 }) {
		return Document{}, notMarkdown("it has neither front matter nor any of the seven sections")
	}
	r.finish()
	return r.doc, nil
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
	fronted  bool              // front matter was read
	titled   bool              // the title was read
	headings [SectionCount]int // the line of each section's heading; 0 if not seen
	said     [SectionCount]bool
	newest   int     // the highest section seen so far, from 1
	section  Section // the current section, if inside is set
	inside   bool
	drafts   []*draft // all items, in the order of the file
	ids      [SectionCount]map[string]*draft
	open     *draft // the item being read
	list     *listing
	table    *tableHead
	strays   strays
	problems int
}

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

// strays records whether the previous and the current line are stray.
type strays struct{ before, now bool }

// stray reports a line that has no meaning here. A run of them is one problem.
func (r *mdReader) stray(line string) {
	if !r.strays.before {
		r.unreadable("not part of an artifact: %s", fault.Shown(line))
	}
	r.strays.now = true
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
	for body != "" {
		var line string
		line, body, _ = strings.Cut(body, "\n")
		r.line++
		r.take(strings.TrimRight(line, " \t\r"))
	}
	r.closeList()
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
	if line == "" {
		return // also within a list or a run of strays
	}
	r.strays = strays{before: r.strays.now}
	switch {
	case r.list != nil && r.listLine(line):
	case line[0] == '#':
		r.closeList()
		r.heading(line)
	case strings.HasPrefix(line, "**"):
		r.closeList()
		r.readLabelled(line)
	case line[0] == '|':
		r.closeList()
		r.tableLine(line)
	default:
		r.closeList()
		r.plain(line)
	}
}

// plain reads a line without markup. Only "None registered" is valid.
func (r *mdReader) plain(line string) {
	if r.inside && r.open == nil && !r.said[r.section] && saysEmpty(r.section, line) {
		r.said[r.section] = true
		return
	}
	r.stray(line)
}

func saysEmpty(s Section, line string) bool {
	return strings.EqualFold(strings.TrimSuffix(line, "."), s.Spec().Empty)
}

func (r *mdReader) heading(line string) {
	switch {
	case strings.HasPrefix(line, "### "):
		r.itemHeading(trim(line[4:]))
	case strings.HasPrefix(line, "## "):
		r.sectionHeading(line)
	case strings.HasPrefix(line+" ", mdTitle):
		r.title(line)
	default:
		r.open, r.inside = nil, false
		r.stray(line)
	}
}

// title reads the first heading. The session id in it counts only if there is no front matter.
func (r *mdReader) title(line string) {
	if r.titled || r.newest > 0 {
		r.stray(line)
		return
	}
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

func (r *mdReader) sectionHeading(line string) {
	r.open, r.table, r.inside = nil, nil, false
	s, ok := parseSectionTitle(trim(line[3:]))
	if !ok {
		r.unreadable("unknown section %s ignored, with its content", fault.Shown(line))
		r.strays.now = true
		return
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
