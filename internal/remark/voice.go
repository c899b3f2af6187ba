package remark

import (
	"bytes"
	"iter"
	"strings"

	"brenner/internal/pattern"
)

// Whole is what the rules know of a whole reply.
type Whole struct {
	isTicked bool // a box of a list is checked
	isStaged bool // it stages a dialogue of made-up speakers
	isDialog bool // lines of several agents begin with their names
}

func (w *Whole) ticked() bool { return w != nil && w.isTicked }

var (
	// voiced matches a line that begins with who speaks: **Skeptic:** no. Moderator (that's me): yes.
	voiced = pattern.New(`^(?:[-*+] )?(?:\*\*|__|\*)?((?:[Tt]he )?[A-Z][\pL'’-]{2,18}(?: [A-Z\d][\pL\d'’-]{0,15})?)(?:\*\*|__)?(?: \(([^)]{1,40})\))?:(?:\*\*|__|\*)?(?:[ \t]+\S|$)`)
	// agentLine matches a line that begins with the name of the agent who speaks: RedSky: I agree. **RedSky** RedSky (09:14)
	agentLine = pattern.New(`^(?:\*\*|__)?@?` + agent + `(?:(?:\*\*|__)?:(?:\*\*|__)?(?:[ \t]+\S.*)?|(?:\*\*|__)|(?:\*\*|__)? \(\d{1,2}[:.]\d\d\):?(?:\*\*|__)?)$`)
	// speakers matches the names of made-up speakers.
	speakers = pattern.New(`(?i)^(?:the )?(?:(?:s[ck]eptic|cynic|critic|proponent|opponent|advocate|defender|defen[cs]e|prosecut(?:or|ion)|judge|juror|moderator|chair|reviewer|referee|optimist|pessimist|realist|pragmatist|purist|believer|doubter|contrarian|dissenter|devil|angel|interlocutor|questioner|interviewer|panell?ist|expert|speaker|voice|persona|teacher|student|professor|mentor|colleague|alice|bob|carol|dave|\pL+(?:ologist|ician|icist|alist|orist|enist))s?(?: (?:[A-D]|\d))?|(?:speaker|voice|person|persona|expert|panell?ist|reviewer|agent|player) (?:[A-D]|\d)|devil['’]s advocate)$`)
	// stages matches lines that announce a dialogue.
	stages = pattern.New(`(?i)\b(?:simulat\w+|imagine[ds]?|imagining|role-?play\w*|stag(?:e|ing)|act(?:ing)? out|play(?:ing)? out|rehears\w+) (?:\w+ ){0,5}(?:panel|debate|dialogue|discussion|conversation|exchange|meeting|reactions?|voices|roles|personas?|argument)\b|\b(?:mock|imaginary|imagined|internal|inner|fictional|socratic|pretend) (?:debate|dialogue|discussion|panel|conversation|exchange)\b`)
	// ordinaryLabel matches labels that no speaker has, and ownVoice what says that the author speaks.
	ordinaryLabel = pattern.New(`(?i)^(?:the )?(?:rationale|reason(?:ing)?|evidence|results?|summary|notes?|verdict|conclusion|decision|outcome|changes?|deltas?|analysis|claim|mechanism|tests?|predictions?|hypothesis|assumptions?|anomaly|critique|statement|why|effect|motion|kill|edit|add|section|operation|target|status|update|proposal|answer|final.*|my .*|own .*)$`)
	ownVoice      = pattern.New(`(?i)\b(?:me|myself|mine|i)\b`)
)

// WholeOf returns what the rules know of a whole reply.
func WholeOf(text []byte) *Whole {
	w := new(Whole)
	isVoiced := false
	agents := make(map[string]bool)
	for line := range linesOutsideCode(text) {
		if m := agentLine.FindSubmatch(line[:min(len(line), 2*maxLabel)]); m != nil {
			agents[string(m[1])] = true
			w.isDialog = len(agents) > 1
		}
		if m := boxOf(line); m != 0 {
			w.isTicked = w.isTicked || m != ' '
		} else if !isVoiced {
			name, _ := voiceOf(line)
			isVoiced = name != ""
		}
	}
	if !isVoiced {
		return w
	}
	names := make(map[string]bool)
	isAnnounced, hasOwn := false, false
	for line := range linesOutsideCode(text) {
		if boxOf(line) != 0 {
			continue
		}
		hasOwn = hasOwn || change.Match(line)
		isAnnounced = isAnnounced || len(line) <= maxRemark && stages.Match(line)
		if name, _ := voiceOf(line); speakers.MatchString(name) || isAnnounced && name != "" && !ordinaryLabel.MatchString(name) {
			names[strings.ToLower(name)] = true
		}
	}
	w.isStaged = len(names) > 1 || (isAnnounced || hasOwn) && len(names) > 0
	return w
}

// linesOutsideCode returns the lines of a text outside fences.
func linesOutsideCode(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		isCode := false
		for line := range bytes.Lines(text) {
			line = bytes.TrimSpace(line)
			if bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")) {
				isCode = !isCode
			}
			if !isCode && len(line) >= 3 && !yield(line) {
				return
			}
		}
	}
}

// boxOf returns the mark in the box with which a line begins, or 0.
func boxOf(line []byte) byte {
	if m := boxed.FindSubmatch(line[:min(len(line), 2*maxLabel)]); m != nil {
		return m[1][0]
	}
	return 0
}

// voiceOf returns who speaks in a line, and what is said of that in brackets.
func voiceOf(line []byte) (name, note string) {
	const farthest = 60
	if at := bytes.IndexByte(line[:min(len(line), farthest)], ':'); at < 3 {
		return "", ""
	}
	m := voiced.FindSubmatch(line[:min(len(line), 2*farthest)])
	if m == nil {
		return "", ""
	}
	return string(m[1]), string(m[2])
}

// voice returns the section at a line in which a made-up speaker, or again the author, may begin to speak.
func (r Rules) voice(s Section, line []byte) (now Section, isNew, ok bool) {
	name, note := voiceOf(line)
	switch {
	case name == "":
		return s, false, false
	case isSame(name, r.Author), ownVoice.MatchString(note), ordinaryLabel.MatchString(name):
		return Section{}, false, true
	}
	return Section{level: labelLevel, Remark: Remark{Line: string(line), Open: true}}, true, true
}
