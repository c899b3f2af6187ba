package stalemate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner/artifact/delta"
	"brenner/patch"
)

// PatchedText is the current version of a text that refuses patches: of a record, or of a file.
type PatchedText struct {
	Name    string // "memo-1@v3", or the path of a file
	Key     string // distinguishes texts of the same name; "" if the name does
	Content string
	Patch   string // the last one refused: an anchor patch, or search/replace blocks
	Bound   int    // of the evidence in bytes; 0 is MaxEvidence
}

// Since returns the tries after an instant, at which a ruling or a withdrawal closed what was before.
func Since(tries []Attempt, at time.Time) []Attempt {
	return slices.DeleteFunc(slices.Clone(tries), func(a Attempt) bool { return !a.At.After(at) })
}

// FromPatches reports whether the last author is stuck on a text: the same patch or the same error
// for the third time. tries are those refused by the current version, in order.
func FromPatches(on *PatchedText, tries []Attempt) (Case, bool) {
	return fromPatches(on, tries, maxSameErrors)
}

// DeclaredFromPatches is FromPatches for a person's declaration: one try is enough.
func DeclaredFromPatches(on *PatchedText, tries []Attempt) (Case, bool) {
	c, ok := fromPatches(on, tries, 1)
	if len(c.Log) < maxSameErrors {
		c.Kind = Person
	}
	return c, ok
}

func fromPatches(on *PatchedText, tries []Attempt, enough int) (Case, bool) {
	if len(tries) == 0 {
		return Case{}, false
	}
	last := tries[len(tries)-1]
	for _, kind := range []string{Retry, Error} {
		c := Case{Kind: kind, Place: on.Name, ID: caseID(kind, cmp.Or(on.Key, on.Name), last.By, last.Content)}
		if kind == Error {
			c.ID = caseID(kind, cmp.Or(on.Key, on.Name), last.By, string(last.Code))
		}
		for i := range tries {
			a := &tries[i]
			if a.By == last.By && (kind == Retry && a.Content == last.Content || kind == Error && a.Code == last.Code) {
				c.Log = append(c.Log, a.line())
			} else {
				c.Earlier = append(c.Earlier, a.line())
			}
		}
		if len(c.Log) < enough {
			continue
		}
		c.Positions = []Position{
			{Party: last.By, Statement: "The patch should apply to " + on.Name + ".", Justification: last.Why},
			{Party: TheRules, Statement: "The patch was refused rightly (" + string(last.Code) + ").", Justification: last.Message},
		}
		return c, true
	}
	return Case{}, false
}

// PatchRequest returns a request about refused patches, with text, last patch and other documents,
// the most important first, as evidence.
func PatchRequest(on *PatchedText, at time.Time, c *Case, more ...Document) Request {
	r := NewRequest(on.Name, at, c, &Basis{Text: on, Documents: more, Bound: on.Bound})
	switch c.Kind {
	case Retry:
		r.Summary = fmt.Sprintf("%s: the same patch was refused and sent again unchanged, %d times.", on.Name, len(c.Log))
	case Error:
		r.Summary = fmt.Sprintf("%s: the same error refused patches %d times.", on.Name, len(c.Log))
	default:
		r.Summary = on.Name + ": a patch was refused, and a person asks for a ruling."
	}
	return r
}

// documents returns the text around the anchors of the patch, and the patch.
func (on *PatchedText) documents() []Document {
	return []Document{
		{Type: TypeFile, Description: "The text as it stands.", Path: on.Name, Text: on.Content, Near: on.anchors()},
		{Type: TypePatch, Description: "The patch that was refused last.", Text: on.Patch},
	}
}

// anchors returns what the patch quotes of the text: whole passages, then their lines.
func (on *PatchedText) anchors() []string {
	var all []string
	if p, problems := patch.Read([]byte(on.Patch)); len(problems) == 0 {
		for i := range p.Groups {
			all = append(all, p.Groups[i].Anchor.Text)
			for _, op := range p.Groups[i].Ops {
				all = append(all, op.Old)
			}
		}
	} else {
		for _, b := range on.blocks() {
			all = append(all, b.Search)
		}
	}
	for _, passage := range all {
		for line := range strings.Lines(passage) {
			if !delta.Blank(line) {
				all = append(all, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	return all
}

func (on *PatchedText) blocks() []patch.Block {
	return patch.ReadBlocks([]byte(on.Patch), delta.FirstReader, on.Name).Blocks
}

// checks holds the patch against the text once more, and reads what the report says about the
// cause.
func (on *PatchedText) checks() []Check {
	base, problems := patch.NewText([]byte(on.Content))
	if len(problems) > 0 {
		return []Check{{Name: "the text", Observed: problems[0].Message}}
	}
	var all []Check
	var report patch.Report
	p, problems := patch.Read([]byte(on.Patch))
	blocks := on.blocks()
	switch {
	case len(problems) == 0:
		c := Check{Name: "the base of the patch", Observed: "the patch is for exactly this text"}
		if p.Base != base.Hash() {
			c.Observed = fmt.Sprintf("the patch is for the text with the hash %.12s…, this one has %.12s…", p.Base, base.Hash())
			c.Explains = "The author was shown another version of " + on.Name + " than the one that refuses the patch."
		}
		all = append(all, c)
		p.Base = base.Hash()
		report = p.Check(base)
	case len(blocks) > 0:
		_, report = patch.Convert(on.Name, base, blocks)
	default:
		return append(all, Check{Name: "the patch", Observed: "it cannot be read: " + problems[0].Message})
	}
	const most = 5
	for i := range report.Problems[:min(most, len(report.Problems))] {
		all = append(all, on.problemCheck(&report.Problems[i]))
	}
	if report.OK() {
		all = append(all, Check{Name: "the patch against the text, without its base", Observed: "all of it would apply", Explains: "What the patch changes is the same in both texts: it should be made again for " + on.Name + "."})
	}
	return all
}

func (on *PatchedText) problemCheck(p *patch.Problem) Check {
	c := Check{Name: p.Place(), Observed: p.Message}
	switch {
	case p.Code == patch.AnchorNotFound && len(p.Near) > 0, p.Code == patch.BlockNotAdjacent && len(p.Near) > 0:
		c.Explains = fmt.Sprintf("The author means line %d, and the two texts differ only in characters that are hard to see.", p.Near[0].Line)
	case p.Code == patch.AnchorNotFound && p.Found > 0:
		c.Explains = fmt.Sprintf("The author counted the anchor in another text: it occurs %d times in this one, not %d.", p.Found, p.Wanted)
	case p.Code == patch.AnchorNotFound:
		c.Explains = "The patch was meant for another text than " + on.Name + ", or for one that said more: what it quotes does not occur in it."
	case p.Code == patch.BlockNotAdjacent && p.Nearest > 0:
		c.Explains = fmt.Sprintf("The patch was meant for line %d, where the block does occur.", p.Nearest)
	case p.Code == patch.BlockNotAdjacent:
		c.Explains = "What follows the anchor has changed since the author saw it."
	}
	return c
}
