package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/stalemate"
)

func (s *Server) stalemates(r *http.Request) (*view, error) {
	list, err := s.project.Stalemates(r.Context(), true)
	if err != nil {
		return nil, err
	}
	return &view{Page: "stalemates", Title: "Stalemates", Area: "stalemates", Command: "brenner stalemate list --all", Document: list, Data: list}, nil
}

// stalematePath returns the page of a stalemate.
func stalematePath(row audit.StalemateRow) string {
	if artifact.IsThreadID(row.Thread) {
		return "/sessions/" + row.Thread + "/stalemates/" + url.PathEscape(row.ID)
	}
	return "/stalemates/" + url.PathEscape(row.ID)
}

func (s *Server) stalemate(r *http.Request) (*view, error) {
	return s.withSession(r, "stalemate", func(ctx context.Context, _ *project.Source, h *session.History, v *view) error {
		found, err := audit.ShowStalemate(ctx, h, r.PathValue("stalemate"))
		if err != nil {
			return err
		}
		now, err := h.Artifact(ctx, h.State.Version())
		if err != nil {
			return err
		}
		v.showStalemate(found, found.Row.Waits && slices.Contains(session.Conflicts(&now), found.Row.Place))
		return nil
	})
}

func (v *view) showStalemate(found *audit.Stalemate, conflict bool) {
	v.Title, v.Area = "Stalemate about "+found.Row.Place, "stalemates"
	v.Command = text.CommandToCopy("brenner stalemate show", "ID STALEMATE", found.Row.Thread, found.Row.ID)
	v.Document, v.Data = found, stalematePage{Stalemate: found, Conflict: conflict}
}

// stalematePage is a stalemate, and the form of a ruling on it that was refused.
type stalematePage struct {
	*audit.Stalemate
	Conflict bool // its place is in conflict, too
	Problem  *problem
	form     url.Values
}

// Typed returns what the refused form contained.
func (p stalematePage) Typed(name string) string { return p.form.Get(name) }

// Chosen reports whether the refused form chose a position.
func (p stalematePage) Chosen(name string) bool { return p.form.Get("for") == name }

// Rejection returns why the refused form rejected a position.
func (p stalematePage) Rejection(i int) string { return p.form.Get("reject-" + strconv.Itoa(i)) }

// unruled returns a handler that shows the form of a ruling that was refused again, with what it
// contained.
func (s *Server) unruled(build func(*http.Request) (*view, error)) func(http.ResponseWriter, *http.Request, error) {
	return func(w http.ResponseWriter, r *http.Request, cause error) {
		v, err := build(r)
		page, ok := stalematePage{}, false
		if err == nil {
			page, ok = v.Data.(stalematePage)
		}
		if !ok || statusOf(cause) != http.StatusBadRequest {
			s.fail(w, r, cause)
			return
		}
		if !page.Row.Waits { // by another form, or by this one sent twice
			s.fail(w, r, movedSince("the stalemate"))
			return
		}
		page.Problem, page.form = problemOf(cause), r.PostForm
		v.Data, v.Status = page, http.StatusBadRequest
		s.render(w, r, v)
	}
}

// recordStalemate shows a stalemate about patches of a record or a file.
func (s *Server) recordStalemate(r *http.Request) (*view, error) {
	rs, about, err := s.findStalemate(r, false)
	if err != nil {
		return nil, err
	}
	defer s.project.CloseStore(rs.Store)
	v := &view{Page: "stalemate"}
	v.showStalemate(project.RecordStalemate(about), false)
	return v, nil
}

// findStalemate opens the records and returns a stalemate about one of them. The caller closes the store.
func (s *Server) findStalemate(r *http.Request, write bool) (*project.Records, *govern.Stalemate, error) {
	rs, err := s.project.OpenRecords(r.Context(), project.RecordsOptions{As: personOf(r), Write: write})
	if err != nil {
		return nil, nil, err
	}
	all, err := rs.Stalemates(r.Context(), "")
	for i := range all {
		if all[i].ID == r.PathValue("stalemate") {
			return rs, &all[i], nil
		}
	}
	s.project.CloseStore(rs.Store)
	if err == nil {
		err = &fault.Error{Code: session.NoStalemate, Detail: "no stalemate " + fault.Shown(r.PathValue("stalemate"))}
	}
	return nil, nil, err
}

// verdictOf returns the verdict of a form on a request.
func verdictOf(r *http.Request, asked *stalemate.Request) ([]byte, error) {
	v := stalemate.Verdict{For: r.PostFormValue("for"), RootCause: r.PostFormValue("cause")}
	var err error
	if v.Confidence, err = strconv.ParseFloat(r.PostFormValue("confidence"), 64); err != nil || !(v.Confidence >= 0 && v.Confidence <= 1) { // also rejects NaN
		return nil, &fault.Error{Code: fault.Usage, Detail: "the confidence is not a number from 0 to 1"}
	}
	for line := range strings.Lines(r.PostFormValue("reasons")) {
		if line = strings.TrimSpace(line); line != "" {
			v.Reasoning = append(v.Reasoning, line)
		}
	}
	for i, name := range asked.Names() {
		if why := strings.TrimSpace(r.PostFormValue("reject-" + strconv.Itoa(i))); name != v.For && why != "" {
			v.Rejected = append(v.Rejected, stalemate.Rejection{Hypothesis: name, Why: why})
		}
	}
	if value := r.PostFormValue("value"); value != "" {
		v.Value = stalemate.ValueOf(value)
	}
	return v.JSON(), nil
}

// rule rules on a stalemate of a session, or withdraws it.
func (s *Server) rule(r *http.Request) (string, error) {
	ctx, thread, id := r.Context(), r.PathValue("id"), r.PathValue("stalemate")
	ed, err := s.editor(r, thread)
	if err != nil {
		return "", err
	}
	defer s.project.CloseStore(ed.Store)
	h, err := session.Load(ctx, ed.Store, thread)
	if err != nil {
		return "", err
	}
	back := stalematePath(audit.StalemateRow{Thread: thread, ID: id})
	if seen := ed.Version; seen > 0 && seen != h.State.Version() {
		return "", &fault.Error{Code: session.VersionMoved, Detail: fmt.Sprintf("this was decided for version %d; the session is at version %d", seen, h.State.Version())}
	}
	if r.PostFormValue("do") == "withdraw" {
		_, err = ed.WithdrawStalemate(ctx, thread, id, r.PostFormValue("why"))
		return back, err
	}
	asked, err := h.Request(ctx, id)
	if err != nil {
		return "", err
	}
	verdict, err := verdictOf(r, &asked)
	if err != nil {
		return "", err
	}
	if h, _, err = ed.Rule(ctx, thread, id, verdict); err != nil {
		return "", err
	}
	s.publish(ctx, h)
	return back, nil
}

// ruleOnRecord rules on a stalemate about a record, or withdraws it.
func (s *Server) ruleOnRecord(r *http.Request) (string, error) {
	rs, about, err := s.findStalemate(r, true)
	if err != nil {
		return "", err
	}
	defer s.project.CloseStore(rs.Store)
	ctx, back := r.Context(), stalematePath(audit.StalemateRow{ID: about.ID})
	if r.PostFormValue("do") == "withdraw" {
		_, err = rs.Withdraw(ctx, rs.Actor, about.About.ID, about.ID, r.PostFormValue("why"))
		return back, err
	}
	verdict, err := verdictOf(r, &about.Request)
	if err == nil {
		_, err = rs.Rule(ctx, rs.Actor, about.About.ID, about.ID, verdict)
	}
	return back, err
}
