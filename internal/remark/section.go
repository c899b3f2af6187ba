package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// Section is a part of a reply that a heading, a label or a ruler opens, with what that says of its blocks.
type Section struct {
	level int // of its heading; labelLevel for others
	frame
	covered bool // a block before was in the frame
	Remark
}

const (
	labelLevel = 7
	maxLabel   = 80 // bytes
)

var (
	// thoughts and reasons are labels of thoughts, the second also of answers.
	thoughts = shape(`^(?:my |begin |start of )?(?:think(?:ing)?|thoughts?|thought process|scratch ?pad|rough work|let me think|notes? to self|brainstorming|internal monologue)[.…]*$`)
	reasons  = shape(`^(?:my )?(?:reasoning|analysis)$`)
	ends     = shape(`^(?:end\b|/|\.* ?done thinking)|^$`)
	ruler    = pattern.New(`^(?:(?:[-=~]{2,}|[*_]{3,}) *(.*?) *[-=*_~]{2,}|\[(.*)\]|\{(.*)\}|&lt;(.*)&gt;|\\<(.*)\\>|:{3,} *(?:details|warning|note|info|tip|caution|danger)?(.*))$`)
	begins   = pattern.New(`^(?:begin|start)(?: of)? `)
	// An answer decides what thoughts and reasons before it are; the author's own changes, what thoughts are.
	answer = pattern.New(`(?im)^(?:#{1,6} .{0,40}\bfinal\b|[#*_=✅ \[{-]*(?:my |the )?(?:final )?answer[:*_= \]}-]*\r?$)`)
	change = pattern.New(`(?im)^[#*_=✅ \[-]*(?:me|mine|(?:my |the )?(?:deltas?|changes?|reply|submission)|\.* ?done thinking\.?)[:*_= \]-]*\r?$`)
)

// Later says where a reply comes to its answer, and to the author's own changes, for the last time, or -1.
type Later struct{ Answer, Change int }

// FindLater searches a reply for them.
func (r Rules) FindLater(text []byte) Later {
	last := func(pattern *pattern.Pattern) int {
		all := pattern.FindAllIndex(text, -1)
		for i := len(all) - 1; i >= 0; i-- {
			if at, end := all[i][0], all[i][1]; !r.Close || text[at] != '[' || !bytes.HasPrefix(bytes.TrimLeft(text[end:], " \t\r\n"), []byte("{")) {
				return at // and not the mark of a block: [delta]
			}
		}
		return -1
	}
	return Later{last(answer), max(last(answer), last(change))}
}

// Next returns the section at the end of a text that follows s. The author may be unknown (""); later
// returns what follows the text.
func (r Rules) Next(s Section, text []byte, later func() (answer, change bool)) Section {
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		raw := line
		if line = bytes.TrimSpace(line); len(line) == 0 || len(line) > maxLabel && !r.Oblique {
			continue
		}
		next, _, _ := bytes.Cut(text, []byte("\n"))
		level := headingLevel(line, next)
		switch isLong := len(line) > maxLabel; {
		case !isLong && level > 0:
			s = r.heading(s, line, level, later)
		case !isLong && mayBeLabel(line):
			s = s.label(line, later)
		}
		if r.isWide() && level == 0 {
			s = r.within(s, raw, line, text)
		}
	}
	return s
}

// headingLevel returns the level of a line that is a heading, with the line below it, or 0.
func headingLevel(line, next []byte) int {
	if n := len(line) - len(bytes.TrimLeft(line, "#")); n > 0 {
		return min(n, labelLevel-1)
	}
	if next = bytes.TrimSpace(next); len(next) < 3 || len(bytes.Trim(next, "-")) > 0 && len(bytes.Trim(next, "=")) > 0 || !isLetter(line[0]) {
		return 0
	}
	return 2
}

