package revisit

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// sentence is one of a text, with its place.
type sentence struct {
	text        string // without marks
	lower       string
	start, end  int
	block       int  // where its part of the text begins
	isLead      bool // it ends in a colon
	isQuestion  bool
	isNoChanges bool // it is the reason of a line NO CHANGES
}

var (
	sentenceEnds = pattern.New("[.!?;]+[*_)\"”]*(?:[ \t\r\n]+|$)|[。！？；]|:[*_]*[ \t\r]*(?:\n|$)|\n[ \t\r]*\n|\n[ \t]*(?:[-*+#|>]|\\d{1,2}[.)]) ")
	marksBefore  = pattern.New(`^(?:[ \t\r\n#>•|-]|[*+_]+|\d{1,2}[.)] )+`)
	noChangesAt  = pattern.New(`(?i)^[*_]*no changes?[*_]*(?: needed| required)?[*_]* ?[:：—–-][*_]* *`)
	clauseEnds   = pattern.New(`,|;|:|\(|\)|—|–| - |，|、|：|\b(?:and|but|so|while|whereas|because|since|though|although|yet|however|und|aber|et|mais|y|pero)\b`)
	lightMarks   = strings.NewReplacer("*", "", "`", "", "~~", "", "’", "'", "_", " ")
)

// sentencesIn returns the sentences of a text.
func sentencesIn(text []byte) (all []sentence) {
	isNoChanges := false
	add := func(from, to int, end []byte) {
		raw := text[from:to]
		skip := 0
		if at := marksBefore.FindIndex(raw); at != nil {
			skip = at[1]
		}
		trimmed := bytes.TrimSpace(raw[skip:])
		if len(trimmed) == 0 {
			return
		}
		s := sentence{start: from + skip, end: to, isLead: bytes.HasPrefix(end, []byte(":")), isQuestion: bytes.ContainsAny(end, "?？")}
		if at := noChangesAt.FindIndex(trimmed); at != nil {
			trimmed, isNoChanges = trimmed[at[1]:], true
		}
		s.isNoChanges = isNoChanges
		s.text = strings.TrimSpace(lightMarks.Replace(strings.Join(strings.Fields(string(trimmed)), " ")))
		s.lower = strings.ToLower(s.text)
		if s.lower != "" {
			all = append(all, s)
		}
		if bytes.IndexByte(end, '\n') >= 0 {
			isNoChanges = false
		}
	}
	at := 0
	for _, m := range sentenceEnds.FindAllIndex(text, -1) {
		if m[0] == at && at > 0 && text[m[0]] != '\n' {
			continue
		}
		end := m[0]
		for end < m[1] && text[end] != '\n' && text[end] != ' ' {
			end++ // the mark belongs to the sentence
		}
		if text[m[0]] == '\n' {
			end = m[0]
		}
		add(at, end, text[m[0]:m[1]])
		if at = m[1]; text[m[0]] == '\n' {
			at = m[0] + 1
		}
	}
	add(at, len(text), nil)
	return all
}

// clauses divides a sentence, in small letters. What joins numbers, ids or operations does not.
func (s *sentence) clauses() (all []string) {
	text := s.lower
	at := 0
	for _, m := range clauseEnds.FindAllStringIndex(text, -1) {
		if m[0] < at || joined.MatchString(strings.TrimSpace(text[m[1]:])) && counts.MatchString(strings.TrimSpace(text[:m[0]])) {
			continue
		}
		if clause := strings.TrimSpace(text[at:m[0]]); clause != "" {
			all = append(all, clause)
		}
		at = m[1]
	}
	if clause := strings.TrimSpace(text[at:]); clause != "" {
		all = append(all, clause)
	}
	return all
}

var (
	joined = pattern.New(`^(?:and |or |und |et |y )?(?:the )?(?:#?\d{1,3}|one|two|three|four|five|first|second|third|fourth|fifth)\b`)
	counts = pattern.New(`(?:#?\d{1,3}|one|two|three|four|five|first|second|third|fourth|fifth|and)$`)
)
