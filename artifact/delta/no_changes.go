package delta

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"brenner/artifact/delta/synonyms"
	"brenner/internal/markdown"
	"brenner/internal/remark"

	"brenner/internal/pattern"
)

// Statement is the line with which an agent says that there is nothing to change.
type Statement struct {
	Line   int
	Reason string // may be empty in sessions of protocol 2
}

// findNoChanges returns the first line NO CHANGES of a text, or nil. Lines in fences, quotations,
// indented code, HTML comments and <think> … </think> do not count, nor, unless allowed, do
// lines without a reason. Without is the first of those, or 0. For the second reader, a line that is all
// of a delta fence counts.
func findNoChanges(text []byte, opt Options) (found *Statement, without int) {
	for _, s := range statements(text, opt.Reader) {
		if opt.BareNoChanges || remark.IsReason(s.Reason) {
			return &s, 0
		}
		without = cmp.Or(without, s.Line)
	}
	return nil, without
}

// statements returns the lines NO CHANGES of a text, with their offsets.
func statements(text []byte, version Reader) iter.Seq2[int, Statement] {
	return func(yield func(int, Statement) bool) {
		for b := range markdown.Blocks(text, version.Scanner()) {
			line, at := b.Line, b.Start
			switch {
			case !b.Own():
				continue
			case b.Kind == markdown.Prose:
			case b.Kind == markdown.Fenced && version != FirstReader && isDeltaFence(b.Fence) && !NotMeant(b.Fence) && saysNoChanges(text[b.Start:b.End], version):
				line++ // that of the fence
			default:
				continue
			}
			for this := range bytes.Lines(text[b.Start:b.End]) {
				reason, ok := remark.NoChanges(string(this), version != FirstReader)
				if ok && !(version == FirstReader && inThought(text, at)) && !yield(at, Statement{Line: line, Reason: reason}) {
					return
				}
				line, at = line+1, at+len(this)
			}
		}
	}
}

// refuseDenied refuses the deltas of a reply that a line NO CHANGES with a reason denies: all, or those of the sections that
// the line, or the title right above it, names.
func (r *reader) refuseDenied(blocks []Block, own []byte) {
	if !r.third || !r.opt.NoChanges || !slices.ContainsFunc(noChangesWords, func(w []byte) bool { return bytes.Contains(own, w) }) {
		return
	}
	for at, s := range statements(own, r.opt.Reader) {
		if !remark.IsReason(s.Reason) || restOnly.MatchString(s.Reason) || r.remarks().SpeaksOfAnother(s.Reason) {
			continue
		}
		about := sectionsIn(sectionOnly.FindString(s.Reason))
		above := bytes.TrimSpace(own[:at])
		if above = above[bytes.LastIndexByte(above, '\n')+1:]; isTitle(above) {
			about = append(about, sectionsIn(string(above))...)
		}
		for i := range blocks {
			if len(about) == 0 || slices.Contains(about, blocks[i].Delta.Section) {
				blocks[i].refuseOK(refused(AmbiguousDelta, fmt.Sprintf("a delta beside the line NO CHANGES: %q", clipped(s.Reason)), "send it again without that line; leave it out if nothing is to change"))
			}
		}
	}
}

var (
	noChangesWords = [][]byte{[]byte("NO CHANGES"), []byte("No changes"), []byte("No Changes"), []byte("no changes")}
	restOnly       = pattern.New(`(?i)\b(?:else|others?|otherwise|rest|remaining|further|beyond|besides|apart|except|elsewhere)\b`)
	sectionOnly    = pattern.New(`(?i)^(?:to|in|for) [^,.;:]*`)
)

// sectionsIn returns the sections that a text names.
func sectionsIn(text string) (all []string) {
	for _, w := range lineWords(text) {
		if s, ok := synonyms.Section(strings.ToLower(w.text)); ok {
			all = append(all, s.String())
		}
	}
	return all
}

// saysNoChanges reports whether a line NO CHANGES is all of a text.
func saysNoChanges(text []byte, version Reader) bool {
	text = bytes.TrimSpace(text)
	if bytes.IndexByte(text, '\n') >= 0 {
		return false
	}
	_, ok := remark.NoChanges(string(text), version != FirstReader)
	return ok
}

// inThought reports whether the text at an offset is between <think> and </think>, which is all that
// the first version knows about reasoning.
func inThought(text []byte, at int) bool {
	opened, closed := bytes.LastIndex(text[:at], []byte("<think>")), bytes.LastIndex(text[:at], []byte("</think>"))
	return opened > closed && bytes.Contains(text[at:], []byte("</think>"))
}
