// Package finding is what the checks of records find: their names, their questions to a critic, and
// the words of their findings.
package finding

import (
	"fmt"
	"slices"
	"strings"

	"brenner/store/record"
)

// Finding is a finding of a check.
type Finding struct {
	Check  string
	Ref    record.Ref // zero if not about a single record
	Other  record.Ref // the second record of a contradiction
	Detail string
	// Quote is the text in question. It is left out of stored reviews whose readers may not
	// read the record.
	Quote string
	Fix   string
	By    string       // the critic; "" for the program
	More  []record.Ref // further records that a critic names

	Stored string // Detail as reviews have it
	Near   bool   // of a copy that is not exact
}

func (f *Finding) String() string {
	text := f.Check + ": "
	switch {
	case f.By != "" && f.Ref != (record.Ref{}):
		var names []string
		for _, ref := range f.Refs() {
			names = append(names, ref.String())
		}
		text += strings.Join(names, ", ") + ": "
	case f.Ref != (record.Ref{}):
		text += f.Ref.String() + ": "
	}
	return text + f.Text()
}

// Text returns the finding with the text in question.
func (f *Finding) Text() string {
	switch {
	case f.Quote == "":
		return f.Detail
	case f.By != "":
		return fmt.Sprintf("%s (%q)", f.Detail, f.Quote)
	}
	return fmt.Sprintf("%s about %q", f.Detail, f.Quote)
}

// Refs returns the records that a finding is about.
func (f *Finding) Refs() []record.Ref {
	var all []record.Ref
	for _, ref := range append([]record.Ref{f.Ref, f.Other}, f.More...) {
		if ref != (record.Ref{}) && !slices.Contains(all, ref) {
			all = append(all, ref)
		}
	}
	return all
}

// Names of the checks.
const (
	Alignment   = "alignment"
	Assumptions = "assumptions"
	Links       = "links"
	Stale       = "staleness"
	Summaries   = "summaries"
	Unused      = "unused"
	Compression = "compression"
	Duplicates  = "duplicates"
)

// Details of findings.
const (
	NoBrief          = "there is no canonical project brief"
	OlderThanBrief   = "it is older than the brief, and has not been compared with it"
	OutOfBrief       = "it mentions %q, which the brief puts out of scope"
	NoSources        = "it names no sources"
	MissingTarget    = "it links to %s, which is not in the store"
	LapsedLink       = ", which is deprecated"
	StaleSummary     = "its summary was written for different content"
	ExtractedSummary = "its summary was extracted from its text"
	UnusedFor        = "no current version has linked to it for %s"
	CompressionDue   = "%s records of %s are in no memo; the limit is %d"
	DuplicateOf      = "identical to %s"
	NearCopyOf       = "a near copy of %s (similarity %.2f)"
)

// Names returns the names of all checks.
func Names() []string {
	return []string{Alignment, Assumptions, Links, Stale, Summaries, Unused, Compression, Duplicates}
}

// Unread is the check of findings about answers that could not be read.
const Unread = "unread"

// Question returns the question of a check, or "" if no model can help with it.
func Question(check string) string {
	switch check {
	case Alignment:
		return "Compare the core records below with the brief of the project. Which of them go beyond its scope, or contradict its goals, its constraints or what it rules out?"
	case Assumptions:
		return "Compare what the records below assume, within a module and across modules. Which of them assume what another one denies, or what cannot hold together with it?"
	case Duplicates:
		return "Look for records below that should be consolidated. Which of them say the same as another one, overlap with it, are of low quality, or are out of date?"
	}
	return ""
}

// Asked returns those of the checks with which a model can help.
func Asked(checks []string) []string {
	return slices.DeleteFunc(slices.Clone(checks), func(name string) bool { return Question(name) == "" })
}

// StoredFormat returns the format of a finding's detail in reviews. Their wording does not change:
// with another one, findings that are already in a review would be stored again.
func StoredFormat(format string) string {
	switch format {
	case NoBrief:
		return "there is no canonical project brief to hold anything against"
	case OlderThanBrief:
		return "it is older than the brief: nobody has held it against that"
	case OutOfBrief:
		return "it is about %q, which the brief puts out of scope"
	case NoSources:
		return "it says nothing about what it rests on"
	case MissingTarget:
		return "it points at %s, which is not in the store"
	case StaleSummary:
		return "its summary was written for another content"
	case ExtractedSummary:
		return "its summary is the beginning of its text, taken by the program"
	case UnusedFor:
		return "nothing that stands has pointed at it for %s"
	case CompressionDue:
		return "%s records of %s, as they stand, are in no memo; %d is the limit"
	case DuplicateOf:
		return "it says what %s says, word for word"
	}
	return format
}
