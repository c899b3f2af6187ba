package tape

import (
	"fmt"
	"unicode/utf8"

	"brenner/agent"
	"brenner/internal/fault"
)

// missed says that there is no recording, and what comes nearest to it.
func (p *Player) missed(e entry, text string) *agent.Failure {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &agent.Failure{
		Code: Miss, Detail: fmt.Sprintf("nothing was recorded for %s %s%s", e.Request.Method, e.Request.Host, e.Request.Path),
		Hint: "a tape plays only the questions that were asked then: give the same flags, roster and prompts, or record again with --record-tape",
	}
	if model := modelOf(text); model != "" {
		f.Detail += ", model " + fault.Shown(model)
	}
	if equal := p.equal(e.Key); equal > 0 {
		f.Detail += fmt.Sprintf(": it was recorded %d times, and all of them were played", equal)
		return f
	}
	near := p.nearest(e, text)
	if near == nil {
		f.Detail += ": nothing else was recorded there either"
		return f
	}
	at := common(near.text, text)
	f.Detail += fmt.Sprintf("; the nearest is line %d (model %s, call %s), which differs from byte %d of the body on: %q was asked then, %q now",
		near.line, fault.Shown(modelOf(near.text)), fault.Shown(near.Call), at+1, around(near.text, at), around(text, at))
	return f
}

// withheld says that there is a recording, but nothing in it that can be played.
func (t *track) withheld() *agent.Failure {
	return &agent.Failure{
		Code: Miss, Detail: fmt.Sprintf("line %d has no answer to play: %s", t.line, t.Broke.Text),
		Hint: "the endpoint repeats the key in what it answers: ask another one, and record again with --record-tape",
	}
}

func (p *Player) equal(key string) int {
	n := 0
	for _, t := range p.tracks {
		if t.Key == key {
			n++
		}
	}
	return n
}

// nearest prefers a recording of the same call, then of the same model, then what
// has most in common.
func (p *Player) nearest(e entry, text string) *track {
	var best *track
	most := -1
	model := modelOf(text)
	for _, t := range p.tracks {
		if t.Request.Path != e.Request.Path || t.Request.Method != e.Request.Method {
			continue
		}
		score := common(t.text, text)
		if modelOf(t.text) == model {
			score += 1 << 40
		}
		if e.Call != "" && t.Call == e.Call {
			score += 1 << 41
		}
		if score > most {
			best, most = t, score
		}
	}
	return best
}

// common is how many bytes two texts have in common at their beginning, without
// half a character.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// around gives some words of a text, so that the place can be recognised.
func around(text string, at int) string {
	const before, after = 20, 40
	from, to := max(0, at-before), min(len(text), at+after)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[from:to]
}
