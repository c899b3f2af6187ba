package kickoff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/internal/fault"
	"brenner/prompts"
	"brenner/roster"
)

// Report is the content of a message's header and roster, with the findings of its audit.
type Report struct {
	Schema    string        `json:"schema"` // set by the command that prints it
	OK        bool          `json:"ok"`     // there are no findings
	ThreadID  string        `json:"thread_id"`
	Recipient string        `json:"recipient"`
	Round     int           `json:"round"`
	Template  string        `json:"template"`      // name and version
	Hash      string        `json:"template_hash"` // as shown, possibly shortened
	Roster    roster.Roster `json:"roster"`        // of the message: the table's columns, mode and name
	Session   string        `json:"session"`       // whose roster it was compared with; set like Schema
	Findings  []Finding     `json:"findings"`      // by line
	// RosterOnly means that the message has a session configuration and nothing else of a
	// kickoff: another tool wrote it, and only its roster was checked.
	RosterOnly bool `json:"roster_only,omitzero"`
	// Messages are the reports of several messages in one file; Findings then are all of theirs.
	Messages []Report `json:"messages,omitempty"`
}

// TemplateRole returns the role that the template is for, or prompts.UnifiedName.
func (r *Report) TemplateRole() string { return prompts.RoleOf(r.Template) }

// Finding is an inconsistency in a message.
type Finding struct {
	Code    fault.Code `json:"code"`
	What    string     `json:"what"` // "thread_id", "template", "roster.BlueLake.role"
	Line    int        `json:"line"` // from 1
	Message string     `json:"message"`
	Hint    string     `json:"hint"`
}

// Audit reads a kickoff back and checks that its parts agree: the thread id is valid, the roster's
// table follows the roster's rules, the recipient is in it, the template matches the recipient's
// role, hash and prompt match the template's version, and all parts are in order. It also compares
// the message with the expected session and roster, if any. Of a message that has only a session
// configuration, as the roster's specification describes it, just the roster is checked.
func Audit(message string, want Expected) Report {
	a := &auditor{lines: strings.Split(message, "\n")}
	for i, line := range a.lines {
		a.lines[i] = strings.TrimRight(line, " \t\r") // transport may add or remove trailing space
	}
	a.readHead()
	if a.ofAnotherTool() {
		a.out.RosterOnly, a.out.Findings = true, nil
	}
	a.readRoster(message)
	if !a.out.RosterOnly {
		a.checkRecipient()
		a.checkTemplate()
		a.checkOrder()
	}
	if want.Roster != nil && a.roster.Line > 0 {
		a.compareRoster(want.Roster, want.Source)
	}
	if got := a.out.ThreadID; want.ThreadID != "" && got != "" && got != want.ThreadID {
		a.add(WrongThread, "thread_id", a.title, "either this is a kickoff of another session, or the message was changed",
			"the message belongs to thread %s, not to %s", fault.Shown(got), fault.Shown(want.ThreadID))
	}
	slices.SortStableFunc(a.out.Findings, func(x, y Finding) int { return cmp.Compare(x.Line, y.Line) })
	a.out.OK = len(a.out.Findings) == 0
	return a.out
}

// ofAnotherTool reports whether a message has a session configuration and no part of ours.
func (a *auditor) ofAnotherTool() bool {
	ours := a.out.ThreadID != "" || a.places.recipient+a.places.round+a.places.template > 0
	return !ours && slices.Contains(a.lines, roster.BlockHeading) && !slices.ContainsFunc(append(parts(false), part{heading: headTask}), func(p part) bool { return slices.Contains(a.lines, p.heading) })
}

// Expected is what a message must agree with; the zero value requires nothing.
type Expected struct {
	ThreadID string
	Roster   *roster.Roster
	Source   string // of the roster, for findings; "" is a roster that was given
}

// Split returns the messages in a text in which one follows the other: each begins with its title,
// or, if another tool wrote them, with a session configuration.
func Split(text string) []string {
	var all []string
	for {
		n := nextMessage(text)
		if n == 0 {
			return append(all, text)
		}
		all = append(all, text[:n])
		text = text[n:]
	}
}

