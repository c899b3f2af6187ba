package sessioncmd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

func summaryText(a *ui.App, s *audit.Summary) string {
	if a.Quiet {
		line := s.Thread
		if made := s.Made(); s.Exit != nil && s.Task != "" { // after a run of a task
			return strings.Join(append(made, ""), "\n")
		}
		if s.Exit != nil && s.Artifact != "" { // after a run
			line = summaryPath(s)
		}
		return ui.Clean(line) + "\n"
	}
	var b strings.Builder
	if s.Rehearsal {
		b.WriteString(ui.RehearsalNote + "\n\n")
	}
	fmt.Fprintf(&b, "%s: %s\n", ui.Clean(s.Thread), summaryHeadline(s))
	b.WriteString(questionLine(s.Task, s.Question))
	facts := summaryFacts(s)
	if s.Mail != nil {
		facts = append(facts, threadRows(s.Mail)...)
	}
	b.WriteString(ui.Columns(facts) + "\n")
	b.WriteString(summaryAgentTable(a, s) + "\n")
	if s.Task == "" { // a task does not change its artifact
		b.WriteString(summaryVersionTable(a, s))
	}
	if len(s.Letters) > 0 {
		b.WriteString("\nMessages of the thread:\n" + lettersText(a, s.Letters))
	}
	summaryProblems(s, &b)
	b.WriteString(a.NextText(s.Next))
	if s.Rehearsal {
		b.WriteString(a.Named("To ask real models: brenner session start --preset default-3-agent --question \"…\" --via openai --base-url URL --model ID\n"))
	}
	return b.String()
}

// questionLine returns the question of a session, or the task that it runs.
func questionLine(task, question string) string {
	title := "Question"
	if task != "" {
		title = "Task " + ui.Clean(task)
	}
	return title + ": " + ui.Clean(strings.TrimSpace(question)) + "\n\n"
}

// summaryPath returns the artifact's path relative to the working directory.
func summaryPath(s *audit.Summary) string { return ui.FromHere(s.Artifact) }

// summaryHeadline returns the status of a session in one line.
func summaryHeadline(s *audit.Summary) string {
	rounds := fmt.Sprintf("round %d of %d, version %d", s.Round, s.Rounds, s.Version)
	switch s.Phase {
	case session.PhaseRunning:
		return "running, " + rounds + ", held by " + ui.Clean(s.HeldBy)
	case session.PhaseLeft:
		return "not running, incomplete, " + rounds
	}
	if s.Reason == flow.EndCompiled {
		rounds = fmt.Sprintf("version %d", s.Version)
	}
	line := ui.Ended(s.Task, s.Reason, string(s.Verdict)) + ", " + rounds
	if s.Needs > 0 {
		line += fmt.Sprintf("; the next calls need %d tokens", s.Needs)
		if s.NeedsUSD > 0 {
			line += " (" + ui.Money(s.NeedsUSD) + ")"
		}
	}
	if s.RetryAt != "" {
		line += "; resume after " + s.RetryAt
	}
	return line
}

func summaryFacts(s *audit.Summary) [][]string {
	rows := [][]string{}
	if s.Artifact != "" && s.Task == "" {
		rows = append(rows, []string{"Artifact", summaryPath(s)})
	}
	if s.Domain != "" && s.Task == "" {
		rows = append(rows, []string{"Lessons", "domain " + ui.Clean(s.Domain)})
	}
	budget := "no limit"
	if s.Budget > 0 {
		budget = "of " + strconv.Itoa(s.Budget)
	}
	if s.NotDurable {
		rows = append(rows, ui.NotDurable())
	}
	return append(rows,
		[]string{"Journal", fmt.Sprintf("%s, head %s", text.Plural(s.Entries, "entry", "entries"), s.Head)},
		[]string{"Seal", s.Seal},
		[]string{"Tokens", fmt.Sprintf("%d (%s)", s.Spent, budget) + lostTokens(s)},
		[]string{"Cost", summaryCost(s)},
	)
}

// lostTokens says which part of the tokens is only assumed.
func lostTokens(s *audit.Summary) string {
	if s.Lost == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of them assumed for calls without a usable reply", s.Lost)
}

// summaryCost formats the cost of a session, as far as its models have prices.
func summaryCost(s *audit.Summary) string {
	switch {
	case s.BudgetUSD > 0:
		return flow.AtLeast(fmt.Sprintf("%s (of %s)", ui.Money(s.SpentUSD), ui.Money(s.BudgetUSD)), s.Unpriced)
	case s.SpentUSD > 0:
		return flow.AtLeast(ui.Money(s.SpentUSD), s.Unpriced)
	case s.Rehearsal:
		return "none (rehearsal)"
	}
	return "unknown: no model has a price"
}

