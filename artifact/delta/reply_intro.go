package delta

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"brenner/internal/markdown"
	"brenner/internal/pattern"
	"brenner/internal/remark"
	"brenner/internal/revisit"
)

// beside is what the text of a reply says of the fences in it.
type beside struct {
	end     int           // of the last fence
	later   *remark.Later // nil if not known
	whole   *remark.Whole // nil if not known
	section remark.Section
	line    fate   // of a line about several fences, as long as only fences follow it
	lineOp  string // of the fences that the line is about; "" for any
	said    string // the line that withdraws the last fence
	leads   []ledFence
	taken   []takenBack
	named   []remark.Remark // about blocks by their number or what they do, anywhere in the reply
	answer  *remark.Answer  // nil if not known
	isOpen  bool            // nothing calls the last fence of an answer corrected
}

// takenBack is a remark about other blocks than the one before it.
type takenBack struct {
	fence int // the last one before it
	remark.Remark
}

// ledFence is a fence with what the title before it says of those above.
type ledFence struct {
	from   int    // the number of blocks before its own
	before []byte // the text between the fence above and it
	remark.Lead
}

// fateBeside returns what becomes of the deltas in a fence because of the heading above it, the line before
// it, or before the fences that it follows directly, or the line behind it.
func (r *reader) fateBeside(b markdown.Block) fate {
	to, block := remark.OpeningLine(r.src, b.Start), r.src[b.Start:b.End]
	between, isNew := r.readBetween(b, to)
	op := remark.OperationIn(block)
	if f := r.beside.line; f != (fate{}) && (r.beside.lineOp == "" || r.beside.lineOp == op) {
		return f
	}
	withdrawn := r.beside.said
	r.beside.said, r.beside.line = "", fate{}
	if r.isSaid(withdrawn, between, b) {
		between = nil // it is about the fence above
	}
	switch said, isBehind, ok := r.saidBeside(between, block, r.src[b.End:]); {
	case ok && isBehind:
		r.beside.said = said.Line
		if said.About == (remark.About{}) {
			r.spread(said, r.src[b.End:])
			return fateWithdrawn(said)
		}
		r.beside.taken = append(r.beside.taken, takenBack{len(r.beside.leads) - 1, said})
	case ok:
		r.leaveLine(said, b, op, to)
		return fateDisowned(said)
	}
	if name, ok := remark.Name(between); ok && r.opt.Author == "" {
		if _, own := r.decidesLater(b.End); own {
			return fateDisowned(name)
		}
	}
	if !r.remarks().Keeps(&r.beside.section, between, block, r.src[b.End:], isNew) {
		return fate{}
	}
	return fateDisowned(r.beside.section.Remark)
}

// readBetween notes what the text between two fences says of any fences, and returns it, up to where the line of the lower one begins.
// IsNew is whether another author begins to speak in it.
func (r *reader) readBetween(b markdown.Block, to int) (between []byte, isNew bool) {
	p, from := &r.beside, r.beside.end
	between = r.remarks().BeforeStray(r.src[min(from, to):to], r.third)
	p.isOpen = !r.remarks().Corrects(between, r.src[b.End:])
	rules := r.remarks()
	p.named = append(p.named, rules.Named(between)...)
	p.end = r.saidUpTo(b, from)
	if p.line != (fate{}) && len(bytes.Trim(between, " \t\r\n`~:")) > 0 && !rules.Continues(between, r.third) {
		p.line = fate{}
	}
	p.section = rules.Next(p.section, between, func() (bool, bool) { return r.decidesLater(b.End) })
	p.section, isNew = rules.Speaking(p.section, between)
	p.leads = append(p.leads, ledFence{r.count, between, rules.Lead(between)})
	return between, isNew
}

// saidBeside returns what the text directly above a block, or behind it, says against it.
func (r *reader) saidBeside(above, block, behind []byte) (said remark.Remark, isBehind, ok bool) {
	rules := r.remarks()
	if rules.Close {
		rules.Above = r
	}
	said, isBehind, ok = rules.Beside(above, block, r.finished(behind))
	isOther := ok && isBehind && r.opt.Reader.Since(SixthReader) && said.About == (remark.About{}) && r.isOfOthers(said.Line, block)
	if ok && !isOther && r.opt.Reader.Since(SeventhReader) {
		if isOther = !isBehind && revisit.IsTitle(said.Line, r.opt.Author); isBehind {
			isOther = !revisit.MayConcern(said.Line, remark.OperationIn(block), remark.TargetIn(block))
		}
	}
	return said, isBehind, ok && !isOther && !(r.opt.Reader.Since(FifthReader) && endsObject.MatchString(said.Line))
}

