package artifact

import (
	"strings"

	"brenner/internal/fault"
)

// killMark is a label about a kill that another tool wrote. It kills nothing by itself.
type killMark struct {
	label, raw string
	line       int
}

// otherKill reads the labels with which other tools mark a killed item.
func (r *mdReader) otherKill(label, raw string) bool {
	d := r.open
	switch strings.ToLower(label) {
	case "killed":
		yes := strings.ToLower(raw)
		rest, ok := strings.CutPrefix(yes, "true")
		if !ok {
			rest, ok = strings.CutPrefix(yes, mdYes)
		}
		if !ok || rest != "" && strings.IndexByte(" ,;:.(", rest[0]) < 0 && rest[0] < 0x80 {
			if yes != "" && yes != "false" && !strings.HasPrefix(yes, mdNo) {
				r.doubt("label", label+": "+raw)
			}
			return false
		}
		r.kill("label", label, raw[len(raw)-len(rest):])
	case "killed at", "kill reason":
		d.marks = append(d.marks, killMark{label, raw, r.line})
	default:
		return false
	}
	return true
}

// finishKill completes a kill. What says that an item was killed, although nothing killed it, is kept.
func (r *mdReader) finishKill(d *draft) {
	for _, words := range d.told {
		r.tellKill(d, words)
	}
	for _, m := range d.marks {
		at, err := ParseInstant(m.raw)
		switch {
		case m.raw == "":
		case d.Kill != nil && d.Kill.Reason == "" && strings.EqualFold(m.label, "kill reason"):
			d.Kill.Reason = readText(m.raw)
			r.problem(Variant, m.line, d.ID, "the label %s is read as %s", m.label, mdReason)
		case d.Kill != nil && d.Kill.At.IsZero() && err == nil && strings.EqualFold(m.label, "killed at"):
			d.Kill.At = at
			r.problem(Variant, m.line, d.ID, "the label %s is read as part of %s", m.label, mdKilledBy)
		default:
			r.keepMark(d, m)
		}
	}
}

func (r *mdReader) keepMark(d *draft, m killMark) {
	name := ownName(m.label)
	for d.has(name) {
		name = "other_" + name
	}
	r.problem(Kept, m.line, d.ID, "%s does not kill %s, kept as the field %s: %s", m.label, d.ID, name, fault.Shown(m.raw))
	d.Fields = append(d.Fields, Field{Name: name, Value: Text(m.raw)})
}

// kill reads a kill in the words of another tool. The words about it count if no label says the same.
func (r *mdReader) kill(what, was, words string) {
	d := r.open
	r.variant(what, was, "a kill of "+d.ID)
	if d.Kill == nil {
		d.Kill = &Kill{}
	}
	if words = strings.Trim(words, killSigns); words != "" {
		d.told = append(d.told, words)
	}
}

// tellKill takes "by RedSky: too vague".
func (r *mdReader) tellKill(d *draft, words string) {
	k := d.Kill
	if by, ok := strings.CutPrefix(words, "by "); ok && k.By == "" {
		at := strings.IndexAny(by, ":(,;—–")
		if at < 0 {
			at = len(by)
		}
		if name := trim(by[:at]); !strings.Contains(name, " ") {
			k.By, words = readText(name), strings.Trim(by[at:], killSigns)
		}
	}
	switch {
	case words == "" || words == k.Reason:
	case k.Reason == "":
		k.Reason = readText(words)
	default:
		r.keepMark(d, killMark{"Kill remark", words, d.line})
	}
}

// doubt notes an item that is read as active, although a text beside it may say that it was killed.
func (r *mdReader) doubt(what, text string) {
	if r.literal || r.open == nil || r.open.Kill != nil || !speaksOfKill(text) {
		return
	}
	r.guessed = true
	r.problem(Variant, r.line, r.open.ID, "%s is read as active, although its %s says %s", r.open.ID, what, fault.Shown(text))
}

// killSigns are the signs around the words of a kill.
const killSigns = " *_~`()[]{}:;,.!-–—>|"

