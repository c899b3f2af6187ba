package delta

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
)

// announcement is what a line, or a group of lines, says about a change.
type announcement struct {
	line, column int
	text         string
	operation    string // "" if it does not say
	section      string
	targets      []string // ids, of an ADD its label
	field        string   // that an EDIT changes, or "" if it does not say
	number       int      // of "Delta 3", or 0
	words        []string // what the change says, as stems
	called       []string // of these, the name of what an ADD adds
	ahead        bool     // only a block below it may be its change
	whole        bool     // it is the change, in another notation
	merges       bool     // it kills all of its targets but one
	shaped       bool     // it is an item, a call or a difference of texts
	sure         bool     // its author's, although in no known form
	isNew        bool     // of an ADD with a label: any ADD of its section may be it
	keyed        bool     // with its operation and what it applies to as values of keys
}

// findAnnouncements records the lines of a text that announce changes, but for what has been read as
// an object.
func (r *reader) findAnnouncements(b markdown.Block, done []span, c clues) {
	text := r.src[b.Start:b.End]
	isQuiet := !c.announces(r)
	if isQuiet && (!r.opt.Reader.Since(SixthReader) || b.Kind != markdown.Prose || r.keys != nil) {
		return // as most texts
	}
	at, l := b.Start, lineState{paragraph: b.Start, quiet: isQuiet}
	for line := range bytes.Lines(text) {
		if r.overfull() {
			return
		}
		for len(done) > 0 && int(done[0].to) <= at {
			done = done[1:]
		}
		from := at
		at += len(line)
		switch {
		case len(done) > 0 && int(done[0].from) < from:
			continue
		case len(bytes.TrimSpace(line)) == 0:
			l.paragraph, l.inTable = at, false
			continue
		case len(done) > 0 && int(done[0].from) < at:
			if line = line[:int(done[0].from)-from]; len(bytes.TrimSpace(line)) == 0 {
				continue
			}
		}
		r.announceIn(b, line, from, at, &l)
	}
}

// announceEnd records the change that the last line of a reply leads to, if nothing follows it but the marks of a fence.
func (r *reader) announceEnd(last markdown.Block) {
	text := r.src
	if last.Kind == markdown.Fenced && !last.Closed && len(bytes.TrimSpace(text[last.Start:])) == 0 && !r.isDeltaFence(last) {
		text = text[:bytes.LastIndexByte(bytes.TrimRight(text[:last.Start], " \t\r\n"), '\n')+1]
	} else if last.Kind != markdown.Prose || last.Quoted || last.Draft {
		return
	}
	text = bytes.TrimRight(text, " \t\r\n")
	at := bytes.LastIndexByte(text, '\n') + 1
	line := text[at:]
	if !bytes.HasSuffix(bytes.TrimRight(line, "*_"), []byte(":")) || r.isForeign(at) || len(line) > maxAnnouncement {
		return
	}
	number, _ := r.place.find(at)
	isRead := slices.ContainsFunc(r.promises, func(a announcement) bool { return a.line == number })
	if f, ok := itemform.InLead(strings.ToValidUTF8(emphasis.Replace(string(line)), "")); ok && !isRead {
		a := announcementOf(f)
		a.ahead = true
		r.promise(a, at, line)
	}
}

// announceLead records the item that a line proposes, and whose fields are listed below it.
func (r *reader) announceLead(line []byte, at int) (found bool) {
	name := r.nameBelow(at + len(line))
	if name == "" || opens(r.src[at+len(line):], "```") {
		return false
	}
	for _, a := range r.parseSentences(strings.ToValidUTF8(string(bytes.Trim(line, ":*_# \t\r\n")), "")+" called "+name, false) {
		if a.operation == Add && !found {
			a.words, a.whole, found = itemform.Content(name), true, true
			r.promise(a, at, line)
		}
	}
	return found
}

// lineState is what the lines before a line say of it.
type lineState struct {
	paragraph int // where it begins
	idle      itemform.Idleness
	inTable   bool
	above     string // the operation of the list that it is in
	changes   bool   // the title above calls what follows changes
	list      list
	stands    bool // the title above is that of a list of how items stand
	quiet     bool // no line announces a change in a known form
}

// announceIn records what a line announces. Next is where the line after it begins.
func (r *reader) announceIn(b markdown.Block, line []byte, at, next int, l *lineState) {
	below, isRow := l.idle.Below(line, l.inTable), unindented(line)[0] == '|'
	idle := &below
	if !isRow || !l.inTable {
		l.idle = below
		idle = &l.idle
	}
	if r.third {
		r.readTitle(line, isRow, l)
	}
	isDone := l.quiet || isRow && r.isTold(l.list.columns, line) || r.announceItem(line, at, l)
	if l.inTable = isRow; !isDone {
		r.announceOrders(b, line, at, next, l, idle)
	}
	if b.Kind == markdown.Prose && !isRow && (!l.stands || isLetter(line[0])) && idle.Kind() == itemform.Busy {
		r.speak(line, at, l.changes && !isLetter(line[0]))
	}
}

