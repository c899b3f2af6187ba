package govern_test

import (
	"strings"
	"testing"

	"brenner/govern"
	"brenner/govern/brief"
	"brenner/govern/finding"
	"brenner/govern/policy"
	"brenner/patch"
	"brenner/store"
	"brenner/store/opentest"
	"brenner/store/record"
)

// A brief needs a goal, through every door, and its summary is the goal, verbatim.
func TestBriefNeedsAGoal(t *testing.T) {
	both(t, func(k *kit) {
		good := draft("brief", record.ProjectBrief, "## Goal\n\nHow do\ncells decide?\n\n## Out of scope\n\n- plants\n")
		without := draft("brief", record.ProjectBrief, "# Brief\n\nHow do cells decide?\n")
		put := func(d ...govern.Draft) error {
			_, err := k.Put(k.ctx(), sydney, d...)
			return err
		}
		k.wantFault(put(without), brief.Bad, "put brief: the brief does not state a goal", "## Goal")
		k.wantFault(put(good, without), brief.Bad)
		k.equal("nothing was written", k.status().Records, 0)

		k.put(good)
		r := k.record("brief")
		k.equal("summary", []string{r.Summary, r.SummaryBy}, []string{"How do cells decide?", record.Given})
		k.equal("current", r.StaleSummary(), false)
		k.promote("brief")

		k.wantFault(put(without), brief.Bad)
		long := draft("brief", record.ProjectBrief, "Goal: "+strings.Repeat("g", record.MaxSummary+1))
		k.wantFault(put(long), brief.Bad, "the goal has 401 characters, more than the maximum of 400", "state the goal in one or two sentences")
		other := draft("brief", record.ProjectBrief, "Goal: why do cells decide?\n")
		other.Summary = "Something else."
		k.wantFault(put(other), brief.Bad, "the summary differs from the goal", "omit --summary")
		other.Summary, other.KeepSummary = "", true
		k.wantFault(put(other), brief.Bad, "the goal has changed", "omit --keep-summary")
		_, text, err := k.Read(k.ctx(), sydney, "brief")
		if err != nil {
			k.Fatal(err)
		}
		p, report := patch.Convert("brief", textOf(k, text), []patch.Block{{Search: "## Goal", Replace: "## Plan"}})
		if !report.OK() {
			k.Fatal(report)
		}
		_, err = k.Patch(k.ctx(), sydney, &govern.Patching{Address: "brief", Patches: []patch.Patch{p}, Change: "no goal"})
		k.wantFault(err, brief.Bad)
		other.Summary, other.KeepSummary, other.Parent = " why do  cells decide? ", false, 1
		k.put(other)
		other.Content, other.Summary = []byte("Goal: who decides?"), ""
		k.put(other)
		_, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "brief", Content: []byte("# No\n\ngoal"), Change: "both"})
		k.wantFault(err, brief.Bad)
		_, err = k.Merge(k.ctx(), sydney, govern.MergeDraft{ID: "brief", Content: []byte("Goal: both"), Summary: "another", Change: "both"})
		k.wantFault(err, brief.Bad)
		k.equal("versions", k.record("brief@latest").Version, 3)

		// Neither the program nor an agent makes another summary.
		h, ada := helper("What it is about.")
		_, err = k.Summarise(k.ctx(), sydney, "brief", h)
		k.wantFault(err, govern.NothingNew, "its summary is its goal")
		if made, left, err := k.FixSummaries(k.ctx(), sydney, h); err != nil || len(made)+len(left)+len(ada.calls) != 0 {
			k.Error(made, left, err)
		}
	})
}

func textOf(k *kit, content []byte) *patch.Text {
	k.Helper()
	t, problems := patch.NewText(content)
	if len(problems) > 0 {
		k.Fatal(problems)
	}
	return t
}

// putOld stores a canonical brief as an earlier program did.
func (k *kit) putOld(text, summary, by string) {
	k.Helper()
	r := record.Record{
		ID: "brief", Type: record.ProjectBrief, Version: 1, Status: record.Draft, Module: record.Project, Summary: summary, SummaryBy: by,
		SummaryOf: store.Hash([]byte(text)), Content: store.Hash([]byte(text)), Creator: "Sydney", At: k.clock.Now(),
	}
	mark := record.Mark{ID: "brief", Version: 1, Status: record.Canonical, By: "Sydney", Reason: "so", At: k.clock.Now()}
	if err := k.Store.Write(k.ctx(), store.Batch{Blobs: [][]byte{[]byte(text)}, Records: []record.Record{r}, Marks: []record.Mark{mark}}); err != nil {
		k.Fatal(err)
	}
}

