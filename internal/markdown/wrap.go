package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// wraps finds the parts of a text of which it is in doubt whether they are its author's changes: what
// stands between a pair of tags whose name says nothing known, or beside a tag that may be one of
// reasoning or only mentioned. Its tags do not divide lines, unlike others.
type wraps struct {
	tags  []wrapTag // in text order
	parts []part    // comments, and tags with JSON in them
	last  int       // the end of the last tag
	ends  [len(asides)]int
	names map[string]wrapTag // what is known about names
}

// maxNames bounds the names that are remembered.
const maxNames = 100

// wrapTag is a tag that may enclose text.
type wrapTag struct {
	at, end int
	name    string
	opens   bool
	lone    bool // it counts without a partner, too: all behind it or before it is in doubt
	known   bool // its pair changes nothing
	other   bool // another author speaks, and the author itself behind it only if it has not yet spoken
}

// part is a part of a text.
type part struct {
	from, to int
	sure     bool // it is only shown, without doubt
}

// struck is the name of the marks around struck text, which open and close it alike.
const struck = "~~"

// label is the name of titles in brackets without an end: [plan], [answer]. Each reaches to the next one.
const label = "[]"

// asides are the marks around text that does not belong to a reply.
var asides = [...]struct{ open, end string }{{"{/*", "*/}"}, {"<![CDATA[", "]]>"}, {"[//]: # (", ")\n"}}

// note remembers a tag, once.
func (w *wraps) note(t wrapTag) {
	if t.at >= w.last {
		w.tags = append(w.tags, t)
		w.last = t.end
	}
}

// drop forgets the tags from an offset on.
func (w *wraps) drop(from int) {
	for len(w.tags) > 0 && w.tags[len(w.tags)-1].at >= from {
		w.tags = w.tags[:len(w.tags)-1]
	}
}

// aside returns the length of an aside at an offset of src, and remembers it. It returns 0 if there is
// none.
func (w *wraps) aside(src []byte, at int) int {
	for i, a := range asides {
		if !bytes.HasPrefix(src[at:], []byte(a.open)) || w.ends[i] > len(src) {
			continue
		}
		end := bytes.Index(src[at:], []byte(a.end))
		if end < 0 {
			w.ends[i] = len(src) + 1
			continue
		}
		end += at + len(a.end)
		if at >= w.last {
			w.parts = append(w.parts, part{at, end, true})
			w.last = at + len(a.open)
		}
		return len(a.open)
	}
	return 0
}

// doubts returns the parts of a text that are in doubt or only shown, in text order and
// without overlap. Spoken is where its first change is: turns of others behind it are invented, and so are
// the answers to them.
func (w *wraps) doubts(src []byte, spoken int, rules Version) []part {
	parts := w.parts
	open := make(map[string]int) // how many tags of a name are open
	var stack []wrapTag
	for _, t := range w.tags {
		if t.other && t.at > spoken {
			parts = append(parts, part{from: t.at, to: len(src)})
			break
		}
		if t.name == struck {
			t.opens = open[struck] == 0
		}
		switch {
		case t.opens && (t.name != turn && t.name != label || open[t.name] == 0):
			stack = append(stack, t)
			open[t.name]++
		case t.opens:
		case open[t.name] > 0:
			for top := (wrapTag{}); top.name != t.name || top.end == 0; {
				top = stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				open[top.name]--
				if top.name == t.name && !top.known {
					parts = append(parts, part{from: top.at, to: t.end})
				}
			}
		case t.lone:
			parts = append(parts, part{to: t.end})
		}
	}
	return joined(append(parts, unclosedParts(src, stack, rules)...))
}

// unclosedParts returns the parts of a text that tags without an end make doubtful.
func unclosedParts(src []byte, stack []wrapTag, rules Version) (parts []part) {
	end := 0 // of the last paragraph of reasons
	for _, t := range stack {
		isReason := rules >= Third && slices.Contains(reasonNames, t.name)
		switch {
		case !t.lone || t.known || isReason && t.at < end:
		case isReason:
			end = t.end + paragraphEnd(src[t.end:])
			parts = append(parts, part{from: t.at, to: end})
		default:
			return append(parts, part{from: t.at, to: len(src)})
		}
	}
	return parts
}

