package loop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session/flow"
	"brenner/store/journal"
)

const taskHead = "schema: brenner.loop.plan/v1\n"

func TestParseTasks(t *testing.T) {
	p, err := loop.Parse([]byte(taskHead + `models: [{id: small, model_id: m, via: openai}]
tasks:
  - {id: review, task: Compare them., for: critic, results: [one, t3], after: one, tags: [x], module: m, cross_module: true}
  - {id: one, task: Read it., for: reader, inputs: lewis, agent: Ann}
  - {pinned: spec@v2}
`))
	if err != nil {
		t.Fatal(err)
	}
	cells := p.Cells()
	if p.Count() != 3 || len(cells) != 3 {
		t.Fatalf("got %d of %d cells, want 3", len(cells), p.Count())
	}
	for i, want := range []loop.Cell{
		{ID: "review", Task: "review", Model: "small"}, {ID: "one", Task: "one", Model: "small"}, {ID: "t3", Task: "t3", Model: "small"},
	} {
		if !sameCell(cells[i], want) {
			t.Errorf("cell %d: got %+v, want %+v", i, cells[i], want)
		}
	}
	if one := p.Tasks[1]; one.Agent != "Ann" || !slices.Equal(one.Inputs, []string{"lewis"}) {
		t.Errorf("got %+v", one)
	}
}

func TestParseRefusesTasks(t *testing.T) {
	const sessions = "questions: [a]\nrosters: [b]\nsessions: [{id: s}]\n"
	for plan, want := range map[string]string{
		"via: rehearsal\nscript: x\ntasks: [{id: a, task: x, for: r}, {task: x, for: r, results: a}]": "line 4: results: agents are not shown the records of a rehearsal",
		"tasks: [{task: x}]":                                             "line 2: the task has no role",
		"tasks: [{for: reader}]":                                         "line 2: the task is empty",
		"tasks: [{id: A, task: x, for: r}]":                              "line 2: invalid task id A",
		"tasks:\n- {id: a, task: x, for: r}\n- {id: a, task: y, for: r}": "line 4: duplicate task id a",
		"tasks: [{pinned: p@v1, for: r}]":                                "line 2: a pinned task cannot be changed in a plan: its task spec says what to do",
		"tasks:\n- {id: a, task: x, for: r,\n   results: [b]}":           "line 4: results: no task b",
		"tasks:\n- {id: a, task: x, for: r,\n   after: b}":               "line 4: after: no task or session b",
		sessions + "tasks:\n- {id: a, task: x, for: r, results: [s]}":    "line 6: results: no task s",
		sessions + "tasks:\n- {id: s, task: x, for: r}":                  "line 6: a session and a task have the id s",
		"tasks: [{id: a, task: x, for: r, model: m}]":                    "line 2: missing or unknown model: m",
		"models: [x, y]\ntasks: [{id: a, task: x, for: r}]":              `line 3: missing or unknown model: ""`,
		"tasks:\n- {id: a, task: x, for: r, after: a}":                   "line 3: tasks wait for each other: a needs a",
		"tasks:\n- {id: z, task: x, for: r}\n- {id: a, task: x, for: r, after: [z, b]}\n- {id: b, task: x, for: r, results: a}": "line 4: tasks wait for each other: a needs b needs a",
		"rounds: 2\ntasks: [{task: x, for: r}]":                                            "line 2: rounds: has no effect in a plan with only tasks: each runs once, with one agent in one round",
		"session: {rounds: 2}\ntasks: [{task: x, for: r}]":                                 "line 2: session.rounds: has no effect in a plan with only tasks: each runs once, with one agent in one round",
		"seeds: [1]\ntasks: [{task: x, for: r}]":                                           "line 2: seeds: has no effect in a plan with only tasks: each runs once, with one agent in one round",
		"rotate: true\ntasks: [{task: x, for: r}]":                                         "line 2: rotate: has no effect in a plan with only tasks: each runs once, with one agent in one round",
		"follow: own\ntasks: [{task: x, for: r}]":                                          "line 2: follow: has no effect in a plan with only tasks: each runs once, with one agent in one round",
		"questions: [a]\ntasks: [{task: x, for: r}]":                                       "line 1: the plan has no rosters",
		"rosters: [a]\ntasks: [{task: x, for: r}]":                                         "line 1: the plan has no questions",
		"tasks: [{task: x, for: r, result: [b]}]":                                          "line 2: unknown key result in a task",
		sessions + "tasks: [{id: a, task: x, for: r}]\nstop: {quiet_rounds: 1}\nrounds: 2": "",
		"rounds: 1\nsession: {rounds: 1}\ntasks: [{task: x, for: r}]":                      "",
		sessions + "tasks: [{id: a, task: x, for: r, after: s}]":                           "",
	} {
		_, err := loop.Parse([]byte(taskHead + plan + "\n"))
		got := ""
		if all := fault.All(err); len(all) > 0 {
			got = fmt.Sprintf("line %d: %s", all[0].Line, all[0].Detail)
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", plan, got, want)
		}
	}
}

