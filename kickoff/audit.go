package kickoff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/roster"
)

// Report is what a message says of itself, and what is wrong with that.
type Report struct {
	Schema    string        `json:"schema"` // set by the command that prints it
	OK        bool          `json:"ok"`     // there are no findings
	ThreadID  string        `json:"thread_id"`
	Recipient string        `json:"recipient"`
	Round     int           `json:"round"`
	Template  string        `json:"template"`      // name and version
	Hash      string        `json:"template_hash"` // as it is shown, which may be its beginning only
	Roster    roster.Roster `json:"roster"`        // of the message: the table's columns, mode and name
	Session   string        `json:"session"`       // whose roster it was compared with; set as Schema
	Findings  []Finding     `json:"findings"`      // by line
}

// Finding is one thing that does not agree.
type Finding struct {
	Code    fault.Code `json:"code"`
	What    string     `json:"what"` // "thread_id", "template", "roster.BlueLake.role"
	Line    int        `json:"line"` // from 1
	Message string     `json:"message"`
	Hint    string     `json:"hint"`
}

// Audit reads a kickoff back and says whether its parts agree with each other: the
// thread id is one, the roster's table keeps the roster's rules, the recipient is
// in it, the template is the one for the recipient's role, the hash is that of the
// template's version, the prompt is that template's, and all parts stand in their
// order. With a session or a roster given, it also says where the message differs from that.
func Audit(message string, want Wanted) Report {
	a := &auditor{lines: strings.Split(message, "\n")}
	for i, line := range a.lines {
		a.lines[i] = strings.TrimRight(line, " \t\r") // transport may add and remove them
	}
	a.head()
	a.block(message)
	a.recipient()
	a.template()
	a.order()
	if want.Roster != nil && a.roster.Line > 0 {
		a.compare(want.Roster)
	}
	if got := a.out.ThreadID; want.ThreadID != "" && got != "" && got != want.ThreadID {
		a.add(WrongThread, "thread_id", a.title, "either this is a kickoff of another session, or the message was changed",
			"the message is of the thread %s, and not of %s", fault.Shown(got), fault.Shown(want.ThreadID))
	}
	slices.SortStableFunc(a.out.Findings, func(x, y Finding) int { return cmp.Compare(x.Line, y.Line) })
	a.out.OK = len(a.out.Findings) == 0
	return a.out
}

// Wanted is what a message has to agree with; the zero value is nothing but itself.
type Wanted struct {
	ThreadID string
	Roster   *roster.Roster
}

// auditor walks through one message.
type auditor struct {
	lines  []string
	out    Report
	roster roster.Block // its Line is 0 where there is none
	title  int          // index of the line with the thread id
	body   int          // index of the first line behind the head
	// places are the lines of the head, from 1; 0 where one is missing
	places struct{ recipient, round, template int }
}

// add keeps a finding about the line at an index, or the nearest that there is.
func (a *auditor) add(code fault.Code, what string, index int, hint, format string, args ...any) {
	a.out.Findings = append(a.out.Findings, Finding{
		Code: code, What: what, Line: max(0, min(index, len(a.lines)-1)) + 1, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// addFault keeps a fault of another package as a finding. A line that it names wins.
func (a *auditor) addFault(what string, index int, f *fault.Error) {
	if f.Line > 0 {
		index = f.Line - 1
	}
	a.add(f.Code, what, index, f.Hint, "%s", f.Detail)
}

// block reads the roster, which stands right behind the head.
func (a *auditor) block(message string) {
	b, err := roster.ReadBlock(message)
	if err != nil {
		for _, f := range fault.All(err) {
			a.addFault("roster", a.body, f)
		}
		return
	}
	a.roster, a.out.Roster = b, b.Roster
	if b.Line != a.body+1 {
		a.add(BadOrder, "roster", b.Line-1, headHint,
			"the session configuration does not stand right behind the head of the message")
	}
	for _, f := range fault.All(b.Roster.Validate()) {
		a.addFault("roster", b.Line-1, f)
	}
}

// recipient looks for the recipient in the roster.
func (a *auditor) recipient() {
	if a.roster.Line == 0 || a.places.recipient == 0 {
		return
	}
	if _, ok := a.out.Roster.Find(a.out.Recipient); ok {
		return
	}
	a.add(roster.MissingEntry, "recipient", a.places.recipient-1, "the roster's table must have a row for the recipient",
		"Missing roster entry for recipient: %s", fault.Shown(a.out.Recipient))
}

// compare says where the message's roster differs from another.
func (a *auditor) compare(want *roster.Roster) {
	got := &a.out.Roster
	heading := a.roster.Line - 1
	a.differs("roster.mode", heading, string(got.Mode.OrDefault()), string(want.Mode.OrDefault()))
	a.differs("roster.name", heading, got.Name, want.Name)
	for i, e := range got.Entries {
		line, what := a.roster.EntryLines[i]-1, "roster."+fault.Shown(e.Agent)
		w, ok := want.Find(e.Agent)
		if !ok {
			a.add(RosterDiffers, what, line, differsHint, "%s is not in the given roster", fault.Shown(e.Agent))
			continue
		}
		a.differs(what+".role", line, string(e.Role), string(w.Role))
		a.differs(what+".program", line, e.Program, w.Program)
		a.differs(what+".model", line, e.Model, w.Model)
	}
	for _, w := range want.Entries {
		if _, ok := got.Find(w.Agent); !ok {
			a.add(RosterDiffers, "roster."+fault.Shown(w.Agent), heading, differsHint,
				"%s is in the given roster and not in the message", fault.Shown(w.Agent))
		}
	}
}

const differsHint = "either this is not the session's roster, or the message was changed"

func (a *auditor) differs(what string, index int, got, want string) {
	if got == want {
		return
	}
	a.add(RosterDiffers, what, index, differsHint, "%s is %s in the message and %s in the given roster",
		strings.TrimPrefix(what, "roster."), orNone(got), orNone(want))
}

func orNone(s string) string {
	if s == "" {
		return "missing"
	}
	return fault.Shown(s)
}
