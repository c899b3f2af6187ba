package web

import (
	"context"
	"net/http"
	"slices"

	"brenner/internal/fault"
	"brenner/project"
	"brenner/project/launch"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// startPage is the form that starts a session. With a preview, the button starts what was estimated.
type startPage struct {
	launch.Choices
	launch.Session
	Preview *project.SessionPreview
	// NoWay is set if no agent of the preview can be reached: it cannot start.
	NoWay   bool
	Problem *problem
}

// start shows the form.
func (s *Server) start(r *http.Request) (*view, error) {
	if err := s.checkStart(r); err != nil {
		return nil, err
	}
	page := &startPage{Choices: s.choices()}
	page.Session.Question, page.Session.Rounds = page.Choices.Question, page.Choices.Rounds
	if !page.Roster && len(page.Presets) > 0 {
		page.Preset = s.project.Config.DefaultPreset
	}
	return startView(page), nil
}

func startView(page *startPage) *view {
	return &view{Page: "start", Title: "Start a session", Area: "home", Command: "brenner session start --estimate", Data: page}
}

// checkStart returns an error if a request may not start sessions.
func (s *Server) checkStart(r *http.Request) error {
	switch {
	case s.readOnly:
		return errReadOnly()
	case personOf(r) != s.project.Config.Operator:
		return &fault.Error{Code: NotOperator, Detail: "only " + s.project.Config.Operator + " may start sessions here", Hint: "ask the operator of this project"}
	}
	return nil
}

// launch estimates the session of the form, or starts it.
func (s *Server) launch(w http.ResponseWriter, r *http.Request) {
	err := s.checkStart(r)
	if err == nil {
		err = s.gone(r.Context()) // a session would begin another store
	}
	if err == nil {
		err = parseForm(r)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page := &startPage{Choices: s.choices(), Session: launch.Session{
		Question: r.PostFormValue("question"), Preset: r.PostFormValue("preset"), Rehearsal: r.PostFormValue("rehearsal") != "", Thread: r.PostFormValue("thread"),
	}}
	page.Session.Rounds, err = launch.Rounds(s.project, r.PostFormValue("rounds"))
	switch {
	case err != nil:
	case r.PostFormValue("do") == "start":
		// The run belongs to no request: it starts even if the browser leaves meanwhile.
		if err = s.startOnce(context.WithoutCancel(r.Context()), &page.Session); err == nil {
			http.Redirect(w, r, "/sessions/"+page.Thread, http.StatusSeeOther)
			return
		}
	default:
		page.Thread = ""
		if page.Preview, err = launch.Preview(r.Context(), s.project, &page.Session); err == nil {
			page.Thread = page.Preview.ThreadID
			page.NoWay = !slices.ContainsFunc(page.Preview.Parties, func(p flow.Party) bool { return p.Via != "" })
		}
	}
	v := startView(page)
	if err != nil {
		v.Status, page.Problem = statusOf(err), problemOf(err)
	}
	s.render(w, r, v)
}

// starting is a session that a form starts now.
type starting struct {
	launch.Session
	done chan struct{} // closed when err is set
	err  error
}

// startOnce starts a session, or waits for another request that starts the same one.
func (s *Server) startOnce(ctx context.Context, one *launch.Session) error {
	s.mu.Lock()
	now := s.starts[one.Thread]
	if now == nil {
		now = &starting{Session: *one, done: make(chan struct{})}
		s.starts[one.Thread] = now
		s.mu.Unlock()
		now.err = s.startNew(ctx, one)
		s.mu.Lock()
		delete(s.starts, one.Thread)
		s.mu.Unlock()
		close(now.done)
		return now.err
	}
	s.mu.Unlock()
	if now.Session != *one {
		return otherSession(one.Thread)
	}
	<-now.done
	return now.err
}

// startNew starts a session, unless it exists as the form would start it.
func (s *Server) startNew(ctx context.Context, one *launch.Session) error {
	there, err := s.project.Look(ctx, one.Thread)
	switch fault.CodeOf(err) {
	case session.NoSession, store.NoStore:
		return s.startSession(ctx, s.project, one)
	}
	if err != nil {
		return err
	}
	again := *one
	again.Thread = ""
	would, err := launch.Preview(ctx, s.project, &again)
	if err != nil {
		return err
	}
	same := func(a, b flow.Party) bool { return a.Name == b.Name && a.Role == b.Role }
	if would.Question != there.Question || one.Rehearsal != (there.Rehearsal != "") || would.Estimate.Rounds != there.Settings.Rounds || !slices.EqualFunc(would.Parties, there.Agents, same) {
		return otherSession(one.Thread)
	}
	return nil
}

func otherSession(thread string) error {
	return &fault.Error{
		Code: session.Exists, Detail: "the session " + thread + " exists, with another question, other agents or another number of rounds; nothing was started",
		Hint: "estimate again: the new session gets an id of its own",
	}
}
