package artifact

import (
	"slices"
	"strings"
	"unicode"
)

// Spelled returns the ids that a person would read in a text that is used as a name of an item. A text
// that is nothing but an id, in whatever spelling ("h 2", "`H02`", "H2: Two", "hypothesis 2",
// "RS-20251230-x#H2", "P1.H2" for its row), has a sure one. One with an id among other words ("H2
// revised") may mean it. "H2b" and "H2'" are other names.
func Spelled(text string) (sure string, maybe []string) {
	const enough = 160 // bytes: more than any id needs
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Cc, unicode.Mn) })
	text = plainSpelling(text[:min(len(text), enough)])
	id, rest := leadingID(text)
	if id != "" && endsID(id, rest) {
		return id, nil
	}
	if id != "" && strings.HasPrefix(rest, " ") {
		maybe = append(maybe, id)
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,/&;|()[]:", r) }) {
		word = word[strings.LastIndexByte(strings.TrimRight(word, trailing), '.')+1:] // hypothesis_slate.H2
		if id, rest := leadingID(word); id != "" && strings.Trim(rest, trailing) == "" && !slices.Contains(maybe, id) {
			maybe = append(maybe, id)
		}
	}
	return "", maybe
}

// FoldName returns a name in the form in which names are compared: in whatever case, spacing and markup.
func FoldName(name string) string {
	name = strings.Trim(plainSpelling(name), "\"'`*_~ "+trailing)
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

const (
	opening  = "#@$\"'`*_~([{<| "
	trailing = ".,;:?!"
)

// lookalikes are Greek and Cyrillic letters that look like the letters of ids.
var lookalikes = map[rune]rune{'Η': 'H', 'Н': 'H', 'Ρ': 'P', 'Р': 'P', 'Τ': 'T', 'Т': 'T', 'Α': 'A', 'А': 'A', 'Χ': 'X', 'Х': 'X', 'С': 'C', 'Ϲ': 'C'}

// plainSpelling replaces other forms of ASCII characters, and removes what cannot be seen.
func plainSpelling(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case ' ' < r && r < 0x7f:
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Cc, unicode.Mn):
			return -1
		case 0xff01 <= r && r <= 0xff5e: // full width
			return r - 0xff01 + '!'
		case 0x2080 <= r && r <= 0x2089: // subscripts
			return r - 0x2080 + '0'
		case unicode.Is(unicode.Pd, r):
			return '-'
		case unicode.In(r, unicode.Pi, unicode.Pf):
			return '"'
		}
		if latin, ok := lookalikes[r]; ok {
			return latin
		}
		return r
	}, text))
}

// leadingID returns the id at the beginning of a text, and the rest. Quotation marks, brackets and
// emphasis around the id are not part of the rest.
func leadingID(text string) (id, rest string) {
	if session, item, ok := strings.Cut(text, "#"); ok && !strings.Contains(session, " ") {
		text = item
	}
	bare := strings.TrimLeft(text, opening)
	marks := text[:len(text)-len(bare)]
	letters, after := cutRun(bare, unicode.IsLetter)
	section, isWord, ok := sectionOfWord(letters)
	if !ok {
		return "", ""
	}
	if section == ResearchThread {
		return ThreadID, afterMarks(after, marks)
	}
	digits, after := cutRun(strings.TrimLeft(after, " -_#.:"), func(r rune) bool { return '0' <= r && r <= '9' })
	if digits == "" && isWord { // "hypothesis H2"
		return leadingIDOf(section, after, marks)
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "", ""
	}
	id = section.Spec().Prefix + digits
	if !section.ValidID(id) {
		return "", ""
	}
	return id, afterMarks(after, marks)
}

// leadingIDOf returns the id behind the word for its section.
func leadingIDOf(section Section, text, marks string) (id, rest string) {
	letters, after := cutRun(strings.TrimLeft(text, opening), unicode.IsLetter)
	if !strings.EqualFold(letters, section.Spec().Prefix) {
		return "", ""
	}
	id, rest = leadingID(letters + after)
	return id, afterMarks(rest, marks)
}

func afterMarks(rest, marks string) string {
	closing := "\"`)]}>|"
	if strings.Trim(marks, " #@") != "" {
		closing += "'*_~"
	}
	return strings.TrimLeft(rest, closing)
}

func cutRun(text string, in func(rune) bool) (run, rest string) {
	end := strings.IndexFunc(text, func(r rune) bool { return !in(r) })
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// sectionOfWord returns the section of a prefix, or of the word for its items.
func sectionOfWord(word string) (s Section, isWord, ok bool) {
	if word == "" {
		return 0, false, false
	}
	for s := range Section(SectionCount) {
		if strings.EqualFold(word, s.Spec().Prefix) {
			return s, false, true
		}
	}
	words := [...]string{"hypothesis", "prediction", "test", "assumption", "anomaly", "critique"}
	sections := [...]Section{HypothesisSlate, PredictionsTable, DiscriminativeTests, AssumptionLedger, AnomalyRegister, AdversarialCritique}
	at := slices.IndexFunc(words[:], func(w string) bool { return strings.EqualFold(w, word) })
	if at < 0 {
		return 0, false, false
	}
	return sections[at], true, true
}

// endsID reports whether what follows an id leaves no doubt that the id is meant: nothing, a remark in
// brackets, a name behind a colon or a dash, or the hypothesis of a cell.
func endsID(id, rest string) bool {
	bare := strings.TrimLeft(rest, " ")
	switch {
	case strings.Trim(bare, trailing) == "":
		return true
	case strings.IndexByte("([:@", bare[0]) >= 0:
		return true
	case strings.IndexByte(trailing, bare[0]) >= 0 && len(bare) > 1 && bare[1] == ' ':
		return true
	case bare[0] == '.':
		s, _ := SectionOfID(id)
		return s == PredictionsTable
	}
	return len(bare) < len(rest) && strings.HasPrefix(bare, "- ")
}
