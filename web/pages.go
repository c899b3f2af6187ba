package web

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/loop/runner"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
)

//go:embed templates
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

// pages are the parsed templates by the name of their page, and the files beside them.
type pages struct {
	byName map[string]*template.Template
	text   markdown
	assets map[string]string // hash of each file's content
}

func parsePages() (*pages, error) {
	p := &pages{text: newMarkdown(), byName: make(map[string]*template.Template), assets: make(map[string]string)}
	entries, err := staticFiles.ReadDir("static")
	for _, e := range entries {
		data, readErr := staticFiles.ReadFile("static/" + e.Name())
		if readErr != nil {
			err = readErr
		}
		p.assets[e.Name()] = store.Hash(data)
	}
	if err != nil {
		return nil, unparsed(err)
	}
	shared, err := template.New("shared").Funcs(p.functions()).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html")
	if err != nil {
		return nil, unparsed(err)
	}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name == "layout" || name == "parts" || err != nil {
			continue
		}
		var t *template.Template
		if t, err = shared.Clone(); err == nil {
			p.byName[name], err = t.ParseFS(templateFiles, file)
		}
	}
	return p, unparsed(err)
}

// Unparsed is the code of a page that this program cannot make: a mistake of the program.
const Unparsed fault.Code = "WEB_PAGE_FAILED" // A page could not be made; this is a mistake of the program.

func unparsed(err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{Code: Unparsed, Op: "make the page", Cause: err, Hint: "please report this"}
}