// announceOrders records what a line that is in no list of items announces, and the list that it begins.
func (r *reader) announceOrders(b markdown.Block, line []byte, at, next int, l *lineState, idle *itemform.Idleness) {
	clues := ordersOf(line)
	if clues.later && r.opt.Reader.Since(FourthReader) && itemform.IsTitle(bytes.TrimSpace(line)) && idle.Kind() == itemform.Busy && r.announceLead(line, at) {
		l.above = ""
		return
	}
	if l.above = r.orderOf(line, l, clues, next); l.above != "" || !clues.announces(r) {
		return
	}
	found := clues.order && r.announceCall(line, at)
	for start, end := r.written(at, at+len(line)); end > 0 && b.Kind == markdown.Prose; start, end = r.written(end, at+len(line)) {
		if r.announceWritten(b, l.paragraph, start, end) {
			found, l.paragraph = true, end
		}
	}
	if !found {
		r.announceWords(b, line, at, l, idle.Kind(), clues.operation)
	}
}

// announceWords records what a line announces in words below a title of a kind.
func (r *reader) announceWords(b markdown.Block, line []byte, at int, l *lineState, kind int, capitals bool) {
	before := len(r.promises)
	if kind == itemform.Busy || kind == itemform.Weighs && capitals || deltaMark.Match(line) {
		r.announceLine(line, at)
	}
	if kind != itemform.Busy || b.Kind != markdown.Prose {
		return
	}
	switch isMore := len(r.promises) > before; {
	case l.inTable && r.third && !isMore:
		row := string(line[:min(len(line), 2*maxAnnouncement)])
		if f, ok := l.list.columns.InNewRow(row); ok && r.opt.Reader.Since(FifthReader) {
			a := announcementOf(f)
			a.called = a.words
			r.promise(a, at, line)
		} else if f, ok := l.list.columns.InRow(row); ok {
			r.promise(announcementOf(f), at, line)
		} else if f, ok := l.list.columns.InProposal(row); ok && r.opt.Reader.Since(FifthReader) {
			r.promise(announcementOf(f), at, line)
		}
	case !l.inTable && (r.third || !isMore):
		r.announceSentences(line, at, l.changes && !isLetter(line[0]), before)
	}
}

// readTitle notes what a title, or the first row of a table, says of the lines below it.
func (r *reader) readTitle(line []byte, isRow bool, l *lineState) {
	trimmed := bytes.TrimSpace(line)
	switch {
	case isRow && !l.inTable && l.list.section == "":
		l.list.columns = itemform.ReadColumns(string(trimmed[:min(len(trimmed), 2*maxAnnouncement)]), "")
	case itemform.IsTitle(trimmed) && !isRow:
		title := string(bytes.Trim(trimmed, lineMarks+":])"))
		l.stands = itemform.IsState(title)
		l.changes = itemform.IsChanges(title) || r.opt.Reader.Since(FifthReader) && itemform.IsMore(title)
	case isLetter(trimmed[0]):
		l.changes, l.stands = false, false
	}
}

// overfull reports whether a reply announces more changes than it may have.
func (r *reader) overfull() bool { return len(r.promises) > r.opt.MaxBlocks }

// maxAnnouncement is how many bytes of a line are searched for an announcement.
const maxAnnouncement = 160

// announceLine records what a line announces.
func (r *reader) announceLine(line []byte, at int) {
	said := strings.ToValidUTF8(string(line[:min(len(line), maxAnnouncement)]), "")
	if r.third {
		said = itemform.WithoutHistory(said)
	}
	if r.opt.Reader.Since(FifthReader) {
		said = itemform.WithoutStances(said, r.opt.Author)
	}
	if r.opt.Reader.Since(SixthReader) {
		said = itemform.WithoutTold(said, r.src[at+len(line):], r.opt.Author)
	}
	for _, a := range r.withRecord(r.parseAnnouncements(said), said) {
		if a.operation == Add && len(a.words) == 0 {
			a.words = itemform.Content(r.nameBelow(at + len(line)))
			a.whole = len(a.words) > 0
		}
		r.promise(a, at+len(line)-len(unindented(line)), line)
	}
}

// nameBelow returns the name of the item whose fields are listed from an offset on, or "".
func (r *reader) nameBelow(at int) string {
	return itemform.NameBelow(r.src[at:min(len(r.src), at+maxWritten)])
}