// killWords reads "KILLED by RedSky", "killed" or "killed: too vague", and returns what follows the first word.
// A sentence that begins with the word is no kill.
func killWords(text string) (rest string, ok bool) {
	const word = "killed"
	text = strings.Trim(text, killSigns)
	if len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) {
		return "", false
	}
	rest = text[len(word):]
	switch after := strings.TrimLeft(rest, " *_~]"); {
	case after == "", strings.IndexByte(":;,(-", after[0]) >= 0, strings.HasPrefix(after, "—"), strings.HasPrefix(after, "–"):
		return rest, true
	}
	return rest, text[:len(word)] == "KILLED" && rest[0] == ' '
}

// ends are words at the end of a heading that may mean a kill.
var ends = []string{"rejected", "withdrawn", "retired", "eliminated", "discarded", "refuted", "dropped", "falsified", "struck"}

// speaksOfKill reports whether a text may say that an item was killed.
func speaksOfKill(text string) bool {
	lower := strings.ToLower(text)
	if strings.Contains(lower, "killed") || strings.Contains(text, "❌") || strings.Contains(text, mdStrike) {
		return true
	}
	at := strings.LastIndexAny(lower, "([—–")
	last := strings.Trim(lower[strings.LastIndexByte(lower, ':')+1:], killSigns)
	for _, word := range ends {
		if last == word && last != strings.Trim(lower, killSigns) {
			return true
		}
		if at >= 0 && strings.HasPrefix(strings.TrimLeft(lower[at:], killSigns), word) {
			return true
		}
	}
	return false
}

// killedHead reads "~~H2: name~~ (KILLED)" and "~~H2~~: name": what is struck through at the beginning of a
// heading was killed, whatever follows.
func (r *mdReader) killedHead(text string) (rest, words string, ok bool) {
	inside, ok := strings.CutPrefix(strings.TrimLeft(text, "*_ "), mdStrike)
	if !ok {
		return text, "", false
	}
	inside, tail, ok := strings.Cut(inside, mdStrike)
	if !ok {
		return text, "", false
	}
	if id := strings.Trim(inside, " *_:"); r.section.ValidID(id) {
		rest = id + inside[strings.Index(inside, id)+len(id):] + tail
		if name, words, ok := cutKill(rest); ok {
			return name, words, true
		}
		return rest, "", true
	}
	inside = trim(inside)
	if words, ok = killWords(tail); !ok {
		words = tail
	}
	return inside, words, true
}

// killedName reads the kill in the name of the open item: "Two (KILLED)", "Two — KILLED", "Two ❌ KILLED" or "~~Two~~". The
// writer may have written such a name, so that a file that it wrote is read again without.
func (r *mdReader) killedName(name string) string {
	if r.literal || r.open.Kill != nil || name == "" {
		return name
	}
	if plain, struck := readStrikes(name); struck {
		r.guessed = true
		r.kill("name", name, "")
		return strings.Trim(plain, "*_ ")
	}
	if plain, words, ok := cutKill(name); ok {
		r.guessed = true
		r.kill("name", name, words)
		return plain
	}
	r.doubt("name", name)
	return name
}

// cutKill cuts the words of a kill off the end of a name.
func cutKill(name string) (plain, words string, ok bool) {
	at := strings.LastIndexAny(name, "([—–-❌")
	if at < 0 {
		return name, "", false
	}
	if words, ok = killWords(strings.TrimPrefix(name[at:], "❌")); !ok {
		return name, "", false
	}
	return strings.TrimRight(name[:at], "*_ —–-(❌"), words, true
}

// killedStatus reads a state of an item that says that it was killed.
func (r *mdReader) killedStatus(label, raw string) bool {
	switch strings.ToLower(label) {
	case "status", "state", "current status", "current_status", "verdict":
	default:
		return false
	}
	words, ok := killWords(raw)
	if !ok && !strings.HasPrefix(words, " by ") || r.literal {
		r.doubt("status", raw)
		return false
	}
	r.guessed = true
	r.kill("status", raw, words)
	return true
}