func (p *pages) functions() template.FuncMap {
	return template.FuncMap{
		"asset":  func(name string) string { return "/static/" + name + "?" + text.FirstBytes(p.assets[name], 12) },
		"count":  text.Count,
		"plural": text.Plural,
		"clip":   text.Clip,
		"short":  func(hash string) string { return text.FirstBytes(hash, 12) },
		"words":  func(s any) string { return strings.ReplaceAll(fmt.Sprint(s), "_", " ") },
		"prose": func(s any) template.HTML {
			if t, ok := s.(*string); ok {
				return p.text.prose(*t)
			}
			return p.text.prose(fmt.Sprint(s))
		},
		"moment":    moment,
		"thousand":  thousands,
		"money":     money,
		"add":       func(a, b int) int { return a + b },
		"max":       func(a, b int) int { return max(a, b) },
		"join":      strings.Join,
		"seconds":   func(ms int) string { return fmt.Sprintf("%.1f", float64(ms)/1000) },
		"callpath":  callPath,
		"loopstate": loopState, "sessionstate": sessionState,
		"sessionid": artifact.IsThreadID, "stalematepath": stalematePath,
		"isjson": func(s string) bool { return strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") },
	}
}

// static serves a file beside the pages. Its address has the hash of its content.
func (p *pages) static(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/static/")
	if _, ok := p.assets[name]; !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeFileFS(w, r, staticFiles, "static/"+name)
}

// view is what a page shows.
type view struct {
	Page    string // name of the template
	Title   string
	Command string // prints the same in a terminal
	Area    string // of the navigation
	// Stream is what the page follows, and Seen how many entries of it the page shows.
	Stream string
	Seen   int
	// Damage is why a page shows only a part of a session.
	Damage *problem
	// Session is set on pages about a session.
	Session *sessionHead
	// Document is what the command prints with --json; nil if there is none.
	Document any
	Data     any
	Status   int // of the response; 0 is 200

	// Set for all pages:
	Project  string // name of its directory
	Person   string
	MayStart bool
	ReadOnly bool
	Path     string
	Notice   bool   // it says when its stream has moved on, as it has no part that follows it
	JSON     string // address of the document
}

// show serves a page: as HTML, as one of its parts, or as the document of its command.
func (s *Server) show(build func(*http.Request) (*view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := build(r)
		if err != nil || v.Session == nil {
			if gone := s.gone(r.Context()); gone != nil {
				err = gone
			}
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		switch {
		case r.URL.Query().Get("format") != "json":
			s.render(w, r, v)
		case v.Document == nil:
			s.fail(w, r, &fault.Error{Code: NoPage, Detail: r.URL.Path + " is a form, and has no JSON"})
		default:
			s.writeJSON(w, http.StatusOK, v.Document)
		}
	}
}

func (s *Server) writeJSON(w http.ResponseWriter, status int, document any) {
	data, err := json.Marshal(document, json.Deterministic(true), jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"schema":"brenner.error/v1"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client may be gone
}

// render writes a page, or the part of it that a script asks for.
func (s *Server) render(w http.ResponseWriter, r *http.Request, v *view) {
	v.Project, v.Person, v.ReadOnly, v.Path = path.Base(s.project.Config.Project.Dir), personOf(r), s.checkWrite(r) != nil || v.Damage != nil, r.URL.Path
	v.MayStart = s.checkStart(r) == nil
	q := r.URL.Query()
	q.Set("format", "json")
	v.JSON = "?" + q.Encode()
	t, part := s.pages.byName[v.Page], "layout"
	if name := r.URL.Query().Get("part"); name == "live" && t.Lookup(name) != nil {
		part = name
	}
	v.Notice = v.Stream != "" && t.Lookup("live") == nil
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, part, v); err != nil {
		s.project.Log.Error().Err(err).Str("page", v.Page).Msg("cannot make the page")
		http.Error(w, "the page could not be made; the log says why (brenner serve -v)", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if v.Status != 0 {
		w.WriteHeader(v.Status)
	}
	_, _ = w.Write(visible(b.Bytes())) // the client may be gone
}

// visible replaces invisible characters, which could change what a reader sees, by their numbers.
func visible(page []byte) []byte {
	hidden := func(r rune) bool { return r != '\n' && r != '\t' && text.Hidden(r) }
	if !bytes.ContainsFunc(page, hidden) {
		return page
	}
	var b bytes.Buffer
	for _, r := range string(page) {
		if hidden(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// failure is an error as commands print it.
type failure struct {
	Schema string         `json:"schema"`
	Error  fault.Detail   `json:"error"`
	Also   []fault.Detail `json:"also"`
}

func failureOf(err error) *failure {
	all := fault.Distinct(err)
	f := &failure{Schema: "brenner.error/v1", Error: fault.DetailOf(all[0])}
	for _, e := range all[1:] {
		f.Also = append(f.Also, fault.DetailOf(e))
	}
	return f
}

// problem is what the error page shows.
type problem struct {
	Title string
	Texts []string
	Hint  string
	Code  fault.Code
	Typed []string // texts of the form that was refused
}

// typed returns the texts of a form that was refused, so that they are not lost.
func typed(r *http.Request) []string {
	var all []string
	for _, name := range []string{"text", "question", "value", "why", "cause", "reasons", "reason", "reject-0", "reject-1", "reject-2", "reject-3"} {
		if s := strings.TrimSpace(r.PostForm.Get(name)); s != "" {
			all = append(all, s)
		}
	}
	return all
}

func problemOf(err error) *problem {
	p := &problem{Title: titleOfProblem(err), Code: fault.CodeOf(err), Hint: fault.HintOf(err)}
	for _, f := range fault.Distinct(err) {
		p.Texts = append(p.Texts, f.Error())
	}
	return p
}

// titleOfProblem says what happened, in the words of people.
func titleOfProblem(err error) string {
	if fault.CodeOf(err) == StoreGone {
		return "The store is gone"
	}
	switch statusOf(err) {
	case http.StatusNotFound:
		return "Not found"
	case http.StatusConflict:
		return "Not done: it has changed"
	case http.StatusForbidden:
		return "Not allowed"
	case http.StatusServiceUnavailable:
		return "Not possible now"
	case http.StatusInternalServerError:
		return "This cannot be read"
	case http.StatusRequestEntityTooLarge:
		return "Too much text"
	}
	return "Not done"
}

// fail shows an error.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	if fault.CodeOf(err) == store.NoStore {
		err = cmp.Or(s.gone(r.Context()), err)
	}
	status := statusOf(err)
	if r.URL.Query().Get("format") == "json" {
		s.writeJSON(w, status, failureOf(err))
		return
	}
	p := problemOf(err)
	p.Typed = typed(r)
	s.render(w, r, &view{Page: "problem", Title: p.Title, Data: p, Status: status, Session: s.around(r)})
}

// around returns the head of the session in which a request failed, or nil.
func (s *Server) around(r *http.Request) *sessionHead {
	if !strings.HasPrefix(r.URL.Path, "/sessions/") || !artifact.IsThreadID(r.PathValue("id")) {
		return nil
	}
	st, err := s.project.OpenToRead(r.Context())
	if err != nil {
		return nil
	}
	defer s.project.CloseStore(st)
	h, err := session.Load(r.Context(), st, r.PathValue("id"))
	if err != nil {
		return nil
	}
	return headOf(h, "")
}

// refusePage shows a refusal.
func (s *Server) refusePage(w http.ResponseWriter, r *http.Request, status int, page, title, hint string) {
	s.render(w, r, &view{Page: page, Title: title, Data: problem{Title: title, Hint: hint}, Status: status})
}

// statusOf returns the HTTP status of an error.
func statusOf(err error) int {
	switch fault.CodeOf(err) {
	case session.NoSession, session.NoVersion, store.NoRecord, store.NoStore, runner.NoLoop, audit.NotFound, kickoff.InvalidThreadID, session.NoStalemate, NoPage:
		return http.StatusNotFound
	case Moved, session.Exists:
		return http.StatusConflict
	case store.Unsupported: // by a newer program
		return http.StatusInternalServerError
	case TooLarge:
		return http.StatusRequestEntityTooLarge
	case StoreGone:
		return http.StatusServiceUnavailable
	case ReadOnly, NotOperator:
		return http.StatusForbidden
	}
	switch project.ClassOf(err) {
	case fault.ClassFailed:
		return http.StatusInternalServerError
	case fault.ClassDenied:
		return http.StatusForbidden
	case fault.ClassPerson:
		return http.StatusConflict
	case fault.ClassLater:
		return http.StatusServiceUnavailable
	default:
		return http.StatusBadRequest
	}
}

// moment formats an instant for people, with the exact one for programs.
func moment(at any) template.HTML {
	var t time.Time
	switch v := at.(type) {
	case time.Time:
		t = v
	case string:
		t, _ = time.Parse(time.RFC3339Nano, v)
	}
	if t.IsZero() {
		return "–"
	}
	t = t.UTC()
	return template.HTML(`<time datetime="` + t.Format(time.RFC3339) + `">` + t.Format("2 Jan 2006, 15:04") + `</time>`) //nolint:gosec // made of digits and names of months
}

// upper returns a text with a capital.
func upper(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}

// thousands groups the digits of a number: 62 379.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	return digits
}

// money formats dollars.
func money(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// callPath returns the page of a call below /sessions/.
func callPath(call string) string {
	thread, rest, _ := strings.Cut(call, "/")
	return thread + "/trace/" + rest
}