func taskWork(tasks ...loop.Task) loop.Work {
	w := loop.Work{Settings: flow.Settings{Rounds: 3, Budget: 100}, Rosters: []loop.Roster{{ID: loop.TaskRoster("Ann", "r"), Roster: jsontext.Value(`{}`)}}}
	for _, t := range tasks {
		w.Tasks = append(w.Tasks, t)
		w.Cells = append(w.Cells, loop.Cell{ID: t.ID, Task: t.ID, Roster: w.Rosters[0].ID})
	}
	return w
}

// A task starts when everything it needs has a result, in any order of the plan, and is skipped if something
// it needs has none. The loop always ends, and its journal follows from its rules.
func TestTasksFollowWhatTheyNeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "tasks")
		order := rapid.Permutation(seq(n)).Draw(t, "order") // position of each task in its chain of needs
		tasks := make([]loop.Task, n)
		for i := range tasks {
			tasks[i].ID = fmt.Sprint("t", i)
			for k := range tasks {
				if order[k] < order[i] && rapid.IntRange(0, 3).Draw(t, "needs") == 0 {
					if rapid.Bool().Draw(t, "results") {
						tasks[i].Results = append(tasks[i].Results, fmt.Sprint("t", k))
					} else {
						tasks[i].After = append(tasks[i].After, fmt.Sprint("t", k))
					}
				}
			}
		}
		w := taskWork(tasks...)
		session := rapid.Bool().Draw(t, "session")
		if session {
			w.Questions, w.Rosters = []loop.Question{{ID: "q"}}, append(w.Rosters, loop.Roster{ID: "r", Roster: jsontext.Value(`{}`)})
			w.Cells = append(w.Cells, loop.Cell{ID: "s", Question: "q", Roster: "r"})
			w.Tasks[0].After = append(w.Tasks[0].After, "s")
		}
		l := loop.Limits{Concurrency: rapid.IntRange(1, 3).Draw(t, "concurrency"), Rounds: 1}
		if session {
			l.Rounds = rapid.IntRange(1, 3).Draw(t, "rounds")
		}
		b := open(t, newOpened(w, l))
		if got, want := b.state.Planned(), n+l.Rounds*(len(w.Cells)-n); got != want {
			t.Fatalf("planned %d, want %d", got, want)
		}
		made := make(map[string]bool)
		b.finish(func(r loop.Run) loop.Settled {
			id := r.Job.Cell.ID
			s := settleDone(r)
			if task, ok := w.Task(id); ok {
				for _, needs := range slices.Concat(task.Results, task.After) {
					if !made[needs] {
						t.Fatalf("%s started before %s had a result", id, needs)
					}
				}
				if len(r.Job.Sources) != len(task.Results) {
					t.Fatalf("%s has sources %v, want one for each of %v", id, r.Job.Sources, task.Results)
				}
				s.Records = rapid.IntRange(0, 1).Draw(t, "records")
			} else {
				s.Merged = 1
			}
			if rapid.IntRange(0, 4).Draw(t, "fails") == 0 {
				s = loop.Settled{Outcome: loop.Failed, Code: "X"}
			}
			if r.Job.Round == 1 {
				made[id] = s.Records+s.Merged > 0
			}
			return s
		})
		if got, want := len(b.state.Jobs), n+l.Rounds*(len(w.Cells)-n); got != want || b.state.Open() != 0 {
			t.Fatalf("%d jobs, %d open; want %d and 0", got, b.state.Open(), want)
		}
		for i := range b.state.Jobs {
			j := &b.state.Jobs[i]
			task, ok := w.Task(j.Cell.Task)
			lost := ok && slices.ContainsFunc(slices.Concat(task.Results, task.After), func(id string) bool { return !made[id] })
			if lost != (j.Status == loop.Omitted) {
				t.Fatalf("%s is %s; something it needs is missing: %v", j.Name(), j.Status, lost)
			}
		}
		checkRepeated(t, b)
		s := &loop.State{}
		for i := range b.entries {
			if i > 0 && !s.Justified(&b.entries[i]) {
				t.Fatalf("entry %d (%s) does not follow", i, b.entries[i].Kind)
			}
			if err := s.Apply(&b.entries[i]); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// checkRepeated retries what failed, and repeats tasks whose records others need: all is done, in sessions with
// other names, and every session is paid for once.
func checkRepeated(t *rapid.T, b *testLoop) {
	before := make(map[int]loop.Job)
	for i := range b.state.Jobs {
		before[b.state.Jobs[i].Number] = b.state.Jobs[i]
	}
	b.write(loop.KindResumed, loop.Resumed{Retry: true, Repeat: true})
	b.finish(func(r loop.Run) loop.Settled {
		was := before[r.Job.Number]
		if repeated := was.Status == loop.Finished; repeated && r.Thread != was.Thread+"b" || !repeated && was.Thread != "" && r.Thread != was.Thread {
			t.Fatalf("%s was %s in %s; now it runs in %s", was.Name(), was.Status, was.Thread, r.Thread)
		}
		s := settleDone(r)
		s.Records, s.Merged = 1, 1
		return s
	})
	var spent flow.Cost
	for i := range b.state.Jobs {
		j := &b.state.Jobs[i]
		spent = spent.Plus(j.Settled.Cost()).Plus(j.Before)
		if j.Status != loop.Finished {
			t.Fatalf("%s is %s after all was retried", j.Name(), j.Status)
		}
	}
	if spent != b.state.Spent {
		t.Fatalf("the jobs cost %+v, the loop %+v", spent, b.state.Spent)
	}
}

func seq(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// A journal whose tasks could never run is refused.
func TestOpenedRefusesTasks(t *testing.T) {
	for want, change := range map[string]func(*loop.Work){
		"wait for each other":        func(w *loop.Work) { w.Tasks[0].After = []string{"b"} },
		"no such task: s":            func(w *loop.Work) { w.Tasks[0].Results = []string{"s"} },
		"no such task or session: s": func(w *loop.Work) { w.Tasks[0].After = []string{"s"} },
		"tasks and their cells":      func(w *loop.Work) { w.Cells = w.Cells[:1] },
		"no cell for task b":         func(w *loop.Work) { w.Cells[1].ID = "c" },
		"duplicate task id a":        func(w *loop.Work) { w.Tasks[1].ID = "a" },
	} {
		w := taskWork(loop.Task{ID: "a"}, loop.Task{ID: "b", Results: []string{"a"}})
		change(&w)
		data, err := journal.Encode(newOpened(w, loop.Limits{}))
		if err != nil {
			t.Fatal(err)
		}
		e, err := journal.Head{}.Next("loop/night", start, loop.KindOpened, data)
		if err == nil {
			err = (&loop.State{}).Apply(&e)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestAddRefusesPlanWithOnlyTasks(t *testing.T) {
	b := open(t, newOpened(taskWork(loop.Task{ID: "a"}), loop.Limits{}))
	if _, err := b.state.Add(&loop.Addition{Question: "Why?"}); err == nil || !strings.Contains(err.Error(), "only tasks") {
		t.Errorf("got %v", err)
	}
}
