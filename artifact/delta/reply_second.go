package delta

import (
	"bytes"
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta/nearjson"
	"brenner/internal/fault"
	"brenner/internal/markdown"
	"brenner/internal/remark"
)

// fate is what becomes of the deltas in a part of a reply, whatever they contain. The zero value
// takes them.
type fate struct {
	shown string     // the flag of deltas that are only shown
	code  fault.Code // why they are refused
	what  string
	hint  string
}

func refused(code fault.Code, what, hint string) fate {
	return fate{code: code, what: what, hint: hint}
}

var (
	fateDoubtful = refused(AmbiguousDelta, "a delta fence inside another fence: an example, or the outer fence is not closed",
		"send it again in a fence of its own, after a line that closes the fence before it; leave it out if it is an example")
	fateForwarded = refused(AmbiguousDelta, "a delta below the line of a forwarded message", "send it again above that line; leave it out if another author wrote it")
	fateFramed    = refused(AmbiguousDelta, "a delta that may be in the text of a record which is not written as JSON", "send it again without that record; leave it out if it is text")
	fateIndented  = refused(UnfencedDelta, "a delta fence in indented code", "begin the line of the fence without indentation; leave it out if it is an example")
	fateNested    = refused(AmbiguousDelta, "a block inside another fence, as examples are", "send it again without the outer fence; leave it out if it is an example")
	fateOption    = refused(AmbiguousDelta, "a delta that is one of several options", "send again the one that you choose, after a line that calls it your change")
	fateOverhung  = refused(AmbiguousDelta, "a delta that seems to be in a text of another one that cannot be read",
		"send it again in a fence of its own if it is meant; leave it out if it is text of the other one, and write the line breaks and quotation marks of a text as \\n and \\\"")
	fateReplaced = refused(AmbiguousDelta, "a delta that a later one seems to replace: the title of that one calls it corrected, revised or meant",
		"send again what you mean; leave out what is replaced")
)

func fateElsewhere(place string) fate {
	return refused(UnfencedDelta, "a delta "+place+", not in a delta fence", hintFence+"; leave it out if it is an example")
}

// put adds a block whose fate the passage may decide.
func (r *reader) put(p *passage, b Block) {
	switch {
	case p.shown != "":
		r.show(p.fate, b)
		return
	case p.code != "":
		b.refuse(p.fate)
	case b.OK && r.form != nil && r.form.Prose <= p.base && p.base < r.form.ProseEnd:
		b.refuse(refused(AmbiguousDelta, "a delta in the prose of the reply, not in its list of deltas", "put it into the list of deltas; leave it out if it is an example or not meant"))
	}
	r.add(b)
}

// refuse refuses a block, whatever it contains.
func (b *Block) refuse(f fate) {
	line, column := b.Line, 1
	if !b.OK && len(b.Problems) > 0 {
		line, column = b.Problems[0].Line, b.Problems[0].Column
	}
	b.OK = false
	others := slices.DeleteFunc(b.Problems, func(l Located) bool { return l.Code == UnfencedDelta })
	b.Problems = append([]Located{{Code: f.code, Message: f.what, Line: line, Column: column, Hint: f.hint}}, others...)
}

// show adds a block that is only shown.
func (r *reader) show(f fate, b Block) {
	b.show(f)
	r.add(b)
}

func (b *Block) show(f fate) {
	b.OK, b.Problems, b.Renamed, b.Written = false, nil, nil, ""
	if f.what == "" {
		f.what = skippedTexts[f.shown]
	}
	b.Flags = []Flag{{Name: f.shown, Text: f.what}}
}

// showRepeated only shows a KILL outside a delta fence that a delta fence has as well.
func showRepeated(blocks []Block) {
	killed := make(map[string]bool)
	for i := range blocks {
		if b := &blocks[i]; b.OK && b.Delta.Operation == Kill {
			killed[b.Delta.Target] = true
		}
	}
	if len(killed) == 0 {
		return
	}
	for i := range blocks {
		if b := &blocks[i]; killed[b.Delta.Target] && b.Delta.Operation == Kill && len(b.Problems) == 1 && b.Problems[0].Code == UnfencedDelta {
			b.show(fate{shown: FlagExample, what: "not read: a delta fence has the same KILL"})
		}
	}
}