// joined returns parts in text order, those that overlap as one.
func joined(parts []part) []part {
	slices.SortFunc(parts, func(a, b part) int { return a.from - b.from })
	all := parts[:0]
	for _, p := range parts {
		if last := len(all) - 1; last >= 0 && p.from < all[last].to {
			all[last].sure = all[last].sure && p.to <= all[last].to
			all[last].to = max(all[last].to, p.to)
			continue
		}
		all = append(all, p)
	}
	return all
}

// mark returns blocks of which those in doubtful parts are marked. Running text is divided.
func (w *wraps) mark(src []byte, blocks []Block, rules Version) []Block {
	if len(w.tags) == 0 && len(w.parts) == 0 {
		return blocks
	}
	parts := w.doubts(src, firstChange(src, blocks), rules)
	if len(parts) == 0 {
		return blocks
	}
	all := make([]Block, 0, len(blocks)+2*len(parts))
	for _, b := range blocks {
		for len(parts) > 0 && parts[0].to <= b.Start {
			parts = parts[1:]
		}
		switch {
		case !b.Own() || len(parts) == 0 || b.End <= parts[0].from:
			all = append(all, b)
		case b.Kind != Prose:
			if parts[0].from <= b.Start {
				b.Shown, b.Doubtful = true, !parts[0].sure
			}
			all = append(all, b)
		default:
			all = divide(src, b, parts, all)
		}
	}
	return all
}

// firstChange returns where the first block begins that may be a change of the author, or the end.
func firstChange(src []byte, blocks []Block) int {
	for _, b := range blocks {
		if b.Own() && (b.Kind == Fenced || b.Kind == Prose && holdsChange(src[b.Start:b.End])) {
			return b.Start
		}
	}
	return len(src)
}

// divide appends the pieces of running text in and between parts.
func divide(src []byte, b Block, parts []part, all []Block) []Block {
	piece := func(to int, within, sure bool) {
		if to <= b.Start {
			return
		}
		this := b
		this.End = to
		this.Shown, this.Doubtful = within, within && !sure
		b.Line += bytes.Count(src[b.Start:to], []byte("\n"))
		b.Start = to
		if last := len(all) - 1; last >= 0 && all[last].Kind == Prose && all[last].End == this.Start && all[last].Own() && this.Own() {
			all[last].End = to
			return
		}
		all = append(all, this)
	}
	for _, p := range parts {
		if p.from >= b.End {
			break
		}
		if to := min(p.to, b.End); holdsChange(src[max(p.from, b.Start):to]) {
			piece(p.from, false, false)
			piece(to, true, p.sure)
		}
	}
	piece(b.End, false, false)
	return all
}

// holdsChange reports whether running text may hold more than words: an object, a patch, or the
// statement that nothing changes.
func holdsChange(text []byte) bool {
	return bytes.IndexByte(text, '{') >= 0 || bytes.Contains(text, []byte("<<<<<<<")) || bytes.Contains(text, []byte("NO CHANGES"))
}

// noteMention remembers a tag of reasoning that may only be mentioned. If lone, it counts without a
// partner, too.
func (s *scanner) noteMention(t tag, at, n int, lone bool) {
	if len(s.within) > 0 || s.quotedTag(at, n) {
		return
	}
	switch {
	case t.kind == tagOpen && s.src[at] == '[' && t.family != "reasoning" && t.family != "analysis" && s.begins && onlySpace(s.src[at+n:max(at+n, s.end)]):
		s.wraps.note(wrapTag{at: at, end: at + n, name: label, opens: true, lone: true})
	case t.kind == tagOpen:
		s.wraps.note(wrapTag{at: at, end: at + n, name: t.family, opens: true, lone: lone})
	case t.kind == tagClose || t.kind == tagFinal:
		s.wraps.note(wrapTag{at: at, end: at + n, name: t.family, lone: lone})
	}
}

