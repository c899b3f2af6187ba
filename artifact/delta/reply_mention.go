package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
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

// speak records the changes of which a line speaks in words that only the sixth reader knows, and the number that it announces.
func (r *reader) speak(line []byte, at int, listed bool) {
	if !r.opt.Reader.Since(SixthReader) || r.opt.Repair || len(r.mentioned) == maxMentions {
		return
	}
	text := strings.ToValidUTF8(string(line[:min(len(line), 1<<12)]), "")
	if c, ok := itemform.InCount(text); ok && !r.opt.Cut {
		c.Line, _ = r.place.find(at)
		r.counts = append(r.counts, c)
	}
	for _, f := range r.slate.Spoken(text, r.opt.Author, r.src[min(len(r.src), at+len(line)):], r.opt.Reader.Since(SeventhReader)) {
		a := announcementOf(f.Attempt)
		a.line, a.column = r.place.find(at)
		a.text, a.sure, a.isNew = strings.TrimSpace(text), f.Sure || listed, true
		r.mentioned = append(r.mentioned, a)
	}
}

// withCounts returns the blocks with a row for each number of changes that the reply announces and does not have.
func (r *reader) withCounts(blocks []Block) []Block {
	var more []Block
	for _, c := range r.counts {
		for _, b := range blocks {
			if !b.Skipped() || b.Flagged(FlagMentioned) || b.Flagged(FlagExample) {
				c.Take(b.Delta.Operation)
			}
		}
		for _, operation := range c.Missing() {
			a := announcement{line: c.Line, column: 1, operation: operation, text: c.Text}
			if b := a.row(""); c.Sure {
				r.meant, more = true, append(more, b)
			} else {
				more = append(more, b.mentioned(&a))
			}
		}
	}
	return r.withRows(blocks, more)
}

// mentioned returns the row of a mention, which asks for nothing.
func (b Block) mentioned(a *announcement) Block {
	b.Problems, b.Flags = nil, []Flag{{Name: FlagMentioned, Text: fmt.Sprintf("not asked for: a sentence speaks of this change, and no delta makes it: %q", clipped(a.text))}}
	return b
}

// withThread returns the blocks, and forgets mentions of the question if one of them is about it.
func (r *reader) withThread(blocks []Block) []Block {
	thread := artifact.ResearchThread.String()
	if slices.ContainsFunc(blocks, func(b Block) bool { return b.Delta.Section == thread }) {
		r.mentioned = slices.DeleteFunc(r.mentioned, func(a announcement) bool { return a.section == thread })
	}
	return blocks
}

// withMentions returns the blocks with a row for each mention of an item that no other row is about. A reply that is asked for
// something in any case, because it has no change of its own or one that is refused, is asked for these, too, and any reply for those
// that are sure.
func (r *reader) withMentions(blocks []Block) []Block {
	var more []Block
	asks := !r.declined && !slices.ContainsFunc(blocks, func(b Block) bool { return b.OK })
	asks = asks || slices.ContainsFunc(blocks, func(b Block) bool { return len(b.Problems) > 0 })
	changed := func(id string) bool {
		return slices.ContainsFunc(blocks, func(b Block) bool { return b.OK && b.Delta.Target == id })
	}
	for i := range r.mentioned {
		a := &r.mentioned[i]
		if slices.ContainsFunc(blocks, a.isToldBy) || slices.ContainsFunc(more, a.isToldBy) {
			continue
		}
		b := a.row(strings.Join(a.targets[:min(1, len(a.targets))], ""))
		isAsked := asks || a.sure || r.opt.Reader.Since(SixthReader) && itemform.IsPlan(a.text, changed)
		if r.meant = r.meant || isAsked; !isAsked {
			b = b.mentioned(a)
		}
		more = append(more, b)
	}
	return r.withCounts(r.withRows(blocks, more))
}

// isToldBy reports whether a row is about what a sentence mentions.
func (a *announcement) isToldBy(b Block) bool {
	id, _, _ := strings.Cut(b.Delta.Target, ".")
	isTarget, isAny := slices.Contains(a.targets, id), len(a.targets) == 0 || a.isNew && a.operation == Add
	if a.isNew && a.field != "" && b.OK && b.Delta.Operation == Edit && id == b.Delta.Target {
		return isTarget && slices.ContainsFunc(b.Delta.Payload, func(f Field) bool { return strings.HasPrefix(f.Name, a.field) })
	}
	return isTarget || isAny && b.Delta.Operation == Add && b.Delta.Section == a.section
}