// mayBeLabel reports whether a line has the marks of a label or a ruler.
func mayBeLabel(line []byte) bool {
	last := line[len(line)-1]
	return line[0] >= 0x80 || strings.IndexByte(`[{&\:=`, line[0]) >= 0 || !isLetter(line[0]) && !isPlain(line) || last == ':' || last == '*' || last == '.' && len(line) < 20
}

func (r Rules) heading(s Section, line []byte, level int, later func() (answer, change bool)) Section {
	title, _ := unmark(line)
	lower := lowered(title)
	if s.Line != "" && s.level < level && !(r.Close && change.Match(line)) && !owning.MatchString(lower) && !answer.Match(line) && (s.frame == noFrame || !settles.MatchString(lower)) {
		return s // within the section
	}
	s = Section{level: level}
	if r.explores(lower, level, later) {
		s.Remark = Remark{Line: title, Open: true}
		return s
	}
	if said, ok := above(line, r.Author, later); ok {
		s.Remark = said
		return s
	}
	if framed, ok := r.heads(title, level); ok {
		return framed
	}
	return s
}

// above returns the remark of a heading about all that follows it.
func above(heading []byte, author string, later func() (answer, change bool)) (Remark, bool) {
	if isPlain(heading) {
		return Remark{}, false
	}
	line, _ := unmark(heading)
	lower := lowered(line)
	switch {
	case thoughts.MatchString(lower):
		_, ok := later()
		return Remark{Line: line}, ok
	case reasons.MatchString(lower):
		ok, _ := later()
		return Remark{Line: line}, ok
	}
	return Remark{Line: line}, isSpeaker(line, author) || isSetAside(lower) && !denies.MatchString(lower)
}

// label returns the section at a line that may be a label or a ruler.
func (s Section) label(raw []byte, later func() (answer, change bool)) Section {
	if m := ruler.FindSubmatch(raw); m != nil {
		title := strings.TrimSpace(string(bytes.Join(m[1:], nil)))
		lower := begins.ReplaceAllString(lowered(title), "")
		switch {
		case ends.MatchString(lower) && s.level == labelLevel:
			return Section{}
		case title != "" && (thoughts.MatchString(lower) || isSetAside(lower)):
			return Section{level: labelLevel, Remark: Remark{Line: title}}
		}
	}
	line, _ := unmark(bytes.TrimLeft(raw, "💭🤔 "))
	switch lower := lowered(line); {
	case s.level == labelLevel && (answer.Match(raw) || change.Match(raw) || owning.MatchString(lower)):
		return Section{}
	case thoughts.MatchString(lower):
		if _, ok := later(); ok {
			return Section{level: labelLevel, Remark: Remark{Line: line}}
		}
	case reasons.MatchString(lower):
		if ok, _ := later(); ok {
			return Section{level: labelLevel, Remark: Remark{Line: line}}
		}
	}
	return s
}

// Name returns the last line of a text if it is only a name, which may be another author's.
func Name(text []byte) (Remark, bool) {
	line, _ := unmark(lastLine(text))
	return Remark{Line: line}, isSpeaker(line, "-")
}

// Continues reports whether a text between two blocks only joins them. If lax, so does the mark of an item.
func (r Rules) Continues(text []byte, lax bool) bool {
	text = bytes.Trim(text, " \t\r\n`~:")
	return len(text) <= maxLabel && (joins.Match(text) && !(lax && settles.Match(bytes.ToLower(text))) || lax && joinsToo.Match(text))
}

var joinsToo = pattern.New(`^(?i:(?:and )?(?:then|next|plus|or else|followed by|second|third)|[(\[]?(?:[a-h]|\d{1,2}|[ivx]{1,3})[.)\]]?)[,.:]?$`)

var joins = pattern.New(`^(?i:or|and|also|another|likewise)\b[^.:\n]*[,:]?$`)

// lastLine returns the last line of a text that is not empty.
func lastLine(text []byte) []byte {
	text = bytes.TrimRight(text[max(0, len(text)-maxRemark):], " \t\r\n")
	return text[bytes.LastIndexByte(text, '\n')+1:]
}