// readBlock reads one block by the rules of the second reader: each change has a row of its own,
// whatever stands beside it.
func (r *reader) readBlock(b markdown.Block) {
	f := fateOf(b)
	var c clues
	if r.isCallout(b) {
		c = ordersOf(r.src[b.Start:b.End])
	} else if f == (fate{}) && (b.Kind == markdown.Prose || !b.Closed) {
		c = cluesOf(r.src[b.Start:b.End])
		r.findForwarded(b, c)
	}
	switch {
	case f != (fate{}):
	case r.isForeign(b.Start):
		f = fateForwarded
	case r.inRecord(b.Start):
		f = fateFramed
	}
	switch {
	case b.Kind == markdown.Prose:
		r.readProse(b, f, c)
	case b.Kind == markdown.Verbatim:
		r.readVerbatim(b, f)
	case r.leavesPatch(b, f):
	case !r.isDeltaFence(b) && (f != (fate{}) || !r.holdsRecord(b)):
		r.readOther(b, f)
	case b.Quoted && !b.Draft: // its deltas are shown, or the fence if none is readable
		before := r.count
		if r.findObjects(r.unquoted(b), b, f); r.count == before {
			r.skip(b.Line, FlagQuoted)
		}
	default:
		before := r.count
		r.hold(b.Start, b.End)
		if r.readWord(b, f); r.endsCut(b) {
			r.noteCut(before)
		}
	}
}

// readProse reads a running text.
func (r *reader) readProse(b markdown.Block, f fate, c clues) {
	before := r.count
	done := r.findAll(b, f)
	if r.keys == nil && (f == (fate{}) || inDoubt(b) || r.isCallout(b)) {
		if f != (fate{}) || c.operation || c.order { // with the word delta
			r.announce(b, c)
		}
		r.findAnnouncements(b, done, c)
		r.announceRewritten(b, done)
		r.noteAttempts(b, done)
		r.refuseFramed(before)
	}
}

// leavesPatch reports whether a block is an anchor patch, whose text has no deltas. What is said of it is not said of others.
func (r *reader) leavesPatch(b markdown.Block, f fate) bool {
	if !r.third || isDeltaFence(b.Fence) || !nearjson.HoldsPatch(r.src[b.Start:b.End]) {
		return false
	}
	if f == (fate{}) {
		r.fateBeside(b)
	}
	return true
}

// isCallout reports whether a quotation is a note of its author's: "> [!IMPORTANT]".
func (r *reader) isCallout(b markdown.Block) bool {
	return r.third && b.Quoted && !b.Draft && bytes.HasPrefix(bytes.TrimLeft(r.src[b.Start:b.End], "> \t\r\n"), []byte("[!"))
}

// inDoubt reports whether a block may be meant, although its place is in doubt.
func inDoubt(b markdown.Block) bool { return b.Doubtful && !b.Draft && !b.Quoted }

// endsCut reports whether a cut reply ends in the block.
func (r *reader) endsCut(b markdown.Block) bool {
	return r.opt.Cut && !b.Closed && len(bytes.TrimSpace(r.src[b.End:])) == 0
}

// noteCut notes the unreadable delta in which a cut reply ends, if it is behind the first count rows.
func (r *reader) noteCut(count int) {
	if r.count == count || r.full {
		return
	}
	last := r.chunks[len(r.chunks)-1]
	if b := &last[len(last)-1]; !b.OK && len(b.Problems) > 0 && b.Problems[0].Code == artifact.InvalidJSON {
		r.open, b.Cut = b.Line, true
		b.Problems[0].Message = "the reply was cut off here: " + b.Problems[0].Message
		b.Problems[0].Hint = "send it again, whole"
	}
}

// fateOf returns what becomes of the deltas in a block because of its place.
func fateOf(b markdown.Block) fate {
	switch {
	case b.Draft:
		return fate{shown: FlagDraft}
	case b.Quoted:
		return fate{shown: FlagQuoted}
	case b.Shown && !b.Doubtful:
		return fate{shown: FlagExample, what: "not read: it stands between tags of an example or a quotation"}
	case b.Shown:
		return refused(AmbiguousDelta, "a delta beside or between tags that may mark reasoning, an example or another author's text", "send it again without those tags; leave it out if it is not meant")
	case b.Doubtful:
		return fateDoubtful
	case b.Indented:
		return fateIndented
	}
	return fate{}
}

// unquoted returns the text of a block with spaces in place of the marks of a quotation.
func (r *reader) unquoted(b markdown.Block) []byte {
	text := r.src[b.Start:b.End]
	if !b.Quoted || bytes.IndexByte(text, '{') < 0 || !r.possible(text) {
		return text
	}
	text = bytes.Clone(text)
	for line := range bytes.Lines(text) {
		for i := 0; i < len(line) && (line[i] == '>' || line[i] == ' ' || line[i] == '\t'); i++ {
			if line[i] == '>' {
				line[i] = ' '
			}
		}
	}
	return text
}

