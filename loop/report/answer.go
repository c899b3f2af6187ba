package report

import (
	"cmp"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/loop"
)

// Side is what one author wrote in a conflict.
type Side struct {
	Author string `json:"author"`
	Value  string `json:"value"`
}

// Question is the result of the best session on a question.
type Question struct {
	ID         string       `json:"id"`
	Question   string       `json:"question"`
	Session    string       `json:"session"`
	File       string       `json:"file,omitempty"` // of its artifact, relative to the report
	Version    int          `json:"version"`
	Agents     []Author     `json:"agents"`
	Hypotheses []Hypothesis `json:"hypotheses"`
	Critiques  []Critique   `json:"critiques"`
	Disagree   []Prediction `json:"disagreements"` // where hypotheses expect different things
	Agree      int          `json:"agreements"`    // number of conditions for which at least two expect the same
}

// Author is an agent of a session and what it really asked.
type Author struct {
	Agent string `json:"agent"`
	Role  string `json:"role"`
	Asked string `json:"asked"`
}

// Critique is an active critique.
type Critique struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Attack      string `json:"attack"`
	Status      string `json:"status"`
	Alternative string `json:"alternative"` // proposed instead
}

// Hypothesis is an active hypothesis.
type Hypothesis struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Claim string `json:"claim"`
}

// Prediction lists what each hypothesis expects under a condition, in the order of the
// hypotheses; "" if it predicts nothing.
type Prediction struct {
	ID        string   `json:"id"`
	Condition string   `json:"condition"`
	Expected  []string `json:"expected"`
}

// Test is a proposed test.
type Test struct {
	Session string `json:"session"`
	ID      string `json:"id"`
	Name    string `json:"name"`
	Score   int    `json:"score"`
	Scored  bool   `json:"scored"`
	Status  string `json:"status"`
}

// Lesson is a lesson and its source.
type Lesson struct {
	Kind    string `json:"kind"` // lesson, killed, rejected or ruled
	Text    string `json:"text"`
	Session string `json:"session"`
	Agent   string `json:"agent"`
}

// Answer returns the report's entry for a question from its best session's artifact.
func Answer(q loop.Question, thread string, a *artifact.Artifact) Question {
	out := Question{ID: q.ID, Question: q.Question, Session: thread, Version: a.Metadata.Version, Agents: []Author{}, Hypotheses: []Hypothesis{}, Critiques: []Critique{}, Disagree: []Prediction{}}
	for _, c := range a.Active(artifact.AdversarialCritique) {
		out.Critiques = append(out.Critiques, Critique{
			ID: c.ID, Name: c.Text("name"), Attack: c.Text("attack"), Status: c.Text("current_status"), Alternative: c.Text("proposed_alternative"),
		})
	}
	var ids []string
	for _, h := range a.Active(artifact.HypothesisSlate) {
		ids = append(ids, h.ID)
		out.Hypotheses = append(out.Hypotheses, Hypothesis{ID: h.ID, Name: h.Text("name"), Claim: h.Text("claim")})
	}
	for _, p := range a.Active(artifact.PredictionsTable) {
		row := Prediction{ID: p.ID, Condition: p.Text("condition"), Expected: make([]string, len(ids))}
		different, predicted := make(map[string]bool), 0
		for i, id := range ids {
			v, _ := p.Map("predictions").Get(id)
			row.Expected[i] = formatValue(v)
			if row.Expected[i] != "" {
				predicted++
				different[strings.ToLower(strings.Join(strings.Fields(row.Expected[i]), " "))] = true
			}
		}
		switch {
		case len(different) > 1:
			out.Disagree = append(out.Disagree, row)
		case predicted > 1:
			out.Agree++
		}
	}
	return out
}

// formatValue formats a predicted value.
func formatValue(v artifact.Value) string {
	switch v := v.(type) {
	case artifact.Text:
		return string(v)
	case artifact.Conflict:
		return "CONFLICT: not resolved"
	case nil, artifact.Null:
		return ""
	}
	return string(artifact.Canonical(v))
}

// TestsOf returns the tests in a session's artifact.
func TestsOf(thread string, a *artifact.Artifact) []Test {
	var all []Test
	for _, t := range a.Active(artifact.DiscriminativeTests) {
		score, scored := t.Score()
		name := cmp.Or(t.Text("name"), t.Text("procedure"))
		all = append(all, Test{Session: thread, ID: t.ID, Name: name, Score: score, Scored: scored, Status: t.Text("status")})
	}
	return all
}

// AddTests adds the tests of one session.
func (r *Report) AddTests(all []Test) {
	for _, t := range all {
		if slices.ContainsFunc(r.Tests, func(o Test) bool { return o.Name == t.Name && o.Score >= t.Score }) {
			continue // already known from another session
		}
		r.Tests = slices.DeleteFunc(r.Tests, func(o Test) bool { return o.Name == t.Name })
		r.Tests = append(r.Tests, t)
	}
	slices.SortStableFunc(r.Tests, func(x, y Test) int { return cmp.Compare(y.Score, x.Score) })
	r.Tests = r.Tests[:min(len(r.Tests), maxTests)]
}

// AddLesson adds a lesson unless the report has it already.
func (r *Report) AddLesson(l Lesson) {
	same := func(o Lesson) bool { return o.Kind == l.Kind && o.Text == l.Text }
	if len(r.Learned) < maxLessons && !slices.ContainsFunc(r.Learned, same) {
		r.Learned = append(r.Learned, l)
	}
}
