package report_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"brenner/artifact"
	"brenner/loop"
	"brenner/loop/report"
)

const hostile = "\x1b[31m\u202e<script>alert(1)</script> [x](https://evil.example) `code` | *bold* \n# heading\n\u202e ![p](http://evil.example/p.png) https://evil.example/q www.evil.example/r (www.evil.example) WWW.evil.example ftp://evil.example mailto:a@evil.example"

func hostileReport() *report.Report {
	a := artifact.Artifact{}
	a.Sections[artifact.HypothesisSlate] = []*artifact.Item{
		{ID: "H1", Fields: []artifact.Field{{Name: "name", Value: artifact.Text(hostile)}, {Name: "claim", Value: artifact.Text(hostile)}}},
		{ID: "H2", Fields: []artifact.Field{{Name: "claim", Value: artifact.Text("plain")}}, Kill: &artifact.Kill{By: hostile, Reason: hostile}},
		{ID: "H3", Fields: []artifact.Field{{Name: "claim", Value: artifact.Text("plain")}}},
	}
	a.Sections[artifact.PredictionsTable] = []*artifact.Item{
		{ID: "P1", Fields: []artifact.Field{{Name: "condition", Value: artifact.Text(hostile)}, {Name: "predictions", Value: artifact.MapOf(
			artifact.Entry{Key: "H1", Value: artifact.Text(hostile)}, artifact.Entry{Key: "H3", Value: artifact.Text("other")},
		)}}},
		{ID: "P2", Fields: []artifact.Field{{Name: "condition", Value: artifact.Text("same")}, {Name: "predictions", Value: artifact.MapOf(
			artifact.Entry{Key: "H1", Value: artifact.Text("As  one")}, artifact.Entry{Key: "H3", Value: artifact.Text("as one")},
		)}}},
	}
	a.Sections[artifact.DiscriminativeTests] = []*artifact.Item{{ID: "T1", Fields: []artifact.Field{{Name: "name", Value: artifact.Text(hostile)}}}}
	r := report.New(&loop.State{})
	r.Questions = append(r.Questions, report.Answer(loop.Question{ID: "q", Question: hostile}, "RS-1", &a))
	r.AddTests(report.TestsOf("RS-1", &a))
	r.AddLesson(report.Lesson{Kind: "lesson", Text: hostile, Session: "RS-1", Agent: hostile})
	r.Person = append(r.Person, report.Need{Session: "RS-1", What: hostile, Command: "brenner session resolve RS-1 ``H1` " + hostile})
	r.Failed = append(r.Failed, report.Failure{Session: "RS-1", Name: hostile, Code: "X", Detail: hostile})
	r.Undone = append(r.Undone, report.Undone{Name: hostile, State: hostile})
	r.Questions[0].Agents = []report.Author{{Agent: hostile, Role: hostile, Asked: hostile}}
	r.Questions[0].Critiques = []report.Critique{{ID: "C1", Name: hostile, Attack: hostile, Status: hostile, Alternative: hostile}}
	return r
}

