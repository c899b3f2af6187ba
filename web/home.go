package web

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store"
)

// maxRows is how many rows a list shows.
const maxRows = 200

// window is the part of a long list that a page shows.
type window struct{ From, To, All int }

// windowOf returns the part of a list of n that a request asks for with after.
func windowOf(r *http.Request, n int) window {
	from := min(number(r.URL.Query().Get("after")), n)
	return window{from, min(from+maxRows, n), n}
}

// homePage is what runs, what ended, and what waits for a person.
type homePage struct {
	Waiting  []waitingRow
	Running  []sessionRow
	Ended    []sessionRow
	Loops    []project.LoopRow
	Rows     window // of the sessions
	First    bool
	Commands []string // of the first run
}

// sessionRow is a session of the list with its state in words.
type sessionRow struct {
	audit.Row
	Words string
}

// waitingRow is something that a person must decide. About is what it is about, and ID where it is.
type waitingRow struct {
	Link, What, About, ID string
	Rehearsal             bool
}

func (s *Server) home(r *http.Request) (*view, error) {
	ctx := r.Context()
	v := &view{Page: "home", Title: "Overview", Area: "home", Command: "brenner session list"}
	seen, err := s.seen(r)
	if err != nil {
		return nil, err
	}
	v.Seen = seen
	list, err := s.project.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	v.Document = list
	loops, err := s.project.Loops(ctx)
	if err != nil {
		return nil, err
	}
	stuck, err := s.project.Stalemates(ctx, false)
	if err != nil {
		return nil, err
	}
	page := &homePage{Loops: loops.Loops[:min(len(loops.Loops), maxRows)]}
	page.addLoops()
	page.Rows = windowOf(r, len(list.Sessions))
	for i := range list.Sessions[page.Rows.From:page.Rows.To] {
		row := s.marked(list.Sessions[page.Rows.From+i])
		ruled := 0 // conflicts that are stalemates: they are listed as such
		for j := range stuck.Stalemates {
			if one := &stuck.Stalemates[j]; one.Thread == row.Thread && one.Kind == stalemate.Conflict {
				ruled++
			}
		}
		page.add(&row, ruled)
	}
	for i := range stuck.Stalemates {
		row := &stuck.Stalemates[i]
		if page.ofLoop(row.Thread) {
			continue
		}
		one := waitingRow{Link: stalematePath(*row), What: "Stalemate about " + row.Place + " to rule on", ID: row.Thread}
		if i := slices.IndexFunc(list.Sessions, func(s audit.Row) bool { return s.Thread == row.Thread }); i >= 0 {
			one.About, one.Rehearsal = list.Sessions[i].Question, list.Sessions[i].Rehearsal
		}
		page.Waiting = append(page.Waiting, one)
	}
	slices.SortStableFunc(page.Waiting, func(a, b waitingRow) int { // real findings first
		switch {
		case a.Rehearsal == b.Rehearsal:
			return 0
		case a.Rehearsal:
			return 1
		}
		return -1
	})
	if page.First = len(list.Sessions)+len(page.Loops) == 0; page.First {
		page.Commands = firstCommands()
	}
	v.Data = page
	return v, nil
}

// addLoops lists the loops that need a person, with as many items as their reports have.
func (p *homePage) addLoops() {
	for i := range p.Loops {
		row := &p.Loops[i]
		one := waitingRow{Link: "/loops/" + url.PathEscape(row.Loop), ID: row.Loop, Rehearsal: row.Rehearsal}
		switch {
		case row.Attention > 0:
			one.Link += "/report"
			one.What = text.Plural(row.Attention, "item of a loop needs a person", "items of a loop need a person")
		case row.Phase == session.PhaseLeft:
			one.What = "A loop is not running, incomplete"
		case row.Phase == session.PhaseDamaged:
			one.What, one.About = "A loop is damaged", row.Problem
		default:
			continue
		}
		p.Waiting = append(p.Waiting, one)
	}
}

// ofLoop reports whether the report of a listed loop lists what a session needs.
func (p *homePage) ofLoop(thread string) bool {
	return slices.ContainsFunc(p.Loops, func(l project.LoopRow) bool {
		_, rest, ok := strings.Cut(thread, "-"+l.Loop+"-")
		return ok && l.Attention > 0 && len(thread)-len(rest) == len("RS-20060102-")+len(l.Loop)+1 && numbered.MatchString(rest)
	})
}

// numbered matches what follows the name of its loop in the id of a session.
var numbered = regexp.MustCompile(`^[0-9]{4,}[b-z]?$`)

// add sorts a session into the lists. So many of its conflicts are listed already.
func (p *homePage) add(row *audit.Row, listed int) {
	one := sessionRow{*row, row.Phase}
	switch row.Phase {
	case session.PhaseRunning:
		p.Running = append(p.Running, one)
		return
	case session.PhaseLeft:
		one.Words = "incomplete"
	case session.PhaseEnded:
		one.Words = audit.Ended(row.Task, row.Reason, string(row.Verdict))
	}
	p.Ended = append(p.Ended, one)
	waits := waitingRow{Link: "/sessions/" + row.Thread, About: row.Question, ID: row.Thread, Rehearsal: row.Rehearsal}
	switch {
	case p.ofLoop(row.Thread):
		return
	case row.Phase == session.PhaseLeft:
		waits.What = "A session is not running, incomplete"
	case row.Phase == session.PhaseDamaged:
		waits.What, waits.About = "A session is damaged", row.Problem
	case row.Reason == flow.EndQuorum, row.Reason == flow.EndLater, row.Reason == flow.EndInterrupted:
		waits.What = upper(one.Words)
	}
	if waits.What != "" {
		p.Waiting = append(p.Waiting, waits)
	}
	if n := row.Conflicts - listed; n > 0 {
		waits.Link, waits.What = waits.Link+"/conflicts", text.Count(n, "conflict")+" to decide"
		p.Waiting = append(p.Waiting, waits)
	}
}

// firstCommands returns the commands of a project without sessions: a rehearsal, and a session on a
// question.
func firstCommands() []string {
	return []string{
		"brenner session start --preset default-3-agent --via rehearsal",
		`brenner session start --preset default-3-agent --question "Why do cells age?" --via openai --base-url http://localhost:11434/v1 --model llama3.1`,
	}
}

// seen returns how many entries all journals have.
func (s *Server) seen(r *http.Request) (int, error) {
	st, err := s.project.OpenToRead(r.Context())
	if fault.CodeOf(err) == store.NoStore {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer s.project.CloseStore(st)
	streams, err := st.Streams(r.Context(), "")
	sum := 0
	for i := range streams {
		sum += streams[i].Head.Seq
	}
	return sum, err
}
