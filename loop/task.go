package loop

import (
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/session/flow"
)

// Task is a task of the project's store that a loop runs once: an agent of its role replies with
// records.
type Task struct {
	ID      string   `json:"id"`
	Text    string   `json:"task"`
	Role    string   `json:"role"`
	Module  string   `json:"module,omitempty"`
	Cross   bool     `json:"cross_module,omitzero"`
	Inputs  []string `json:"inputs,omitempty"`  // addresses of records; they are pinned when the task starts
	Results []string `json:"results,omitempty"` // ids of tasks whose records are inputs, too
	After   []string `json:"after,omitempty"`   // ids of further tasks and sessions to wait for
	Tags    []string `json:"tags,omitempty"`
	Pinned  string   `json:"pinned,omitempty"` // version of a task spec that exists; else the loop pins one
}

// SpecID returns the id of the task spec that a loop pins for the task.
func (t *Task) SpecID(loop string) string { return "task-" + loop + "-" + t.ID }

// needs returns the ids of the tasks and sessions that the task waits for.
func (t *Task) needs() []string { return slices.Concat(t.Results, t.After) }

// Task returns a task by id.
func (w *Work) Task(id string) (Task, bool) {
	i, ok := find(w.places().tasks, w.Tasks, id, func(t *Task) string { return t.ID })
	if !ok {
		return Task{}, false
	}
	return w.Tasks[i], true
}

// sessions returns the number of sessions of each round. Tasks are run in the first round only.
func (w *Work) sessions() int { return len(w.Cells) - len(w.Tasks) }

// SettingsOf returns the settings of a cell's session: a task has one round and one agent.
func (w *Work) SettingsOf(c *Cell) flow.Settings {
	if c.Task == "" {
		return w.Settings
	}
	return TaskSettings(w.Settings)
}

// TaskSettings returns settings for the session of a task.
func TaskSettings(s flow.Settings) flow.Settings {
	s.Rounds, s.Quorum, s.Flow, s.QuietAfter, s.WhenClean = 1, flow.QuorumAll, flow.FlowParallel, 0, false
	return s
}

// taskRosters starts the ids of the rosters of tasks, which no roster of a plan can have.
const taskRosters = "task/"

// TaskRoster returns the id of the roster of tasks: those with the same agent and role share one.
func TaskRoster(agent, role string) string { return taskRosters + role + "/" + agent }

// planRosters returns the ids of the rosters for sessions.
func (w *Work) planRosters() []string {
	return slices.DeleteFunc(idsOf(w.Rosters, func(r *Roster) string { return r.ID }), func(id string) bool { return strings.HasPrefix(id, taskRosters) })
}

// checkTasks describes the first flaw of the tasks: each has one cell, and needs known ones, without a
// cycle. It returns "" if there is none.
func (w *Work) checkTasks() string {
	cells := make(map[string]*Cell)
	tasks := 0
	for i := range w.Cells {
		c := &w.Cells[i]
		if c.ID != "" {
			cells[c.ID] = c
		}
		if c.Task != "" {
			tasks++
		}
	}
	if tasks != len(w.Tasks) {
		return "tasks and their cells differ"
	}
	for i := range w.Tasks {
		t := &w.Tasks[i]
		if c := cells[t.ID]; c == nil || c.Task != t.ID {
			return "no cell for task " + fault.Shown(t.ID)
		}
		for _, id := range t.Results {
			if c := cells[id]; c == nil || c.Task == "" {
				return "no such task: " + fault.Shown(id)
			}
		}
		for _, id := range t.After {
			if cells[id] == nil {
				return "no such task or session: " + fault.Shown(id)
			}
		}
	}
	if circle := cycle(w.Tasks); circle != nil {
		return "tasks wait for each other: " + strings.Join(circle, ", ")
	}
	return ""
}

// cycle returns the ids of tasks that wait for each other, the first one also last, or nil.
func cycle(tasks []Task) []string {
	at := make(map[string]int, len(tasks))
	for i := range tasks {
		at[tasks[i].ID] = i
	}
	const seen, done = 1, 2
	state := make([]int, len(tasks))
	type frame struct {
		task int
		rest []string
	}
	for first := range tasks {
		if state[first] != 0 {
			continue
		}
		stack := []frame{{first, tasks[first].needs()}}
		state[first] = seen
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.rest) == 0 {
				state[top.task] = done
				stack = stack[:len(stack)-1]
				continue
			}
			next, isTask := at[top.rest[0]]
			top.rest = top.rest[1:]
			switch {
			case !isTask || state[next] == done:
			case state[next] == seen:
				var circle []string
				from := slices.IndexFunc(stack, func(f frame) bool { return f.task == next })
				for _, f := range stack[from:] {
					circle = append(circle, tasks[f.task].ID)
				}
				return append(circle, tasks[next].ID)
			default:
				state[next] = seen
				stack = append(stack, frame{next, tasks[next].needs()})
			}
		}
	}
	return nil
}

// waitFor makes the tasks among the jobs of a round wait for what they need.
func (s *State) waitFor(jobs []Job, byID map[string]int) {
	for i := range jobs {
		j := &jobs[i]
		if j.Cell.Task == "" {
			continue
		}
		t, _ := s.Work.Task(j.Cell.Task)
		for _, id := range t.needs() {
			if n := byID[id]; !slices.Contains(j.Waits, n) {
				j.Waits = append(j.Waits, n)
			}
		}
	}
}

// taskReady reports whether everything that a task needs is final, and why it can no longer run, if
// something it needs failed or made nothing.
func (s *State) taskReady(j *Job) (ready bool, lost *Cause) {
	ready = true
	for _, n := range j.Waits {
		needs, _ := s.Job(n)
		if !needs.Final() {
			ready = false
			continue
		}
		if why := needs.withoutResult(); why != "" {
			return false, &Cause{Detail: fmt.Sprintf("it needs %s, which %s", needs.Name(), why)}
		}
	}
	return ready, nil
}

// withoutResult says why a final job has nothing for the tasks that need it, or returns "".
func (j *Job) withoutResult() string {
	isTask := j.Cell.Task != ""
	switch {
	case isTask && j.Settled.Records > 0, !isTask && j.Answered():
		return ""
	case j.Status == Broken:
		return "failed"
	case j.Status == Omitted:
		return "was skipped"
	case isTask:
		return "put no records"
	}
	return "got no replies"
}

// sources returns the sessions of the tasks whose records are inputs of a task.
func (s *State) sources(j *Job) []string {
	t, _ := s.Work.Task(j.Cell.Task)
	var threads []string
	for _, n := range j.Waits {
		if needs, ok := s.Job(n); ok && slices.Contains(t.Results, needs.Cell.Task) {
			threads = append(threads, needs.Thread)
		}
	}
	return threads
}
