package govern_test

import (
	"strings"
	"testing"

	"brenner/govern"
	"brenner/record"
)

// checked gives what a check says, each finding in a line.
func (k *kit) checked(name string) []string {
	k.Helper()
	all, err := k.Check(k.Context1(), sydney, name)
	if err != nil {
		k.Fatal(err)
	}
	var lines []string
	for i := range all {
		lines = append(lines, all[i].String())
	}
	return lines
}

// What is out of scope is looked for word by word, and an entry without a word is none:
// neither a strategy is about rats, nor is everything out of scope because of a dash.
func TestScopeIsMadeOfWords(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("brief", record.ProjectBrief, "# Brief\n\nHow do cells decide?\n\n## Out of scope\n\n- rat\n- —\n- plant cells\n"))
		k.promote("brief")
		k.put(draft("memo", record.IntegratedMemo, "A strategy for transplant cellsort."))
		k.is("other words", k.checked(govern.CheckAlignment), []string(nil))
		spec := draft("spec", record.ModelSpec, "In rats, as in\nplant-cells, it holds.")
		k.put(spec)
		if got := k.checked(govern.CheckAlignment); len(got) != 2 || !strings.Contains(got[0], `"rat"`) || !strings.Contains(got[1], `"plant cells"`) {
			k.Errorf("%v", got)
		}
	})
}

// Two records that assume nothing at all do not contradict each other.
func TestAnAssumptionHasWords(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("one", record.PaperNote, "Text.\n\nAssumes: ?\n"))
		k.put(draft("two", record.PaperNote, "Text.\n\nAssumes not: …\n"))
		k.is("nothing", k.checked(govern.CheckAssumptions), []string(nil))
	})
}

// The check of summaries and the status are about the same versions: those that stand, and
// those that nobody has gone on from.
func TestEveryStaleSummaryIsToldOnce(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		for _, text := range []string{"two", "three", "four"} {
			d := draft("note", record.PaperNote, text)
			d.Parent, d.Summary, d.KeepSummary = 1, "", true
			k.put(d)
		}
		var told []string
		for _, ref := range k.status().StaleSummaries {
			told = append(told, "summaries: "+ref.String()+": its summary was written for another content")
		}
		k.is("told", told, k.checked(govern.CheckSummaries))
		k.is("all", len(told), 3)
	})
}