// nextMessage returns where the second message of a text begins, or 0 if there is only one.
func nextMessage(text string) int {
	first := roster.FindBlock(text)
	if first == 0 {
		return 0
	}
	at := lineStart(text, first) + len(roster.BlockHeading)
	title := strings.Index(text[at:], "\n"+titleMark)
	if title >= 0 {
		return at + title + 1
	}
	if strings.Contains(text[:at], titleMark) {
		return 0 // a second session configuration of the same message is a finding
	}
	if next := roster.FindBlock(text[at:]); next > 0 {
		return at + lineStart(text[at:], next)
	}
	return 0
}

// lineStart returns where a line of a text begins; lines count from 1.
func lineStart(text string, line int) int {
	at := 0
	for range line - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	return at
}

type auditor struct {
	lines  []string
	out    Report
	roster roster.Block // its Line is 0 if it is missing
	title  int          // index of the line with the thread id
	body   int          // index of the first line after the header
	// places are the lines of the header, from 1; 0 if missing.
	places struct{ recipient, round, template int }
}

// add records a finding about the line at an index, or the nearest one.
func (a *auditor) add(code fault.Code, what string, index int, hint, format string, args ...any) {
	a.out.Findings = append(a.out.Findings, Finding{
		Code: code, What: what, Line: max(0, min(index, len(a.lines)-1)) + 1, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// addFault records a fault of another package as a finding. A line in the fault takes precedence.
func (a *auditor) addFault(what string, index int, f *fault.Error) {
	if f.Line > 0 {
		index = f.Line - 1
	}
	a.add(f.Code, what, index, f.Hint, "%s", f.Detail)
}

func (a *auditor) readRoster(message string) {
	b, err := roster.ReadBlock(message)
	if err != nil {
		for _, f := range fault.All(err) {
			a.addFault("roster", a.body, f)
		}
		return
	}
	a.roster, a.out.Roster = b, b.Roster
	if b.Line != a.body+1 && !a.out.RosterOnly {
		a.add(BadOrder, "roster", b.Line-1, headHint,
			"the session configuration does not directly follow the message's header")
	}
	if err := validate(b.Roster, a.isTask()); err != nil {
		lines := entryLines(&b)
		for _, f := range fault.All(err) {
			a.addFault("roster", cmp.Or(lines[f.Error()], b.Line)-1, f)
		}
	}
}

// entryLines returns the lines of the rows that break a rule, by the text of the fault.
func entryLines(b *roster.Block) map[string]int {
	lines, seen := map[string]int{}, map[string]bool{}
	for i, e := range b.Roster.Entries {
		row := roster.Roster{Mode: b.Roster.Mode, Entries: []roster.Entry{e}}
		if seen[e.Agent] {
			row.Entries = append(row.Entries, e)
		}
		seen[e.Agent] = true
		for _, f := range fault.All(row.Validate()) {
			if lines[f.Error()] == 0 {
				lines[f.Error()] = b.EntryLines[i]
			}
		}
	}
	return lines
}

func (a *auditor) checkRecipient() {
	if a.roster.Line == 0 || a.places.recipient == 0 {
		return
	}
	if _, ok := a.out.Roster.Find(a.out.Recipient); ok {
		return
	}
	a.add(roster.MissingEntry, "recipient", a.places.recipient-1, "the roster's table must have a row for the recipient",
		"Missing roster entry for recipient: %s", fault.Shown(a.out.Recipient))
}

func (a *auditor) compareRoster(want *roster.Roster, source string) {
	source = cmp.Or(source, "the given roster")
	got := &a.out.Roster
	heading := a.roster.Line - 1
	a.compareField(source, "roster.mode", heading, string(got.Mode.OrDefault()), string(want.Mode.OrDefault()))
	a.compareField(source, "roster.name", heading, got.Name, want.Name)
	for i, e := range got.Entries {
		line, what := a.roster.EntryLines[i]-1, "roster."+fault.Shown(e.Agent)
		w, ok := want.Find(e.Agent)
		if !ok {
			a.add(RosterDiffers, what, line, differsHint, "%s is not in %s", fault.Shown(e.Agent), source)
			continue
		}
		a.compareField(source, what+".role", line, string(e.Role), string(w.Role))
		a.compareField(source, what+".program", line, e.Program, w.Program)
		a.compareField(source, what+".model", line, e.Model, w.Model)
	}
	for _, w := range want.Entries {
		if _, ok := got.Find(w.Agent); !ok {
			a.add(RosterDiffers, "roster."+fault.Shown(w.Agent), heading, differsHint,
				"%s is in %s and not in this message", fault.Shown(w.Agent), source)
		}
	}
}

const differsHint = "either this is not the session's roster, or the message was changed"

func (a *auditor) compareField(source, what string, index int, got, want string) {
	if got == want {
		return
	}
	a.add(RosterDiffers, what, index, differsHint, "%s is %s in this message and %s in %s",
		strings.TrimPrefix(what, "roster."), orNone(got), orNone(want), source)
}

func orNone(s string) string {
	if s == "" {
		return "missing"
	}
	return fault.Shown(s)
}

const headHint = "a kickoff begins with its title, recipient, round and template, and then its session configuration"

// readHead reads the header before the session configuration: the title and three labelled lines.
func (a *auditor) readHead() {
	for a.body < len(a.lines) && a.lines[a.body] == "" {
		a.body++
	}
	first := a.body
	id, ok := "", false
	if a.body < len(a.lines) {
		id, ok = strings.CutPrefix(strings.TrimPrefix(a.lines[a.body], "\ufeff"), titleMark)
	}
	if ok {
		a.checkThread(id)
		a.body++
	} else {
		a.add(BadHead, "title", a.body, headHint, "the message does not begin with %q and a thread id", titleMark)
	}
	stray := 0
	for ; a.body < len(a.lines) && !strings.HasPrefix(a.lines[a.body], "## "); a.body++ {
		line := a.lines[a.body]
		if line == "" || a.readLabel(line) {
			continue
		}
		if stray++; stray == 1 { // report the first one only
			a.add(BadHead, "head", a.body, headHint, "this line does not belong in a message's header: %s", fault.Shown(line))
		}
	}
	for _, l := range []struct {
		what  string
		place int
	}{{"recipient", a.places.recipient}, {"round", a.places.round}, {"template", a.places.template}} {
		if l.place == 0 {
			a.add(BadHead, l.what, first, headHint, "the message's header has no readable line for the %s", l.what)
		}
	}
}

func (a *auditor) checkThread(id string) {
	a.out.ThreadID, a.title = id, a.body
	if err := CheckThreadID(id); err != nil {
		a.add(fault.CodeOf(err), "thread_id", a.body, fault.HintOf(err), "%s", err)
	}
}

// readLabel reads a labelled line and reports whether it is one; each is valid once.
func (a *auditor) readLabel(line string) bool {
	if text, ok := strings.CutPrefix(line, recipientLabel); ok && a.places.recipient == 0 {
		if name, err := unquoteName(text); err == nil {
			a.out.Recipient, a.places.recipient = name, a.body+1
			return true
		}
	}
	if text, ok := strings.CutPrefix(line, roundLabel); ok && a.places.round == 0 {
		if n, err := strconv.Atoi(text); err == nil && n > 0 && strconv.Itoa(n) == text {
			a.out.Round, a.places.round = n, a.body+1
			return true
		}
	}
	if text, ok := strings.CutPrefix(line, templateLabel); ok && a.places.template == 0 {
		id, hash, cut := strings.Cut(strings.TrimSuffix(text, ")"), hashLabel)
		if cut && strings.HasSuffix(text, ")") {
			a.out.Template, a.out.Hash, a.places.template = id, hash, a.body+1
			return true
		}
	}
	return false
}

// minHash is the least number of digits accepted as a hash.
const minHash = 12

// checkTemplate checks the template against all known versions and against the recipient's role.
func (a *auditor) checkTemplate() {
	if a.places.template == 0 {
		return
	}
	at := a.places.template - 1
	id := a.out.Template
	hash, known := prompts.HashOf(id)
	switch {
	case !known:
		a.add(UnknownTemplate, "template", at, "it may come from a newer version of this program",
			"unknown template %s", fault.Shown(id))
	case len(a.out.Hash) < minHash || !strings.HasPrefix(hash, a.out.Hash):
		a.add(TemplateHash, "template_hash", at, "the message was changed, or written with a changed template",
			"the hash of %s is %s, want %s", id, fault.Shown(a.out.Hash), prompts.Short(hash))
	}
	if want, ok := a.wantedTemplate(); ok && known && !a.isTask() {
		if a.out.TemplateRole() != want {
			a.add(WrongTemplate, "template", at, "check the roster and the template",
				"%s has the template %s, but the roster requires %s", fault.Shown(a.out.Recipient), id, want)
		}
	}
	for _, t := range prompts.Known() {
		if t.ID() == id && a.roster.Line > 0 {
			a.checkPrompt(t)
		}
	}
}

// isTask reports whether the message is of a task. Its template is the same for all roles.
func (a *auditor) isTask() bool { return prompts.IsTask(a.out.Template) }

// firstHeading returns the heading below the prompt.
func (a *auditor) firstHeading() string {
	if a.isTask() {
		return headTask
	}
	return headQuestion
}

func (a *auditor) wantedTemplate() (string, bool) {
	if a.out.Roster.Mode == roster.Unified {
		return prompts.UnifiedName, true
	}
	e, ok := a.out.Roster.Find(a.out.Recipient)
	return string(e.Role), ok && e.Role.Valid()
}

// checkPrompt compares prompt and example with the template's, if the program still has that
// version.
func (a *auditor) checkPrompt(t prompts.Template) {
	const hint = "the agent was sent a text that differs from the template"
	from := a.roster.Line
	for from < len(a.lines) && a.lines[from] != "---" {
		from++
	}
	from = min(from+2, len(a.lines)) // the rule and a blank line
	want := strings.Split(t.Prompt()+"\n\n"+a.firstHeading(), "\n")
	for i, line := range want {
		if from+i >= len(a.lines) || a.lines[from+i] != line {
			a.add(PromptChanged, "prompt", min(from+i, len(a.lines)-1), hint,
				"the prompt differs from %s from this line on", t.ID())
			return
		}
	}
	format := slices.Index(a.lines, headFormat)
	if prompts.IsShort(t.ID()) && !slices.Contains(a.lines, prompts.ExampleHeading) {
		return // held to a schema
	}
	if format >= 0 && !strings.Contains(strings.Join(a.lines[format:], "\n"), "\n"+t.Example()) {
		a.add(PromptChanged, "example", format, hint, "the worked example differs from %s", t.ID())
	}
}

// checkOrder checks the headings after the prompt. Outside texts are quoted, so any other is forged.
func (a *auditor) checkOrder() {
	parts := parts(a.isTask())
	from := slices.Index(a.lines, a.firstHeading())
	if from < 0 {
		a.add(BadOrder, "order", len(a.lines)-1, orderHint(parts), "the message has no part %q", a.firstHeading())
		return
	}
	next := 0
	for i := from; i < len(a.lines); i++ {
		line := a.lines[i]
		if !strings.HasPrefix(line, "## ") && !strings.HasPrefix(line, "# ") {
			continue
		}
		at := slices.IndexFunc(parts[next:], func(p part) bool { return p.heading == line })
		if at < 0 {
			a.add(BadOrder, "order", i, orderHint(parts), "this heading does not belong here: %s", fault.Shown(line))
			continue
		}
		a.addMissing(parts, next, next+at, i)
		next += at + 1
	}
	a.addMissing(parts, next, len(parts), len(a.lines)-1)
}

func (a *auditor) addMissing(parts []part, from, to, index int) {
	for _, p := range parts[from:to] {
		if p.required {
			a.add(BadOrder, "order", index, orderHint(parts), "missing before this line: the part %q", p.heading)
		}
	}
}

type part struct {
	heading  string
	required bool
}

// parts returns the headings in the order in which body writes them.
func parts(ofTask bool) []part {
	var in Input
	if ofTask {
		in.Task = new(Task)
	}
	var all []part
	for i, s := range in.sections("") {
		all = append(all, part{s.heading, i == 0 || s.without != ""})
	}
	return append(all, part{headOutputs, true}, part{headFormat, true})
}

func orderHint(parts []part) string {
	var names []string
	for _, p := range parts {
		names = append(names, strings.TrimPrefix(p.heading, "## "))
	}
	return "after the prompt a kickoff has, in this order: " + strings.Join(names, ", ")
}
