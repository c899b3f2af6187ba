package program

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"brenner/agent/program/supervisor"
)

// Scratch is a directory for runs of which nothing is kept. If its process is killed, SweepScratch
// removes it.
type Scratch struct {
	Dir  string
	lock *supervisor.Lock
}

// scratchLock is the file in a scratch directory that its process locks.
const scratchLock = "in-use"

// OpenScratch makes a scratch directory in base; empty means the system's temporary directory.
func OpenScratch(base string) (*Scratch, error) {
	const tries = 3 // SweepScratch may come before the lock
	for range tries {
		dir, err := os.MkdirTemp(base, privatePrefix+"*")
		if err != nil {
			return nil, err
		}
		if lock, err := supervisor.TryLock(filepath.Join(dir, scratchLock)); lock != nil && err == nil {
			return &Scratch{Dir: dir, lock: lock}, nil
		}
	}
	return nil, errors.New("cannot lock a temporary directory")
}

// Close removes the directory.
func (s *Scratch) Close() {
	s.lock.Release()
	_ = os.RemoveAll(s.Dir) // SweepScratch tries again
}

// SweepScratch ends the runs in scratch directories of this user whose processes were killed, and removes the directories.
func SweepScratch() {
	base := os.TempDir()
	entries, _ := os.ReadDir(base) // without a list there is nothing to do
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		if lock := filepath.Join(dir, scratchLock); strings.HasPrefix(e.Name(), privatePrefix) && supervisor.Private(dir) && exists(lock) {
			sweepScratch(dir, lock)
		}
	}
}

func sweepScratch(dir, path string) {
	lock, err := supervisor.TryLock(path)
	if lock == nil || err != nil {
		return // in use
	}
	supervisor.KillLost(dir)
	for _, below := range []string{privatePrefix + "*", filepath.Join(spoolName, "*")} {
		runs, _ := filepath.Glob(filepath.Join(dir, below)) // the pattern is valid
		for _, run := range runs {
			supervisor.KillLost(run)
		}
	}
	(&Scratch{Dir: dir, lock: lock}).Close()
}

// spoolName is the directory for runs in a scratch directory.
const spoolName = "spool"

// In sets the options for runs in the scratch directory.
func (s *Scratch) In(o Options) Options {
	o.Spool, o.WorkDir = filepath.Join(s.Dir, spoolName), s.Dir
	return o
}