// leaveLine keeps what a line says of the fence below it for those that follow it directly. The line ends at an offset.
func (r *reader) leaveLine(said remark.Remark, b markdown.Block, operation string, end int) {
	if said.Several || said.Covers() && (end == 0 || r.src[end-1] == '\n') && r.opt.Reader.Since(FifthReader) {
		r.beside.line, r.beside.lineOp = fateDisowned(said), ""
	} else if r.third && isDeltaFence(b.Fence) && operation != "" {
		r.beside.line, r.beside.lineOp = fateDisowned(said), operation
	}
}

// endsObject matches the beginning of a line that is inside a JSON object.
var endsObject = pattern.New(`^[^{]*"\} *[{,\]]`)

// isQuiet reports whether nothing above a fence with the word delta, before it or behind it is about it.
func (r *reader) isQuiet(b markdown.Block) bool {
	p := &r.beside
	isLed := p.line != (fate{}) || p.said != "" || p.section != (remark.Section{})
	if !b.Closed || b.Damage != "" || isLed || r.opt.Repair || r.opt.Cut || !r.remarks().AreQuiet(r.src, p.end, remark.OpeningLine(r.src, b.Start), b.End) {
		return false
	}
	p.leads = append(p.leads, ledFence{from: r.count, before: r.src[min(p.end, b.Start):remark.OpeningLine(r.src, b.Start)]})
	p.end = b.End
	return true
}

// saidUpTo returns where the text behind a fence begins. The third reader finds it in a fence that lacks its end, too, and
// leaves the text before an empty one, from an offset on, to the next.
func (r *reader) saidUpTo(b markdown.Block, from int) int {
	const farthest = 1000
	text := r.src[b.Start:b.End]
	switch {
	case !r.third || b.Closed && b.Damage == "":
		return b.End
	case len(bytes.TrimSpace(text)) == 0 && b.End-from < farthest:
		return from
	}
	return b.Start + bytes.LastIndexByte(text, '}') + 1
}

// isSaid reports whether the line before a fence is in the one that withdraws the fence above. To the third reader a line
// that ends in a colon is about the fence below, too.
func (r *reader) isSaid(withdrawn string, before []byte, b markdown.Block) bool {
	if r.third && (withdrawn == "" || bytes.HasSuffix(bytes.TrimRight(before, " \t\r\n*_"), []byte(":"))) {
		return false
	}
	said, ok := r.remarks().Before(before, r.src[b.Start:b.End])
	return ok && !said.Ahead && strings.Contains(withdrawn, said.Line)
}

// decidesLater reports whether the reply comes to its answer, and to the author's own changes, after an offset.
func (r *reader) decidesLater(at int) (answer, change bool) {
	if r.beside.later == nil {
		later := r.remarks().FindLater(r.src)
		r.beside.later = &later
	}
	return r.beside.later.Answer >= at, r.beside.later.Change >= at
}

// remarks returns the rules by which the text beside blocks is read.
func (r *reader) remarks() remark.Rules {
	rules := r.opt.Reader.Remarks(r.opt.Author)
	rules.Memory = &r.memory
	if rules.Close && r.beside.whole == nil {
		r.beside.whole = remark.WholeOf(r.src)
	}
	rules.Whole = r.beside.whole
	if r.third && r.opt.Repair {
		if r.beside.answer == nil {
			r.beside.answer = remark.AnswerOf(r.src)
		}
		rules.Answer = r.beside.answer
		rules.Oblique = r.opt.Reader.Since(FourthReader) && r.beside.isOpen
	}
	return rules
}

// finished returns a text behind a block, without the sentence in which a reply was cut.
func (r *reader) finished(text []byte) []byte {
	if !r.third || !r.opt.Cut {
		return text
	}
	return text[:bytes.LastIndexAny(text, ".!?\n")+1]
}

// fateBehind returns what becomes of a delta because of the text behind it.
func (r *reader) fateBehind(block, text []byte) fate {
	if said, ok := r.remarks().Behind(r.finished(text), block); ok {
		return fateWithdrawn(said)
	}
	return fate{}
}

// Kills reports whether a KILL of an item is among the last blocks that were read.
func (r *reader) Kills(id string) bool {
	const reach = 64
	for i := r.count - 1; i >= max(0, r.count-reach); i-- {
		if b := r.added(i); b.Delta.Operation == Kill && b.Delta.Target == id {
			return true
		}
	}
	return false
}