// readWord reads a delta fence, also one whose first word only begins with delta.
func (r *reader) readWord(b markdown.Block, f fate) {
	p := &r.passage
	if f == (fate{}) {
		f = r.fenceFate(b)
	}
	*p = passage{fate: f, record: r.isRecordFence(b.Fence)}
	if !b.Fence.Is("delta") {
		word := fenceWords(b.Fence)
		if r.opt.Strict && p.fate == (fate{}) {
			p.fate = refused(UnfencedDelta, "not exact: the fence begins with the word "+word, hintFence)
		}
		p.flag(FlagNormalised, "a fence with the word "+word+" read as a delta fence")
	}
	if b.Damage != "" {
		if r.opt.Strict && p.fate == (fate{}) {
			p.fate = refused(UnfencedDelta, "not exact: "+b.Damage, hintFence)
		}
		p.flag(FlagRepaired, b.Damage)
	}
	r.readDeltas(b, p)
}

// fenceFate returns what becomes of a delta fence because of the line before it, or its own words. Those of examples only have to
// be read.
func (r *reader) fenceFate(b markdown.Block) fate {
	if r.keys != nil || r.isQuiet(b) {
		return fate{}
	}
	f := r.fateBeside(b)
	if f != (fate{}) || string(b.Fence.Info) == "delta" {
		return f
	}
	return r.fateOfWords(b.Fence)
}

// fateOfWords returns what becomes of the deltas in a fence because of the words after its marks.
func (r *reader) fateOfWords(f markdown.Fence) fate {
	switch words := fenceWords(f); {
	case remark.SetsFenceAside(words), !remark.IsExampleWord(words) && r.remarks().HoldsFence(words):
		return refused(AmbiguousDelta, "a delta in a fence that calls it "+words, "send it again in a fence with the word delta only; leave it out if it is not meant")
	case remark.IsExampleWord(words):
		return fate{shown: FlagExample, what: "not read: its fence calls it " + words}
	}
	return fate{}
}

// readVerbatim reads an HTML comment, of which deltas are only shown, or verbatim HTML, in which
// they are refused.
func (r *reader) readVerbatim(b markdown.Block, f fate) {
	b.Closed = true // it has no fence
	before := r.count
	text := bytes.TrimLeft(r.src[b.Start:b.End], " \t")
	switch isPreformatted := begins(text, "<pre") || begins(text, "<textarea"); {
	case f != (fate{}):
	case isPreformatted:
		f = fateElsewhere("in verbatim HTML")
	default:
		f = fate{shown: FlagCommented}
	}
	lines := r.shownFences(b.Line, b, false)
	if len(lines) > 0 && f.shown == "" {
		f = fate{shown: FlagCommented}
	}
	r.findAll(b, f)
	if r.count > before {
		return
	}
	for _, line := range lines {
		r.skip(line, FlagCommented)
	}
	if f.shown == "" {
		r.findWritten(b, nil, f)
	}
}

// readOther reads a fence that is not a delta fence.
func (r *reader) readOther(b markdown.Block, f fate) {
	text := r.src[b.Start:b.End]
	own, possible := f == (fate{}), r.possible(text) || r.isEscaped(text)
	before := r.beside.end
	if own && possible {
		f = r.fateBeside(b)
	}
	isOwn := f == (fate{})
	loose := b.Fence.Mark != ':' && b.Fence.Is(looseWords...)
	if lines := r.shownFences(b.Line+1, b, loose); own && len(lines) > 0 {
		r.noteNested(b, r.readNested(b, loose, lines), before, isOwn)
		return
	}
	if f == (fate{}) && possible {
		f = r.fateOther(b, loose)
	}
	var done []span
	if possible {
		done = r.findAll(b, f)
	}
	if !own && !inDoubt(b) {
		return
	}
	c := ordersOf(text)
	if c.order {
		r.findWritten(b, done, refused(UnfencedDelta, "a change in "+fenceName(b.Fence)+" that is not written as a delta", hintFence+"; leave it out if it is an example"))
	}
	r.findAnnouncements(b, done, c)
	r.noteFence(b, done, before, isOwn)
	if isRead := r.announceForms(b, done, own && f.shown == "") || len(done) > 0 || c.order; own && loose && !isRead {
		r.readLoose(b, f, possible)
	}
}

// readLoose reads a fence of JSON, or without a word, in which no delta was found.
func (r *reader) readLoose(b markdown.Block, f fate, possible bool) {
	if !possible {
		if f = r.fateBeside(b); r.third && len(bytes.TrimSpace(b.Fence.Info)) == 0 {
			r.beside.end = b.Start // its marks may be stray ones, and its text leads to the next block
		}
	}
	if f == (fate{}) {
		r.announceItems(b)
	}
}

