package patch

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// listed is how many places of an ambiguous anchor a message names.
const listed = 10

// places is where a word stands in a text.
type places struct {
	count  int
	starts []int       // the first of them
	at     map[int]int // instance → start, for the instances asked for
	ranks  map[int]int // end → instance, for the ends asked for
}

// query is what is asked about one word.
type query struct {
	word      string
	instances []int // wanted starts, by instance
	ends      []int // wanted instances, by end
}

// lookUp answers queries about different words in one pass over the text.
func lookUp(text string, queries []query) []places {
	out := make([]places, len(queries))
	words := make([]string, 0, len(queries))
	index := make([]int, 0, len(queries))
	for i := range queries {
		q := &queries[i]
		out[i].at, out[i].ranks = map[int]int{}, map[int]int{}
		slices.Sort(q.instances)
		slices.Sort(q.ends)
		if len(q.word) <= len(text) {
			words, index = append(words, q.word), append(index, i)
		}
	}
	if len(words) == 0 {
		return out
	}
	a := newAutomaton(words)
	seen := make([]int, len(words))
	a.scan(text, func(w, end int) bool {
		q, p := &queries[index[w]], &out[index[w]]
		seen[w]++
		start := end - len(words[w])
		if len(p.starts) < listed {
			p.starts = append(p.starts, start)
		}
		for len(q.instances) > 0 && q.instances[0] <= seen[w] {
			if q.instances[0] == seen[w] {
				p.at[seen[w]] = start
			}
			q.instances = q.instances[1:]
		}
		for len(q.ends) > 0 && q.ends[0] <= end {
			if q.ends[0] == end {
				p.ranks[end] = seen[w]
			}
			q.ends = q.ends[1:]
		}
		return len(q.instances) == 0 && len(q.ends) == 0 && len(p.starts) == listed
	})
	for w, n := range a.counts(len(words)) {
		out[index[w]].count = n
	}
	return out
}

// dense is a text without its whitespace, and the way back.
type dense struct {
	text string
	from []int // where a stretch begins in text
	to   []int // where it begins in the original
}

func newDense(s string) *dense {
	d := &dense{}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		next := strings.IndexFunc(s[i:], func(r rune) bool { return !unicode.IsSpace(r) })
		if next < 0 {
			break
		}
		i += next
		end := strings.IndexFunc(s[i:], unicode.IsSpace)
		if end < 0 {
			end = len(s) - i
		}
		d.from, d.to = append(d.from, b.Len()), append(d.to, i)
		b.WriteString(s[i : i+end])
		i += end
	}
	d.text = b.String()
	return d
}

// original gives the place in the original of the character at an offset.
func (d *dense) original(offset int) int {
	i := sort.SearchInts(d.from, offset+1) - 1
	return d.to[i] + offset - d.from[i]
}

// span gives where in the original a stretch of the text begins and ends.
func (d *dense) span(start, end int) (from, to int) {
	_, size := utf8.DecodeLastRuneInString(d.text[:end])
	return d.original(start), d.original(end-size) + size
}

// without gives a text without its whitespace.
func without(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