func summaryAgentTable(a *ui.App, s *audit.Summary) string {
	rows := [][]string{{"AGENT", "ROLE", "ASKED", "REPLIES", "FAILED", "TOKENS", "COST", "OUTCOMES", "LAST ROUND"}}
	for _, g := range s.Agents {
		state := g.State
		if g.Letters > 0 {
			state += ", " + text.Count(g.Letters, "message")
		}
		if g.Problem != "" {
			state += ": " + ui.Clean(string(g.Code)+", "+g.Problem)
		}
		rows = append(rows, []string{
			ui.Clean(g.Name), ui.OrDash(g.Role), ui.Clean(cmp.Or(strings.Join(g.RepliedBy, ", then "), g.Asked, g.Via)), strconv.Itoa(g.Answered), strconv.Itoa(g.Failed), strconv.Itoa(g.Tokens), ui.Money(g.USD), ui.OrDash(outcomeCounts(&g.Counts)), state,
		})
	}
	return a.Table(rows)
}

// outcomeCounts formats the outcomes of an agent: "2 contributed, 1 no changes".
func outcomeCounts(n *audit.OutcomeCounts) string {
	var all []string
	for _, one := range []struct {
		count int
		word  string
	}{
		{n.Contributed, flow.Contributed},
		{n.NoChanges, flow.NoChanges},
		{n.Refused, flow.Refused},
		{n.Unreadable, flow.Unreadable},
		{n.Cut, flow.ReplyCut},
		{n.ProseOnly, flow.ProseOnly},
		{n.Failed, flow.NoReply},
	} {
		if one.count > 0 {
			all = append(all, strconv.Itoa(one.count)+" "+outcomeWords(one.word))
		}
	}
	return strings.Join(all, ", ")
}

// outcomeWords formats an outcome: "prose only".
func outcomeWords(outcome string) string { return strings.ReplaceAll(outcome, "_", " ") }

// summaryOutcomes says what agents that took no part did, and which replies were cut.
func summaryOutcomes(s *audit.Summary, b *strings.Builder) {
	if s.Phase == session.PhaseEnded && s.Verdict == flow.Nothing {
		b.WriteString("\nNothing came of this session: no agent contributed or wrote NO CHANGES with a reason, and the artifact did not change.\n")
	} else if s.Phase == session.PhaseEnded && len(s.Idle) > 0 {
		fmt.Fprintf(b, "\nContributed nothing in any round: %s\n", ui.Clean(strings.Join(s.Idle, ", ")))
	}
	summaryFix(s, b)
	if n := len(s.Waiting); n > 0 && s.Phase != session.PhaseRunning {
		fmt.Fprintf(b, "\n%s for the round to be completed: %s\n", waitingReplies(n), ui.Clean(strings.Join(s.Waiting, ", ")))
	}
	title := "\nCut at the token limit (budget.reply_tokens sets it):\n"
	for i := range s.Agents {
		for _, o := range s.Agents[i].Outcomes {
			if o.Cut {
				fmt.Fprintf(b, "%s  round %d, %s: %s, %s applied\n", title, o.Round, ui.Clean(s.Agents[i].Name), outcomeWords(o.Outcome), text.Count(o.Applied, "delta"))
				title = ""
			}
		}
	}
}

// summaryFix says what a person can do about models that replied, but wrote nothing that could be read.
func summaryFix(s *audit.Summary, b *strings.Builder) {
	names := make(map[string][]string)
	for i := range s.Agents {
		g := &s.Agents[i]
		if s.Phase == session.PhaseEnded && slices.Contains(s.Idle, g.Name) && g.Via == flow.ViaOpenAI && g.Counts.ProseOnly+g.Counts.Unreadable > 0 {
			fix := flow.FormatFix(g.Structured, " (resume with --model ID)")
			names[fix] = append(names[fix], ui.Clean(g.Name))
		}
	}
	for _, fix := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(b, "  fix for %s: %s\n", strings.Join(names[fix], ", "), fix)
	}
}

func waitingReplies(n int) string {
	if n == 1 {
		return "The reply of 1 agent waits"
	}
	return fmt.Sprintf("The replies of %d agents wait", n)
}

// summaryRefused lists refused fields of deltas that were applied.
func summaryRefused(s *audit.Summary) string {
	var lines []string
	for _, r := range s.Refused {
		lines = append(lines, fmt.Sprintf("  version %d, %s, %s: %s %s\n", r.Version, ui.Clean(r.Agent), ui.Clean(r.Place), ui.Clean(string(r.Code)), ui.Clean(r.Message)))
	}
	return titled("Refused fields", few(lines, mostListed))
}

