package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"brenner/internal/fault"
	"brenner/session"
)

// routes returns the pages and what their forms do.
func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", s.show(s.home))
	m.HandleFunc("GET /events", s.events)
	m.HandleFunc("GET /sessions/{id}", s.show(s.session))
	m.HandleFunc("POST /sessions/{id}/notes", s.change(s.note))
	m.HandleFunc("GET /sessions/{id}/artifact", s.show(s.artifact))
	m.HandleFunc("GET /sessions/{id}/artifact/{place}", s.show(s.blame))
	m.HandleFunc("GET /sessions/{id}/diff", s.show(s.diff))
	m.HandleFunc("GET /sessions/{id}/conflicts", s.show(s.conflicts))
	m.HandleFunc("POST /sessions/{id}/conflicts", s.changeOr(s.resolve, s.undecided))
	m.HandleFunc("GET /sessions/{id}/predictions", s.show(s.predictions))
	m.HandleFunc("GET /sessions/{id}/without/{agent}", s.show(s.without))
	m.HandleFunc("GET /sessions/{id}/trace", s.show(s.trace))
	m.HandleFunc("GET /sessions/{id}/trace/{call...}", s.show(s.call))
	m.HandleFunc("GET /sessions/{id}/proof", s.show(s.proof))
	m.HandleFunc("GET /sessions/{id}/export.html", s.exportPage)
	m.HandleFunc("GET /stalemates", s.show(s.stalemates))
	m.HandleFunc("GET /sessions/{id}/stalemates/{stalemate}", s.show(s.stalemate))
	m.HandleFunc("POST /sessions/{id}/stalemates/{stalemate}", s.changeOr(s.rule, s.unruled(s.stalemate)))
	m.HandleFunc("GET /stalemates/{stalemate}", s.show(s.recordStalemate))
	m.HandleFunc("POST /stalemates/{stalemate}", s.changeOr(s.ruleOnRecord, s.unruled(s.recordStalemate)))
	m.HandleFunc("GET /start", s.show(s.start))
	m.HandleFunc("POST /start", s.launch)
	m.HandleFunc("GET /loops/{name}", s.show(s.loop))
	m.HandleFunc("POST /loops/{name}", s.change(s.steer))
	m.HandleFunc("GET /loops/{name}/report", s.show(s.report))
	m.HandleFunc("GET /store", s.show(s.records))
	m.HandleFunc("GET /store/{id...}", s.show(s.record))
	m.HandleFunc("GET /playbook", s.show(s.playbook))
	m.HandleFunc("POST /playbook", s.change(s.judge))
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		read := r.Clone(r.Context())
		read.Method = http.MethodGet
		if whole := strings.TrimRight(r.URL.Path, "/"); whole != r.URL.Path && r.Method == http.MethodGet {
			read.URL.Path = whole
			if _, pattern := m.Handler(read); pattern != "/" {
				http.Redirect(w, r, (&url.URL{Path: whole, RawQuery: r.URL.RawQuery}).String(), http.StatusMovedPermanently)
				return
			}
		}
		if _, pattern := m.Handler(read); pattern != "/" {
			w.Header().Set("Allow", "GET, HEAD")
			s.refusePage(w, r, http.StatusMethodNotAllowed, "problem", http.StatusText(http.StatusMethodNotAllowed), "this page can only be read")
			return
		}
		s.fail(w, r, &fault.Error{Code: NoPage, Detail: "no page at " + fault.Shown(r.URL.Path), Hint: "the overview is at /"})
	})
	return m
}

// Codes of requests.
const (
	NoPage      fault.Code = "WEB_NO_PAGE"        // The page's server has no page at this address.
	ReadOnly    fault.Code = "WEB_READ_ONLY"      // The page's server was started with --read-only, or this person may only read.
	TooLarge    fault.Code = "WEB_FORM_TOO_LARGE" // A form of the page has more text than the server reads.
	NotOperator fault.Code = "WEB_NOT_OPERATOR"   // Only the project's operator may do this on the page.
)

func errReadOnly() error {
	return &fault.Error{Code: ReadOnly, Detail: "nothing may be changed here", Hint: "start `brenner serve` without --read-only"}
}

func parseForm(r *http.Request) error {
	err := r.ParseForm()
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return &fault.Error{
			Code: TooLarge, Detail: fmt.Sprintf("the form has more than %d bytes; nothing was changed", tooLarge.Limit), Hint: "go back, where your text still is, and shorten it",
		}
	}
	if err != nil {
		return &fault.Error{Code: fault.Usage, Detail: "the form cannot be read", Cause: err}
	}
	return nil
}

// change serves a form: it changes the journal and shows the page again.
func (s *Server) change(do func(*http.Request) (next string, err error)) http.HandlerFunc {
	return s.changeOr(do, s.fail)
}

// changeOr is change with another page for errors.
func (s *Server) changeOr(do func(*http.Request) (next string, err error), fail func(http.ResponseWriter, *http.Request, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next, err := "", s.checkWrite(r)
		if err == nil {
			err = parseForm(r)
		}
		if err == nil {
			next, err = do(r)
		}
		switch {
		case fault.CodeOf(err) == session.VersionMoved:
			s.moved(w, r, err)
		case err != nil:
			fail(w, r, err)
		default:
			http.Redirect(w, r, next, http.StatusSeeOther)
		}
	}
}
