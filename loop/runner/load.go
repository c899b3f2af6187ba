package runner

import (
	"context"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/store"
	"brenner/store/journal"
)

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
	if near, ok := text.Nearest(name, names); ok {
		f.Hint = "did you mean " + near + "?"
	}
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
