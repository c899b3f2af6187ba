package pattern

import (
	"bytes"
	"slices"
	"strings"
)

// maxShort is the size of texts that are searched for all words in one pass. In longer ones, which have most pairs of
// letters, each word is searched for.
const maxShort = 2048 // bytes

// index finds the words that forms need in one pass over a text. It keeps them by their rarest three letters.
type index struct {
	forms []*form
	has   [threes / 64]uint64 // a bit for each three letters
	at    [pairs + 1]uint16   // where the words begin whose three letters begin with a pair
	words []indexed
	lists int
}

// indexed is a word with its three letters, the place of them, and the numbers of its lists. The last of the three is
// unknown in a short word.
type indexed struct {
	word
	three  uint
	offset int
	lists  []int
}

// Of a letter, the last five bits count: it is the same in any case.
const (
	bits   = 5
	pairs  = 1 << (2 * bits)
	threes = 1 << (3 * bits)
)

// next returns the three letters of which the last one is c, behind others.
func next(three uint, c byte) uint { return (three<<bits | uint(c)%(1<<bits)) % threes }

func indexOf(forms []*form) *index {
	x := &index{forms: forms}
	known := make(map[word]int)
	var words []word
	var lists [][]int
	for _, f := range forms {
		for _, list := range f.needs {
			for _, w := range list {
				n, ok := known[w]
				if !ok {
					n, known[w] = len(words), len(words)
					words, lists = append(words, w), append(lists, nil)
				}
				lists[n] = append(lists[n], x.lists)
			}
			x.lists++
		}
	}
	for i, w := range words {
		x.add(w, lists[i])
	}
	slices.SortStableFunc(x.words, func(a, b indexed) int { return int(a.three) - int(b.three) })
	for i, w := range x.words {
		x.at[w.three>>bits+1] = uint16(i + 1)
	}
	for pair := range pairs {
		x.at[pair+1] = max(x.at[pair], x.at[pair+1])
	}
	return x
}

// add adds a word of some lists. A short one has any letters behind it.
func (x *index) add(w word, lists []int) {
	at := rarest(w.text)
	switch text := w.text[at:]; len(text) {
	case 1:
		for second := range byte(1 << bits) {
			x.put(w, next(next(next(0, text[0]), second), 0), at, lists)
		}
	case 2:
		x.put(w, next(next(next(0, text[0]), text[1]), 0), at, lists)
	default:
		x.put(w, next(next(next(0, text[0]), text[1]), text[2]), at, lists)
	}
}

func (x *index) put(w word, three uint, at int, lists []int) {
	x.words = append(x.words, indexed{w, three, at, lists})
	if len(w.text) > 2 {
		x.has[three/64] |= 1 << (three % 64)
		return
	}
	for end := range uint(1 << bits) {
		x.has[(three+end)/64] |= 1 << ((three + end) % 64)
	}
}

// rarest returns where the three letters of a word begin that are the rarest.
func rarest(text string) (at int) {
	const common = "zqxjkvbpygfwmucldrhsnioate "
	best := 3 * len(common)
	for i := range len(text) - 2 {
		n := 0
		for _, c := range []byte(text[i : i+3]) {
			n += strings.IndexByte(common, c|0x20)
		}
		if n < best {
			at, best = i, n
		}
	}
	return at
}

// search reports whether one of the forms holds that a text may match.
func search[T string | []byte](x *index, text T, holds func(*form) bool) bool {
	if len(text) > maxShort {
		return searchLong(x, text, holds)
	}
	var few [16]uint64
	seen := few[:]
	if x.lists > 64*len(few) {
		seen = make([]uint64, x.lists/64+1)
	}
	three := uint(0)
	for end := range len(text) + 2 { // behind the three letters
		c := byte(0)
		if end < len(text) {
			c = text[end]
		}
		three = next(three, c)
		if x.has[three/64]>>(three%64)&1 == 0 {
			continue
		}
		for j := x.at[three>>bits]; j < x.at[three>>bits+1]; j++ {
			if w := &x.words[j]; (w.three == three || len(w.text) < 3) && end-2 >= w.offset && isAt(w, text, end-2-w.offset) {
				for _, list := range w.lists {
					seen[list/64] |= 1 << (list % 64)
				}
			}
		}
	}
	list := 0
	for _, f := range x.forms {
		mayMatch := true
		for range f.needs {
			mayMatch = mayMatch && seen[list/64]>>(list%64)&1 != 0
			list++
		}
		if mayMatch && holds(f) {
			return true
		}
	}
	return false
}

// isAt reports whether a word may be at a place of a text.
func isAt[T string | []byte](w *indexed, text T, at int) bool {
	end := at + len(w.text)
	if end > len(text) || w.begins && at > 0 && isWordByte(text[at-1]) || w.ends && end < len(text) && isWordByte(text[end]) {
		return false
	}
	for i := range len(w.text) {
		if c := text[at+i] ^ w.text[i]; c != 0 && (c != 0x20 || !w.anyCase) {
			return false
		}
	}
	return true
}

func searchLong[T string | []byte](x *index, text T, holds func(*form) bool) bool {
	for _, f := range x.forms {
		mayMatch := true
		for _, words := range f.needs {
			mayMatch = mayMatch && slices.ContainsFunc(words, func(w word) bool { return w.anyCase || contains(text, w.text) })
		}
		if mayMatch && holds(f) {
			return true
		}
	}
	return false
}

func contains[T string | []byte](text T, word string) bool {
	if b, ok := any(text).([]byte); ok {
		return bytes.Contains(b, []byte(word))
	}
	return strings.Contains(string(text), word)
}
