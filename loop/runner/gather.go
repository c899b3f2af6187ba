package runner

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store"
)

// gatherBatch bounds how many sessions Gather holds in memory.
const gatherBatch = 64

// Gather builds the report of a loop from its sessions. The best session of each question
// answers it.
func Gather(ctx context.Context, st store.Store, s *loop.State) (*report.Report, error) {
	r := report.New(s)
	best := s.Best()
	answers := make(map[string]report.Question)
	var jobs []*loop.Job
	rows := make(map[*loop.Job]*report.Row)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Thread != "" && j.Settled.Version > 0 {
			jobs = append(jobs, j)
			rows[j] = &r.Sessions[i] // one for each job
		}
	}
	for some := range slices.Chunk(jobs, gatherBatch) {
		found := make([]*findings, len(some))
		err := eachSession(ctx, st, some, func(ctx context.Context, i int, h *session.History) (err error) {
			found[i], err = find(ctx, h, s, &some[i].Cell)
			return err
		})
		if err != nil {
			return nil, err
		}
		for i, f := range found {
			if f == nil {
				continue // killed before anything was stored
			}
			f.update(rows[some[i]], s, some[i])
			f.addTo(r, some[i])
			if question := some[i].Cell.Question; best[question] == some[i] {
				answers[question] = f.answer
			}
		}
	}
	for i := range r.Sessions {
		r.Lost += r.Sessions[i].Lost
		r.ByHand += r.Sessions[i].Tokens - s.Jobs[i].Settled.Spent - s.Jobs[i].Before.Tokens
	}
	r.Lost += s.Opened.Preflight.Lost()
	for _, q := range s.Work.Questions {
		if a, ok := answers[q.ID]; ok {
			r.Questions = append(r.Questions, a)
		}
	}
	r.SortNeeds()
	return r, nil
}

// update brings a row up to date: the operator may have changed the session since it was settled.
func (f *findings) update(row *report.Row, s *loop.State, j *loop.Job) {
	if !s.Opened.NotesLost() {
		row.Lost = min(f.now.Lost, row.Tokens)
	}
	if j.Final() || s.Ended != "" {
		row.Tokens = max(row.Tokens, f.now.Spent)
	}
	row.Version, row.Conflicts, row.Errors, row.Warnings = f.now.Version, f.now.Conflicts, f.now.Errors, f.now.Warnings
	row.Others = f.others
}

// findings holds one session's part of a report.
type findings struct {
	now     loop.Settled
	needs   []report.Need
	tests   []report.Test
	lessons []report.Lesson
	answer  report.Question
	idle    []string // agents that took part in no round
	others  []string // answers of other models than the requested ones
	task    *report.Task
}

// taskOf returns what the session of a task came to.
func taskOf(ctx context.Context, h *session.History, id string) (*report.Task, error) {
	s, err := audit.Summarise(ctx, h, nil, "")
	if err != nil {
		return nil, err
	}
	run, err := audit.NewTaskRun(ctx, h, s, nil)
	if err != nil {
		return nil, err
	}
	o := &h.State.Opened
	t := &report.Task{
		ID: id, Task: o.Question, Spec: o.Task, Session: h.Thread, Agent: o.Agents[0].Name, Role: o.Agents[0].Role, Put: []report.Record{}, Refused: []report.RefusedRecord{},
		Reason: run.Reason,
	}
	for _, one := range run.Put {
		t.Put = append(t.Put, report.Record{Record: one.Record, Type: one.Type, Status: one.Status, Summary: one.Summary})
	}
	for i := range run.Refused {
		one := &run.Refused[i]
		t.Refused = append(t.Refused, report.RefusedRecord{Record: one.Record, Code: one.Code, Reason: one.Message})
	}
	for i := range s.Rejected {
		one := &s.Rejected[i]
		t.Unread = append(t.Unread, report.RefusedRecord{Record: cmp.Or(one.Target, one.What(), "a part of the reply"), Code: string(one.Code), Reason: one.Message})
	}
	return t, nil
}

// flaws lists the lint errors and the idle agents of a session for a person.
func (f *findings) flaws(j *loop.Job) []report.Need {
	var all []report.Need
	if j.HasErrors() && f.now.Errors > 0 {
		all = append(all, report.Need{
			Kind: report.NeedLint, Session: j.Thread, What: text.Count(f.now.Errors, "lint error"), Command: "brenner artifact lint " + j.Thread,
		})
	}
	if j.HasSilent() {
		all = append(all, report.Need{
			Kind: report.NeedSilent, Session: j.Thread, What: strings.Join(f.idle, ", ") + " contributed nothing in any round",
			Command: "brenner trace list " + j.Thread,
		})
	}
	return all
}

