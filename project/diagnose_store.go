package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/sqlite"
)

// checkStore looks at what the project keeps: whether it can be opened and
// written to, whether its pages are whole, how large it is, and which sessions
// were left. It proves nothing: verify does.
func checkStore(ctx context.Context, p *Project) []Check {
	dir := p.StateDir()
	st, err := p.OpenUnchanged(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return append([]Check{{"store", CheckNote, "none yet", "the first session makes it, in " + filepath.Join(dir, sqlite.FileName)}}, checkState(dir)...)
	}
	if err != nil {
		return brokenBy("store", err)
	}
	defer p.CloseStore(st)
	if err := st.QuickCheck(ctx); err != nil {
		return damagedBy(err)
	}
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return brokenBy("store", err)
	}
	d := []Check{{What: "store", Status: CheckFine, Found: fmt.Sprintf("%s, %s, on a local file system, %s",
		filepath.Join(dir, sqlite.FileName), sizeOf(dir), text.Count(len(streams), "session"))}}
	d = append(d, checkState(dir)...)
	return append(d, checkSessions(ctx, st, streams)...)
}

// damagedBy names the first fault of a store's file; what else is wrong, verify says.
func damagedBy(err error) []Check {
	d := brokenBy("store", err)[:1]
	if fault.CodeOf(err) == store.Damaged {
		d[0].Fix = "`brenner verify` says how much of it is whole; keep a copy of the file before anything else"
	}
	return d
}

// checkState looks whether the state folder, or the one that it would be made in,
// can be written to.
func checkState(dir string) []Check {
	err := writable(dir)
	if errors.Is(err, os.ErrNotExist) {
		dir = filepath.Dir(dir)
		err = writable(dir)
	}
	if err != nil {
		return []Check{{"state folder", CheckBroken, dir + ": " + files.Reason(err), "make the folder writable: sessions are stored in it"}}
	}
	return []Check{{What: "state folder", Status: CheckFine, Found: dir}}
}

// sizeOf gives the size of the store's files for people.
func sizeOf(dir string) string {
	var sum int64
	for _, ending := range []string{"", "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, sqlite.FileName+ending)); err == nil {
			sum += info.Size()
		}
	}
	const kb, mb = 1 << 10, 1 << 20
	if sum < mb {
		return fmt.Sprintf("%d kB", (sum+kb-1)/kb)
	}
	return fmt.Sprintf("%.1f MB", float64(sum)/mb)
}

// checkSessions names the sessions that were left before their end, the newest
// first, and how to go on with each.
func checkSessions(ctx context.Context, st *sqlite.Store, streams []store.Stream) []Check {
	const most = 5
	var d []Check
	left := 0
	for i := range streams {
		thread := session.ThreadOf(&streams[i])
		why, err := leftBy(ctx, st, &streams[i])
		if err != nil {
			d = append(d, brokenBy("session "+thread, err)...)
			continue
		}
		if why == "" {
			continue
		}
		if left++; left <= most {
			d = append(d, Check{"session " + thread, CheckNote, why, "`brenner session resume " + thread + "` goes on with it"})
		}
	}
	if left > most {
		d = append(d, Check{"sessions", CheckNote, fmt.Sprintf("%d more were left before their end", left-most), "`brenner session list` shows them"})
	}
	return d
}

// leftBy says how a session was left, or "" for one that is done or runs.
func leftBy(ctx context.Context, st *sqlite.Store, stream *store.Stream) (string, error) {
	if _, held, err := st.HolderOf(session.ThreadOf(stream)); err != nil || held {
		return "", err
	}
	entries, err := st.Entries(ctx, stream.Name, 0)
	if err != nil {
		return "", err
	}
	s, err := flow.Fold(entries)
	switch {
	case err != nil:
		return "", err
	case s.Ended == "":
		return "left before its end", nil
	case s.Ended == flow.EndBudget, flow.BrokeOff(s.Ended):
		return EndedBy(s.Ended), nil
	}
	return "", nil
}
