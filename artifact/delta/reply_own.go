package delta

import (
	"bytes"
	"fmt"

	"brenner/internal/remark"
	"brenner/internal/revisit"
)

// isOfOthers reports whether a line behind a block names blocks above it, of the last ones, and not that one.
func (r *reader) isOfOthers(line string, block []byte) bool {
	const reach = 64 // fences
	first := max(0, len(r.beside.leads)-1-reach)
	all := r.ownChanges(first, r.added, func(i int) int { return min(r.fenceEnd(i), r.count) })
	own := revisit.Change{Number: len(r.beside.leads), Operation: remark.OperationIn(block), Target: remark.TargetIn(block)}
	return revisit.NamesOthers(line, all, own)
}

// ownChanges returns the changes in the fences of the reply from one on, of which each ends before a block.
func (r *reader) ownChanges(first int, block func(int) *Block, end func(fence int) int) (all []revisit.Change) {
	for i := first; i < len(r.beside.leads); i++ {
		for j := r.beside.leads[i].from; j < end(i); j++ {
			d := &block(j).Delta
			all = append(all, revisit.Change{Number: i + 1, Index: j, Line: block(j).Line, Operation: d.Operation, Section: d.Section, Target: d.Target, Name: d.Payload.Text("name")})
		}
	}
	return all
}

// refuseOwn refuses the deltas which a sentence anywhere in the reply leaves open.
func (r *reader) refuseOwn(blocks []Block, own []byte) {
	if !r.opt.Reader.Since(SixthReader) || r.opt.Repair || countOK(blocks) == 0 {
		return
	}
	changes := r.ownChanges(0, func(i int) *Block { return &blocks[i] }, r.fenceEnd)
	if r.opt.Reader.Since(SeventhReader) && r.opt.Base != nil {
		for i := range changes {
			if item, _, ok := r.opt.Base.Find(changes[i].Target); ok && changes[i].Operation == Kill {
				changes[i].Name = item.Text("name")
			}
		}
	}
	for i, line := range revisit.ReadOwn(revisit.Reply{Text: own, Author: r.opt.Author, Changes: changes, IsStrict: r.opt.Reader.Since(SeventhReader)}) {
		if line != "" {
			blocks[changes[i].Index].refuseOK(refused(AmbiguousDelta, fmt.Sprintf("a delta that a line of the reply leaves open: %q", clipped(line)), "send it again without that line; leave it out if it is not meant"))
		}
	}
}

// refuseUnseen refuses the deltas that are kept from being the author's by what is at some distance from them.
func (r *reader) refuseUnseen(blocks []Block) {
	if !r.opt.Reader.Since(SeventhReader) || r.opt.Repair || countOK(blocks) == 0 {
		return
	}
	isOpen := remark.OpenReasoning(r.src)
	lines := bytes.Split(r.src, []byte("\n"))
	for i := range blocks {
		b := &blocks[i]
		if above := remark.AboveItem(lines, b.Line); above != nil && b.OK {
			if said, ok := r.remarks().Before(above, nil); ok {
				b.refuseOK(fateDisowned(said))
			}
		}
		switch line, ok := remark.Shown(lines, b.Line); {
		case isOpen:
			b.refuseOK(refused(AmbiguousDelta, "a delta in reasoning that does not end", "send it again outside your reasoning"))
		case ok:
			b.refuseOK(fateDisowned(remark.Remark{Line: line}))
		case remark.InCall(lines, b.Line):
			b.refuseOK(refused(UnfencedDelta, "a delta in a call of code", hintFence+"; leave it out if it is an example"))
		}
	}
}

func countOK(blocks []Block) (n int) {
	for i := range blocks {
		if blocks[i].OK {
			n++
		}
	}
	return n
}
