package itemform

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/internal/pattern"
)

// newTitle matches a title that calls what is below it new: its group is the kind of items.
var newTitle = pattern.New(`^(?i:(?:(?:also|finally|next|then|additionally|furthermore|moreover|and),? )?(?:(?:here|below|these) (?:is|are|come|comes|follow|follows)|(?:i|we)(?:['’]d|['’]ll| would| will)?(?: (?:also|now|further|therefore|hereby|like to|want to|propose to|suggest to|have|wish to))*(?: (?:add|adding|propose|suggest|introduce|submit|offer|register|record))?|adding|add|introducing|proposing)? ?` +
	`(?:(?:my|our|the|a|an|some|these|following|following|one|two|three|four|several|of|more|also) ?){0,4}(new|further|additional|added|proposed|suggested|another|more|extra)?(?: (?:proposed|alternative|discriminative|adversarial|possible|own))? ` +
	`?(hypothes[ie]s|tests?|assumptions?|anomal(?:y|ies)|critiques?|objections?|predictions?)(?: (?:to add|to be added|i propose|i add|i would add|for (?:the|this) \w+|to the \w+))?)$`)

var newVerb = pattern.New(`(?i)\b(?:add|adding|propose|proposing|suggest|introduc\w+|submit|offer|register|record|more)\b`)

// CallsNew reports whether a title, without its marks, calls the items with ids below it new: "I also add a test".
// Section is that of the items, "" if there is one only.
func CallsNew(title string) (section string, ok bool) {
	const longest = 80
	if len(title) > longest || standing.MatchString(title) {
		return "", false
	}
	m := newTitle.FindStringSubmatch(title)
	if len(m) == 0 || m[1] == "" && !newVerb.MatchString(title) {
		return "", false
	}
	if s, isMany := lists[strings.ToLower(m[2])]; isMany && nouns[strings.ToLower(m[2])] == 0 && strings.HasSuffix(m[2], "s") {
		section = s.String()
	}
	return section, true
}

var (
	// newRow matches a row of a table with an item that is called new.
	newRow = pattern.New(`^\| *[*_\x60]*([A-Z]{1,2}\d{1,3})[*_\x60]* *[(\[]?(?i:new|added|addition|proposed)[)\]]?[*_\x60]* *\| *(\S.*)`)
	// newRows matches the title of a table that has only new rows.
	newRows = pattern.New(`^(?i:(?:(?:my|our|the|proposed|some|new|further|an?) )*(?:(\w+)(?: table| ledger| register| slate)? (?:updates?|additions?|extensions?|new rows?)|(?:additions?|updates?|extensions?|new rows?|rows? to add|add) (?:to|for|in) (?:the |my |our )?(\w+)(?: table| ledger| register| slate)?))$`)
)

// InNewRow returns the item of a row that calls it new, or is a KILL of it below no row of titles.
func (c Columns) InNewRow(row string) (a Attempt, ok bool) {
	if c.untitled {
		return inKillRow(row)
	}
	m := newRow.FindStringSubmatch(row)
	if m == nil {
		return a, false
	}
	s, ok := artifact.SectionOfID(m[1])
	return Attempt{Operation: add, Section: s.String(), ID: m[1], Says: m[2]}, ok
}

// NewRows returns the section of the table below a title that says what is added to it. The first item of a section shows that all of
// it is there again.
func NewRows(title string, below []byte) (section string, ok bool) {
	const longest, far = 80, 2000
	if len(title) > longest || standing.MatchString(title) {
		return "", false
	}
	m := newRows.FindStringSubmatch(title)
	if m == nil {
		return "", false
	}
	s, ok := lists[strings.ToLower(m[1]+m[2])]
	below = below[:min(len(below), far)]
	isTable := bytes.HasPrefix(bytes.TrimLeft(below, " \t\r\n"), []byte("|"))
	return s.String(), ok && isTable && !bytes.Contains(below, []byte("| "+s.Spec().Prefix+"1 "))
}

// inNewHeadings returns the items below headings with their main field whose numbers are higher than those that a slate begins with: a text
// that restates a section has its first items, too.
func inNewHeadings(text []byte) []Attempt {
	const first = 3
	if !bytes.Contains(text, []byte("# ")) {
		return nil
	}
	all := inHeadings(text, 0)
	lowest := make(map[string]int)
	number := func(a Attempt) (prefix string, n int) {
		prefix = strings.TrimRight(a.ID, "0123456789")
		n, _ = strconv.Atoi(a.ID[len(prefix):])
		return prefix, n
	}
	for line := range bytes.Lines(text) {
		if m := heading.FindSubmatch(bytes.ReplaceAll(line, []byte("~~"), nil)); m != nil {
			prefix, n := number(Attempt{ID: string(m[1])})
			if old, ok := lowest[prefix]; !ok || n < old {
				lowest[prefix] = n
			}
		}
	}
	all = slices.DeleteFunc(all, func(a Attempt) bool {
		prefix, _ := number(a)
		return lowest[prefix] <= first || isRestated(text[:a.At])
	})
	for i := range all {
		all[i].Operation = add
		line, _, _ := bytes.Cut(text[all[i].At:], []byte("\n"))
		all[i].Name = strings.TrimSpace(string(heading.FindSubmatch(line)[2]))
	}
	return all
}

// IsRemark reports whether a title is above what its author thinks of items.
func IsRemark(title string) bool { return restated.MatchString(title) || opinion.MatchString(title) }

var opinion = pattern.New(`(?i)\b(?:(?:view|thoughts?|opinion|take|remarks?|notes?) (?:of|on|about)|are|look|seem|need)\b`)

// isRestated reports whether the last line of a text, or a heading above it, says that what follows already exists.
func isRestated(above []byte) bool {
	lead := leadOf(above)
	return standing.Match(lead) || restated.Match(lead)
}

var restated = pattern.New(`(?i)\b(?:restat\w+|convenience|completeness|orientation|context|as I (?:understand|see|read)|review\w*|comments?|assess\w*|discussion|feedback|status)\b`)