// A brief of an earlier program still works, is named with its fix, and no summary made by the
// program is shown as its goal.
func TestBriefsOfEarlierPrograms(t *testing.T) {
	for _, c := range []struct{ name, text, summary, by, problem, shown string }{
		{
			"extracted", "# Brief\n\nOnly vertebrates.\n\n## Out of scope\n\n- plant cells\n", "Only vertebrates. plant cells", record.Extracted,
			"the brief does not state a goal", "  The brief does not state a goal.\n  Non-goals (not part of the project: do not work on these):\n  | - plant cells\n",
		},
		{
			"from a question", "# Brief\n\nHow?\n\n## Goals\n\n- To be written.\n\n## Out of scope\n\n## Open questions\n\n- How?\n", "How?", record.Given,
			"the brief does not state a goal", "  The brief does not state a goal. The summary by its author:\n  | How?\n",
		},
		{"with a goal", "# Goal\n\nHow?\n", "Another summary.", record.Given, "its summary is not its goal", "  Goal:\n  | How?\n"},
		{"a long goal", strings.Repeat("How? ", 100), "How?", record.Given, "its goal is too long for a summary", "  Goal:\n  | How? How?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKit(t, opentest.New(t))
			k.putOld(c.text, c.summary, c.by)
			g := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}})
			if !strings.HasPrefix(g.Text, "# The project\n\n- project_brief brief@v1\n"+c.shown) {
				k.Error(g.Text)
			}
			s := k.status()
			if s.Current || s.Brief == nil || s.Brief.Ref != "brief@v1" || s.Brief.Detail != c.problem {
				k.Errorf("%+v", s.Brief)
			}
			k.equal("check", k.findings(finding.Summaries), []string{"summaries: brief@v1: " + c.problem})
			snapshot, err := k.Snapshot(k.ctx())
			if err != nil || !strings.Contains(snapshot.Text, "How?") && !strings.Contains(snapshot.Text, "Only vertebrates.") {
				k.Errorf("%s, %v", snapshot.Text, err)
			}
			h, ada := helper("Made up.")
			made, left, err := k.FixSummaries(k.ctx(), sydney, h)
			if err != nil || len(ada.calls) > 0 {
				k.Fatal(err, ada.calls)
			}
			if c.problem != "its summary is not its goal" {
				k.equal("made, left", []int{len(made), len(left)}, []int{0, 1})
				k.equal("left", strings.HasPrefix(govern.NewMended(made, left).NotMended[0], "brief@v1: "+c.problem+"; "), true)
				return
			}
			k.equal("made", []string{made[0].Record.Ref().String(), made[0].Record.Summary}, []string{"brief@v2", "How?"})
			k.promote("brief@v2")
			if k.status().Brief != nil {
				k.Errorf("%+v", k.status().Brief)
			}
			_, err = k.Promote(k.ctx(), sydney, "brief@v1", govern.PromoteOptions{Reason: "back"})
			k.wantFault(err, policy.Blocked, "its summary is not its goal; `brenner store check summaries --mend`")
		})
	}
}

// What an earlier program extracted from a brief reaches neither memos nor prompts, and text under
// headings without a field reaches no agent.
func TestExtractedSummariesOfBriefsAreNotShown(t *testing.T) {
	const text = "# Brief\n\nOnly vertebrates.\n\n## Background\n\nLong story.\n\n## Out of scope\n\n- plant cells\n"
	for _, c := range []struct{ name, text, says string }{
		{"no goal", text, "The brief states no goal."}, {"a goal", text + "\n## Goal\n\nHow do cells decide?\n", "How do cells decide?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKit(t, opentest.New(t))
			k.putOld(c.text, "Only vertebrates. plant cells", record.Extracted)
			k.put(draft("note", record.PaperNote, "n"))
			k.put(draft("memo", record.IntegratedMemo, "Memo about dose.", "cites=note"))
			k.promote("memo")
			put, err := k.Consolidate(k.ctx(), sydney, record.Project, nil)
			if err != nil || strings.Contains(put.Record.Summary, "plant cells") || !strings.HasSuffix(put.Record.Summary, c.says) {
				k.Errorf("%q, %v", put.Record.Summary, err)
			}
			_, content, err := k.Read(k.ctx(), sydney, put.Record.ID)
			if err != nil || !strings.Contains(string(content), "- brief@v1 (canonical): "+c.says+"\n") {
				k.Errorf("%s, %v", content, err)
			}
			prompt := func(what string, ada *scripted) {
				k.Helper()
				if len(ada.calls) == 0 {
					k.Fatal(what + ": the agent was not asked")
				}
				got := ada.calls[0].Turns[0].Text
				if strings.Contains(got, "vertebrates") || strings.Contains(got, "Long story") || strings.Count(got, "plant cells") != 1 || !strings.Contains(got, "work on these):\n  | - plant cells\n") {
					k.Errorf("%s:\n%s", what, got)
				}
			}
			h, ada := helper("A summary of all.")
			if _, err = k.Consolidate(k.ctx(), sydney, record.Project, h); err != nil {
				k.Error(err)
			}
			prompt("the integrator", ada)
			h, ada = helper("NO FINDINGS")
			if _, err = k.RunChecks(k.ctx(), sydney, govern.CheckRun{Name: "alignment", Checks: []string{finding.Alignment}, Write: true, Helper: func() (*govern.Helper, func(), error) { return h, func() {}, nil }}); err != nil {
				k.Error(err)
			}
			prompt("the critic", ada)
			// One that does not open the context is shown by its goal, too.
			k.put(draft("other", record.ProjectBrief, "## Goal\n\nWhy?\n\n## Background\n\nLong story.\n"))
			g := k.context(govern.Request{Role: "test_designer", Modules: []string{"fate"}, Inputs: []string{"other"}})
			if strings.Contains(g.Text, "Long story") {
				k.Error(g.Text)
			}
		})
	}
}

// A put names the headings of a brief that are not shown to agents.
func TestPutNamesHeadingsThatAreNotShown(t *testing.T) {
	k := newKit(t, opentest.New(t))
	put, err := k.Put(k.ctx(), sydney, draft("brief", record.ProjectBrief, "# Goal\n\nHow?\n\n## Background\n\nLong.\n\n## Notes\n\nMore.\n"))
	if err != nil {
		t.Fatal(err)
	}
	k.equal("not shown", govern.NewWritten(put...).Records[0].NotShown, []string{"Background", "Notes"})
}