// announceWritten records a change in keys and values, which has its operation between two offsets
// and begins no earlier than its paragraph. It returns false if it names no section and no target.
func (r *reader) announceWritten(b markdown.Block, paragraph, from, to int) bool {
	end := r.writtenEnd(to, b.End)
	rest, _, _ := bytes.Cut(r.src[to:end], []byte("\n"))
	if next := lineWords(string(rest)); len(next) > 0 && (synonyms.IsOperation(next[0].text) || itemform.IsModal(next[0].text)) {
		return false // a list of all operations, or a sentence
	}
	if r.opt.Reader.Since(FifthReader) && itemform.IsEmptyList(r.src[to:end]) {
		return false
	}
	number, column := r.place.find(from)
	start := from - column + 1
	if line := r.src[start:min(to+len(rest), start+maxWritten)]; r.opt.Reader.Since(SixthReader) && start+len(itemform.WithoutTold(string(line), r.src[to+len(rest):], r.opt.Author)) < from {
		return false // a verdict that a block carries out
	}
	a := announcement{operation: synonyms.Operation(string(r.src[from:to])), line: number, column: column}
	a.about(r.src[max(paragraph, from-maxWritten):from], r.src[to:end], r.opt.Reader.Since(FifthReader))
	if a.section == "" && len(a.targets) == 0 {
		return false
	}
	if a.whole = !isVerdict(r.src[start:from]); !a.whole && len(a.targets) == 0 {
		if a.section = ""; a.operation != Add {
			return false
		}
	}
	a.words = itemform.Content(string(r.src[max(start, from-maxWritten):end]))
	line := r.src[start:]
	if a.keyed = a.whole && keyOfTarget.Match(r.src[max(paragraph, from-maxWritten):end]); a.keyed {
		line = line[:max(end-start, 0)]
	} else {
		line, _, _ = bytes.Cut(line[:min(len(line), maxAnnouncement)], []byte("\n"))
	}
	a.text = strings.Join(strings.Fields(strings.ToValidUTF8(string(line[:min(len(line), maxAnnouncement)]), "")), " ")
	r.promises = append(r.promises, a)
	return true
}

// keyOfTarget matches a key that says what a change applies to.
var keyOfTarget = pattern.New(`(?i)\b(?:section|target(?:[_ ]?id)?|payload)["'*_\x60]*[ \t]*[:=>]`)

// isVerdict reports whether a line begins with the key of an opinion, not of a change.
func isVerdict(line []byte) bool {
	line = bytes.TrimLeft(line, lineMarks)
	return begins(line, "verdict") || begins(line, "decision")
}

// about records what an operation in keys and values applies to: the words behind it, else those before.
func (a *announcement) about(before, behind []byte, keyed bool) {
	if a.section = sketchOf(behind).Section; a.section == "" {
		a.section = sketchOf(before).Section
	}
	if m := targetInKeys.FindSubmatch(append(bytes.Clone(before), behind...)); keyed && m != nil && a.operation != Add {
		a.name(string(m[1])) // whatever other items are named
	}
	near := lineWords(string(before))
	slices.Reverse(near)
	for _, w := range append(lineWords(string(behind)), near...) {
		if isID := isItemID(w.text); isID && len(a.targets) == 0 && a.operation != Add || !isID && a.section == "" {
			a.name(w.text)
		}
	}
}

// targetInKeys matches a key with the item that a change applies to.
var targetInKeys = pattern.New(`\b(?i:target(?:[_ ]?id)?)["'*_\x60]*[ \t]*[:=>][ \t"'*_\x60]*([A-Z]{1,2}\d{1,3})\b`)

// maxWritten is how many bytes on either side of an operation belong to a change in keys and values.
const maxWritten = 400

// writtenEnd returns where a change in keys and values ends: at an empty line, or before the next
// operation.
func (r *reader) writtenEnd(at, end int) int {
	end = min(end, at+maxWritten)
	if start, _ := r.written(at, end); start > 0 {
		if i := bytes.LastIndexByte(r.src[at:start], '\n'); i >= 0 {
			end = at + i + 1
		} else if end = start; bytes.IndexByte(r.src[at:end], '}') >= 0 {
			end = at + bytes.IndexByte(r.src[at:end], '}')
		}
	}
	if i := bytes.Index(r.src[at:end], []byte("\n\n")); i >= 0 {
		end = at + i
	}
	return end
}

// announce records the first line of prose that promises deltas: a heading that mentions them,
// "Delta 1:", or an operation in capitals.
func (r *reader) announce(b markdown.Block, c clues) {
	text := r.src[b.Start:b.End]
	if r.announced > 0 || r.meant || !c.operation && !hasDelta(text) {
		return
	}
	for line := b.Line; len(text) > 0; line++ {
		var this []byte
		this, text, _ = bytes.Cut(text, []byte("\n"))
		if len(this) > 1 && itemform.Announces(string(this[:min(len(this), maxAnnouncement)])) {
			r.announced = line
			return
		}
	}
}
