package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact/artifacttest"
	"brenner/internal/fault"
	"brenner/internal/tokens"
	"brenner/kickoff"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/view"
)

const fitThread = "RS-20261117-fit"

// listedRecords returns records of a project, one line each, the least important last. The role's view has room for most of them.
func listedRecords(count func(string) int, n, most int, summary string) ShownRecords {
	var whole ShownRecords
	within := func(limit int) (ShownRecords, error) {
		out := ShownRecords{Text: "# The project\n\n- project_brief brief@v1: what it is about\n", View: "view"}
		for i := range n {
			line, ref := fmt.Sprintf("- note-%d@v1 (canonical, fate): %s\n", i, summary), flow.RecordRef{ID: fmt.Sprintf("note-%d", i), Version: 1}
			if limit == OverviewOnly || i >= most || len(out.Left) > 0 || count(out.Text+line) > limit {
				out.Left = append(out.Left, ref)
				continue
			}
			out.Text += line
			out.Records = append(out.Records, ref)
		}
		out.Tokens = count(out.Text)
		return out, nil
	}
	whole, _ = within(view.Whole)
	if len(whole.Left) > 0 {
		whole.Text += fmt.Sprintf("\nNot shown, by the view's bounds: %d.\n", len(whole.Left))
		whole.Tokens = count(whole.Text)
	}
	whole.Within = within
	return whole
}

func someText(t *rapid.T, name string, most int) string {
	return strings.TrimSpace(strings.Repeat(rapid.SampledFrom([]string{"cells ", "Zellen\n", "细胞 ", "> # x\n"}).Draw(t, name), rapid.IntRange(1, most).Draw(t, name+" length")))
}

// anyCandidates returns a session and everything that a message of it may show.
func anyCandidates(t *rapid.T, counter Counter) (*run, *candidates) {
	agent := flow.Party{Name: "BlueLake", Role: string(roster.HypothesisGenerator), Via: "openai", Way: &flow.Way{}}
	state := &flow.State{Opened: flow.Opened{Thread: fitThread, Agents: []flow.Party{agent}}, Agents: []flow.Party{agent}}
	state.Settings.Repair, state.Settings.Reply = rapid.Bool().Draw(t, "repair"), 1000
	s := &run{Runner: &Runner{Tokens: counter}, ledger: &ledger{state: state}, views: map[string]view.Spec{agent.Name: view.Default(agent.Role)}}
	in := kickoff.Input{
		ThreadID: fitThread, Roster: roster.Roster{Entries: []roster.Entry{{Agent: agent.Name, Role: roster.HypothesisGenerator}}},
		Round: rapid.IntRange(1, 3).Draw(t, "round"), Question: "How do cells decide?", Short: map[string]bool{agent.Name: true}, Learns: true,
		Lessons: map[string][]kickoff.Bullet{},
	}
	if rapid.Bool().Draw(t, "with context") {
		in.Context = someText(t, "context", 300)
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "evidence") {
		s.pieces = append(s.pieces, piece{fmt.Sprintf("EV-%03d", i+1), fmt.Sprintf("EV-%03d (file):\n\n", i+1), someText(t, "text", 400)})
	}
	in.Excerpt = joinPieces(s.pieces)
	var lessons LessonSet
	for i := range rapid.IntRange(0, 6).Draw(t, "lessons") {
		lessons.Lessons = append(lessons.Lessons, kickoff.Bullet{ID: fmt.Sprintf("pb-%05d", i), Text: someText(t, "lesson", 30)})
	}
	var v *view.Input
	if in.Round > 1 {
		v = &view.Input{Artifact: artifacttest.Any().Draw(t, "artifact"), Spec: s.views[agent.Name], Agent: agent.Name, Count: s.countQuoted, Counts: true}
		v.Artifact.Metadata.SessionID, v.Artifact.Metadata.Version = fitThread, 7
		for range rapid.IntRange(0, 3).Draw(t, "notes") {
			v.Notes = append(v.Notes, view.Note{By: "Sydney", Text: strings.NewReplacer("> # x", "words", "\n", " ").Replace(someText(t, "note", 400))})
		}
		for i := range rapid.IntRange(0, 9).Draw(t, "outcomes") {
			v.Feedback = append(v.Feedback, view.Outcome{
				Delta: fmt.Sprintf("d%d", i), Disposition: "rejected", Message: rapid.SampledFrom([]string{"the section is full", strings.Repeat("no ", 120)}).Draw(t, "outcome"),
			})
		}
	} else {
		for i := range rapid.IntRange(0, 4).Draw(t, "hypotheses") {
			in.Hypotheses = append(in.Hypotheses, kickoff.Hypothesis{ID: fmt.Sprintf("H%d", i+1), Text: someText(t, "claim", 60)})
		}
	}
	c := s.candidates(state, in, agent.Name, v, listedRecords(counter.Count, rapid.IntRange(0, 40).Draw(t, "records"), rapid.IntRange(0, 40).Draw(t, "in the view"), someText(t, "summary", 9)), lessons)
	return s, c
}

