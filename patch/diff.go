package patch

import (
	"fmt"
	"slices"
	"strings"
)

// hunk is a range of lines of one text and its counterpart in the other.
type hunk struct{ a0, a1, b0, b1 int }

// Bounds of the comparison. Beyond them hunks are larger than necessary.
const (
	maxSplitDepth = 64
	maxEdits      = 256
)

// comparison compares two texts line by line: first by the lines that occur once in both (Bram
// Cohen's patience diff), then between them by the shortest edit (Myers).
type comparison struct {
	a, b  []int // lines; equal ones have equal numbers
	hunks []hunk
}

// Line is a line of a diff: ' ' in both, '-' in the first, '+' in the second.
type Line struct {
	Mark byte
	Text string
}

// Lines returns the diff of two texts, with removed and added lines marked.
func Lines(a, b []string) []Line {
	out := make([]Line, 0, max(len(a), len(b)))
	put := func(mark byte, lines []string) {
		for _, l := range lines {
			out = append(out, Line{mark, l})
		}
	}
	at := 0
	for _, h := range compareLines(a, b) {
		put(' ', a[at:h.a0])
		put('-', a[h.a0:h.a1])
		put('+', b[h.b0:h.b1])
		at = h.a1
	}
	put(' ', a[at:])
	return out
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func compareLines(a, b []string) []hunk {
	numbers := make(map[string]int, len(a))
	number := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, l := range lines {
			n, ok := numbers[l]
			if !ok {
				n = len(numbers)
				numbers[l] = n
			}
			out[i] = n
		}
		return out
	}
	c := &comparison{a: number(a), b: number(b)}
	c.split(0, len(a), 0, len(b), maxSplitDepth)
	return c.hunks
}

func (c *comparison) add(a0, a1, b0, b1 int) {
	if a0 == a1 && b0 == b1 {
		return
	}
	if n := len(c.hunks); n > 0 && c.hunks[n-1].a1 == a0 && c.hunks[n-1].b1 == b0 {
		c.hunks[n-1].a1, c.hunks[n-1].b1 = a1, b1
		return
	}
	c.hunks = append(c.hunks, hunk{a0, a1, b0, b1})
}

func (c *comparison) split(a0, a1, b0, b1, depth int) {
	for a0 < a1 && b0 < b1 && c.a[a0] == c.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && c.a[a1-1] == c.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 == a1 || b0 == b1 || depth == 0 {
		c.add(a0, a1, b0, b1)
		return
	}
	pairs := c.landmarks(a0, a1, b0, b1)
	if len(pairs) == 0 {
		c.shortest(a0, a1, b0, b1)
		return
	}
	for _, p := range pairs {
		c.split(a0, p[0], b0, p[1], depth-1)
		a0, b0 = p[0]+1, p[1]+1
	}
	c.split(a0, a1, b0, b1, depth-1)
}

// landmarks returns the longest common subsequence of the lines that occur once on each side.
func (c *comparison) landmarks(a0, a1, b0, b1 int) [][2]int {
	once := make(map[int]int, a1-a0) // line → place in a; -1: not unique
	for i := a0; i < a1; i++ {
		if _, twice := once[c.a[i]]; twice {
			once[c.a[i]] = -1
			continue
		}
		once[c.a[i]] = i
	}
	seen := make(map[int]int, b1-b0) // occurrences in b
	for j := b0; j < b1; j++ {
		seen[c.b[j]]++
	}
	var pairs [][2]int
	for j := b0; j < b1; j++ {
		if i, ok := once[c.b[j]]; ok && i >= 0 && seen[c.b[j]] == 1 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return longestRising(pairs)
}

// longestRising returns the longest subsequence of pairs whose first numbers rise.
func longestRising(pairs [][2]int) [][2]int {
	var tops []int // for each length, the pair with the lowest end
	before := make([]int, len(pairs))
	for i, p := range pairs {
		at, _ := slices.BinarySearchFunc(tops, p[0], func(t, v int) int { return pairs[t][0] - v })
		before[i] = -1
		if at > 0 {
			before[i] = tops[at-1]
		}
		if at == len(tops) {
			tops = append(tops, i)
		} else {
			tops[at] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([][2]int, len(tops))
	for n, i := len(tops)-1, tops[len(tops)-1]; i >= 0; n, i = n-1, before[i] {
		out[n] = pairs[i]
	}
	return out
}

// shortest adds the hunks of a shortest edit, if that is not too long.
func (c *comparison) shortest(a0, a1, b0, b1 int) {
	n, m := a1-a0, b1-b0
	reach := map[int]int{1: 0} // diagonal → furthest place in a
	var trail []map[int]int
	for d := 0; d <= min(n+m, maxEdits); d++ {
		step := make(map[int]int, d+2)
		for k := -d; k <= d; k += 2 {
			x := reach[k+1]
			if k != -d && (k == d || reach[k-1] >= reach[k+1]) {
				x = reach[k-1] + 1
			}
			for x < n && x-k < m && c.a[a0+x] == c.b[b0+x-k] {
				x++
			}
			step[k] = x
			if x >= n && x-k >= m {
				c.walk(append(trail, step), a0, b0, n, m)
				return
			}
		}
		trail = append(trail, step)
		reach = step
	}
	c.add(a0, a1, b0, b1)
}

// walk follows the trail backwards and adds the hunks in order.
func (c *comparison) walk(trail []map[int]int, a0, b0, n, m int) {
	var back []hunk
	x, y := n, m
	for d := len(trail) - 1; d > 0; d-- {
		k, reach := x-y, trail[d-1]
		if k != -d && (k == d || reach[k-1] >= reach[k+1]) {
			x = reach[k-1]
			y = x - (k - 1)
			back = append(back, hunk{x, x + 1, y, y})
		} else {
			x = reach[k+1]
			y = x - (k + 1)
			back = append(back, hunk{x, x, y, y + 1})
		}
	}
	for _, h := range slices.Backward(back) {
		c.add(a0+h.a0, a0+h.a1, b0+h.b0, b0+h.b1)
	}
}

// Unified returns a unified diff with three lines of context, or "" if the texts are equal.
func Unified(nameA, nameB, a, b string) string {
	const around = 3
	linesA, linesB := splitLines(a), splitLines(b)
	hunks := compareLines(linesA, linesB)
	if len(hunks) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", nameA, nameB)
	for i := 0; i < len(hunks); {
		j := i + 1
		for j < len(hunks) && hunks[j].a0-hunks[j-1].a1 <= 2*around {
			j++
		}
		lead := min(around, hunks[i].a0)
		trail := min(around, len(linesA)-hunks[j-1].a1)
		a0, b0 := hunks[i].a0-lead, hunks[i].b0-lead
		a1, b1 := hunks[j-1].a1+trail, hunks[j-1].b1+trail
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", extent(a0, a1), extent(b0, b1))
		at := a0
		for _, h := range hunks[i:j] {
			writeLines(&out, ' ', linesA[at:h.a0])
			writeLines(&out, '-', linesA[h.a0:h.a1])
			writeLines(&out, '+', linesB[h.b0:h.b1])
			at = h.a1
		}
		writeLines(&out, ' ', linesA[at:a1])
		i = j
	}
	return out.String()
}

func extent(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(out *strings.Builder, sign byte, lines []string) {
	for _, l := range lines {
		out.WriteByte(sign)
		out.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
