package web

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
	"brenner/project/lessons"
	"brenner/session"
	"brenner/store"
	"brenner/store/record"
)

// Moved is the code of a form that was made for an older state.
const Moved fault.Code = "WEB_MOVED" // The form was made for an older state of what it would change; nothing was changed.

func movedSince(what string) error {
	return &fault.Error{Code: Moved, Detail: what + " has changed since the page was made; nothing was changed", Hint: "open the page again and decide again"}
}

// loopState describes a loop in words.
func loopState(phase, reason string) string {
	switch {
	case reason != "":
		return report.Ending(reason)
	case phase == session.PhaseLeft:
		return "not running, incomplete"
	}
	return words(phase)
}

// sessionState describes a session of a loop in words.
func sessionState(s *project.LoopSession, ended bool) string {
	return report.Status(loop.Status(s.Status), s.Thread != "", ended, !s.Nothing && s.Silent > 0)
}

func (s *Server) loop(r *http.Request) (*view, error) {
	name := r.PathValue("name")
	sum, err := s.project.LoopStatus(r.Context(), name)
	if err != nil {
		return nil, err
	}
	return &view{
		Page: "loop", Title: "Loop " + name, Area: "home", Command: text.CommandToCopy("brenner loop status", "NAME", name),
		Stream: "loop/" + name, Seen: sum.Entries, Document: sum, Data: loopPage{sum, s.opened(r)},
	}, nil
}

// loopPage is a loop, and which of its sessions can be opened: one that failed at once has an id only.
type loopPage struct {
	*project.LoopSummary
	Opened map[string]bool
}

// opened returns the sessions that exist.
func (s *Server) opened(r *http.Request) map[string]bool {
	all := make(map[string]bool)
	for _, id := range s.project.SessionIDs(r.Context()) {
		all[id] = true
	}
	return all
}

// steer pauses, continues or stops a loop that is still in the phase that the page showed.
func (s *Server) steer(r *http.Request) (string, error) {
	ctx, name := r.Context(), r.PathValue("name")
	sum, err := s.project.LoopStatus(ctx, name)
	if err != nil {
		return "", err
	}
	if sum.Phase != r.PostFormValue("phase") {
		return "", movedSince("the loop")
	}
	focus := "" // a script focuses the button that undoes it
	switch r.PostFormValue("do") {
	case "pause":
		focus = "#do-continue"
		_, err = s.project.PauseLoop(ctx, name)
	case "continue":
		focus = "#do-pause"
		_, err = s.project.UnpauseLoop(ctx, name)
	case "stop":
		_, err = s.project.StopLoop(ctx, name)
	default:
		err = &fault.Error{Code: fault.Usage, Detail: "a loop can be paused, continued or stopped"}
	}
	return "/loops/" + url.PathEscape(name) + focus, err
}

// reportPage is a report, and its text as HTML.
type reportPage struct {
	*report.Report
	HTML   template.HTML
	Opened map[string]bool
}

func (s *Server) report(r *http.Request) (*view, error) {
	name := r.PathValue("name")
	rep, err := s.project.LoopReport(r.Context(), name)
	if err != nil {
		return nil, err
	}
	opened := s.opened(r)
	return &view{
		Page: "report", Title: "Report of " + name, Area: "home", Command: text.CommandToCopy("brenner loop report", "NAME", name),
		Document: rep, Data: newReportPage(s.pages.text.rendered(rep.Markdown()), rep, opened),
	}, nil
}

// newReportPage makes a page of a rendered report.
func newReportPage(page template.HTML, rep *report.Report, opened map[string]bool) reportPage {
	p := reportPage{Report: rep, HTML: linked(page, rep, opened), Opened: make(map[string]bool)}
	for i := range rep.Sessions {
		if id := rep.Sessions[i].Session; opened[id] {
			p.Opened[id] = true
		}
	}
	return p
}

