package artifact

import (
	"slices"
	"strings"
	"unicode"
)

// NotApplicable is the text of a prediction cell that was killed or whose hypothesis was.
const NotApplicable = "N/A"

// ThirdAlternative reports whether a hypothesis is a third alternative, by flag, name or label.
func (it *Item) ThirdAlternative() bool {
	if it.Flag("third_alternative") || namesThirdAlternative(it.Text("name")) {
		return true
	}
	return slices.ContainsFunc(it.Texts("labels"), namesThirdAlternative)
}

func namesThirdAlternative(s string) bool {
	if len(s) < len("third alternative") {
		return false
	}
	return strings.Contains(" "+strings.Join(words(s), " ")+" ", " third alternative ")
}

// ScaleCheck reports whether an assumption is a scale check, by its flag or its name ("scale
// check", "physics check", "scale/physics check"). Containing the word "scale" is not enough.
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

// Score returns a test's total, and reports whether it has any marks.
func (it *Item) Score() (total int, scored bool) {
	for _, e := range it.Map("score") {
		if n, ok := e.Value.(Number); ok {
			total += int(n)
			scored = true
		}
	}
	return total, scored
}

// ScoreTotal returns the maximum score of a test.
func ScoreTotal() int {
	spec, _ := DiscriminativeTests.Spec().Field("score")
	return ScoreMax * len(spec.Allowed)
}

// RankTests sorts tests by descending score, unscored after scored, killed last, ties by id number.
func RankTests(tests []*Item) {
	if isRanked(tests) {
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

// isRanked reports whether tests are already in rank order, as most are.
func isRanked(tests []*Item) bool {
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

// TrimID strips a leading id from a name ("H4: Hybrid" → "Hybrid"). The merge assigns ids, and an
// id in the name could contradict the assigned one.
func TrimID(name string) string {
	for {
		rest, ok := cutID(name)
		if !ok {
			return name
		}
		name = rest
	}
}

// TrimIDBeforeBrackets strips an id before a remark in brackets that the name itself follows, and the
// brackets: "H3 (Third Alternative): Hybrid" → "Third Alternative: Hybrid". A remark in the middle of a
// name stays: "H3 (tritiated) ligand".
func TrimIDBeforeBrackets(name string) string {
	id, rest, found := strings.Cut(name, "(")
	if !found {
		return name // nearly always
	}
	remark, after, closed := strings.Cut(rest, ")")
	_, isID := SectionOfID(strings.TrimSpace(id))
	after = strings.TrimSpace(after)
	if !closed || !isID || strings.TrimSpace(remark) == "" || (after != "" && after[0] != ':') {
		return name
	}
	return strings.TrimSpace(remark) + strings.TrimRight(after, ": ")
}

// IDBeforeName returns the id that TrimID or TrimIDBeforeBrackets would strip first, or "".
func IDBeforeName(name string) string {
	trimmed := strings.TrimLeftFunc(name, unicode.IsSpace)
	if trimmed == "" || !beginsID(trimmed[0]) {
		return ""
	}
	id, _ := cutRun(trimmed, isIDRune)
	if _, ok := cutID(name); ok || len(TrimIDBeforeBrackets(name)) < len(name) {
		return id
	}
	return ""
}

func isIDRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func cutID(name string) (string, bool) {
	trimmed := strings.TrimLeftFunc(name, unicode.IsSpace)
	if trimmed == "" || !beginsID(trimmed[0]) {
		return "", false
	}
	id, rest := cutRun(trimmed, isIDRune)
	if _, ok := SectionOfID(id); !ok || rest == "" {
		return "", false
	}
	after := strings.TrimLeftFunc(rest, unicode.IsSpace)
	if rest, ok := strings.CutPrefix(after, ":"); ok {
		return strings.TrimSpace(rest), true
	}
	// A dash counts only with a space after it: "H1-antagonist" is a word.
	for _, dash := range []string{"- ", "– ", "— "} {
		if rest2, ok := strings.CutPrefix(after, dash); ok && len(after) < len(rest) {
			return strings.TrimSpace(rest2), true
		}
	}
	return "", false
}

// Row is a prediction with the data that decides which of its cells are N/A.
type Row struct {
	*Item
	killed  map[string]bool // individually killed cells
	struck  map[string]bool // killed hypotheses
	doubted map[string]bool
}

// RowOf returns the Row of a prediction, given the ids of the killed hypotheses.
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

// NotApplicable reports whether a cell is N/A because it or its hypothesis was killed. A key that
// never referred to an existing hypothesis is not a cell of it.
func (r *Row) NotApplicable(key string) bool {
	return r.killed[key] || (r.struck[key] && !r.InDoubt(key))
}

// InDoubt reports whether key named no hypothesis when it was written.
func (r *Row) InDoubt(key string) bool {
	return len(r.doubted) > 0 && r.doubted["predictions."+key]
}

// Struck returns the ids of the killed hypotheses.
func (a *Artifact) Struck() map[string]bool {
	struck := make(map[string]bool)
	for _, h := range a.Sections[HypothesisSlate] {
		if h.Killed() {
			struck[h.ID] = true
		}
	}
	return struck
}

// Doubts returns the item's Unresolved places as a set, because there may be many.
func (it *Item) Doubts() map[string]bool { return SetOf(it.Unresolved()) }

// SetOf returns texts as a set; nil if empty.
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
