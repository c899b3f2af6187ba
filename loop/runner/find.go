package runner

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/store"
	"brenner/store/journal"
)

// Search finds the loop of a plan in a store.
type Search struct {
	Name     string       // of the plan's loop, with the key
	Key      string       // "" means none
	Continue bool         // an ended loop
	Plan     *loop.Opened // the plan's first event
	File     string       // of the plan, for errors
	Sessions int          // in all rounds of the plan
	// Owed reports whether the report of an ended loop is still missing.
	Owed func(*loop.State) bool
}

// Find returns the name and state of the plan's loop, by key or name. A nil state means
// that a new loop starts under that name.
func (s *Search) Find(ctx context.Context, st store.Store) (name string, state *loop.State, err error) {
	next, last, err := s.last(ctx, st)
	switch {
	case err != nil:
	case last == nil && s.Continue:
		err = s.NothingToContinue()
	case last == nil:
	case s.Continue || last.Ended == "":
		next, state, err = last.Opened.Name, last, last.Opened.CheckWork(s.Plan, s.File)
	case last.StoppedEarly() && last.Opened.CheckWork(s.Plan, s.File) == nil:
		next, state = last.Opened.Name, last
	case s.Key != "":
		next, state, err = last.Opened.Name, last, last.Opened.CheckPlan(s.Plan, s.File)
	case s.Owed(last) && last.Opened.CheckPlan(s.Plan, s.File) == nil:
		next, state = last.Opened.Name, last // running everything again for a missing report would cost too much
	}
	if err == nil && state == nil {
		err = s.canBegin(next, last)
	}
	if err != nil {
		return "", nil, err
	}
	return next, state, nil
}

// NothingToContinue returns the error for a loop that does not exist.
func (s *Search) NothingToContinue() error {
	return &fault.Error{Code: NoLoop, Detail: "no loop " + s.Name + " to continue", Hint: "remove --go-on and --retry-failed"}
}

// last returns the last loop of the plan, or nil, and the name of the next one.
func (s *Search) last(ctx context.Context, st store.Store) (next string, last *loop.State, err error) {
	streams, err := List(ctx, st)
	if err != nil {
		return "", nil, err
	}
	there := make(map[string]bool, len(streams))
	for i := range streams {
		there[NameOf(&streams[i])] = true
	}
	switch {
	case s.Key == "":
		return s.newest(ctx, st, there)
	case there[s.Name]:
		last, err = s.loadKeyed(ctx, st)
	}
	return s.Name, last, err
}

// loadKeyed returns the loop with the key.
func (s *Search) loadKeyed(ctx context.Context, st store.Store) (*loop.State, error) {
	state, err := Load(ctx, st, s.Name)
	if err == nil && state.Opened.Key != s.Key {
		how := "without a key"
		if state.Opened.Key != "" {
			how = "with --run " + state.Opened.Key
		}
		err = &fault.Error{Code: fault.Usage, Detail: "loop " + s.Name + " was started " + how, Hint: "use another key, or another name: in the plan"}
	}
	return state, err
}

// newest returns the latest loop with the name and without a key, or nil, and the name of
// the next one, with the first free number. It reads backwards until it finds a loop of
// this plan. A loop of another plan whose name ends in a number must not hide an
// unfinished loop of this plan.
func (s *Search) newest(ctx context.Context, st store.Store, there map[string]bool) (string, *loop.State, error) {
	next, taken := s.Name, []string(nil)
	for n := 2; there[next]; n++ {
		taken = append(taken, next)
		next = s.Name + "-" + strconv.Itoa(n)
	}
	var last *loop.State
	for _, name := range slices.Backward(taken) {
		state, err := Load(ctx, st, name)
		switch {
		case err != nil:
			return "", nil, err
		case state.Opened.Key != "":
		case state.Opened.SamePlan(s.Plan):
			return next, state, nil
		case last == nil || last.Ended != "" && state.Ended == "":
			last = state
		}
	}
	return next, last, nil
}

