// Package blocks groups the search/replace blocks and anchor patches of a reply by the texts that they name, and
// orders its records by their links.
//
// The package is pure.
package blocks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/internal/fault"
	"brenner/patch"
	"brenner/store/record"
)

// Outcome is the outcome of the search/replace blocks and anchor patches about one text.
type Outcome struct {
	Name    string          // the version, or what the reply names instead
	Line    int             // of the first of them in the reply
	Blocks  string          // as parsed
	Content string          // hash of the version's content
	Patch   []byte          // the resulting patch, or nil
	Made    *record.Record  // the resulting version, including a fork that needs a rebase
	Warning string          // what was assumed
	Problem []patch.Problem // why no version was made
}

// WholeReply is the name of outcomes that are about no text.
const WholeReply = "reply"

// ClippedName returns the name of a text for an outcome.
func ClippedName(path string) string {
	if path == "" {
		return WholeReply
	}
	return fault.Shown(path)
}

// Shown returns the outcomes of blocks that are not applied: one for each of the first ones, and
// one for the others.
func Shown(shown []patch.Shown) []Outcome {
	const most = 20
	var all []Outcome
	for i, s := range shown {
		c := Outcome{Name: ClippedName(s.Path), Line: s.Block.Line, Blocks: patch.WriteBlocks(s.Path, []patch.Block{s.Block}), Problem: []patch.Problem{s.Problem}}
		if i == most {
			c.Problem[0].Message += fmt.Sprintf(" (and %d more)", len(shown)-most-1)
		}
		if all = append(all, c); i == most {
			break
		}
	}
	return all
}

// Group is the blocks of a reply about one text, or about texts that were not shown.
type Group struct {
	Name   string
	Ref    record.Ref // zero if it was not shown
	Blocks []patch.Block
	Broken []patch.Problem // why it cannot be read; then it is about no text
}

// Names returns how a reply may name the texts that were shown.
func Names(shown []record.Ref) []string {
	var all []string
	for _, ref := range shown {
		all = append(all, ref.ID, ref.String())
	}
	return all
}

// ByText returns blocks, without the example of the kickoff, by the texts that they name, in order.
// Blocks about texts that were not shown form one group.
func ByText(blocks []patch.Block, shown []record.Ref) []*Group {
	var all []*Group
	for _, b := range blocks {
		if b.Search == patch.ExampleSearch {
			continue
		}
		to := &Group{Name: b.Path}
		for _, ref := range shown {
			if b.Path == ref.ID || b.Path == ref.String() || b.Path == "" && len(shown) == 1 {
				to.Name, to.Ref = ref.String(), ref
			}
		}
		if to.Ref == (record.Ref{}) {
			to.Broken = b.ReadProblems()
		}
		i := slices.IndexFunc(all, func(one *Group) bool { return one.Ref == to.Ref && one.Broken == nil })
		if i < 0 || to.Broken != nil {
			i, all = len(all), append(all, to)
		}
		all[i].Blocks = append(all[i].Blocks, b)
	}
	return all
}

// MaxUnshown is how many names of what was not shown a message has.
const MaxUnshown = 8

// NotShown returns the name and the problem of blocks whose texts were not shown. Those that could be changed are writable.
func (g *Group) NotShown(writable []record.Ref) (string, []patch.Problem) {
	p := patch.Problem{Code: patch.BaseMissing, Message: "the blocks name no text", Hint: "no text was shown in full that could be changed"}
	var named []string
	seen := map[string]bool{"": true}
	for _, b := range g.Blocks {
		if !seen[b.Path] {
			named = append(named, fault.Shown(b.Path))
		}
		seen[b.Path] = true
	}
	name := WholeReply
	if len(named) > 0 {
		name = named[0]
	}
	switch n := len(named); {
	case n == 1:
		p.Message = named[0] + " is no text that was shown in full"
	case n > MaxUnshown:
		p.Message = strings.Join(named[:MaxUnshown], ", ") + " and " + strconv.Itoa(n-MaxUnshown) + " more are no texts that were shown in full"
	case n > 1:
		p.Message = strings.Join(named, ", ") + " are no texts that were shown in full"
	}
	if len(writable) > 0 {
		where := "on the line above a block"
		if g.Blocks[0].JSON != "" {
			where = "as the path of the patch"
		}
		p.Hint = "write one of these " + where + ": " + strings.Join(Names(writable), ", ")
	}
	return name, []patch.Problem{p}
}
