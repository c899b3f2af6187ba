package delta

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact/delta/itemform"
	"brenner/internal/markdown"
	"brenner/internal/remark"
)

// announcementOf returns what a change in another form announces.
func announcementOf(f itemform.Attempt) announcement {
	a := announcement{operation: f.Operation, section: f.Section, field: f.Field, words: itemform.Content(f.Says)}
	for _, w := range lineWords(f.ID) {
		if isItemID(w.text) {
			a.name(w.text)
		}
	}
	return a
}

// parseTitle reads a line that calls an item new.
func parseTitle(line string, all *[]announcement) bool {
	f, named, ok := itemform.InTitle(strings.TrimSpace(strings.TrimLeft(emphasis.Replace(line), "*•+ ")))
	if ok {
		a := announcementOf(f)
		if named {
			a.nameIn(f.Says)
		}
		*all = append(*all, a)
	}
	return ok
}

// announceForms records the changes in a fence that are written as items, calls or differences, but for what has been read
// as deltas. Only those of its author count.
func (r *reader) announceForms(b markdown.Block, done []span, own bool) (found bool) {
	if !r.third || !own {
		return false
	}
	word, _, _ := bytes.Cut(bytes.TrimSpace(b.Fence.Info), []byte(" "))
	for _, f := range itemform.InFence(string(word), r.src[b.Start:b.End], r.src[:remark.OpeningLine(r.src, b.Start)], r.formRules()) {
		if !inSpans(done, b.Start+f.At) && !r.overfull() {
			r.announceForm(f, b.Start)
			found = true
		}
	}
	return found
}

// formRules returns which forms of changes count.
func (r *reader) formRules() itemform.Rules {
	return itemform.Rules{Noted: r.opt.Reader.Since(FourthReader), Keyed: r.opt.Reader.Since(FifthReader), Nulled: r.opt.Reader.Since(SeventhReader)}
}

// announceRewritten records the items of a section that a text has in full, and the changes in it that are objects or
// patches, but for what has been read as deltas.
func (r *reader) announceRewritten(b markdown.Block, done []span) {
	if !r.third {
		return
	}
	before := len(r.promises)
	text := r.src[b.Start:b.End]
	for _, f := range append(itemform.InRewritten(text, r.formRules()), itemform.InText(text, r.formRules())...) {
		if !inSpans(done, b.Start+f.At) && !r.overfull() {
			r.announceForm(f, b.Start)
		}
	}
	if len(r.promises) > before {
		slices.SortStableFunc(r.promises, func(x, y announcement) int { return x.line - y.line })
	}
}

// announceForm records a change that is there in another notation.
func (r *reader) announceForm(f itemform.Attempt, base int) {
	a := announcementOf(f)
	a.shaped = true
	switch a.operation {
	case Add:
		if a.whole = len(a.words) > 0; f.Name != "" {
			a.whole, a.called = false, itemform.Content(f.Name)
		}
	case "":
		a.called = a.words // it belongs to no other change of its section
	}
	n := len(r.promises)
	r.promise(a, base+f.At, r.src[base+f.At:])
	if n > 0 && r.promises[n-1].isAbove(&r.promises[n]) {
		r.promises = r.promises[:n]
	}
}

// isAbove reports whether an announcement is the title of a change in another notation right below it.
func (a *announcement) isAbove(b *announcement) bool {
	const near = 8
	isOther := func(w string) bool { return !slices.Contains(b.words, w) }
	isSame := a.operation == b.operation || b.operation == "" && a.operation == Add
	isSame = isSame && (len(a.targets) == 0 || slices.Equal(a.targets, b.targets))
	return isSame && !a.shaped && a.line+near >= b.line && (a.section == "" || a.section == b.section) && !slices.ContainsFunc(a.words, isOther)
}

// placeOf returns where a line at an offset is. Listed is whether it is in a list of changes.
func (r *reader) placeOf(line []byte, at int, listed bool) itemform.Place {
	trimmed := bytes.TrimSpace(line)
	return itemform.Place{
		Above: r.src[:at], Below: r.src[at+len(line):], Alone: r.isAlone(line, at), Listed: listed, Title: itemform.IsTitle(trimmed), Marked: listItem.Match(trimmed),
	}
}

// isTold reports whether a row of a table tells of a change, of another author's, or what its author thinks of those that others
// propose.
func (r *reader) isTold(c itemform.Columns, row []byte) bool {
	return c.IsHistory() || r.opt.Reader.Since(FifthReader) && (c.IsVotes() || c.IsAnothers(string(row[:min(len(row), 2*maxAnnouncement)]), r.opt.Author))
}