// mostListed is how many deltas a summary lists under one title.
const mostListed = 10

// few shortens a list.
func few(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("  and %d more; --json lists all\n", len(lines)-most))
}

// titled returns a list below its title; nothing if it is empty.
func titled(title string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "\n" + title + ":\n" + strings.Join(lines, "")
}

// summaryIgnored lists drafts, quotations and examples of replies.
func summaryIgnored(s *audit.Summary) string {
	var lines []string
	for i := range s.Ignored {
		r := &s.Ignored[i]
		lines = append(lines, fmt.Sprintf("  %s, line %d: %s\n", ui.Clean(r.Call), r.Line, ignoredText(&r.Ignored)))
	}
	return titled("Only shown, not taken", few(lines, mostListed))
}

// summaryDeltas lists deltas that were not taken.
func summaryDeltas(title string, all []audit.Rejection) string {
	var lines []string
	for _, r := range all {
		why := strings.TrimSpace(string(r.Code) + " " + r.Message)
		if r.Uncorrected != "" {
			why += " (" + r.Uncorrected + ")"
		}
		who := ui.Clean(r.Agent)
		if r.Text != "" {
			who += ", " + r.Text
		}
		lines = append(lines, fmt.Sprintf("  version %d, %s, %s: %s\n", r.Version, who, ui.OrDash(cmp.Or(r.Target, r.What())), ui.Clean(why)))
	}
	return titled(title, few(lines, mostListed))
}

// versionFrom formats the origin of a version.
func versionFrom(source string, round int, author string) string {
	switch {
	case source == flow.ByRound:
		return "round " + strconv.Itoa(round)
	case source == flow.ByPerson, source == audit.FromArbiter:
		return "by " + ui.Clean(author)
	case source == flow.ByThread:
		return "mail thread"
	case author != "":
		return source + " by " + ui.Clean(author)
	}
	return source
}

func summaryVersionTable(a *ui.App, s *audit.Summary) string {
	rows := [][]string{{"VERSION", "FROM", "APPLIED", "REJECTED", "CONFLICTS", "LINT"}}
	for _, v := range s.Versions {
		rows = append(rows, []string{
			strconv.Itoa(v.Version), versionFrom(v.From, v.Round, v.Author), strconv.Itoa(v.Applied), strconv.Itoa(v.Rejected), strconv.Itoa(v.Conflicts),
			text.Count(v.Errors, "error") + ", " + text.Count(v.Warnings, "warning"),
		})
	}
	return a.Table(rows) + lintCommand(s)
}

// lintCommand names the command that shows what lint found in the last version of a stored session.
func lintCommand(s *audit.Summary) string {
	n := len(s.Versions) - 1
	if n < 0 || s.Artifact == "" || s.Versions[n].Errors+s.Versions[n].Warnings == 0 {
		return ""
	}
	return "Lint findings: brenner artifact lint " + s.Thread + "\n"
}

// summaryMoved lists records that changed while agents worked with an earlier version.
func summaryMoved(s *audit.Summary, b *strings.Builder) {
	title := "\nRecords changed while agents used an earlier version:\n"
	for _, v := range s.Versions {
		for _, m := range v.Moved {
			fmt.Fprintf(b, "%s  version %d: %s\n", title, v.Version, ui.Clean(m.String()))
			title = ""
		}
	}
}

// summaryProblems lists rejected deltas, conflicts and missing replies.
func summaryProblems(s *audit.Summary, b *strings.Builder) {
	const most = 10
	summaryOutcomes(s, b)
	b.WriteString(summaryDeltas("Rejected", s.Rejected) + summaryDeltas("Without effect", s.Skipped) +
		summaryDeltas("Added without the id that they carried", s.LabelsTaken) + summaryDeltas("References", s.Unresolved) + summaryRefused(s) + summaryIgnored(s))
	if len(s.Conflicts) > 0 {
		b.WriteString("\nConflicts:\n")
		for i, c := range s.Conflicts {
			if i == most {
				fmt.Fprintf(b, "  and %d more; --json lists all\n", len(s.Conflicts)-most)
				break
			}
			fmt.Fprintf(b, "  %s\n", ui.Clean(c.Place))
			for _, one := range c.Candidates {
				fmt.Fprintf(b, "    %s: %s\n", ui.Clean(one.Agent), ui.Quoted(one.Text))
			}
		}
	}
	summaryRemarks(s, b)
	summaryMoved(s, b)
	summaryPatches(s, b)
	summaryStalemates(s, b)
	summaryMissing(s, b)
	summaryHints(s, b)
	if s.Unmailed != nil {
		b.WriteString("\n" + unmailedLine(s.Unmailed) + "\n")
	}
}

