package sessioncmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store/journal"
)

func sessionWatchCommand(a *ui.App) *cobra.Command {
	var dir string
	var stream bool
	c := &cobra.Command{
		Use:   "watch ID",
		Short: "Follow a running session, from any terminal",
		Long: `Shows what happens in a session that another process runs: first what it came to so far,
then every event as it is journaled; a live table on a terminal, lines elsewhere. It
ends with the session, or when nobody runs it any more, and then shows where it stands.

Watching changes nothing: Ctrl-C ends the watching, and the session goes on.`,
		Example: `  brenner session watch RS-20261115-cell-fate
  brenner session watch RS-20261115-cell-fate --json-stream

Exit codes: 0 the session ended, or nobody runs it; 1 the store is damaged; 2 there is no
such session; 3 it ended without some answer; 5 it ended with an open conflict or stalemate; 130
interrupted.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error {
			return a.WithSession(c, dir, args[0], func(ctx context.Context, src *project.Source, h *session.History) error {
				if err := ui.WholeSession(c, src.Address); err != nil {
					return err
				}
				return watch(ctx, a, src, h, stream)
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	c.Flags().BoolVar(&stream, "json-stream", false, "print every entry of the journal as a line of JSON as it comes, the result last")
	return c
}

// poll is how often the journal is looked at.
const poll = 200 * time.Millisecond

func watch(ctx context.Context, a *ui.App, src *project.Source, h *session.History, stream bool) error {
	hard, drain, done := a.Interrupts.Gently(ctx, func() {})
	defer done()
	w := &watcher{app: a, src: src, thread: h.Thread, state: &flow.State{}, progress: progressFor(a, stream)}
	interruptedBy, err := w.follow(hard, drain, h.Entries, stream)
	w.progress.end()
	if err != nil {
		return err
	}
	if interruptedBy {
		a.Exit = ui.ExitInterrupted
		return nil
	}
	if h, err = session.Load(ctx, src.Store, h.Thread); err != nil {
		return err
	}
	if stream {
		a.JSON = true
	}
	return showStatus(ctx, a, src, h)
}

// watcher follows a journal that others write.
type watcher struct {
	app      *ui.App
	src      *project.Source
	thread   string
	state    *flow.State
	progress progress
}

// follow tells of everything until nobody runs the session, and whether it was
// stopped before.
func (w *watcher) follow(ctx context.Context, drain <-chan struct{}, past []journal.Entry, stream bool) (stopped bool, err error) {
	if err := w.past(past, stream); err != nil {
		return false, err
	}
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		// Who runs it is asked first: what was written before that is then read.
		running := false
		if w.src.Locks != nil {
			if _, running, err = w.src.Locks.HolderOf(w.thread); err != nil {
				return false, err
			}
		}
		if err := w.news(ctx); err != nil || !running {
			return false, err
		}
		select {
		case <-ticker.C:
		case <-drain:
			return true, nil
		case <-ctx.Done():
			return true, nil
		}
	}
}

// past tells what happened before: a line for each version, and what came after
// the last one as if it came now. A stream of events has all of them.
func (w *watcher) past(entries []journal.Entry, stream bool) error {
	known := 0
	for i := range entries {
		if entries[i].Kind == flow.KindCommitted && !stream {
			known = i + 1
		}
	}
	for i := range entries[:known] {
		if err := w.state.Apply(&entries[i]); err != nil {
			return err
		}
	}
	if known > 0 && !w.app.Quiet && !w.app.JSON {
		if w.state.Opened.Rehearsal != "" {
			w.app.Say(ui.RehearsalNote + "\n")
		}
		for i := range w.state.Commits {
			w.app.Say(commitLine(&w.state.Commits[i]) + "\n")
		}
	}
	return w.tell(entries[known:])
}

// news reads what was written since.
func (w *watcher) news(ctx context.Context) error {
	entries, err := w.src.Store.Entries(ctx, session.Prefix+w.thread, w.state.Head.Seq)
	if err == nil {
		err = journal.Check(session.Prefix+w.thread, w.state.Head, entries)
	}
	if err != nil {
		return err
	}
	return w.tell(entries)
}

func (w *watcher) tell(entries []journal.Entry) error {
	for i := range entries {
		if err := w.state.Apply(&entries[i]); err != nil {
			return err
		}
		w.progress.event(&entries[i], w.state)
	}
	return nil
}