func fateWithdrawn(said remark.Remark) fate {
	if said.Open {
		return refused(AmbiguousDelta, fmt.Sprintf("a delta before a line that leaves open whether it is meant: %q", clipped(said.Line)), "send it again without that line; leave it out if it is not meant")
	}
	return refused(AmbiguousDelta, fmt.Sprintf("a delta before a line that withdraws it: %q", clipped(said.Line)), "send it again without that line; leave it out if it is withdrawn")
}

func fateDisowned(said remark.Remark) fate {
	if said.Open {
		return refused(AmbiguousDelta, fmt.Sprintf("a delta after a line that leaves open whether it is your change: %q", clipped(said.Line)),
			"send it again after a line that calls it your change; leave it out if it is not")
	}
	return refused(AmbiguousDelta, fmt.Sprintf("a delta after a line that calls it an example, a draft or another author's: %q", clipped(said.Line)),
		"send it again after a line that calls it your change; leave it out if it is not")
}

// fateInText returns what becomes of a delta in running text because of the line before it.
func (r *reader) fateInText(before []byte) fate {
	for { // what is left of a damaged fence
		rest := bytes.TrimRight(before, " \t\r\n*_[(`~:")
		word := rest[bytes.LastIndexByte(rest, '\n')+1:]
		if rest = rest[:len(rest)-len(word)]; !isFenceWord(bytes.TrimLeft(word, " \t`~:")) {
			break
		}
		before = rest
	}
	if said, ok := r.remarks().Before(before, nil); ok {
		return fateDisowned(said)
	}
	return fate{}
}

// isFenceWord reports whether a word is that of a fence for deltas.
func isFenceWord(word []byte) bool {
	return begins(word, "delta") && len(word) == len("delta") || begins(word, "json") && len(word) == len("json")
}

// refuseReplaced refuses the deltas that a later fence replaces, and options of which none is chosen.
func (r *reader) refuseReplaced(blocks []Block) {
	const reach = 8 // fences
	leads := r.beside.leads
	for i, later := range leads {
		for j := i - 1; later.Word != "" && j >= max(0, i-reach); j-- {
			own := blocks[later.from:r.fenceEnd(i)]
			if leads[j].Word != later.Word && !later.Choice && refuseLike(blocks[leads[j].from:r.fenceEnd(j)], own, later.Target, fateReplaced) {
				break
			}
			if leads[j].Choice && later.Choice && refuseLike(blocks[leads[j].from:r.fenceEnd(j)], own, true, fateOption) {
				refuseLike(own, own, true, fateOption)
				break
			}
		}
	}
}

// spread extends a remark behind the last fence to others above it: to all of them if it points to several, or to all above it at the
// end of the reply, and else, unless it points to one, to those that follow one another directly.
func (r *reader) spread(said remark.Remark, behind []byte) {
	if !r.opt.Reader.Since(FifthReader) {
		return
	}
	leads, reach := r.beside.leads, said.Reach()
	last := len(leads) - 1
	if reach == remark.All || reach == remark.Rest && !bytes.Contains(bytes.TrimLeft(behind, " \t\r\n`~"), []byte("```")) {
		said.About.All = true
		r.beside.taken = append(r.beside.taken, takenBack{last, said})
		return
	}
	for i := last; reach != remark.One && i > 0 && remark.IsEmpty(leads[i].before); i-- {
		if said.About.Nth = i; leads[i-1].from < leads[i].from {
			r.beside.taken = append(r.beside.taken, takenBack{last, said})
		}
	}
}

// refuseTakenBack refuses the deltas that a remark below them withdraws: those that it names, or else all.
func (r *reader) refuseTakenBack(blocks []Block) {
	for _, t := range r.beside.taken {
		above := blocks[:r.fenceEnd(t.fence)]
		found := false
		for i := len(r.beside.leads[:t.fence+1]) - 1; i >= 0; i-- {
			for j := r.beside.leads[i].from; j < r.fenceEnd(i); j++ {
				b := &above[j]
				if t.Names(i+1, b.Delta.Operation, b.Delta.Target) {
					b.refuseOK(fateWithdrawn(t.Remark))
					found = true
				}
			}
			if found && t.Operation != "" {
				break // the nearest one
			}
		}
		for i := range above {
			if !found {
				above[i].refuseOK(fateWithdrawn(t.Remark))
			}
		}
	}
}

