package artifact

import (
	"slices"
	"strings"
	"unicode"
)

// NotApplicable is what a prediction cell says when its hypothesis, or the cell
// itself, was killed.
const NotApplicable = "N/A"

// ThirdAlternative tells whether a hypothesis is a third alternative: marked as
// one, or so called by its name or a label.
func (it *Item) ThirdAlternative() bool {
	if it.Flag("third_alternative") || saysThirdAlternative(it.Text("name")) {
		return true
	}
	return slices.ContainsFunc(it.Texts("labels"), saysThirdAlternative)
}

func saysThirdAlternative(s string) bool {
	if len(s) < len("third alternative") {
		return false
	}
	return strings.Contains(" "+strings.Join(words(s), " ")+" ", " third alternative ")
}

// ScaleCheck tells whether an assumption is a scale check: marked as one, or so
// called by its name ("scale check", "physics check", "scale/physics check").
// A word that merely contains "scale" is not enough.
func (it *Item) ScaleCheck() bool {
	if it.Flag("scale_check") {
		return true
	}
	name := it.Text("name")
	if len(name) < len("scale check") {
		return false
	}
	said := false
	for _, w := range words(name) {
		switch w {
		case "scale", "physics":
			said = true
		case "check", "checks":
			if said {
				return true
			}
		case "or", "and":
		default:
			said = false
		}
	}
	return false
}

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// Score gives a test's total, and whether it has any marks at all.
func (it *Item) Score() (total int, scored bool) {
	for _, e := range it.Map("score") {
		if n, ok := e.Value.(Number); ok {
			total += int(n)
			scored = true
		}
	}
	return total, scored
}

// ScoreTotal is the best score that a test can have.
func ScoreTotal() int {
	spec, _ := DiscriminativeTests.Spec().Field("score")
	return ScoreMax * len(spec.Allowed)
}

// RankTests puts tests in rank order: the highest score first, the unscored
// after the scored, the killed last, equals by the number of their id.
func RankTests(tests []*Item) {
	if ranked(tests) {
		return
	}
	ranks := make([]testRank, len(tests))
	for i, t := range tests {
		ranks[i] = rankOf(t)
	}
	slices.SortStableFunc(ranks, func(a, b testRank) int { return a.compare(&b) })
	for i := range ranks {
		tests[i] = ranks[i].test
	}
}

// ranked tells whether tests stand in rank order already, as most do.
func ranked(tests []*Item) bool {
	var last testRank
	for i, t := range tests {
		r := rankOf(t)
		if i > 0 && last.compare(&r) > 0 {
			return false
		}
		last = r
	}
	return true
}

// testRank is what decides the rank of a test.
type testRank struct {
	test   *Item
	score  int
	scored bool
	number int
}

func rankOf(t *Item) testRank {
	r := testRank{test: t}
	r.score, r.scored = t.Score()
	r.number, _ = DiscriminativeTests.IDNumber(t.ID)
	return r
}

func (a *testRank) compare(b *testRank) int {
	switch {
	case a.test.Killed() != b.test.Killed():
		return less(b.test.Killed())
	case a.scored != b.scored:
		return less(a.scored)
	case a.score != b.score:
		return b.score - a.score
	}
	return a.number - b.number
}

func less(first bool) int {
	if first {
		return -1
	}
	return 1
}

// TrimID takes an id off the front of a name ("H4: Hybrid" → "Hybrid"): the id
// is the merge's to give, and a name that claims one would contradict it.
func TrimID(name string) string {
	for {
		rest, ok := cutID(name)
		if !ok {
			return name
		}
		name = rest
	}
}

func cutID(name string) (string, bool) {
	trimmed := strings.TrimLeftFunc(name, unicode.IsSpace)
	if trimmed == "" || !beginsID(trimmed[0]) {
		return "", false
	}
	end := strings.IndexFunc(trimmed, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		return "", false
	}
	if _, ok := SectionOfID(trimmed[:end]); !ok {
		return "", false
	}
	rest := trimmed[end:]
	after := strings.TrimLeftFunc(rest, unicode.IsSpace)
	if rest, ok := strings.CutPrefix(after, ":"); ok {
		return strings.TrimSpace(rest), true
	}
	// A dash only counts with space around it: "H1-antagonist" is a word.
	for _, dash := range []string{"- ", "– ", "— "} {
		if rest2, ok := strings.CutPrefix(after, dash); ok && len(after) < len(rest) {
			return strings.TrimSpace(rest2), true
		}
	}
	return "", false
}

// Row is a prediction with what decides which of its cells are N/A.
type Row struct {
	*Item
	killed  map[string]bool // cells that were killed one by one
	struck  map[string]bool // hypotheses that were killed
	doubted map[string]bool
}

// RowOf gives a prediction beside the hypotheses that were killed.
func RowOf(it *Item, struck map[string]bool) Row {
	r := Row{Item: it, struck: struck, doubted: it.Doubts()}
	if cells := it.Cells(); len(cells) > 0 {
		r.killed = make(map[string]bool, len(cells))
		for _, c := range cells {
			r.killed[c.Key] = true
		}
	}
	return r
}

// NotApplicable tells whether a cell is N/A: its hypothesis was killed, or the
// cell itself. A key that never meant an existing hypothesis is not its cell.
func (r *Row) NotApplicable(key string) bool {
	return r.killed[key] || (r.struck[key] && !r.InDoubt(key))
}

// InDoubt tells whether a key named no hypothesis when it was written.
func (r *Row) InDoubt(key string) bool {
	return len(r.doubted) > 0 && r.doubted["predictions."+key]
}

// Struck gives the ids of the hypotheses that were killed.
func (a *Artifact) Struck() map[string]bool {
	struck := make(map[string]bool)
	for _, h := range a.Sections[HypothesisSlate] {
		if h.Killed() {
			struck[h.ID] = true
		}
	}
	return struck
}

// Doubts gives the places of an item that name what did not exist when they were
// written. A set, because an item may have any number of them.
func (it *Item) Doubts() map[string]bool { return SetOf(it.Unresolved()) }

// SetOf returns a set of texts; nil where there are none.
func SetOf(texts []string) map[string]bool {
	if len(texts) == 0 {
		return nil
	}
	set := make(map[string]bool, len(texts))
	for _, t := range texts {
		set[t] = true
	}
	return set
}
