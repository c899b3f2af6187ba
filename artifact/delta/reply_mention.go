package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact/delta/itemform"
)

// maxMentions is how many mentions of a reply have rows: they are for people.
const maxMentions = 100

// mention records the changes of which a line speaks in words that are no order in a known form.
func (r *reader) mention(text string, at int) {
	if !r.opt.Reader.Since(FifthReader) || len(r.mentioned) == maxMentions {
		return
	}
	for _, f := range itemform.Mentioned(text, r.opt.Author) {
		a := announcementOf(f)
		a.line, a.column = r.place.find(at)
		a.text = strings.TrimSpace(text)
		r.mentioned = append(r.mentioned, a)
	}
}

// withMentions returns the blocks with a row for each mention of an item that no other row is about. A reply that is asked for
// something in any case, because it has no change of its own or one that is refused, is asked for these, too.
func (r *reader) withMentions(blocks []Block) []Block {
	var more []Block
	asks := !r.declined && !slices.ContainsFunc(blocks, func(b Block) bool { return b.OK })
	asks = asks || slices.ContainsFunc(blocks, func(b Block) bool { return len(b.Problems) > 0 })
	for i := range r.mentioned {
		a := &r.mentioned[i]
		isTold := func(b Block) bool {
			id, _, _ := strings.Cut(b.Delta.Target, ".")
			return slices.Contains(a.targets, id) || len(a.targets) == 0 && b.Delta.Operation == Add && b.Delta.Section == a.section
		}
		if slices.ContainsFunc(blocks, isTold) || slices.ContainsFunc(more, isTold) {
			continue
		}
		b := a.row(strings.Join(a.targets[:min(1, len(a.targets))], ""))
		if r.meant = r.meant || asks; !asks {
			b.Problems, b.Flags = nil, []Flag{{Name: FlagMentioned, Text: fmt.Sprintf("not asked for: a sentence speaks of this change, and no delta makes it: %q", clipped(a.text))}}
		}
		more = append(more, b)
	}
	return r.withRows(blocks, more)
}
