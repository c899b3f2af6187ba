package loop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/yaml"
)

// PlanTask is one task of a plan. The role of a pinned one is known when its task spec is looked up.
type PlanTask struct {
	Task
	Agent string // name; by default that of the role
	Model string // id of a model of the plan
	place int    // in the file
}

func (r *planReader) task(n *yaml.Node, i int) {
	t := PlanTask{Task: Task{ID: "t" + strconv.Itoa(i+1)}, place: i}
	at := fmt.Sprintf("tasks[%d]", i)
	r.plan.lines[at] = n.Line
	if !r.Object(n, "a task",
		r.text("id", &t.ID), r.text("task", &t.Text), r.text("for", &t.Role), r.text("module", &t.Module), r.Flag("cross_module", &t.Cross),
		r.at(at+".inputs", r.some("inputs", &t.Inputs)), r.at(at+".results", r.some("results", &t.Results)), r.text("agent", &t.Agent), r.text("model", &t.Model),
		r.at(at+".after", r.some("after", &t.After)), r.some("tags", &t.Tags), r.at(at+".pinned", r.text("pinned", &t.Pinned)),
	) {
		return
	}
	switch fixed := t.Text != "" || t.Role != "" || t.Module != "" || t.Cross || len(t.Inputs)+len(t.Results)+len(t.Tags) > 0; {
	case t.Pinned != "" && fixed:
		r.Add(InvalidValue, n.Line, "keep only id, pinned, agent, model and after, or remove pinned:", "a pinned task cannot be changed in a plan: its task spec says what to do")
	case t.Pinned != "":
	case t.Text == "":
		r.Add(InvalidValue, n.Line, "write task: and what to do, or pinned: with the address of a task spec", "the task is empty")
	case t.Role == "":
		r.Add(InvalidValue, n.Line, "write for: with the role whose agent does it", "the task has no role")
	}
	if r.id(n, "task", t.ID) {
		r.plan.Tasks = append(r.plan.Tasks, t)
	}
}

// some reads a list of texts, or one text.
func (r *reader) some(name string, to *[]string) yaml.Key {
	return yaml.Key{Name: name, Take: func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			r.texts(name, to).Take(n)
			return
		}
		var one string
		if r.text(name, &one).Take(n); one != "" {
			*to = []string{one}
		}
	}}
}

// TaskLine returns the line of a key of a task, or of the task.
func (p *Plan) TaskLine(task int, key string) int {
	at := fmt.Sprintf("tasks[%d]", p.Tasks[task].place)
	return max(p.lines[at+key], p.lines[at], 1)
}

// checkTasks checks the ids that tasks refer to.
func (r *planReader) checkTasks() {
	p := r.plan
	models := idsOf(p.Models, func(m *PlanModel) string { return m.ID })
	known := "known tasks: " + someIDs(idsOf(p.Tasks, func(t *PlanTask) string { return t.ID }))
	tasks := make([]Task, len(p.Tasks))
	for i := range p.Tasks {
		t := &p.Tasks[i]
		tasks[i] = t.Task
		if r.ids["session "+t.ID] {
			r.Add(InvalidValue, p.TaskLine(i, ""), "make the ids unique", "a session and a task have the id %s", fault.Shown(t.ID))
		}
		if len(t.Results) > 0 && p.Via == "rehearsal" {
			r.Add(InvalidValue, p.TaskLine(i, ".results"), "write after:, or use via: program with a script of your own", "results: agents are not shown the records of a rehearsal")
		}
		for _, id := range t.Results {
			if !r.ids["task "+id] {
				r.Add(InvalidValue, p.TaskLine(i, ".results"), known, "results: no task %s", fault.Shown(id))
			}
		}
		for _, id := range t.After {
			if !r.ids["task "+id] && !r.ids["session "+id] {
				r.Add(InvalidValue, p.TaskLine(i, ".after"), known+"; sessions have an id: in sessions:", "after: no task or session %s", fault.Shown(id))
			}
		}
		r.choose(p.TaskLine(i, ""), "model", &t.Model, models)
	}
	if circle := cycle(tasks); circle != nil {
		at := slices.IndexFunc(tasks, func(t Task) bool { return t.ID == circle[0] })
		r.Add(InvalidValue, p.TaskLine(at, ""), "remove one of their results: or after:", "tasks wait for each other: %s", strings.Join(circle, " needs "))
	}
	if n := p.perRound() + len(tasks); len(tasks) > 0 && n > MaxSessions {
		r.Add(InvalidValue, 1, "split it into several plans", "the plan has %d sessions per round; the limit is %d", n, MaxSessions)
	}
}

// onlyTasks reports whether a plan has tasks and no sessions. It refuses what has no effect then.
func (r *planReader) onlyTasks() bool {
	p := r.plan
	_, questions := p.lines["questions"]
	_, rosters := p.lines["rosters"]
	if len(p.Tasks) == 0 || questions || rosters {
		return false
	}
	for _, key := range []string{"rounds", "seeds", "sessions", "follow", "rotate", "session.rounds", "session.quiet_rounds", "session.flow", "session.quorum", "session.when_clean", "stop.quiet_rounds", "stop.when_clean"} {
		once := key == "rounds" && p.Limits.Rounds == 1 || key == "session.rounds" && p.Session.Rounds != nil && *p.Session.Rounds == 1
		if line, given := p.lines[key]; given && !once {
			r.Add(InvalidValue, line, "remove it, or add questions: and rosters:", "%s: has no effect in a plan with only tasks: each runs once, with one agent in one round", key)
		}
	}
	return true
}
