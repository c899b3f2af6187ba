package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

// sessionHead is what every page of a session shows above its content.
type sessionHead struct {
	Thread    string
	Question  string
	Rehearsal bool
	Version   int
	Conflicts int
	Stuck     int
	Tab       string
	Agents    []string
}

func headOf(h *session.History, tab string) *sessionHead {
	st := h.State
	head := &sessionHead{Thread: h.Thread, Question: st.Opened.Question, Rehearsal: st.Opened.Rehearsal != "", Version: st.Version(), Tab: tab}
	if n := len(st.Commits); n > 0 {
		head.Conflicts = st.Commits[n-1].Outcome.Conflicts
	}
	for _, p := range st.Agents {
		head.Agents = append(head.Agents, p.Name)
	}
	return head
}

// tabTitles begin the titles of a session's pages.
var tabTitles = map[string]string{
	"artifact": "Artifact · ", "predictions": "Predictions · ", "conflicts": "Conflicts · ", "trace": "Calls · ", "proof": "Proof · ", "moved": "Moved on · ",
}

// withSession reads the session of a request and makes a page about it. Only thread ids name one:
// no request names a file.
func (s *Server) withSession(r *http.Request, tab string, build func(context.Context, *project.Source, *session.History, *view) error) (*view, error) {
	thread := r.PathValue("id")
	if err := kickoff.CheckThreadID(thread); err != nil {
		return nil, err
	}
	ctx := r.Context()
	st, err := s.project.OpenToRead(ctx)
	if err != nil {
		return nil, err
	}
	defer s.project.CloseStore(st)
	h, damage, err := session.LoadIntact(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	if damage != nil && r.URL.Query().Get("format") == "json" {
		return nil, damage // as the command
	}
	v := &view{
		Page: tab, Title: tabTitles[tab] + text.Clip(h.State.Opened.Question, 80), Session: headOf(h, tab),
		Stream: session.Prefix + thread, Seen: h.State.Head.Seq,
	}
	src := &project.Source{Store: st, Locks: st, Project: s.project, Address: session.Address{Thread: thread}}
	err = build(ctx, src, h, v)
	switch {
	case damage != nil:
		s.foundIn(thread, "", damage)
	case isDamage(err):
		s.foundIn(thread, shownAt(r), err)
	case err == nil:
		s.foundIn(thread, shownAt(r), nil)
	}
	switch {
	case err != nil && isDamage(err) && damage == nil && r.Method == http.MethodGet && r.URL.Query().Get("format") != "json":
		v.showRest(h, err)
		return v, nil
	case damage == nil:
		return v, err
	case err != nil:
		return nil, damage
	}
	v.Damage, v.Status, v.Stream = problemOf(damage), statusOf(damage), ""
	v.Damage.Hint = "This page shows the entries before it. Nothing can be changed."
	return v, nil
}

// sessionPage is the state of a session.
type sessionPage struct {
	*audit.Summary
	Headline string
	Rule     string
	Rounds   []int
	Rows     []agentRow
	Answers  []string // agents that are answering now
	Killed   []itemView
	Notes    []flow.Note
	Share    int // percent of the budget
	// NoteResume is the command that runs the next round, if it is not planned: without it no agent is
	// shown a note.
	NoteResume string
}

// agentRow is an agent and its outcome in each round.
type agentRow struct {
	audit.AgentSummary
	Cells []cell
}

// cell is an outcome as a symbol and words.
type cell struct{ Symbol, Word, Title, Class string }

func (s *Server) session(r *http.Request) (*view, error) {
	return s.withSession(r, "session", func(ctx context.Context, src *project.Source, h *session.History, v *view) error {
		sum, err := audit.Summarise(ctx, h, src.Locks, "")
		if err != nil {
			return err
		}
		s.project.ConfirmNext(sum, h.State)
		now, err := h.Artifact(ctx, sum.Version)
		if err != nil {
			return err
		}
		v.Command = text.CommandToCopy("brenner session status", "ID", h.Thread)
		v.Data = newSessionPage(sum, h.State, &now)
		if r.URL.Query().Get("format") == "json" {
			v.Document, err = src.Status(ctx, h)
		}
		return err
	})
}

func newSessionPage(sum *audit.Summary, st *flow.State, now *artifact.Artifact) *sessionPage {
	p := &sessionPage{Summary: sum, Headline: headline(sum), Rule: stopRule(&st.Settings), Notes: st.Notes}
	for i := range max(sum.Round, 1) {
		p.Rounds = append(p.Rounds, i+1)
	}
	for i := range sum.Agents {
		row := agentRow{AgentSummary: sum.Agents[i]}
		for _, round := range p.Rounds {
			row.Cells = append(row.Cells, outcomeCell(&row.AgentSummary, round, sum.Round))
		}
		if sum.Phase == session.PhaseRunning && row.State == string(flow.Begun) {
			p.Answers = append(p.Answers, row.Name)
		}
		p.Rows = append(p.Rows, row)
	}
	for _, section := range artifact.Sections() {
		for _, it := range now.Items(section) {
			if it.Kill != nil && len(p.Killed) < maxRows {
				p.Killed = append(p.Killed, itemView{ID: it.ID, Name: it.Text("name"), Kill: it.Kill})
			}
		}
	}
	p.NoteResume = audit.ResumeForNote(st)
	if sum.Budget > 0 {
		p.Share = min(100, 100*sum.Spent/sum.Budget)
	}
	return p
}

func headline(s *audit.Summary) string {
	switch s.Phase {
	case session.PhaseRunning:
		return fmt.Sprintf("running, round %d of %d", s.Round, s.Rounds)
	case session.PhaseLeft:
		return fmt.Sprintf("not running, incomplete in round %d of %d", s.Round, s.Rounds)
	}
	return audit.Ended(s.Task, s.Reason, string(s.Verdict))
}

// stopRule says what will end the session.
func stopRule(s *flow.Settings) string {
	rule := "after " + text.Count(s.Rounds, "round")
	if s.QuietAfter > 0 {
		rule += ", after " + text.Count(s.QuietAfter, "round") + " without changes"
	}
	if s.WhenClean {
		rule += ", when lint finds nothing"
	}
	if s.Budget > 0 {
		rule += ", or at " + thousands(s.Budget) + " tokens"
	}
	return rule
}

// outcomeCell shows what an agent came to in a round.
func outcomeCell(a *audit.AgentSummary, round, current int) cell {
	for _, o := range a.Outcomes {
		if o.Round != round {
			continue
		}
		c := cell{Symbol: "–", Word: words(o.Outcome), Title: o.Reason, Class: "quiet"}
		switch o.Outcome {
		case flow.Contributed:
			c.Symbol, c.Class = "●", "good"
			c.Title = text.Count(o.Applied, "delta") + " applied, " + fmt.Sprint(o.Rejected) + " rejected"
		case flow.NoChanges:
			c.Symbol = "○"
		case flow.NoReply, flow.Unreadable, flow.Refused, flow.ReplyCut, flow.ProseOnly:
			c.Symbol, c.Class = "✕", "bad"
		}
		return c
	}
	if round == current && a.State == string(flow.Begun) {
		return cell{Symbol: "◌", Word: "answering", Class: "now"}
	}
	if round == current && a.Problem != "" {
		return cell{Symbol: "✕", Word: "failed", Title: a.Problem, Class: "bad"}
	}
	if round == current {
		return cell{Symbol: "·", Word: words(cmp.Or(a.State, "waiting")), Class: "quiet"}
	}
	return cell{Symbol: "·", Word: "not asked", Class: "quiet"}
}

func words(s string) string {
	out := []rune(s)
	for i := range out {
		if out[i] == '_' {
			out[i] = ' '
		}
	}
	return string(out)
}

// note leaves a note for the agents.
func (s *Server) note(r *http.Request) (string, error) {
	thread := r.PathValue("id")
	ed, err := s.editor(r, thread)
	if err != nil {
		return "", err
	}
	defer s.project.CloseStore(ed.Store)
	_, err = ed.NoteOnce(r.Context(), thread, r.PostFormValue("text"), number(r.PostFormValue("notes")))
	return "/sessions/" + url.PathEscape(thread) + "#notes", err
}

// editor opens a session for the person's changes to the version that the form shows.
func (s *Server) editor(r *http.Request, thread string) (*session.Editor, error) {
	if err := kickoff.CheckThreadID(thread); err != nil {
		return nil, err
	}
	ed, err := s.project.OpenEditor(r.Context(), thread, personOf(r))
	if err == nil {
		ed.Version = number(r.PostFormValue("version"))
	}
	return ed, err
}

// conflictsPage is the open conflicts of a session.
type conflictsPage struct {
	*audit.ConflictList
	Open    []openConflict
	Past    []audit.Decision
	Made    *audit.VersionSummary // the version that the last decision made
	Decided *fieldView            // what it decided; nil if that is not known
}

// openConflict is a conflict and the item that it is in.
type openConflict struct {
	audit.OpenConflict
	Field string // its title
	Item  itemView
	// Stalemate is the page of the stalemate about it, or "".
	Stalemate string
	// Problem is why a decision was refused, and the rest what its form contained.
	Problem          *problem
	Take, Value, Why string
}

func openConflicts(list *audit.ConflictList, now *artifact.Artifact, stuck []flow.Stalemate) []openConflict {
	var all []openConflict
	for _, c := range list.Conflicts {
		id, field, _ := strings.Cut(c.Place, ".")
		one := openConflict{OpenConflict: c}
		if i := slices.IndexFunc(stuck, func(s flow.Stalemate) bool { return s.Place == c.Place }); i >= 0 {
			one.Stalemate = stalematePath(audit.StalemateRow{Thread: list.Thread, ID: stuck[i].ID})
		}
		if it, section, ok := now.Find(id); ok {
			one.Item, one.Field = viewOf(it, section.Spec()), titleOf(section.Spec(), field)
		}
		all = append(all, one)
	}
	return all
}

// undecided shows the form of a decision that was refused again, with what it contained.
func (s *Server) undecided(w http.ResponseWriter, r *http.Request, cause error) {
	v, err := s.conflicts(r)
	if err == nil && statusOf(cause) == http.StatusBadRequest {
		page, _ := v.Data.(conflictsPage)
		for i := range page.Open {
			if c := &page.Open[i]; c.Place == r.PostFormValue("place") {
				c.Problem, c.Take, c.Value, c.Why = problemOf(cause), r.PostFormValue("take"), r.PostFormValue("value"), r.PostFormValue("why")
				v.Status = http.StatusBadRequest
				s.render(w, r, v)
				return
			}
		}
	}
	s.fail(w, r, cause)
}

func (s *Server) conflicts(r *http.Request) (*view, error) {
	return s.withSession(r, "conflicts", func(ctx context.Context, src *project.Source, h *session.History, v *view) error {
		list, err := audit.OpenConflicts(ctx, h, "")
		if err != nil {
			return err
		}
		now, err := h.Artifact(ctx, list.Version)
		if err != nil {
			return err
		}
		page := conflictsPage{ConflictList: list, Open: openConflicts(list, &now, h.State.OpenStalemates())}
		if page.Past, err = audit.Decisions(ctx, h); err != nil {
			return err
		}
		if made := number(r.URL.Query().Get("made")); made > 0 && made == h.State.Version() {
			page.Made, err = versionOf(ctx, src, h, made)
			page.Decided = fieldAt(&now, r.URL.Query().Get("place"))
		}
		v.Command, v.Document, v.Data = text.CommandToCopy("brenner session resolve", "ID", h.Thread), list, page
		return err
	})
}

// fieldAt returns the field of a place, or nil.
func fieldAt(now *artifact.Artifact, place string) *fieldView {
	parts := strings.SplitN(place, ".", 3)
	it, section, ok := now.Find(parts[0])
	if !ok || len(parts) < 2 {
		return nil
	}
	fields := viewOf(it, section.Spec()).Fields
	i := slices.IndexFunc(fields, func(f fieldView) bool { return f.Place == parts[0]+"."+parts[1] })
	if i < 0 {
		return nil
	}
	return &fields[i]
}

func versionOf(ctx context.Context, src *project.Source, h *session.History, version int) (*audit.VersionSummary, error) {
	sum, err := audit.Summarise(ctx, h, src.Locks, "")
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(sum.Versions, func(v audit.VersionSummary) bool { return v.Version == version })
	if i < 0 {
		return nil, nil //nolint:nilnil // there is none to show
	}
	return &sum.Versions[i], nil
}

// resolve takes a candidate of a conflict, or writes another value.
func (s *Server) resolve(r *http.Request) (string, error) {
	thread, place, why := r.PathValue("id"), r.PostFormValue("place"), r.PostFormValue("why")
	ed, err := s.editor(r, thread)
	if err != nil {
		return "", err
	}
	defer s.project.CloseStore(ed.Store)
	if ed.Version == 0 {
		return "", &fault.Error{Code: fault.Usage, Detail: "the form does not say which version it is for", Hint: "open the page again"}
	}
	ctx := r.Context()
	var h *session.History
	if take := r.PostFormValue("take"); take != "" && take != "other" {
		h, _, err = ed.Resolve(ctx, thread, place, take, why)
	} else {
		if strings.TrimSpace(r.PostFormValue("value")) == "" {
			return "", &fault.Error{Code: fault.Usage, Detail: "nothing is decided yet", Hint: "choose a value, or write another one"}
		}
		if _, err := conflictAt(ctx, ed, thread, place); err != nil {
			return "", err
		}
		delta, editErr := session.EditDelta(place, r.PostFormValue("value"), cmp.Or(why, "conflict resolved with another value"))
		if editErr != nil {
			return "", editErr
		}
		h, _, err = ed.ApplyByHand(ctx, thread, delta)
	}
	if err != nil {
		return "", err
	}
	s.publish(ctx, h)
	return fmt.Sprintf("/sessions/%s/conflicts?made=%d&place=%s", url.PathEscape(thread), h.State.Version(), url.QueryEscape(place)), nil
}

// publish rewrites the files of a new version. The version is stored already.
func (s *Server) publish(ctx context.Context, h *session.History) {
	if _, err := s.project.Publish(ctx, h); err != nil {
		s.project.Log.Error().Err(err).Msg("version stored, but writing its files failed")
	}
}

// conflictAt returns an error if a place of the version that the form shows is not in conflict.
func conflictAt(ctx context.Context, ed *session.Editor, thread, place string) (any, error) {
	h, err := session.Load(ctx, ed.Store, thread)
	if err != nil {
		return nil, err
	}
	if ed.Version != h.State.Version() {
		return nil, nil //nolint:nilnil // the write reports it
	}
	now, err := h.Artifact(ctx, ed.Version)
	if err != nil {
		return nil, err
	}
	return session.ConflictAt(&now, place)
}

// movedPage is what changed since a form was shown.
type movedPage struct {
	Problem  string
	Back     string
	Versions []audit.VersionSummary
	Typed    []string // texts of the form
}

// moved shows what changed since a form was shown.
func (s *Server) moved(w http.ResponseWriter, r *http.Request, cause error) {
	v, err := s.withSession(r, "moved", func(ctx context.Context, src *project.Source, h *session.History, v *view) error {
		sum, err := audit.Summarise(ctx, h, src.Locks, "")
		if err != nil {
			return err
		}
		page := movedPage{Problem: cause.Error(), Back: r.URL.Path, Typed: typed(r)}
		for _, made := range sum.Versions {
			if made.Version > number(r.PostFormValue("version")) {
				page.Versions = append(page.Versions, made)
			}
		}
		v.Data, v.Status, v.Stream = page, http.StatusConflict, ""
		return nil
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.render(w, r, v)
}
