package sessioncmd

import (
	"slices"
	"strconv"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/merge/settle"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/session/letters"
)

// compileExit returns the exit code of a compilation: as for sessions, but judged by the new messages.
func compileExit(rows []letters.Row, conflict bool) int {
	tookPart, nothing := make(map[string]bool), make(map[string]bool)
	for i := range rows {
		if r := &rows[i]; r.New && r.TookPart() {
			tookPart[r.Agent] = true
		} else if r.CameToNothing() {
			nothing[r.Agent] = true
		}
	}
	idle := false
	for agent := range nothing {
		idle = idle || !tookPart[agent]
	}
	switch {
	case len(tookPart) == 0 && idle:
		return ui.ExitFailed
	case conflict:
		return ui.ExitPerson
	case idle:
		return ui.ExitPartial
	}
	return 0
}

// compiledLine says how many messages were new, how many of them contributed, and why the exit code is
// that of a failure.
func compiledLine(rows []letters.Row, exit int) string {
	fresh, merged := 0, 0
	for i := range rows {
		if rows[i].New {
			fresh++
		}
		if rows[i].New && rows[i].Outcome == flow.Contributed {
			merged++
		}
	}
	line := "brenner: read " + text.Count(fresh, "new message") + " of the thread, merged " + strconv.Itoa(merged)
	switch exit {
	case ui.ExitFailed:
		line += "; exit code 1: no author of a new message contributed or wrote NO CHANGES"
	case ui.ExitPartial:
		line += "; exit code 3: some authors of new messages neither contributed nor wrote NO CHANGES"
	}
	return line + "\n"
}

// lettersText lists the messages of a thread and what became of each.
func lettersText(a *ui.App, rows []letters.Row) string {
	const most = 20 // lines about one message
	if len(rows) == 0 {
		return ""
	}
	table := [][]string{{"MESSAGE", "FROM", "SUBJECT", "OUTCOME"}}
	var refused, references, corrections []string
	for i := range rows {
		r := &rows[i]
		outcome := letterOutcome(r)
		if before := indexOf(rows, r.Of); before >= 0 && r.Outcome == letters.Repeated && rows[before].Rejected+rows[before].Unreadable > 0 {
			outcome += "; what was rejected there is tried again only in a message with other words"
		}
		table = append(table, []string{ui.Clean(r.ID), ui.Clean(r.From), ui.Clean(ui.Clip(r.Subject)), outcome})
		var lines []string
		for _, p := range r.Refusals {
			lines = append(lines, refusalLine(r.ID, &p))
		}
		refused = append(refused, few(lines, most)...)
		var refs, corrects []string
		for _, w := range r.Warnings {
			line := "  " + ui.Clean(r.ID) + ": " + ui.Clean(string(w.Code)+" "+w.Message) + "\n"
			if audit.IsCorrection(w) {
				corrects = append(corrects, line)
			} else {
				refs = append(refs, line)
			}
		}
		references, corrections = append(references, few(refs, most)...), append(corrections, few(corrects, most)...)
	}
	return a.Table(table) + titled("Not taken", refused) + titled("Corrections", corrections) + titled("References", references)
}

// unchangedText lists the messages of a thread in which nothing is new.
func unchangedText(a *ui.App, t *threadLetters) string {
	all := lettersText(a, t.Letters)
	if slices.ContainsFunc(t.Letters, func(r letters.Row) bool { return r.Rejected+r.Unreadable+r.Fields > 0 }) {
		all += "\nWhat was not taken: brenner session status " + ui.Clean(t.Thread) + "\n"
	}
	return all
}

func indexOf(rows []letters.Row, id string) int {
	return slices.IndexFunc(rows, func(r letters.Row) bool { return r.ID == id })
}

func refusalLine(message string, p *settle.Refusal) string {
	where := ""
	if p.Line > 0 {
		where = ", line " + strconv.Itoa(p.Line)
	}
	for _, part := range []string{p.Delta, p.Target, p.Field} {
		if part != "" {
			where += ", " + ui.Clean(part)
		}
	}
	return "  " + ui.Clean(message) + where + ": " + ui.Clean(string(p.Code)+" "+p.Message) + "\n"
}

// letterOutcome says what became of a message.
func letterOutcome(r *letters.Row) string {
	switch r.Outcome {
	case letters.Own:
		return "sent by the session or its operator"
	case letters.Stranger:
		return "not read: the sender is neither in the roster nor an authority"
	case letters.Sign:
		return "sign of life"
	case letters.Repeated:
		return repeatedWords(r)
	case letters.Reply:
		return "reply in round " + strconv.Itoa(r.Round)
	case letters.Replaced:
		return "reply in round " + strconv.Itoa(r.Round) + ", counted with its correction, " + ui.Clean(r.Of)
	case letters.Waiting:
		return "not read yet: brenner session compile reads it"
	case letters.Nameless:
		return "not read: the server gave it no id"
	case letters.Merged:
		return "read for version " + strconv.Itoa(r.Version)
	}
	return mergedOutcome(r)
}

// mergedOutcome counts the changes of a message.
func mergedOutcome(r *letters.Row) string {
	parts := []string{outcomeWords(r.Outcome)}
	for _, one := range []struct {
		n    int
		word string
	}{{r.Applied, " applied"}, {r.Rejected, " rejected"}, {r.Unreadable, " unreadable"}, {r.Repeated, " said before"}} {
		if one.n > 0 {
			parts = append(parts, strconv.Itoa(one.n)+one.word)
		}
	}
	if r.Fields > 0 {
		parts = append(parts, text.Count(r.Fields, "field")+" refused")
	}
	if len(r.Conflicts) > 0 {
		parts = append(parts, "conflict on "+ui.Clean(strings.Join(r.Conflicts, ", ")))
	}
	if r.Outcome == flow.Contributed {
		parts = append(parts, "version "+strconv.Itoa(r.Version))
	}
	if r.Reason != "" {
		parts = append(parts, ui.Clean(r.Reason))
	}
	if r.Round > 0 {
		parts = append(parts, "round "+strconv.Itoa(r.Round))
	} else if !r.New {
		parts = append(parts, "read before")
	}
	return strings.Join(parts, ", ")
}

func repeatedWords(r *letters.Row) string {
	switch {
	case r.New:
		return "said before, " + text.Count(r.Repeated, "duplicate")
	case r.Version > 0:
		return "said before, read before"
	case r.Of == "":
		return "same text as an earlier reply"
	}
	return "same text as " + ui.Clean(r.Of)
}
