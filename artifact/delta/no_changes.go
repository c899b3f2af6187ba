package delta

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
	"brenner/internal/remark"
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

// unlabelled returns the answer that there are no changes, with its reason in a sentence of its own, of a reply that announces none.
// One below the name of an item or a section is about that.
func (r *reader) unlabelled(own []byte) *Statement {
	const longest = 4000
	if !r.opt.Reader.Since(FifthReader) || r.announced > 0 || !hasNoChanges(own) {
		return nil
	}
	for b := range markdown.Blocks(own, r.opt.Reader.Scanner()) {
		if !b.Own() || b.Kind != markdown.Prose {
			continue
		}
		line, at := b.Line, b.Start
		for this := range bytes.Lines(own[b.Start:b.End]) {
			at += len(this)
			below := own[at:min(at+longest, b.End)]
			if reason, ok := remark.NoChangesSince(string(this), strings.ToValidUTF8(string(below), "")); ok && !isUnderItem(own[:at-len(this)]) {
				return &Statement{Line: line, Reason: reason}
			}
			line++
		}
	}
	return nil
}

// isUnderItem reports whether the last line of a text is the name of an item or of a section, or a title with one.
func isUnderItem(above []byte) bool {
	const longest = 80
	above = bytes.TrimSpace(above)
	line := above[bytes.LastIndexByte(above, '\n')+1:]
	if len(line) == 0 || len(line) > longest || !itemform.IsTitle(line) && line[len(line)-1] == '.' {
		return false
	}
	text := strings.ToValidUTF8(string(line), "")
	return len(sectionsIn(text)) > 0 || slices.ContainsFunc(lineWords(text), func(w lineWord) bool { return isItemID(w.text) })
}

// hasNoChanges reports whether a text has the words of the line NO CHANGES.
func hasNoChanges(text []byte) bool {
	return pattern.HasAny(text, "NO CHANGES", "No changes", "No Changes", "no changes")
}

// statements returns the lines NO CHANGES of a text, with their offsets.
func statements(text []byte, version Reader) iter.Seq2[int, Statement] {
	return func(yield func(int, Statement) bool) {
		if !pattern.HasAnyCase(text, "changes") {
			return
		}
		for b := range markdown.Blocks(text, version.Scanner()) {
			line, at := b.Line, b.Start
			switch {
			case !b.Own():
				continue
			case b.Kind == markdown.Prose:
			case b.Kind == markdown.Fenced && version != FirstReader && (isDeltaFence(b.Fence) || version.Since(SixthReader) && isWhole(text, b)) && !NotMeant(b.Fence) && saysNoChanges(text[b.Start:b.End], version):
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
	if !r.third || !r.opt.NoChanges || !hasNoChanges(own) {
		return
	}
	for at, s := range statements(own, r.opt.Reader) {
		if r.isBareDenial(own, at, s) {
			for i := range blocks {
				blocks[i].refuseOK(refused(AmbiguousDelta, "a delta beside the line NO CHANGES", "send it again without that line; leave it out if nothing is to change"))
			}
		}
		if !remark.IsReason(s.Reason) || restOnly.MatchString(s.Reason) || r.remarks().SpeaksOfAnother(s.Reason) {
			continue
		}
		about := sectionsIn(sectionOnly.FindString(s.Reason))
		above := bytes.TrimSpace(own[:at])
		if above = above[bytes.LastIndexByte(above, '\n')+1:]; itemform.IsTitle(above) {
			about = append(about, sectionsIn(string(above))...)
		}
		for i := range blocks {
			if len(about) == 0 || slices.Contains(about, blocks[i].Delta.Section) {
				blocks[i].refuseOK(refused(AmbiguousDelta, fmt.Sprintf("a delta beside the line NO CHANGES: %q", clipped(s.Reason)), "send it again without that line; leave it out if nothing is to change"))
			}
		}
	}
}

// isBareDenial reports whether the line NO CHANGES at an offset, without a reason, is a paragraph of its own that stands below no title:
// it is then about the whole reply.
func (r *reader) isBareDenial(own []byte, at int, s Statement) bool {
	if !r.opt.Reader.Since(FifthReader) || s.Reason != "" {
		return false
	}
	line, below, _ := bytes.Cut(own[at:], []byte("\n"))
	above := bytes.TrimRight(own[:at], " \t\r\n")
	isApart := len(own[:at])-len(above) > 1 || bytes.HasSuffix(above, []byte("```")) || len(above) == 0
	if next, _, _ := bytes.Cut(below, []byte("\n")); !isApart || len(bytes.TrimSpace(next)) > 0 && !bytes.HasPrefix(next, []byte("```")) || bytes.IndexByte([]byte("-+>|#"), line[0]) >= 0 || bytes.HasPrefix(line, []byte("* ")) {
		return false
	}
	above = above[bytes.LastIndexByte(above, '\n')+1:]
	return !itemform.IsTitle(above) && !isUnderItem(own[:at])
}

var (
	restOnly    = pattern.New(`(?i)\b(?:else|others?|otherwise|rest|remaining|further|beyond|besides|apart|except|elsewhere)\b`)
	sectionOnly = pattern.New(`(?i)^(?:to|in|for) [^,.;:]*`)
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

// isWhole reports whether a fence without a word is all of a text.
func isWhole(text []byte, b markdown.Block) bool {
	before, after := bytes.TrimSpace(text[:b.Start]), bytes.TrimSpace(text[b.End:])
	return b.Closed && b.Fence.Is("", "text", "txt", "plaintext", "markdown", "md") && bytes.IndexByte(before, '\n') < 0 && len(bytes.Trim(after, "`~")) == 0
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