// isControl reports whether a terminal interprets a character.
func isControl(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// Text from agents never becomes a tag, a link, a heading or an image.
func TestHostileTextIsEscaped(t *testing.T) {
	r := hostileReport()
	var rendered strings.Builder
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(r.Markdown(), &rendered); err != nil {
		t.Fatal(err)
	}
	page, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for form, html := range map[string]string{"Markdown": rendered.String(), "HTML": string(page)} {
		if i := strings.IndexFunc(html, isControl); i >= 0 {
			t.Errorf("%s: control character in %q", form, html[i:min(i+20, len(html))])
		}
		for _, bad := range []string{"<script", "<a ", "<img", "href=", "src=", ">heading<", "<h1># heading", "raw HTML omitted"} {
			if strings.Contains(html, bad) {
				t.Errorf("%s contains %s:\n%s", form, bad, html)
			}
		}
	}
	if n := strings.Count(rendered.String(), "<h1"); n != 1 {
		t.Errorf("%d headings of level 1, want 1", n)
	}
}

func TestDisagreements(t *testing.T) {
	q := hostileReport().Questions[0]
	if len(q.Hypotheses) != 2 || len(q.Disagree) != 1 || q.Agree != 1 || q.Disagree[0].ID != "P1" || len(q.Disagree[0].Expected) != 2 {
		t.Errorf("got %+v", q)
	}
	one := []report.Hypothesis{{ID: "H1"}}
	for _, c := range []struct {
		q    report.Question
		want string
	}{
		{report.Question{}, "No hypotheses."},
		{report.Question{Hypotheses: one}, "The hypotheses have no predictions to compare."},
		{report.Question{Hypotheses: one, Agree: 1}, "The hypotheses agree on every prediction that they share (1 condition)."},
	} {
		r := report.New(&loop.State{})
		r.Questions = []report.Question{c.q}
		page, err := r.HTML()
		if err != nil || !strings.Contains(string(r.Markdown()), "\n\n"+c.want+"\n") || !strings.Contains(string(page), "<p>"+c.want+"</p>") {
			t.Errorf("%q: %v\n%s", c.want, err, r.Markdown())
		}
	}
}

// The size of a report is bounded, however many sessions there are.
func TestReportIsBounded(t *testing.T) {
	r := report.New(&loop.State{})
	for range 5000 {
		r.Sessions = append(r.Sessions, report.Row{Session: "RS-20261115-night-0001", Name: "q/r", Status: "done"})
		r.Failed = append(r.Failed, report.Failure{Detail: "no"})
		r.Person = append(r.Person, report.Need{What: "H1.claim is in conflict"})
		r.Undone = append(r.Undone, report.Undone{Name: "q/r"})
		r.AddLesson(report.Lesson{Kind: "lesson", Text: strings.Repeat("x", len(r.Sessions))})
	}
	if n := len(r.Markdown()); n > 100_000 {
		t.Errorf("Markdown has %d bytes", n)
	}
	if !strings.Contains(string(r.Markdown()), "and 4800 more") || len(r.Learned) > 50 {
		t.Error("Markdown does not mention omitted rows, or has too many lessons")
	}
	page, err := r.HTML()
	if err != nil || strings.Count(string(page), "and 4800 more") != 3 || len(page) > 200_000 {
		t.Errorf("HTML: error %v, %d bytes", err, len(page))
	}
}

// Calls may cost more than was reserved; the report mentions it first.
func TestReportMentionsExceededBudget(t *testing.T) {
	r := report.New(&loop.State{})
	r.Tokens, r.TokensLimit, r.USD, r.USDLimit = 36400, 30000, 3.5, 3
	for _, want := range []string{"- 6400 tokens over the budget", "- $0.50 over the budget in dollars"} {
		if !strings.Contains(string(r.Markdown()), want) {
			t.Errorf("missing %q in:\n%s", want, r.Markdown())
		}
	}
	r.Tokens, r.USD = 30000, 3
	if strings.Contains(string(r.Markdown()), "over the budget") {
		t.Error("a budget that was kept is reported as exceeded")
	}
}

func TestReportUsesSingularForOne(t *testing.T) {
	r := report.New(&loop.State{})
	r.Sessions = []report.Row{{Session: "RS-1", Status: "failed", Missing: 1, Warnings: 1}, {Name: "never", Status: "waiting"}}
	r.Person = []report.Need{{Kind: report.NeedFailed, Session: "RS-1", What: "failed after 1 attempt: no"}}
	page, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{string(r.Markdown()), string(page)} {
		for _, want := range []string{"1 attempt:", "0 errors, 1 warning", "1 reply missing"} {
			if !strings.Contains(form, want) {
				t.Errorf("missing %q in:\n%s", want, form)
			}
		}
		if strings.Contains(form, "never") {
			t.Error("a session that never began is listed")
		}
	}
}

// Addresses are code, not links, and can be copied as they are.
func TestAddressesAreCode(t *testing.T) {
	r := report.New(&loop.State{})
	r.Person = []report.Need{{Kind: report.NeedFailed, Session: "RS-1", What: "check base_url http://127.0.0.1:8080/v1?a=b_c; run `brenner doctor`"}}
	if want := "check base\\_url `http://127.0.0.1:8080/v1?a=b_c`; run"; !strings.Contains(string(r.Markdown()), want) {
		t.Errorf("missing %s in:\n%s", want, r.Markdown())
	}
}

// Sessions link to the files of their artifacts, if there are any.
func TestLinks(t *testing.T) {
	r := report.New(&loop.State{})
	r.Sessions = []report.Row{{Session: "RS-1", File: "../../sessions/RS-1/a (1).md"}, {Session: "RS-2"}}
	page, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	if md := string(r.Markdown()); !strings.Contains(md, "| [RS-1](../../sessions/RS-1/a%20%281%29.md) |") || !strings.Contains(md, "| RS-2 |") {
		t.Error(md)
	}
	if !strings.Contains(string(page), `<a href="../../sessions/RS-1/a%20%281%29.md">RS-1</a>`) {
		t.Error(string(page))
	}
}