// fateOther returns what becomes of deltas in a fence of another word because of its marks and its text.
func (r *reader) fateOther(b markdown.Block, loose bool) fate {
	if len(b.Fence.Info) > 0 {
		if f := r.fateOfWords(b.Fence); f != (fate{}) {
			return f
		}
	}
	longer := b.Fence.Length > 3
	switch {
	case longer && b.Closed && (!loose || b.Fence.Is("")):
		return refused(AmbiguousDelta, "a delta in a longer fence, as examples are", "send it again in a fence that begins with ```delta; leave it out if it is an example")
	case !loose && (longer && !b.Closed || !r.isJSON(r.src[b.Start:b.End])), len(b.Fence.Info) == 0 && beginsInWords(r.src[b.Start:b.End]):
		return fateElsewhere("in " + fenceName(b.Fence) + ", among other text")
	}
	return fate{}
}

// beginsInWords reports whether the first line of a text is a sentence or a title, which ends in a colon.
func beginsInWords(text []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	line = bytes.TrimRight(line, " \t\r")
	return len(line) > 0 && isLetter(line[0]) && line[len(line)-1] == ':' && !begins(line, "delta")
}

// readNested shows the delta fences inside another fence, which begin at lines, and returns what it has read.
func (r *reader) readNested(b markdown.Block, loose bool, lines []int) (done []span) {
	before := r.count
	f := fate{shown: FlagNested}
	if !b.Closed || loose && opens(r.src[b.Start:b.End], "{") {
		f = fateDoubtful // it may be the end of the fence that is missing
	}
	if done = r.findObjects(r.unquoted(b), b, f); r.count > before {
		return done
	}
	for _, line := range lines {
		if !r.third || !r.endsPatch(b, line) { // that is a change of its own
			r.skip(line, FlagNested)
		}
	}
	return done
}

// endsPatch reports whether a line in a fence is the last one of a search/replace block.
func (r *reader) endsPatch(b markdown.Block, line int) bool {
	at := b.Line + 1
	for text := range bytes.Lines(r.src[b.Start:b.End]) {
		if at == line {
			word, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte(">>>>>"))
			return ok && string(bytes.TrimLeft(word, "> ")) == "REPLACE"
		}
		at++
	}
	return false
}

// isJSON reports whether all of a text can be read as JSON.
func (r *reader) isJSON(text []byte) bool {
	start := bytes.TrimLeft(text, " \t\r\n")
	if len(start) == 0 || start[0] != '{' && start[0] != '[' {
		return false
	}
	fixed := r.mender.Repair(text, false)
	return fixed.Fail == nil || fixed.Fail.Top && nearjson.IsChatter(text[fixed.End:])
}

// shownFences returns the lines of delta fences inside another fence. A fence of JSON, or without a
// word, that contains any fence or quotation is text rather than JSON.
func (r *reader) shownFences(line int, b markdown.Block, loose bool) []int {
	var lines []int
	first := r.shownFence(line, b, loose)
	if first == 0 {
		return nil
	}
	for text := range bytes.Lines(r.src[b.Start:b.End]) {
		if inner := bytes.TrimLeft(text, "> \t"); len(inner) > 0 && shows(inner, false) {
			lines = append(lines, line)
		}
		line++
	}
	if len(lines) == 0 {
		return []int{first}
	}
	return lines
}

// readGap looks for deltas in a part of the text that is in no block, such as indented code.
func (r *reader) readGap(from, to, line int) {
	text := r.src[from:to]
	if remark.IsEmpty(text) {
		return // as between most blocks
	}
	if c := ordersOf(text); bytes.IndexByte(text, '{') >= 0 || c.order {
		gap := markdown.Block{Kind: markdown.Prose, Start: from, End: to, Line: line, Closed: true}
		if opens(text, ">") {
			gap.Quoted = true
			r.findObjects(r.unquoted(gap), gap, fate{shown: FlagQuoted})
			return
		}
		r.findAnnouncements(gap, r.findObjects(text, gap, fateElsewhere("in indented code or beside a fence")), c)
	}
}

// findAfter refuses the deltas of a fence that follow a part beyond repair.
func (r *reader) findAfter(p *passage, fail *nearjson.Misfit, b markdown.Block) (done []span) {
	from := min(p.base+max(fail.At, 1), b.End)
	rest := b
	rest.Kind, rest.Start = markdown.Fenced, from
	f := p.fate
	if f == (fate{}) {
		f = refused(UnfencedDelta, "a delta after a part of the block that could not be read", "send it again in a fence of its own")
	}
	return r.findObjects(r.src[from:b.End], rest, f)
}