// summaryMissing lists missing replies, and apart from them the replies that were not asked for.
func summaryMissing(s *audit.Summary, b *strings.Builder) {
	label := "No reply"
	if s.Phase == session.PhaseRunning {
		label = "Pending"
	}
	var missing, unasked []string
	for _, m := range s.Missing {
		who := fmt.Sprintf("%s (round %d)", ui.Clean(m.Agent), m.Round)
		if s.Phase != session.PhaseRunning && slices.Contains(s.Unasked, m) {
			unasked = append(unasked, who)
		} else {
			missing = append(missing, who)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(b, "\n%s: %s\n", label, strings.Join(missing, ", "))
	}
	if len(unasked) > 0 {
		fmt.Fprintf(b, "\nNot asked: %s\n", strings.Join(unasked, ", "))
	}
	for _, m := range s.Uncorrected {
		fmt.Fprintf(b, "\nNot corrected, since the budget does not cover the call: %s (round %d)\n", ui.Clean(m.Agent), m.Round)
	}
}

// summaryHints says what to do about failed calls, each thing once.
func summaryHints(s *audit.Summary, b *strings.Builder) {
	title := "\nWhat to do:\n"
	var said []string
	for i := range s.Agents {
		hint := s.Agents[i].Hint
		if hint == "" || s.Phase == session.PhaseRunning || slices.Contains(said, hint) {
			continue
		}
		said = append(said, hint)
		b.WriteString(title + "  " + ui.Clean(hint) + "\n")
		title = ""
	}
}

// summaryRemarks lists answers of other models and truncated prompts.
func summaryRemarks(s *audit.Summary, b *strings.Builder) {
	title := "\nWarnings:\n"
	for i := range s.Remarks {
		if r := &s.Remarks[i]; r.Warns() {
			fmt.Fprintf(b, "%s  %s, %s: %s\n", title, ui.Clean(r.Agent), text.Count(r.Calls, "call"), ui.Clean(r.Message))
			title = ""
		}
	}
}

func patchLine(r *audit.PatchRow) string {
	on := " on "
	if r.Kind == flow.RecordKind {
		on = ", record "
	}
	return fmt.Sprintf("round %d, %s", r.Round, ui.Clean(r.Agent)) + on + patchResult(&r.PatchResult)
}

// patchResult says what blocks about a record, or a record of a reply, made, or why they made nothing.
func patchResult(r *audit.PatchResult) string {
	what := ui.Clean(r.Record) + ": "
	switch {
	case r.Elsewhere:
		return what + "created " + ui.Clean(r.Made) + " elsewhere; it is not in this store"
	case r.Made != "" && r.Kind == flow.RecordKind && r.Message != "":
		return what + "created " + ui.Clean(r.Made) + ", " + r.Status + "; " + ui.Clean(r.Message)
	case r.Made != "":
		return what + "created " + ui.Clean(r.Made) + ", " + r.Status
	}
	if r.Corrected {
		what += "corrected when asked; "
	}
	return what + r.Code + ": " + ui.Clean(ui.Clip(r.Message))
}

// summaryPatches lists the record versions that agents created, and refused patches and records.
func summaryPatches(s *audit.Summary, b *strings.Builder) {
	var patches, records []string
	for i := range s.Patches {
		line := "  " + patchLine(&s.Patches[i]) + "\n"
		if s.Patches[i].Kind == flow.RecordKind {
			records = append(records, line)
		} else {
			patches = append(patches, line)
		}
	}
	b.WriteString(titled("Record patches", patches) + titled("Records in replies", records))
}

// patchLines formats the results of the most recent patch blocks.
func patchLines(st *flow.State) string {
	rows := audit.PatchRows(st.Patches[len(st.Patches)-1:])
	lines := make([]string, len(rows))
	for i := range rows {
		lines[i] = patchLine(&rows[i])
	}
	return strings.Join(lines, "\n")
}

// summaryStalemates lists stalemates and their rulings.
func summaryStalemates(s *audit.Summary, b *strings.Builder) {
	if len(s.Stuck) == 0 {
		return
	}
	b.WriteString("\nStalemates:\n")
	for _, r := range s.Stuck {
		fmt.Fprintf(b, "  %s, %s (%s): %s", ui.Clean(r.ID), ui.Clean(r.Place), ui.Clean(r.Kind), ui.Clean(r.State))
		if r.By != "" {
			b.WriteString(" by " + ui.Clean(r.By))
		}
		if r.Why != "" {
			b.WriteString(": " + ui.Clean(r.Why))
		}
		b.WriteByte('\n')
	}
}
