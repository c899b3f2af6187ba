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

// Search says which loop of a store a plan means.
type Search struct {
	Name     string       // of the plan's loop, with the key
	Key      string       // of a loop that is run once; "" is none
	GoOn     bool         // a loop that has ended is meant, too
	Plan     *loop.Opened // what the plan opens a loop with
	File     string       // of the plan, for errors
	Sessions int          // of all rounds of the plan
	// Owed reports whether the end of a loop still owes its report.
	Owed func(*loop.State) bool
}

// Find returns the name of the loop that is meant, by its key or its name, and its state;
// nil where a new one begins.
func (s *Search) Find(ctx context.Context, st store.Store) (name string, state *loop.State, err error) {
	next, last, err := s.last(ctx, st)
	switch {
	case err != nil:
	case last == nil && s.GoOn:
		err = s.NothingToGoOn()
	case last == nil:
	case s.GoOn || last.Ended == "":
		next, state, err = last.Opened.Name, last, last.Opened.CheckWork(s.Plan, s.File)
	case s.Key != "":
		next, state, err = last.Opened.Name, last, last.Opened.CheckPlan(s.Plan, s.File)
	case s.Owed(last) && last.Opened.CheckPlan(s.Plan, s.File) == nil:
		next, state = last.Opened.Name, last // to run everything anew because a report is missing would cost as much again
	}
	if err == nil && state == nil {
		err = s.canBegin(next, last)
	}
	if err != nil {
		return "", nil, err
	}
	return next, state, nil
}

// NothingToGoOn is the error of a loop that does not exist and cannot go on.
func (s *Search) NothingToGoOn() error {
	return &fault.Error{Code: NoLoop, Detail: "there is no loop " + s.Name + " to go on with", Hint: "leave --go-on and --retry-failed out"}
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
		last, err = s.keyed(ctx, st)
	}
	return s.Name, last, err
}

// keyed returns the loop of the key.
func (s *Search) keyed(ctx context.Context, st store.Store) (*loop.State, error) {
	state, err := Load(ctx, st, s.Name)
	if err == nil && state.Opened.Key != s.Key {
		how := "without a key"
		if state.Opened.Key != "" {
			how = "with --run " + state.Opened.Key
		}
		err = &fault.Error{Code: fault.Usage, Detail: "the loop " + s.Name + " is another one: it was begun " + how, Hint: "choose another key, or another name: in the plan"}
	}
	return state, err
}

// newest returns the loop of the name that was begun last without a key, or nil, and the
// name of the next one, by the first number that is free. It reads no further back than to
// a loop of this plan. A loop of another plan may have such a name because its plan's name
// ends in a number; it must not hide that this plan was left before its end.
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
		case state.Opened.IsOf(s.Plan):
			return next, state, nil
		case last == nil || last.Ended != "" && state.Ended == "":
			last = state
		}
	}
	return next, last, nil
}

// canBegin refuses a name that has no room for the number of another loop.
func (s *Search) canBegin(next string, last *loop.State) error {
	if loop.ValidName(next, s.Sessions) {
		return nil
	}
	room := loop.LongestName(s.Sessions) - len(strings.TrimPrefix(next, s.Name))
	hint := "write a name: of at most " + strconv.Itoa(room) + " characters into the plan"
	if last != nil {
		hint += "; --go-on goes on with " + last.Opened.Name
	}
	return &fault.Error{
		Code: fault.Usage, Place: s.File, Detail: "there is a loop " + s.Name + " already, and " + next + " is too long a name for another one", Hint: hint,
	}
}

// HoldFound finds the loop that is meant and holds it until it is released. Its state is
// read once it is held: the process that held it before may have ended it meanwhile.
func (r *Runner) HoldFound(ctx context.Context, s *Search) (name string, state *loop.State, release func(), err error) {
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

// Load reads a loop, and checks the chain of its journal.
func Load(ctx context.Context, st store.Store, name string) (*loop.State, error) {
	entries, err := loaded(ctx, st, name)
	if err != nil {
		return nil, err
	}
	return loop.Fold(entries)
}

// loaded gives the journal of a loop that is there.
func loaded(ctx context.Context, st store.Store, name string) ([]journal.Entry, error) {
	entries, err := entriesOf(ctx, st, loop.Prefix+name)
	if err == nil && len(entries) == 0 {
		err = unknown(ctx, st, name)
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

// unknown says that there is no such loop, and which one was probably meant.
func unknown(ctx context.Context, st store.Store, name string) error {
	f := &fault.Error{Code: NoLoop, Detail: "there is no loop " + fault.Shown(name), Hint: "`brenner loop status` shows those there are"}
	streams, err := List(ctx, st)
	if err != nil {
		return f // that there is none is known all the same
	}
	names := make([]string, len(streams))
	for i := range streams {
		names[i] = NameOf(&streams[i])
	}
	f.Hint = cmp.Or(text.Suggest(name, names), f.Hint)
	return f
}

// List gives the streams of all loops of a store.
func List(ctx context.Context, st store.Store) ([]store.Stream, error) {
	return st.Streams(ctx, loop.Prefix)
}

// NameOf gives the name of the loop whose stream this is.
func NameOf(s *store.Stream) string { return strings.TrimPrefix(s.Name, loop.Prefix) }

// Lock is the name under which a process holds a loop.
func Lock(name string) string { return "loop-" + name }

// Steer writes what a person wants into the journal of a loop, running or not. It may ask
// for the event several times, as other processes write there, too.
func Steer(ctx context.Context, st store.Store, now func() time.Time, name, kind string, event func(*loop.State) (any, error)) (*loop.State, error) {
	state, err := Load(ctx, st, name)
	if err != nil {
		return nil, err
	}
	l := newLedger(st, name, now, state)
	err = l.write(ctx, kind, func(s *loop.State) (any, error) {
		if s.Ended != "" {
			return nil, &fault.Error{Code: IsEnded, Detail: "the loop " + name + " has ended: " + s.Ended, Hint: "`brenner loop report " + name + "` says what it came to"}
		}
		return event(s)
	})
	return l.state, err
}

// Note writes an event into the journal of a loop, ended or not.
func Note(ctx context.Context, st store.Store, now func() time.Time, name, kind string, body any) error {
	state, err := Load(ctx, st, name)
	if err != nil {
		return err
	}
	l := newLedger(st, name, now, state)
	return l.write(ctx, kind, func(*loop.State) (any, error) { return body, nil })
}