// refuseNamed refuses the deltas that a remark anywhere in the reply takes back by name.
func (r *reader) refuseNamed(blocks []Block) {
	if len(r.beside.leads) == 0 {
		return
	}
	rest := r.src[r.beside.end:]
	isSaid, left := make(map[remark.About]bool), countOK(blocks)
	for _, said := range slices.Concat(r.beside.named, r.remarks().Named(rest), r.remarks().Spares(rest)) {
		if said.Nth == remark.Last {
			said.Nth = len(r.beside.leads)
		}
		if left == 0 || isSaid[said.About] || said.Kept != 0 && (len(blocks) < 2 || said.Kept == left) {
			continue // it says nothing new, or keeps all of them
		}
		isSaid[said.About] = true
		from, to := 0, len(r.beside.leads)
		if said.About == (remark.About{Nth: said.Nth}) {
			from, to = min(max(said.Nth, 1)-1, to), min(max(said.Nth, 0), to)
		}
		for i := from; i < to; i++ {
			for j := r.beside.leads[i].from; j < r.fenceEnd(i); j++ {
				if b := &blocks[j]; b.OK && said.Names(i+1, b.Delta.Operation, b.Delta.Target) {
					b.refuse(fateNamed(said))
					left--
				}
			}
		}
	}
}

func fateNamed(said remark.Remark) fate {
	if said.Open {
		return fateWithdrawn(said)
	}
	return refused(AmbiguousDelta, fmt.Sprintf("a delta that a line of the reply takes back: %q", clipped(said.Line)), "send it again without that line; leave it out if it is withdrawn")
}

// refuseOK refuses a block unless it is refused or skipped for another reason.
func (b *Block) refuseOK(f fate) {
	if b.OK {
		b.refuse(f)
	}
}

// fenceEnd returns the number of blocks up to the end of a fence.
func (r *reader) fenceEnd(i int) int {
	if i+1 < len(r.beside.leads) {
		return r.beside.leads[i+1].from
	}
	return r.count
}

// refuseLike refuses the blocks that do what one of others does: to a section, or to the same item.
func refuseLike(blocks, others []Block, anyTarget bool, f fate) (found bool) {
	for i := range blocks {
		b := &blocks[i]
		isLike := slices.ContainsFunc(others, func(o Block) bool {
			return !o.Skipped() && o.Delta.Operation == b.Delta.Operation && o.Delta.Section == b.Delta.Section && (anyTarget || o.Delta.Target == b.Delta.Target)
		})
		if isLike && !b.Skipped() && b.Delta.Operation != "" {
			found = true
			b.refuseOK(f)
		}
	}
	return found
}

// refuseUnconfirmed refuses the deltas of an answer that were in doubt before, unless it means them.
func (r *reader) refuseUnconfirmed(blocks []Block) {
	if r.opt.Reader.Since(FourthReader) {
		r.refuseShown(blocks)
		return
	}
	if len(r.opt.Doubted) == 0 {
		return
	}
	said, ok := r.remarks().Confirms(r.src)
	for i := range blocks {
		d := &blocks[i].Delta
		isSame := func(o Delta) bool {
			return o.Operation == d.Operation && o.Section == d.Section && o.Target == d.Target && o.Payload.Text("name") == d.Payload.Text("name")
		}
		if !ok && slices.ContainsFunc(r.opt.Doubted, isSame) {
			blocks[i].refuseOK(fateNamed(said))
		}
	}
}

// refuseShown refuses the blocks that an answer only shows, to explain, to quote or to decline them.
func (r *reader) refuseShown(blocks []Block) {
	if !r.opt.Repair {
		return
	}
	text := r.opt.Reader.WithoutReasoning(r.src)
	for i, said := range r.remarks().Shown(text, startsOf(text, blocks)) {
		if said.Line != "" {
			blocks[i].refuseOK(refused(AmbiguousDelta, fmt.Sprintf("a delta that the answer only shows: %q", clipped(said.Line)), "send it without that line if it is meant"))
		}
	}
}

// refuseContradictions refuses a KILL and an EDIT of one item, which cannot both be meant. The later one may be in doubt.
func refuseContradictions(blocks []Block) {
	type change struct{ operation, target string }
	firsts, lasts := make(map[change]int), make(map[change]int) // counted from 1
	for i := range blocks {
		b := &blocks[i]
		c := change{b.Delta.Operation, b.Delta.Target}
		if b.OK && firsts[c] == 0 {
			firsts[c] = i + 1
		}
		if b.OK || len(b.Problems) > 0 && strings.HasPrefix(b.Problems[0].Message, "a delta before") {
			lasts[c] = i + 1
		}
	}
	for i := range blocks {
		other := change{opposite[blocks[i].Delta.Operation], blocks[i].Delta.Target}
		if first := firsts[other]; other.target != "" && (first > 0 && first <= i || lasts[other] > i+1) {
			blocks[i].refuseOK(refused(AmbiguousDelta, "the reply both kills and edits "+other.target+": which is meant?", "send again the one that you mean; leave out the other"))
		}
	}
}

var opposite = map[string]string{Kill: Edit, Edit: Kill}
