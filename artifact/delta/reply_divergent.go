package delta

import (
	"bytes"

	"brenner/artifact"
	"brenner/artifact/delta/fieldform"
	"brenner/artifact/delta/itemform"
)

// setting is what an EDIT sets a field of an item to.
type setting struct {
	block int
	value string
}

// refuseDivergent refuses the EDITs of one field of one item that set it to different values, unless the text between two of them
// calls the later one a correction.
func (r *reader) refuseDivergent(blocks []Block) {
	seen := make(map[[2]string]setting)
	starts := startsOf(r.src, blocks)
	for i := range blocks {
		b := &blocks[i]
		if !b.OK || b.Delta.Operation != Edit || b.Delta.Target == "" || b.draft != nil {
			continue
		}
		for _, f := range b.Delta.Payload {
			for _, part := range fieldform.Parts(f.Name, f.Value) {
				key, value := [2]string{b.Delta.Target, part.Key}, string(artifact.Canonical(part.Value))
				if was, ok := seen[key]; ok && was.value != value && !itemform.Corrects(r.src[starts[was.block]:starts[i]]) {
					b.refuseOK(fateDivergent(b.Delta.Target))
					blocks[was.block].refuseOK(fateDivergent(b.Delta.Target))
				}
				seen[key] = setting{i, value}
			}
		}
	}
}

// startsOf returns where the lines of blocks begin in a text.
func startsOf(text []byte, blocks []Block) []int {
	line, offset := 1, 0
	starts := make([]int, len(blocks))
	for i := range blocks {
		for ; line < blocks[i].Line && offset < len(text); line++ {
			this, _, _ := bytes.Cut(text[offset:], []byte("\n"))
			offset = min(offset+len(this)+1, len(text))
		}
		starts[i] = offset
	}
	return starts
}

func fateDivergent(target string) fate {
	return refused(AmbiguousDelta, "the reply sets a field of "+target+" to different values: which is meant?", "send again the one that you mean; leave out the other")
}
