package delta

import "fmt"

// fix is a kind of change that makes JSON out of something close to it.
type fix int

const (
	fixTrailingComma fix = iota
	fixComment
	fixQuotes
	fixBareKey
	fixControl
	fixEscape
	fixPython
	fixSpace
	fixSeveral
	fixCount
)

// fixNames are what was found, for one and for several.
var fixNames = [fixCount][2]string{
	fixTrailingComma: {"a trailing comma taken out", "trailing commas taken out"},
	fixComment:       {"a comment taken out", "comments taken out"},
	fixQuotes:        {"a text put in double quotes", "texts put in double quotes"},
	fixBareKey:       {"a key put in quotes", "keys put in quotes"},
	fixControl:       {"a raw control character in a text escaped", "raw control characters in texts escaped"},
	fixEscape:        {"a backslash that escapes nothing kept as written", "backslashes that escape nothing kept as written"},
	fixPython:        {"a Python word put as JSON", "Python words put as JSON"},
	fixSpace:         {"an odd space taken out", "odd spaces taken out"},
	fixSeveral:       {"a second value in the block taken as another delta", "further values in the block taken as deltas"},
}

// changes counts what was changed, and where each kind was met first.
type changes [fixCount]struct{ count, first int }

func (c *changes) add(f fix, at int) {
	if c[f].count == 0 {
		c[f].first = at
	}
	c[f].count++
}

func (r *repairer) change(f fix, at int) { r.changes.add(f, at) }

// any tells whether anything was changed.
func (c *changes) any() bool { return *c != changes{} }

// firstAt gives the place of the first change.
func (c *changes) firstAt() int {
	first := -1
	for _, k := range c {
		if k.count > 0 && (first < 0 || k.first < first) {
			first = k.first
		}
	}
	return max(first, 0)
}

// describe says what was changed; where, if given, names the place of an offset.
func (c *changes) describe(where func(int) string) []string {
	var said []string
	for f, k := range c {
		if k.count == 0 {
			continue
		}
		text, place := fixNames[f][0], "at "
		if k.count > 1 {
			text, place = fmt.Sprintf("%d %s", k.count, fixNames[f][1]), "the first at "
		}
		if where != nil {
			text += " (" + place + where(k.first) + ")"
		}
		said = append(said, text)
	}
	return said
}