var (
	// mark matches a tag of rendered text, instant an instant in it, and figure a cell with a large number.
	mark    = regexp.MustCompile(`<[^>]*>`)
	instant = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z`)
	figure  = regexp.MustCompile(`^[0-9]{4,}$`)
)

// linked shows dates and numbers as other pages do, and makes the ids of a report's sessions links if they can be opened, where they are not part of a
// link or of a command.
func linked(page template.HTML, rep *report.Report, opened map[string]bool) template.HTML {
	var ids, pairs []string
	for i := range rep.Sessions {
		if id := rep.Sessions[i].Session; opened[id] && artifact.IsThreadID(id) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return len(b) - len(a) }) // one may begin as another does
	for _, id := range ids {
		pairs = append(pairs, id, `<a href="/sessions/`+id+`">`+id+`</a>`)
	}
	links, inside := strings.NewReplacer(pairs...), 0
	var b strings.Builder
	last := 0
	add := func(text string) {
		if n, err := strconv.Atoi(text); err == nil && inside == 0 && figure.MatchString(text) {
			text = thousands(n)
		}
		if inside == 0 {
			text = instant.ReplaceAllStringFunc(links.Replace(text), func(at string) string { return string(moment(at)) })
		}
		b.WriteString(text)
	}
	for _, at := range mark.FindAllStringIndex(string(page), -1) {
		add(string(page[last:at[0]]))
		tag := string(page[at[0]:at[1]])
		switch {
		case strings.HasPrefix(tag, "<code"), strings.HasPrefix(tag, "<a "), tag == "<pre>":
			inside++
		case tag == "</code>", tag == "</a>", tag == "</pre>":
			inside--
		}
		b.WriteString(tag)
		last = at[1]
	}
	add(string(page[last:]))
	return template.HTML(b.String()) //nolint:gosec // ids of sessions need no escaping
}

// storePage is a list of records and what it can be narrowed to.
type storePage struct {
	*govern.RecordList
	Type, Module, Status string
	From                 int
	More                 string // address of the next records, or ""
}

func (s *Server) records(r *http.Request) (*view, error) {
	q := r.URL.Query()
	o := govern.ListOptions{Type: q.Get("type"), Module: q.Get("module"), Status: q.Get("status"), Most: maxRows, Skip: min(number(q.Get("after")), 1<<20)}
	list := &govern.RecordList{}
	rs, err := s.project.OpenRecords(r.Context(), project.RecordsOptions{})
	if err == nil {
		defer s.project.CloseStore(rs.Store)
		list, err = rs.List(r.Context(), o)
	}
	if err != nil && fault.CodeOf(err) != store.NoStore {
		return nil, err
	}
	page := storePage{RecordList: list, Type: o.Type, Module: o.Module, Status: o.Status, From: o.Skip}
	if list.More {
		q.Set("after", strconv.Itoa(o.Skip+maxRows))
		page.More = "?" + q.Encode()
	}
	return &view{Page: "store", Title: "Records", Area: "store", Command: "brenner store log", Document: list, Data: page}, nil
}

// recordPage is a version of a record with its history and what it rests on.
type recordPage struct {
	*govern.RecordText
	History *govern.History
	Lineage *govern.Lineage
	Drawing template.HTML // of the lineage
}

func (s *Server) record(r *http.Request) (*view, error) {
	ctx, address := r.Context(), r.PathValue("id")
	rs, err := s.project.OpenRecords(ctx, project.RecordsOptions{})
	if err != nil {
		return nil, err
	}
	defer s.project.CloseStore(rs.Store)
	page := recordPage{}
	if page.RecordText, err = rs.Show(ctx, rs.Actor, address); err != nil {
		return nil, err
	}
	if page.History, err = rs.Records.History(ctx, page.Record.ID); err != nil {
		return nil, err
	}
	const depth = 3
	at := fmt.Sprintf("%s@v%d", page.Record.ID, page.Record.Version)
	if page.Lineage, err = rs.Lineage(ctx, at, true, false, depth); err != nil {
		return nil, err
	}
	page.Drawing = template.HTML(page.Lineage.Drawing(func(ref record.Ref) string { return "/store/" + (&url.URL{Path: ref.String()}).EscapedPath() })) //nolint:gosec // it escapes its texts
	return &view{
		Page: "record", Title: page.Record.ID, Area: "store", Command: text.CommandToCopy("brenner store show", "ADDRESS", address),
		Document: page.RecordText, Data: page,
	}, nil
}

// playbookPage is the lessons, those first that wait for a review, and what happened to them.
type playbookPage struct {
	Bullets []*playbook.Bullet
	Waiting int // how many of them wait
	Past    *keeper.History
	Head    string
}

func (s *Server) playbook(r *http.Request) (*view, error) {
	book, err := lessons.Open(r.Context(), s.project)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	list, err := book.List(r.Context(), keeper.ListOptions{})
	if err != nil {
		return nil, err
	}
	past, err := book.History(r.Context(), keeper.HistoryOptions{Limit: maxRows})
	if err != nil {
		return nil, err
	}
	slices.Reverse(past.Entries) // newest first
	page := playbookPage{Past: past, Head: list.Head}
	for _, waits := range []bool{true, false} {
		for _, b := range list.Bullets {
			if (b.Review == playbook.Waiting) == waits {
				page.Bullets = append(page.Bullets, b)
			}
		}
		if waits {
			page.Waiting = len(page.Bullets)
		}
	}
	return &view{
		Page: "playbook", Title: "Playbook", Area: "playbook", Command: "brenner playbook list", Stream: playbook.Stream, Seen: book.Head().Seq, Document: list, Data: page,
	}, nil
}

// judge approves or retires a lesson of the playbook that the page showed.
func (s *Server) judge(r *http.Request) (string, error) {
	ctx := r.Context()
	book, err := lessons.Change(ctx, s.project)
	if err != nil {
		return "", err
	}
	defer book.Close()
	if book.Head().Hash != r.PostFormValue("head") {
		return "", movedSince("the playbook")
	}
	act, err := book.Act(personOf(r), r.PostFormValue("reason"))
	if err != nil {
		return "", err
	}
	var did string
	var decide func(*playbook.Draft, string) error
	switch r.PostFormValue("do") {
	case "approve":
		did, decide = "approved", func(d *playbook.Draft, id string) error { return d.Review(id, true) }
	case "retire":
		did, decide = "quarantined", (*playbook.Draft).Quarantine
	default:
		return "", &fault.Error{Code: fault.Usage, Detail: "a lesson can be approved or retired"}
	}
	_, err = book.Each(ctx, act, did, []string{r.PostFormValue("id")}, decide)
	return "/playbook", err
}
