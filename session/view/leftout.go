package view

import "fmt"

// LeftOut says what a message does not show.
type LeftOut struct {
	Lines  []string
	Tokens int // for names
	Count  func(string) int
}

// Add says that things are left out, of all there are.
func (l *LeftOut) Add(what string, names []string, of int) {
	if len(names) == 0 {
		return
	}
	l.AddNamed(fmt.Sprintf("%s, %d of %d", what, len(names), of), names)
}

// AddNamed adds a line with as many names as fit.
func (l *LeftOut) AddNamed(line string, names []string) {
	if list := List(names, l.Tokens, l.Count); list != "" {
		line += ": " + list
		l.Tokens -= l.Count(list)
	}
	l.Lines = append(l.Lines, line)
}

// AddCount says that a number of things is left out.
func (l *LeftOut) AddCount(what string, left, of int) {
	if left > 0 {
		l.Lines = append(l.Lines, fmt.Sprintf("%s, %d of %d", what, left, of))
	}
}

// AddText says that a number of characters is left out.
func (l *LeftOut) AddText(what string, left, of int) {
	if left > 0 {
		l.Lines = append(l.Lines, fmt.Sprintf("%s: %d of %d characters", what, left, of))
	}
}

// AddView says what a view of the artifact leaves out.
func (l *LeftOut) AddView(v *View) {
	for _, kind := range []struct {
		name string
		Tally
	}{{ItemsName, v.Items}, {ConflictsName, v.Conflicts}, {OutcomesName, v.Outcomes}} {
		l.AddCount(kind.name, kind.Left, kind.All)
		l.AddCount(ShownParts+kind.name, kind.Short, kind.All-kind.Left)
	}
	l.AddCount(NotesName, v.Notes.Left, v.Notes.All)
	l.AddText(CutNotesName, v.NoteCharacters.Left, v.NoteCharacters.All)
}

// WorstLines returns lines that are about as long as those of any message, without names.
func WorstLines() []string {
	const n = 1_000_000
	l := LeftOut{}
	for _, what := range []string{ContextName, "EV-1000", CutNotesName} {
		l.AddText(what, n, n)
	}
	for _, what := range []string{ItemsName, ConflictsName, OutcomesName} {
		l.AddCount(what, n, n)
		l.AddCount(ShownParts+what, n, n)
	}
	for _, what := range []string{PiecesName, NotesName, HypothesesName, LessonsName, FieldsName, RecordsName} {
		l.AddCount(what, n, n)
	}
	l.Lines = append(l.Lines, OrMore)
	return l.Lines
}

// Names of what is left out.
const (
	ContextName    = "context"
	PiecesName     = "excerpt and evidence"
	HypothesesName = "hypotheses of the brief"
	ItemsName      = "items of the artifact"
	ConflictsName  = "open conflicts"
	OutcomesName   = "outcomes of your deltas"
	ShownParts     = "parts of shown "
	NotesName      = "notes of people"
	CutNotesName   = "shown notes of people"
	LessonsName    = "lessons"
	FieldsName     = "fields of the project's brief"
	OverviewName   = "overview of the project"
	RecordsName    = "records of the project"
	OrMore         = " or more"
)

// EvidenceLeft returns how many of the last texts, the excerpt and the evidence, a message does not show, by its list of
// what is left out.
func EvidenceLeft(leftOut []string) int {
	for _, line := range leftOut {
		n := 0
		if _, err := fmt.Sscanf(line, PiecesName+", %d of", &n); err == nil {
			return n
		}
	}
	return 0
}
