package patch

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

	"brenner/artifact/delta"
	"brenner/artifact/delta/nearjson"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
)

// origin says where a line of the outline is in the reply.
type origin struct{ outline, text, line int }

// originOf returns where a place of the outline is in the reply.
func (r *blockReader) originOf(at int) (offset, line int) {
	i := sort.Search(len(r.origins), func(i int) bool { return r.origins[i].outline > at }) - 1
	if i < 0 {
		return 0, 1
	}
	o := r.origins[i]
	return min(o.text+at-o.outline, len(r.text)), o.line
}

// cutOutline ends the outline at a place.
func (r *blockReader) cutOutline(at int) {
	r.outline = r.outline[:at]
	for len(r.origins) > 0 && r.origins[len(r.origins)-1].outline >= at {
		r.origins = r.origins[:len(r.origins)-1]
	}
}

// mayHavePatch reports whether a reply may have anchor patches, which the third reader knows.
func (r *blockReader) mayHavePatch() bool {
	return r.version.Scanner() == markdown.Third && (nearjson.PatchMark([]byte(r.text)) >= 0 || patchFence.MatchString(r.text))
}

// patchFence matches the first line of a fence whose word says that it is a patch.
var patchFence = pattern.New("(?im)^[ \t>*+-]*(?:```+|~~~+)[ \t]*(?:patch|anchor_diff)")

// isPatchFence reports whether the word of a fence is that of a patch.
func isPatchFence(f markdown.Fence) bool {
	return f.Is("patch") || strings.HasPrefix(strings.ToLower(strings.TrimLeft(string(f.Info), " \t")), "anchor_diff")
}

// findPatch adds the anchor patch that is a block of the reply, if it is one.
func (r *blockReader) findPatch(all *[]attempt, b, before *markdown.Block, nested bool, held []delta.Extent) {
	text := r.outline[b.Start:b.End]
	switch {
	case b.Kind == markdown.Prose:
		why := "it is not in a fence"
		if b.Quoted && !b.Draft {
			why = inQuote
		}
		r.barePatch(all, b.Start, b.End, why)
		return
	case b.Kind == markdown.Fenced && b.Fence.Is("delta") || !nearjson.HoldsPatch(text) && !r.isAttempt(b, held):
		return // the reader of deltas refuses it, or it is not a patch
	}
	a := r.patchAt(b.Start, b.End)
	a.above = r.lineAbove(b.Start)
	switch a.shown = r.whyShown(&a, b, before, nested); {
	case a.shown != "":
	case isWithin(b.Start, held):
		a.shown = inDelta
	case b.Kind == markdown.Fenced && !b.Fence.Is("", "json") && !isPatchFence(b.Fence):
		a.shown = "its fence has another word than json, patch or anchor_diff"
	}
	*all = append(*all, a)
}

// isAttempt reports whether a fence is called a patch, and is neither a delta nor search/replace blocks.
func (r *blockReader) isAttempt(b *markdown.Block, held []delta.Extent) bool {
	if b.Kind != markdown.Fenced || !isPatchFence(b.Fence) || len(bytes.TrimSpace(r.outline[b.Start:b.End])) == 0 {
		return false
	}
	inside := func(at int) bool { return b.Start <= at && at < b.End }
	return !slices.ContainsFunc(r.found, func(a attempt) bool { return inside(a.at) }) &&
		!slices.ContainsFunc(held, func(e delta.Extent) bool { return e.From < b.End && b.Start < e.To })
}

// barePatch adds the beginning of a patch that is not in a fence, between two places of the outline.
func (r *blockReader) barePatch(all *[]attempt, from, to int, why string) {
	if from >= to {
		return
	}
	mark := nearjson.PatchMark(r.outline[from:to])
	if mark < 0 || bytes.IndexByte(r.outline[from:from+mark+1], '{') < 0 {
		return
	}
	a := r.patchAt(from, to)
	_, a.Line = r.originOf(from + mark)
	a.shown = why
	*all = append(*all, a)
}

// patchAt returns the patch between two places of the outline.
func (r *blockReader) patchAt(from, to int) attempt {
	start, _ := r.originOf(from)
	end := start
	if to > from {
		end, _ = r.originOf(to - 1)
		end++
	}
	text := r.text[start:max(start, min(end, len(r.text)))]
	_, line := r.originOf(from + len(text) - len(strings.TrimLeft(text, " \t\n")))
	return attempt{Block: Block{Line: line, JSON: strings.TrimSpace(text) + "\n", Path: pathOfPatch(text)}, at: from, end: to}
}

var pathKey = pattern.New(`"path"\s*:\s*"([^"\\\n]{1,400})"`)

// pathOfPatch returns the path that a patch names, even if it cannot be read.
func pathOfPatch(text string) string {
	if m := pathKey.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// lineAbove returns the last line above a fence that is not blank.
func (r *blockReader) lineAbove(start int) string {
	above := r.outline[:start]
	for range 2 {
		above = bytes.TrimRight(above, " \t\n")
		line := above[bytes.LastIndexByte(above, '\n')+1:]
		if !markdown.HoldsFence(line) {
			return strings.TrimSpace(string(line))
		}
		above = above[:len(above)-len(line)]
	}
	return ""
}

// own returns a patch of a reply as its author wrote it, if it applies.
func (c *converter) own(b *Block) (Patch, Report) {
	p, problems := Read([]byte(b.JSON))
	var report Report
	if len(problems) == 0 {
		var next *Text
		if next, report = p.Apply(c.base); next != nil && next.hash == c.base.hash {
			report.Problems = []Problem{{Code: NoOps, Message: "it leaves the text as it is", Hint: "change something, or leave the patch out"}}
		}
		problems = report.Problems
	}
	report.Problems = b.inReply(problems, c.base.hash)
	return p, report
}

// addPatch adds the edits of a patch of a reply.
func (c *converter) addPatch(number int, b *Block) {
	p, report := c.own(b)
	c.report.Problems = append(c.report.Problems, report.Problems...)
	c.report.Warnings = append(c.report.Warnings, report.Warnings...)
	if !report.OK() {
		return
	}
	if whole, _, ok := p.wholeFile(); ok {
		c.edits = append(c.edits, edit{end: len(c.base.canon), with: whole.New, op: number})
		return
	}
	edits, _ := p.resolve(c.base)
	for _, e := range edits {
		e.op = number
		c.edits = append(c.edits, e)
	}
}

// ReadProblems returns why a patch of a reply cannot be read, whatever it is for.
func (b *Block) ReadProblems() []Problem {
	if b.JSON == "" {
		return nil
	}
	_, problems := Read([]byte(b.JSON))
	return b.inReply(problems, "")
}

// inReply returns problems of a patch with its place in the reply and, of its base, the right hash: models cannot
// compute one.
func (b *Block) inReply(problems []Problem, hash string) []Problem {
	all := slices.Clone(problems)
	for i := range all {
		p := &all[i]
		what := p.Message
		if place := p.Place(); place != "" {
			what = place + ": " + what
		}
		p.Message = fmt.Sprintf("the %s patch at line %d of the reply: %s", Protocol, b.Line, what)
		switch {
		case p.Field == "target.base_checksum_sha256" && hash != "":
			p.Hint = "the hash of the text that was shown is " + hash + ": check that the patch is meant for this text, and write that"
		case p.Code == ResultMismatch:
			p.Hint = "leave result_sha256 out, or check what the operations do"
		}
		p.Operation, p.Field = 0, ""
	}
	return all
}
