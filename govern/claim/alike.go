package claim

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"brenner/internal/lazy"
)

// Text is a text prepared for comparisons.
type Text struct {
	words     []string // distinct, sorted, without the most common ones
	numbers   []string // distinct, sorted
	negations int
}

// common are words that say nothing of what a text is about.
var common = lazy.WordsOf("a an the and or but of in on at to for from by with as is are was were be been it its this that these those which who we they he she i you their our his her there here has have had do does did can may will would should could not no so if than then also into about between within")

// Prepare prepares a text.
func Prepare(text string) Text {
	var t Text
	all := words(writtenOut(text))
	for i := 0; i < len(all); i++ {
		word := all[i]
		if n := fixedAt(all[i:]); n > 0 {
			i += n - 1
			continue
		}
		switch word {
		case "not", "never", "no", "without":
			t.negations++
		}
		if strings.IndexFunc(word, unicode.IsDigit) >= 0 {
			t.numbers = append(t.numbers, word)
		}
		if !common.Has(word) {
			t.words = append(t.words, stem(word))
		}
	}
	t.words, t.numbers = distinct(t.words), distinct(t.numbers)
	return t
}

func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// Overlap returns the share of the distinct words of two texts that both have.
func (t *Text) Overlap(u *Text) float64 {
	both := shared(t.words, u.words)
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(t.words)+len(u.words)-both)
}

// shared counts what two sorted lists have in common.
func shared(a, b []string) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Compare(a[0], b[0]); {
		case c == 0:
			n, a, b = n+1, a[1:], b[1:]
		case c < 0:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return n
}

// Differs reports whether two texts say different things in similar words: each has a number that the other
// lacks, or one has a negation more.
func (t *Text) Differs(u *Text) bool {
	both := shared(t.numbers, u.numbers)
	return t.negations != u.negations || both < len(t.numbers) && both < len(u.numbers)
}

// Pair is two texts, by their numbers, and the overlap of their words.
type Pair struct {
	A, B    int
	Overlap float64
}

// Pairs returns the pairs of texts with at least an overlap that do not differ, most alike first. It compares
// texts only if they share one of their rarest words, as such pairs must, and at most that many; it returns
// how many texts were compared with all before them.
func Pairs(texts []Text, least float64, most int) (pairs []Pair, done int) {
	frequency := make(map[string]int)
	for i := range texts {
		for _, word := range texts[i].words {
			frequency[word]++
		}
	}
	with := make(map[string][]int)
	met := make([]int, len(texts)) // the last text that each was compared with, from 1
	for b := range texts {
		rare := slices.Clone(texts[b].words)
		slices.SortStableFunc(rare, func(x, y string) int { return cmp.Or(frequency[x]-frequency[y], strings.Compare(x, y)) })
		needed := int(least * float64(len(rare)))
		for _, word := range rare[:min(len(rare), len(rare)-needed+1)] {
			for _, a := range with[word] {
				if met[a] == b+1 {
					continue
				}
				met[a] = b + 1
				if most--; most < 0 {
					return sorted(pairs), b
				}
				if share := texts[a].Overlap(&texts[b]); share >= least && !texts[a].Differs(&texts[b]) {
					pairs = append(pairs, Pair{a, b, share})
				}
			}
			with[word] = append(with[word], b)
		}
	}
	return sorted(pairs), len(texts)
}

func sorted(pairs []Pair) []Pair {
	slices.SortStableFunc(pairs, func(p, q Pair) int { return cmp.Compare(q.Overlap, p.Overlap) })
	return pairs
}

// Cosine returns the cosine of two vectors of the same length.
func Cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}

// Copy is a text that is nearly another one, by their numbers.
type Copy struct {
	Is, Of int
	Cosine float64
}

// Search finds near copies among texts.
type Search struct {
	Overlap, Cosine float64 // from which texts are near copies
	// Comparisons and Encoded are the most comparisons of words, and the most texts that are encoded.
	Comparisons, Encoded int
	Vector               func(text int) ([]float32, error)
}

// Copies returns the near copies, each of the earlier text that is most alike in its words. Unread counts the
// texts that were not compared, and skipped the pairs that were not encoded.
func (s *Search) Copies(texts []Text) (found []Copy, unread, skipped int, err error) {
	pairs, done := Pairs(texts, s.Overlap, s.Comparisons)
	isCopy := make(map[int]bool)
	vectors := make(map[int][]float32)
	for _, p := range pairs {
		if isCopy[p.B] {
			continue
		}
		if len(vectors) > s.Encoded-2 && (vectors[p.A] == nil || vectors[p.B] == nil) {
			skipped++
			continue
		}
		for _, i := range []int{p.A, p.B} {
			if vectors[i] == nil {
				if vectors[i], err = s.Vector(i); err != nil {
					return nil, 0, 0, err
				}
			}
		}
		if cosine := Cosine(vectors[p.A], vectors[p.B]); cosine >= s.Cosine {
			isCopy[p.B] = true
			found = append(found, Copy{p.B, p.A, cosine})
		}
	}
	return found, len(texts) - done, skipped, nil
}