// canBegin refuses a name that is too long with the number of the next loop.
func (s *Search) canBegin(next string, last *loop.State) error {
	if loop.ValidName(next, s.Sessions) {
		return nil
	}
	room := loop.MaxNameFor(s.Sessions) - len(strings.TrimPrefix(next, s.Name))
	hint := "shorten name: in the plan to at most " + strconv.Itoa(room) + " characters"
	if last != nil {
		hint += ", or pass --go-on to continue " + last.Opened.Name
	}
	return &fault.Error{
		Code: fault.Usage, Place: s.File, Detail: "loop " + s.Name + " already exists, and the next name, " + next + ", is too long", Hint: hint,
	}
}

// FindAndHold finds the plan's loop and holds its lock until release is called. It reads the
// state after it has the lock: the previous holder may have ended the loop.
func (r *Runner) FindAndHold(ctx context.Context, s *Search) (name string, state *loop.State, release func(), err error) {
	for {
		if name, _, err = s.Find(ctx, r.Store); err != nil {
			return "", nil, nil, err
		}
		if release, err = r.Hold(name); err != nil {
			return "", nil, nil, err
		}
		var now string
		if now, state, err = s.Find(ctx, r.Store); err == nil && now == name {
			return name, state, release, nil
		}
		release()
		if err != nil {
			return "", nil, nil, err
		}
	}
}

// Load reads a loop and checks the hash chain of its journal.
func Load(ctx context.Context, st store.Store, name string) (*loop.State, error) {
	entries, err := loadEntries(ctx, st, name)
	if err != nil {
		return nil, err
	}
	return loop.Fold(entries)
}

// loadEntries returns the journal of an existing loop.
func loadEntries(ctx context.Context, st store.Store, name string) ([]journal.Entry, error) {
	entries, err := entriesOf(ctx, st, loop.Prefix+name)
	if err == nil && len(entries) == 0 {
		err = noSuchLoop(ctx, st, name)
	}
	return entries, err
}

func entriesOf(ctx context.Context, st store.Store, stream string) ([]journal.Entry, error) {
	entries, err := st.Entries(ctx, stream, 0)
	if err == nil {
		err = journal.Check(stream, journal.Head{}, entries)
	}
	return entries, err
}

// noSuchLoop returns the error for an unknown loop, with a suggestion.
func noSuchLoop(ctx context.Context, st store.Store, name string) error {
	f := &fault.Error{Code: NoLoop, Detail: "no such loop: " + fault.Shown(name), Hint: "`brenner loop status` lists the loops"}
	streams, err := List(ctx, st)
	if err != nil {
		return f // without a suggestion
	}
	names := make([]string, len(streams))
	for i := range streams {
		names[i] = NameOf(&streams[i])
	}
	f.Hint = cmp.Or(text.Suggest(name, names), f.Hint)
	return f
}

// List returns the streams of all loops in a store.
func List(ctx context.Context, st store.Store) ([]store.Stream, error) {
	return st.Streams(ctx, loop.Prefix)
}

// NameOf returns the name of a stream's loop.
func NameOf(s *store.Stream) string { return strings.TrimPrefix(s.Name, loop.Prefix) }

// Lock returns the name of a loop's lock.
func Lock(name string) string { return "loop-" + name }

// Steer writes an operator's request into the journal of a loop that has not ended. It may
// call event several times, since other processes write to the journal too.
func Steer(ctx context.Context, st store.Store, now func() time.Time, name, kind string, event func(*loop.State) (any, error)) (*loop.State, error) {
	state, err := Load(ctx, st, name)
	if err != nil {
		return nil, err
	}
	l := newLedger(st, name, now, state)
	err = l.write(ctx, kind, func(s *loop.State) (any, error) {
		if s.Ended != "" {
			return nil, &fault.Error{Code: IsEnded, Detail: "loop " + name + " has ended: " + s.Ended, Hint: "`brenner loop report " + name + "` shows the result"}
		}
		return event(s)
	})
	return l.state, err
}

// AppendEvent appends an event to the journal of a loop, ended or not.
func AppendEvent(ctx context.Context, st store.Store, now func() time.Time, name, kind string, body any) error {
	state, err := Load(ctx, st, name)
	if err != nil {
		return err
	}
	l := newLedger(st, name, now, state)
	return l.write(ctx, kind, func(*loop.State) (any, error) { return body, nil })
}
