package project

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/store"
	"brenner/store/journal"
)

// PlanChanged is the code of a plan that is not the one a loop was opened with.
const PlanChanged fault.Code = "PLAN_CHANGED"

// LoopName gives what a plan's loop is called.
func LoopName(p *Planned, key string) (string, error) {
	name := p.Plan.Name
	if name == "" {
		name = slug(strings.TrimSuffix(strings.TrimSuffix(filepath.Base(p.file), ".yaml"), ".yml"))
	}
	// A key is taken as it is: two that are different must not come to be the same.
	if key != "" && slug(key) != key {
		hint := "a key is words of a-z and 0-9, with - between them"
		if slug(key) != "" {
			hint += ", such as " + slug(key)
		}
		return "", &fault.Error{Code: fault.Usage, Detail: "--run " + fault.Shown(key) + " is no key", Hint: hint}
	}
	if key != "" {
		name += "-" + key
	}
	if !loop.ValidName(name, p.Plan.Count()) {
		return "", &fault.Error{
			Code: fault.Usage, Detail: "a loop cannot be called " + fault.Shown(name),
			Hint: "name and key together have at most " + strconv.Itoa(loop.LongestName(p.Plan.Count())) + " of a-z, 0-9 and -; write name: into the plan, or give a shorter --run",
		}
	}
	return name, nil
}

// slug makes a part of a name out of any text.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// fromProject gives a file as the project sees it, where it is within it; whoever goes
// on with a loop may stand elsewhere than who began it.
func fromProject(p *Project, file string) string {
	path, err := filepath.Abs(file)
	if file == "-" || err != nil {
		return ""
	}
	if within, err := filepath.Rel(p.Config.Project.Dir, path); err == nil && filepath.IsLocal(within) {
		return filepath.ToSlash(within)
	}
	return path
}

// Find settles which loop is meant, by its key or its name, and returns it; nil where a
// new one begins.
func (p *Planned) Find(ctx context.Context, st store.Store, base, key string, goOn bool) (*loop.State, error) {
	streams, err := runner.List(ctx, st)
	if err != nil {
		return nil, err
	}
	there := make(map[string]bool, len(streams))
	for i := range streams {
		there[runner.NameOf(&streams[i])] = true
	}
	next, last := base, (*loop.State)(nil)
	if key == "" {
		next, last, err = p.newest(ctx, st, base, there)
	} else if there[base] {
		last, err = keyed(ctx, st, base, key)
	}
	if err != nil {
		return nil, err
	}
	p.Opened.Name, p.Opened.Key = next, key
	if last != nil {
		p.Opened.Name = last.Opened.Name
	}
	switch {
	case last == nil && goOn:
		return nil, NothingToGoOn(base)
	case last == nil:
	case goOn || last.Ended == "":
		return last, p.sameWork(last)
	case key != "":
		return last, p.samePlan(last)
	case p.Project.OwedBy(last).Any() && p.samePlan(last) == nil:
		return last, nil // to run everything anew because a report is missing would cost as much again
	}
	p.Opened.Name = next
	return nil, p.canBegin(base, next, last)
}

// NothingToGoOn says that there is no loop of that name.
func NothingToGoOn(base string) error {
	return &fault.Error{Code: runner.NoLoop, Detail: "there is no loop " + base + " to go on with", Hint: "leave --go-on and --retry-failed out"}
}

// canBegin refuses a number for which the plan's name leaves no room.
func (p *Planned) canBegin(base, next string, last *loop.State) error {
	if loop.ValidName(next, p.Plan.Count()) {
		return nil
	}
	room := loop.LongestName(p.Plan.Count()) - len(strings.TrimPrefix(next, base))
	hint := "write a name: of at most " + strconv.Itoa(room) + " characters into the plan"
	if last != nil {
		hint += "; --go-on goes on with " + last.Opened.Name
	}
	return &fault.Error{
		Code: fault.Usage, Place: p.file, Detail: "there is a loop " + base + " already, and " + next + " is too long a name for another one", Hint: hint,
	}
}

// keyed gives the loop of a key.
func keyed(ctx context.Context, st store.Store, name, key string) (*loop.State, error) {
	state, err := runner.Load(ctx, st, name)
	if err == nil && state.Opened.Key != key {
		how := "without a key"
		if state.Opened.Key != "" {
			how = "with --run " + state.Opened.Key
		}
		err = &fault.Error{Code: fault.Usage, Detail: "the loop " + name + " is another one: it was begun " + how, Hint: "choose another key, or another name: in the plan"}
	}
	return state, err
}

// newest gives the loop of a name that was begun last without a key, or nil, and what the
// next one is called: by the first number that is free. It reads no further back than to one
// that is of this plan; what is of another one is called so because its plan's name ends in
// a number, and must not hide that this plan was left before its end.
func (p *Planned) newest(ctx context.Context, st store.Store, base string, there map[string]bool) (string, *loop.State, error) {
	next, taken := base, []string(nil)
	for n := 2; there[next]; n++ {
		taken = append(taken, next)
		next = base + "-" + strconv.Itoa(n)
	}
	var last *loop.State
	for _, name := range slices.Backward(taken) {
		state, err := runner.Load(ctx, st, name)
		switch {
		case err != nil:
			return "", nil, err
		case state.Opened.Key != "":
		case p.isOf(state):
			return next, state, nil
		case last == nil || last.Ended != "" && state.Ended == "":
			last = state
		}
	}
	return next, last, nil
}

// isOf tells whether a loop was begun with this plan, changed since or not.
func (p *Planned) isOf(s *loop.State) bool {
	return p.Opened.File != "" && s.Opened.File == p.Opened.File || p.samePlan(s) == nil
}

// sameWork refuses to go on with another plan than the loop was opened with: what
// is asked for would silently not happen. Limits may change.
func (p *Planned) sameWork(s *loop.State) error {
	was, err := journal.Encode(s.Opened.Work)
	if err != nil {
		return err
	}
	is, err := journal.Encode(p.Opened.Work)
	if err != nil || string(is) == string(was) {
		return err
	}
	return p.changed(s)
}

// samePlan is the same for a loop that has ended, and to which nothing happens any
// more: there the file decides, whatever the configuration says by now.
func (p *Planned) samePlan(s *loop.State) error {
	if s.Opened.Plan == p.Opened.Plan {
		return nil
	}
	return p.sameWork(s)
}

func (p *Planned) changed(s *loop.State) error {
	return &fault.Error{
		Code: PlanChanged, Place: p.file, Detail: "the loop " + s.Opened.Name + " was begun with another plan: its questions, rosters, models, sessions or their settings differ",
		Hint: "rounds, concurrency, the whole budget, stop: and failed: may change; for other work choose another name: or --run, or `brenner loop add`",
	}
}