func (c *candidates) fitWithin(bound int) (*fitted, error) {
	c.run.state.Settings.Context = bound
	return c.run.fit(c.run.state, c.in, c.to, c.view, c.records, c.lessons)
}

// The complete text of a message keeps to the bound of its call with room for a repair, and everything
// that it could show is shown, or named or counted as left out; or the fixed parts alone exceed the bound.
func TestMessagesFitTheirBound(t *testing.T) {
	counter := tokens.New()
	rapid.Check(t, func(t *rapid.T) {
		s, c := anyCandidates(t, counter)
		bound := rapid.IntRange(500, 9000).Draw(t, "bound")
		f, err := c.fitWithin(bound)
		if err != nil {
			least, _ := c.compose(view.Grants{})
			if fault.CodeOf(err) != view.TooLarge || least.tokens+s.repairRoom(c.to) <= bound || !strings.Contains(fault.HintOf(err), "session.context_tokens") {
				t.Fatalf("%v, but the fixed parts have %d tokens, and a repair %d", err, least.tokens, s.repairRoom(c.to))
			}
			return
		}
		if n := counter.Count(f.message.Body); n != f.tokens || n+s.repairRoom(c.to) > bound {
			t.Fatalf("%d tokens, reported %d, and %d for a repair, within %d", n, f.tokens, s.repairRoom(c.to), bound)
		}
		checkAccount(t, c, f)
		if report := kickoff.Audit(f.message.Body, kickoff.Expected{ThreadID: fitThread, Roster: &c.in.Roster}); !report.OK {
			t.Fatalf("%+v in\n%s", report.Findings, f.message.Body)
		}
		larger, err := c.fitWithin(bound + rapid.IntRange(1, 2000).Draw(t, "more"))
		if err != nil {
			t.Fatalf("%v, but it fits within %d", err, bound)
		}
		if a, b := f.wholeClasses(), larger.wholeClasses(); a > b {
			t.Fatalf("%d classes are whole within %d, and only %d within more", a, bound, b)
		}
	})
}

// wholeClasses returns how many classes are whole, the most important first.
func (f *fitted) wholeClasses() int {
	all := strings.Join(f.leftOut, "\n") + "\n"
	for n, marks := range [][]string{{view.ContextName, "EV-", view.PiecesName}, {view.ItemsName, view.ConflictsName, view.OutcomesName, view.NotesName, view.ShownParts, view.CutNotesName, "headings", view.HypothesesName}, {view.LessonsName}, {view.RecordsName}} {
		for _, mark := range marks {
			if strings.Contains("\n"+all, "\n"+mark) {
				return n
			}
		}
	}
	return 4
}

// checkAccount checks that each list has its items in the message, or counted as left out.
func checkAccount(t *rapid.T, c *candidates, f *fitted) {
	body := f.message.Body
	left := func(what string) int {
		for _, line := range f.leftOut {
			if m := regexp.MustCompile(`^` + what + `, (\d+) of \d+`).FindStringSubmatch(line); m != nil {
				n := 0
				_, _ = fmt.Sscan(m[1], &n)
				return n
			}
		}
		return 0
	}
	for _, line := range f.leftOut {
		if !strings.Contains(body, "\n> - "+strings.Join(strings.Fields(line), " ")+"\n") {
			t.Fatalf("%q is not in\n%s", line, body)
		}
	}
	pieces, recordsOf := 0, len(f.records.Records)
	for _, p := range c.run.pieces {
		if strings.Contains(body, "> "+p.name+" (file):\n") {
			pieces++
		}
	}
	if left(view.RecordsName) > 0 {
		recordsOf = len(c.records.Records) + len(c.records.Left)
	}
	if left(view.RecordsName) > 0 && strings.Contains(body, "Not shown, by the view's bounds") {
		t.Fatalf("records are counted twice:\n%s", body)
	}
	for _, n := range []struct {
		what      string
		shown, of int
	}{
		{view.PiecesName, pieces, len(c.run.pieces)},
		{view.LessonsName, len(f.lessons.Lessons), len(c.lessons.Lessons)},
		{view.LessonsName, strings.Count(body, "\n> - [pb-"), len(c.lessons.Lessons)},
		{view.RecordsName, len(f.records.Records), recordsOf},
		{view.RecordsName, strings.Count(body, "\n> - note-"), recordsOf},
	} {
		if n.shown+left(n.what) != n.of {
			t.Fatalf("%s: %d shown and %d left out of %d:\n%s", n.what, n.shown, left(n.what), n.of, body)
		}
	}
	if c.view != nil && len(f.leftOut) > 0 {
		checkViewAccount(t, c, f, left)
	}
	if c.view == nil && len(f.saw)+left(view.HypothesesName) != len(c.in.Hypotheses) {
		t.Fatalf("hypotheses shown: %v:\n%s", f.saw, body)
	}
	for _, id := range f.saw {
		if !strings.Contains(body, "\n> - "+view.Word(id)) {
			t.Fatalf("%s counts as shown, but is not in\n%s", id, body)
		}
	}
	whole, _ := c.compose(view.Grants{view.Whole, view.Whole, view.Whole, view.Whole, view.Whole})
	if f.message.Body != whole.message.Body && len(f.leftOut) == 0 {
		t.Fatalf("something is left out, and the message does not say so:\n%s", body)
	}
	if !slices.Equal(f.lessons.Omitted, lessonIDs(c.lessons.Lessons[len(f.lessons.Lessons):])) {
		t.Fatalf("lessons left: %v", f.lessons.Omitted)
	}
}

