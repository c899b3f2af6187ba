package web

import (
	"context"
	"net/http"

	"brenner/internal/text"
	"brenner/project"
	"brenner/project/review"
	"brenner/session"
	"brenner/session/audit"
)

// tracePage is a part of a session's calls.
type tracePage struct {
	audit.CallList
	Rows window
}

func (s *Server) trace(r *http.Request) (*view, error) {
	return s.withSession(r, "trace", func(_ context.Context, _ *project.Source, h *session.History, v *view) error {
		list := audit.ListCalls(h)
		page := tracePage{*list, windowOf(r, len(list.Calls))}
		page.Calls = page.Calls[page.Rows.From:page.Rows.To]
		v.Command, v.Document, v.Data = text.CommandToCopy("brenner trace list", "ID", h.Thread), list, page
		return nil
	})
}

// call shows one call: what was sent, what came back, and what it changed.
func (s *Server) call(r *http.Request) (*view, error) {
	return s.withSession(r, "call", func(ctx context.Context, _ *project.Source, h *session.History, v *view) error {
		id := h.Thread + "/" + r.PathValue("call")
		q := audit.CallQuery{ID: id}
		if r.URL.Query().Get("format") != "json" {
			q.Prompt, q.Reply = true, true
		}
		found, err := audit.TraceCall(ctx, h, &q)
		if err != nil && q.Reply { // a call without a reply
			q.Reply = false
			found, err = audit.TraceCall(ctx, h, &q)
		}
		if err != nil {
			return err
		}
		v.Session.Tab = "trace"
		v.Title = found.Call.Agent + ", a call"
		v.Command, v.Document, v.Data = text.CommandToCopy("brenner trace show", "CALL", id), found, found
		return nil
	})
}

// exportPage sends the session as one file that verifies itself in a browser.
func (s *Server) exportPage(w http.ResponseWriter, r *http.Request) {
	var x *audit.Export
	v, err := s.withSession(r, "proof", func(ctx context.Context, _ *project.Source, h *session.History, _ *view) (err error) {
		x, err = audit.ExportPage(ctx, h)
		return err
	})
	switch {
	case err != nil:
		s.fail(w, r, err)
		return
	case v.Damage != nil:
		v.Page, v.Data = "problem", v.Damage
		s.render(w, r, v)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+x.Thread+`.html"`)
	_, _ = w.Write(x.Data) // the client may be gone
}

// proof verifies a session. It reads everything, so it is made on request only.
func (s *Server) proof(r *http.Request) (*view, error) {
	return s.withSession(r, "proof", func(ctx context.Context, src *project.Source, h *session.History, v *view) error {
		v.Command = text.CommandToCopy("brenner verify", "ID", h.Thread)
		if !r.URL.Query().Has("verify") && r.URL.Query().Get("format") != "json" {
			v.Data = &review.Verification{}
			return nil
		}
		found, err := review.VerifySession(ctx, src, "")
		if err != nil {
			return err
		}
		v.Document, v.Data = found, found
		return nil
	})
}