// noteLine remembers what the beginning of a line at an offset says: the marks of a container with a
// name, or who speaks.
func (s *scanner) noteLine(line []byte, at int) {
	if len(s.within) > 0 {
		return
	}
	t := wrapTag{at: at, end: at + len(line)}
	switch line[0] {
	case ':':
		if run(line, ':') != 3 {
			return
		}
		name := bytes.Trim(line[3:], " \t{}.")
		name = name[:nameLength(name)]
		if t.opens = len(name) > 0; !t.opens && !onlySpace(line[3:]) || hasPrefixFold(name, "delta") {
			return
		}
		t.name, t.known, t.lone = ":::", isWrapper(name, nil), false
	case 'H', 'U', 'A', '*':
		if t.name, t.lone = turn, true; !speaks(line, &t) {
			return
		}
	case '[', 'e', 'c', result[0]:
		if t.name = "trace"; !t.traces(line) {
			return
		}
	default:
		return
	}
	s.wraps.note(t)
}

// speaks reports whether a line begins with the name of who speaks: others, or the assistant.
func speaks(line []byte, t *wrapTag) bool {
	line = bytes.TrimLeft(line, "*")
	for i, name := range [...]string{"Assistant", "Human", "User"} {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok && (bytes.HasPrefix(rest, []byte(":")) || bytes.HasPrefix(rest, []byte("**:"))) {
			t.opens = i > 0
			t.lone, t.other = t.opens, t.opens
			return true
		}
	}
	return false
}

// opensVerbatim reports whether verbatim HTML that begins at an offset has an end. If so, its tag is no
// wrapper.
func (s *scanner) opensVerbatim(at int) bool {
	if s.rules == First || !s.tagged {
		return true
	}
	if s.verbatim == 0 {
		s.verbatim = 1
		low := bytes.ToLower(s.src)
		for _, name := range verbatimTags {
			s.verbatim = max(s.verbatim, bytes.LastIndex(low, []byte("</"+name+">")))
		}
	}
	if at > s.verbatim {
		return false
	}
	s.wraps.drop(at)
	return true
}

// noteStrike remembers the marks of struck text at an offset, and returns their length.
func (s *scanner) noteStrike(at, to int) int {
	n := run(s.src[at:to], '~')
	if n != 2 || len(s.within) > 0 {
		return n
	}
	t := wrapTag{at: at, end: at + n, name: struck}
	rest := bytes.TrimLeft(s.src[t.end:max(t.end, s.end)], " \t*_")
	fence := len(rest) > 0 && (rest[0] == '`' || rest[0] == '{')
	if end := bytes.Index(s.src[t.end:to], []byte(struck)); len(rest) > 0 && end >= 0 {
		s.wraps.parts = append(s.wraps.parts, part{from: at, to: t.end + end})
		return n + end + len(struck)
	}
	if len(rest) > 0 && !fence && len(bytes.TrimSpace(s.src[s.start:at])) > 0 {
		return n
	}
	t.lone = fence
	s.wraps.note(t)
	return n
}

// noteWrap remembers a tag around text at an offset of the part of a line that begins at from, and returns its
// length, or 0.
func (s *scanner) noteWrap(at, from int) int {
	if len(s.within) > 0 || at < s.wraps.last {
		return 0
	}
	if n := s.wraps.aside(s.src, at); n > 0 {
		return n
	}
	t, n := s.wraps.read(s.src[at:])
	if n == 0 || s.quotedTag(at, n) {
		return n
	}
	t.at, t.end = at, at+n
	after := bytes.TrimLeft(s.src[t.end:max(t.end, s.end)], " \t*_")
	alone := len(after) == 0 && len(bytes.TrimLeft(s.src[from:at], marksBefore)) == 0
	switch {
	case t.name == turn:
	case !t.opens:
		t.lone = alone && !t.known && isDraft(t.name)
	default:
		s.openWrap(&t, alone, len(after) > 0 && strings.IndexByte("`~<{", after[0]) >= 0)
	}
	s.wraps.note(t)
	return n
}