// checkViewAccount checks that what is shown of the artifact and what is left out of it is all of it.
func checkViewAccount(t *rapid.T, c *candidates, f *fitted, left func(string) int) {
	body := f.message.Body
	pruned := slices.ContainsFunc(f.leftOut, func(line string) bool {
		return slices.ContainsFunc([]string{view.ItemsName, view.ConflictsName, view.OutcomesName, view.NotesName, view.ShownParts, view.CutNotesName}, func(name string) bool { return strings.HasPrefix(line, name) })
	})
	items, targets := 0, 0
	for _, section := range c.view.Artifact.Sections {
		items += len(section)
		for _, it := range section {
			if line := "\n> - " + view.Word(it.ID); slices.Contains(f.saw, it.ID) && !strings.Contains(body, line+"\n") && !strings.Contains(body, line+":") && !strings.Contains(body, line+" (killed") {
				targets++ // only its conflicts are shown
			}
		}
	}
	notes, cut := 0, 0
	for _, n := range c.view.Notes {
		whole := strings.Join(strings.Fields(n.Text), " ")
		if strings.Contains(body, "\n> - Sydney: "+whole+"\n") {
			notes++
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^> - Sydney: (.*) \[note: (\d+) of (\d+) characters left out\]$`).FindAllStringSubmatch(body, -1) {
		gone, of := 0, 0
		_, _ = fmt.Sscan(m[2]+" "+m[3], &gone, &of)
		if len([]rune(m[1]))+gone != of {
			t.Fatalf("%d characters and %d left out of %d", len([]rune(m[1])), gone, of)
		}
		notes, cut = notes+1, cut+gone
	}
	deltas := 0
	for i := range c.view.Feedback {
		if regexp.MustCompile(fmt.Sprintf(`\n> - (d\d, )*d%d[:, ]`, i)).MatchString(body) {
			deltas++
		}
	}
	if !pruned {
		return
	}
	for _, n := range []struct {
		what      string
		shown, of int
	}{
		{view.ItemsName, len(f.saw) - targets, items}, {view.NotesName, notes, len(c.view.Notes)}, {view.OutcomesName, deltas, len(c.view.Feedback)},
	} {
		if n.shown+left(n.what) != n.of {
			t.Fatalf("%s: %d shown and %d left out of %d:\n%s", n.what, n.shown, left(n.what), n.of, body)
		}
	}
	said := 0
	for _, line := range f.leftOut {
		_, _ = fmt.Sscanf(line, view.CutNotesName+": %d of", &said)
	}
	if said != cut {
		t.Fatalf("%d characters of notes are said to be left out, not %d:\n%s", said, cut, body)
	}
}

func lessonIDs(lessons []kickoff.Bullet) []string { return LessonSet{Lessons: lessons}.ids() }

// A model with a small context is sent less, in every round.
func TestMessagesFitTheModel(t *testing.T) {
	counter := tokens.New()
	rapid.Check(t, func(t *rapid.T) {
		s, c := anyCandidates(t, counter)
		size := rapid.IntRange(2500, 9000).Draw(t, "context")
		s.state.Agents[0].Way.Context = size
		f, err := c.fitWithin(0)
		if err != nil {
			if !strings.Contains(fault.HintOf(err), "give the server a larger context") {
				t.Fatal(err, fault.HintOf(err))
			}
			return
		}
		if f.tokens+s.repairRoom(c.to)+min(1000, size/replyShare) > size {
			t.Fatalf("%d tokens in a context of %d", f.tokens, size)
		}
	})
}
