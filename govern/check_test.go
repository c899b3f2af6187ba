package govern_test

import (
	"strings"
	"testing"

	"brenner/govern"
	"brenner/store/record"
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
			told = append(told, "summaries: "+ref+": its summary was written for different content")
		}
		k.is("told", told, k.checked(govern.CheckSummaries))
		k.is("all", len(told), 3)
	})
}

// A record that was in use until lately is not one that nobody has used for long, however
// old it is.
func TestUnusedIsForSomeTime(t *testing.T) {
	both(t, func(k *kit) {
		unused := func() (ids []string) {
			found, err := k.Unused(k.Context1())
			if err != nil {
				k.Fatal(err)
			}
			for i := range found {
				ids = append(ids, found[i].ID)
			}
			return ids
		}
		for _, id := range []string{"dropped", "given-up", "never"} {
			k.put(draft(id, record.PaperNote, id))
		}
		k.put(draft("memo", record.IntegratedMemo, "memo", "cites=dropped"))
		k.put(draft("result", record.AnalysisResult, "result", "cites=given-up"))
		month := k.Rules.Unused
		k.clock.skip(month)
		k.is("in use", unused(), []string{"never", "result"})
		again := draft("memo", record.IntegratedMemo, "another memo")
		again.NoLinks = true
		k.put(again)
		if _, err := k.Deprecate(k.Context1(), sydney, "result", "it was wrong", false); err != nil {
			k.Fatal(err)
		}
		k.is("in use until now", unused(), []string{"never"})
		k.clock.skip(month)
		k.is("a month later", unused(), []string{"dropped", "given-up", "never"})
	})
}