// openWrap completes an opening tag, which is alone on its line or before a fence or data.
func (s *scanner) openWrap(t *wrapTag, alone, before bool) {
	if bytes.IndexByte(s.src[t.at:t.end], '{') >= 0 {
		s.wraps.parts = append(s.wraps.parts, part{from: t.at, to: t.end})
	}
	switch {
	case t.name == "details":
		t.known = t.known && !sumsUpDraft(summary(s.src[t.end:]))
	case s.src[t.at] == '<':
		t.lone = isLetter(s.src[t.at+1]) && (alone || before)
	case alone && s.closes["["+t.name] > t.at:
		t.lone = true // its end may be in a fence that is not closed
	case alone && (t.known || isDraft(t.name)):
		t.name, t.opens, t.lone = label, !t.known, !t.known
	}
}

// may reports whether a tag or an aside begins at the start of b that changes what is in it.
func (w *wraps) may(b []byte) bool {
	t, n := w.read(b)
	return n > 0 && (!t.known || t.name == "details" || bytes.IndexByte(b[:n], '{') >= 0) ||
		bytes.HasPrefix(b, []byte("<!--")) || bytes.HasPrefix(b, []byte("<![CDATA[")) || bytes.HasPrefix(b, []byte("[//]: # ("))
}

// read reads a tag around text at the start of b and returns its length, or 0.
func (w *wraps) read(b []byte) (wrapTag, int) {
	if len(b) < 3 {
		return wrapTag{}, 0
	}
	if b[1] == '|' || b[1] == "｜"[0] {
		return w.pipe(b)
	}
	at := 1
	t := wrapTag{opens: b[at] != '/'}
	if !t.opens {
		at++
	}
	n := nameLength(b[at:])
	if n == 0 || n > maxTagName || !isLetter(b[at]) {
		return t, 0
	}
	name := b[at : at+n]
	at += n
	rest := b[at:min(len(b), at+maxTagLength)]
	if b[0] == '[' {
		if len(rest) == 0 || rest[0] != ']' || len(rest) > 1 && strings.IndexByte("([:", rest[1]) >= 0 {
			return t, 0
		}
		t.name, t.known = w.name(name, nil)
		return t, at + 1
	}
	end := attributesEnd(rest)
	if end < 0 || end > 0 && rest[end-1] == '/' {
		return t, 0
	}
	t.name, t.known = w.name(name, rest[:end])
	if t.opens && (t.name == "end_of_turn" || t.name == "eos") {
		t = wrapTag{name: turn, opens: true, lone: true}
	}
	return t, at + end + 1
}

// pipe reads <|name|>, <|end_name|> and the marks at the end of a turn, as read does.
func (w *wraps) pipe(b []byte) (wrapTag, int) {
	name, n := pipeWord(b)
	switch name {
	case "":
		return wrapTag{}, 0
	case "endoftext", "end_of_text", "end_of_sentence", "end_of_turn", "eot_id", "im_end", "eos":
		return wrapTag{name: turn, opens: true, lone: true}, n
	}
	kind, key := pipeKind(name)
	_, known := w.name([]byte(name), nil)
	return wrapTag{name: key, opens: kind == tagOpen, known: known}, n
}

// name returns a name in lower case, and whether a pair of tags with it and attributes changes nothing.
func (w *wraps) name(name, attributes []byte) (string, bool) {
	if known, ok := w.names[string(name)]; ok && len(attributes) == 0 {
		return known.name, known.known
	}
	t := wrapTag{name: strings.ToLower(string(name)), known: isWrapper(name, attributes)}
	if len(attributes) == 0 && len(w.names) < maxNames {
		if w.names == nil {
			w.names = make(map[string]wrapTag)
		}
		w.names[string(name)] = t
	}
	return t.name, t.known
}

// attributesEnd returns where the attributes of a tag end, at its last mark, or -1.
func attributesEnd(rest []byte) int {
	if len(rest) == 0 || rest[0] != '>' && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '=' {
		return -1
	}
	quote := byte(0)
	for i, c := range rest {
		switch {
		case c == '\n':
			return -1
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return -1
		case c == '>':
			return i
		}
	}
	return -1
}