// addTo adds what a report lists of each session.
func (f *findings) addTo(r *report.Report, j *loop.Job) {
	if f.task != nil {
		r.Tasks = append(r.Tasks, *f.task)
	}
	r.Person = append(r.Person, f.needs...)
	r.Person = append(r.Person, f.flaws(j)...)
	r.AddTests(f.tests)
	for _, l := range f.lessons {
		r.AddLesson(l)
	}
}

func find(ctx context.Context, h *session.History, s *loop.State, c *loop.Cell) (*findings, error) {
	q, _ := s.Work.Question(c.Question)
	a, err := h.Artifact(ctx, h.State.Version())
	if err != nil {
		return nil, err
	}
	learned, err := lessons(ctx, h)
	if err != nil {
		return nil, err
	}
	f := &findings{
		now: outcomeOf(0, h.State), needs: needs(h, &a), tests: report.TestsOf(h.Thread, &a), lessons: learned, answer: report.Answer(q, h.Thread, &a),
		idle: h.State.Idle(), others: otherModels(h.State),
	}
	if c.Task != "" {
		if f.task, err = taskOf(ctx, h, c.Task); err != nil {
			return nil, err
		}
	}
	for i := range h.State.Agents {
		p := &h.State.Agents[i]
		by, authors := h.State.RepliedBy(p)
		f.answer.Agents = append(f.answer.Agents, report.Author{Agent: p.Name, Role: p.Role, Asked: cmp.Or(strings.Join(authors, ", then "), by.Asked())})
	}
	return f, nil
}

// otherModels says which agents were answered by another model than the requested one.
func otherModels(s *flow.State) []string {
	var all []string
	for _, c := range s.Calls() {
		for _, r := range s.Remarks(c) {
			if said := c.Agent + ": " + r.Message; r.Kind == flow.RemarkOther && !slices.Contains(all, said) {
				all = append(all, said)
			}
		}
	}
	return all
}

// maxLesson bounds the length of a lesson in a report.
const maxLesson = 500

// lessons returns a session's lessons, the same that the playbook gets, except those of
// lint.
func lessons(ctx context.Context, h *session.History) ([]report.Lesson, error) {
	found, err := h.Lessons(ctx)
	if err != nil {
		return nil, err
	}
	var all []report.Lesson
	for _, i := range found.Insights {
		if kind := i.Tags[0]; kind != session.TagLint {
			all = append(all, report.Lesson{Kind: kind, Text: text.Clip(i.Text, maxLesson), Session: h.Thread, Agent: i.Source.Agent})
		}
	}
	return all, nil
}

// What needs a person is computed twice: countNeeds counts it for the loop's journal and
// the stop rules, needs lists it for the report. The two must agree.

// countNeeds counts what only a person can decide.
func countNeeds(s *flow.State, out *loop.Settled) {
	if n := len(s.Commits); n > 0 {
		out.Conflicts = s.Commits[n-1].Outcome.Conflicts
	}
	for _, m := range s.OpenStalemates() {
		if m.Kind != stalemate.Conflict { // already counted
			out.Stalemates++
		}
	}
}

// needs lists what only a person can decide, with a command for each.
func needs(h *session.History, a *artifact.Artifact) []report.Need {
	var all []report.Need
	rule := make(map[string]string) // command for conflicts that are stalemates, by place
	for _, m := range h.State.OpenStalemates() {
		command := "brenner stalemate show " + h.Thread + " " + m.ID
		if m.Kind == stalemate.Conflict {
			rule[m.Place] = command
			continue
		}
		all = append(all, report.Need{Kind: report.NeedStalemate, Session: h.Thread, What: "stuck on " + m.Place + " (" + m.Kind + ")", Command: command})
	}
	for _, place := range session.Conflicts(a) {
		need := report.Need{Kind: report.NeedConflict, Session: h.Thread, What: place + " is in conflict", Command: cmp.Or(rule[place], session.ResolveCommand(h.Thread, place))}
		if candidates, err := session.ConflictAt(a, place); err == nil { // the place is from the artifact itself
			for _, c := range candidates {
				need.Sides = append(need.Sides, report.Side{Author: c.Agent, Value: session.PlainText(c.Value)})
			}
		}
		all = append(all, need)
	}
	return all
}
