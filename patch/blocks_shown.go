package patch

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact/delta"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// outlined stands for a block in the outline of a reply: text that begins a paragraph.
const outlined = "\nx\n"

// place finds where in the reply the blocks are, and which of them are only shown. The text of a block
// is not part of the reply.
func (r *blockReader) place() {
	var patches []attempt
	rest := r.found
	before := markdown.Block{}
	held := delta.Held(r.outline, r.version)
	for b := range markdown.Blocks(r.outline, r.version.Scanner()) {
		nested := b.Kind == markdown.Fenced && markdown.HoldsFence(r.outline[b.Start:b.End])
		for ; len(rest) > 0 && rest[0].at < b.End; rest = rest[1:] {
			a := &rest[0]
			if a.shown != "" || a.at < b.Start {
				continue
			}
			if a.shown = r.whyShown(a, &b, &before, nested); a.shown == "" && r.isHeld(a.at, &b, held) {
				a.shown = inDelta
			}
		}
		if r.version.Scanner() == markdown.Third {
			if b.Kind == markdown.Prose && b.Own() {
				r.takeNamed(r.outline[b.Start:b.End], len(held) > 0)
			}
			r.barePatch(&patches, before.End, b.Start, "it is indented, as examples are")
			r.findPatch(&patches, &b, &before, nested, held)
		}
		before = b
	}
	if r.version.Scanner() == markdown.Third {
		r.barePatch(&patches, before.End, len(r.outline), "it is indented, as examples are")
	}
	if len(patches) > 0 {
		r.found = append(r.found, patches...)
		slices.SortStableFunc(r.found, func(a, b attempt) int { return a.Line - b.Line })
	}
	r.takeBack()
}

// isHeld reports whether a place is in a delta or a record, or in a fence of JSON.
func (r *blockReader) isHeld(at int, in *markdown.Block, held []delta.Extent) bool {
	if r.version.Scanner() != markdown.Third {
		return false
	}
	if in.Kind == markdown.Fenced && bytes.HasPrefix(bytes.TrimSpace(r.outline[in.Start:in.End]), []byte("{")) {
		return true
	}
	return isWithin(at, held)
}

// isWithin reports whether a place is in the text of a delta or a record.
func isWithin(at int, held []delta.Extent) bool {
	i, _ := slices.BinarySearchFunc(held, at, func(e delta.Extent, at int) int { return e.To - at })
	return i < len(held) && held[i].From < at
}

const inDelta = "it is in the text of a delta or a record"

// whyShown returns why a block in a part of the reply is not meant as a change, or "".
func (r *blockReader) whyShown(a *attempt, in, before *markdown.Block, nested bool) string {
	switch {
	case in.Draft:
		return "it is in reasoning"
	case in.Quoted:
		return inQuote
	case in.Shown:
		return "it is behind a tag of an example or a quotation"
	case in.Kind == markdown.Verbatim:
		return "it is in an HTML comment or in verbatim HTML"
	case nested || in.Doubtful, in.Kind == markdown.Prose && r.betweenFences(a, in, before):
		return "it is inside another fence"
	case in.Kind == markdown.Fenced && in.Fence.Length > 3 && !markdown.HoldsFence([]byte(a.Search)) && !markdown.HoldsFence([]byte(a.Replace)) && !strings.Contains(a.JSON, "```"):
		return "it is in a longer fence, as examples do"
	case in.Kind == markdown.Fenced && delta.NotMeant(in.Fence):
		return "the words of its fence say that it is an example or not proposed"
	}
	if a.end == 0 {
		return r.disowned(a.Line, a.at, min(a.at+len(outlined)-1, len(r.outline)))
	}
	return r.disowned(a.Line, a.at, a.end)
}

// disowned returns the words beside a block that make it something else than a change, or "". The line of
// a fence and the path of the block may be between.
func (r *blockReader) disowned(line, at, end int) string {
	above := r.outline[:at]
	for range 2 {
		above = bytes.TrimRight(above, " \t\r\n")
		line := above[bytes.LastIndexByte(above, '\n')+1:]
		if bytes.ContainsAny(bytes.TrimSpace(line), " \t") || len(line) == 0 || line[0] == '#' || line[len(line)-1] == ':' {
			break
		}
		above = above[:len(above)-len(line)]
	}
	behind := r.outline[end:]
	if r.version.Scanner() == markdown.Third {
		behind, _, _ = bytes.Cut(behind, []byte(outlined)) // the next block
	}
	words, isBehind, ok := r.remarks().Beside(above, nil, behind)
	switch {
	case isBehind && ok && r.version.Scanner() == markdown.Third && (words.Nth > 0 || words.All):
		r.taken = append(r.taken, takenBack{line, words})
	case isBehind && ok:
		return "the line behind it withdraws it: " + words.Line
	case ok:
		return "the line before it calls it something else than a change: " + words.Line
	}
	return ""
}

// takenBack is a remark about several blocks of a reply, or one by its number.
type takenBack struct {
	line int // of the block that it follows, or 0 if it stands anywhere
	remark.Remark
}

var patchWord = pattern.New(`(?i)\b(?:patch|diff)`)

// remarks returns the rules by which the text beside blocks is read.
func (r *blockReader) remarks() remark.Rules {
	rules := r.version.Remarks("")
	rules.Patches = rules.Oblique
	return rules
}

// takeNamed keeps the remarks of a text that take back blocks by their number. In a reply that also has
// deltas or records, it must call them patches.
func (r *blockReader) takeNamed(text []byte, isMixed bool) {
	for _, said := range r.remarks().Named(text) {
		if said.Nth != 0 && (!isMixed || patchWord.MatchString(said.Line)) {
			r.taken = append(r.taken, takenBack{Remark: said})
		}
	}
}

// takeBack leaves out the blocks that remarks take back: those with the number, or all above a remark that none has.
func (r *blockReader) takeBack() {
	for _, t := range r.taken {
		if t.Nth == remark.Last {
			t.Nth = len(r.found)
		}
		isKnown := t.Nth > 0 && t.Nth <= len(r.found)
		for i := range r.found {
			a := &r.found[i]
			if isAbout := isKnown && (t.Nth == i+1) != t.But || !isKnown && a.Line <= t.line; isAbout && a.shown == "" {
				a.shown = "a line of the reply takes it back: " + t.Line
			}
		}
	}
}

// betweenFences reports whether a block is between a fence of Markdown and marks without a word, with at
// most its path beside it: a fence in a fence of the same length.
func (r *blockReader) betweenFences(a *attempt, in, before *markdown.Block) bool {
	if before.Kind != markdown.Fenced || !before.Fence.Is("markdown", "md") {
		return false
	}
	above := bytes.TrimSpace(r.outline[in.Start:a.at])
	below, _, _ := bytes.Cut(r.outline[a.at+len("x\n"):], []byte("\n"))
	return bytes.Count(above, []byte("\n")) == 0 && before.Fence.ClosedBy(bytes.TrimSpace(below)) && len(below) > 0
}

const inQuote = "it is in a block quote"

// shownBefore returns why a block whose first line does not begin with its marker is only shown.
func shownBefore(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), ">") {
		return inQuote
	}
	return "it is indented, as examples are"
}
