package govern_test

import (
	"strings"
	"testing"

	"brenner/govern/finding"
	"brenner/store/record"
)

// findings returns the findings of a check as text.
func (k *kit) findings(name string) []string {
	k.Helper()
	all, err := k.Check(k.ctx(), sydney, name)
	if err != nil {
		k.Fatal(err)
	}
	var lines []string
	for i := range all {
		lines = append(lines, all[i].String())
	}
	return lines
}

// Phrases that are out of scope match whole words, and an entry without letters is ignored:
// a strategy does not match "rat", and a dash does not match everything.
func TestAlignmentMatchesWholeWords(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("brief", record.ProjectBrief, "# Goal\n\nHow do cells decide?\n\n## Out of scope\n\n- rat\n- —\n- plant cells\n"))
		k.promote("brief")
		k.put(draft("memo", record.IntegratedMemo, "A strategy for transplant cellsort."))
		k.equal("no match", k.findings(finding.Alignment), []string(nil))
		spec := draft("spec", record.ModelSpec, "In rats, as in\nplant-cells, it holds.")
		k.put(spec)
		if got := k.findings(finding.Alignment); len(got) != 2 || !strings.Contains(got[0], `"rat"`) || !strings.Contains(got[1], `"plant cells"`) {
			k.Errorf("%v", got)
		}
	})
}

func TestEmptyAssumptionsDoNotConflict(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("one", record.PaperNote, "Text.\n\nAssumes: ?\n"))
		k.put(draft("two", record.PaperNote, "Text.\n\nAssumes not: …\n"))
		k.equal("nothing", k.findings(finding.Assumptions), []string(nil))
	})
}

// The check of summaries and the status cover the same versions: standing ones and tips.
func TestStaleSummariesAreReportedOnce(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		for _, text := range []string{"two", "three", "four"} {
			d := draft("note", record.PaperNote, text)
			d.Parent, d.Summary, d.KeepSummary = 1, "", true
			k.put(d)
		}
		var want []string
		for _, ref := range k.status().StaleSummaries {
			want = append(want, "summaries: "+ref+": its summary was written for different content")
		}
		k.equal("findings", k.findings(finding.Summaries), want)
		k.equal("all", len(want), 3)
	})
}

// A record that was used recently is not unused, however old it is.
func TestUnusedRequiresAPeriodWithoutLinks(t *testing.T) {
	both(t, func(k *kit) {
		unused := func() (ids []string) {
			found, err := k.Unused(k.ctx())
			if err != nil {
				k.Fatal(err)
			}
			for i := range found {
				ids = append(ids, found[i].ID)
			}
			return ids
		}
		for _, id := range []string{"dropped", "abandoned", "never"} {
			k.put(draft(id, record.PaperNote, id))
		}
		k.put(draft("memo", record.IntegratedMemo, "memo", "cites=dropped"))
		k.put(draft("result", record.AnalysisResult, "result", "cites=abandoned"))
		month := k.Rules.Unused
		k.clock.skip(month)
		k.equal("in use", unused(), []string{"never", "result"})
		again := draft("memo", record.IntegratedMemo, "another memo")
		again.NoLinks = true
		k.put(again)
		if _, err := k.Deprecate(k.ctx(), sydney, "result", "it was wrong", false); err != nil {
			k.Fatal(err)
		}
		k.equal("in use until now", unused(), []string{"never"})
		k.clock.skip(month)
		k.equal("a month later", unused(), []string{"abandoned", "dropped", "never"})
	})
}
