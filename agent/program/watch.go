package program

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"brenner/agent/program/supervisor"
)

// watched is what a running program has written about its turns and its failed requests.
type watched struct {
	files    map[string]*following
	turns    int
	failures int    // since the last turn
	trouble  string // the last of them
	looped   bool   // it took too many turns and was stopped
	hopeless bool   // it repeated failed requests and was stopped
}

// mostFailures is how many failed requests a program may repeat before it is stopped. Failed calls
// are repeated by us, within the limits of the session.
const mostFailures = 3

// watchInterval is how often output is scanned.
const watchInterval = 200 * time.Millisecond

// watch scans new output until over is closed. It calls stop if the program takes too many turns,
// or repeats requests that fail.
func (x *execution) watch(home string, over <-chan struct{}, stop func()) {
	var failing *regexp.Regexp
	if x.kind.failing != "" {
		failing = regexp.MustCompile(x.kind.failing)
	}
	if x.kind.turn == nil && failing == nil {
		return
	}
	patience := x.kind.patience
	if patience == 0 {
		patience = mostFailures
	}
	x.files = map[string]*following{}
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for !x.looped && !x.hopeless {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		out := filepath.Join(x.spool.dir, supervisor.StdoutFile)
		x.scan(out, x.kind.turn, failing)
		x.scan(filepath.Join(x.spool.dir, supervisor.StderrFile), nil, failing)
		logs, _ := filepath.Glob(filepath.Join(home, x.kind.logs)) // the pattern is a constant
		for _, log := range logs {
			x.scan(log, nil, failing)
		}
		x.looped, x.hopeless = x.turns > x.Turns, x.failures >= patience
	}
	stop()
}

// scan counts the turns and failures in the new lines of a file.
func (x *execution) scan(path string, turn func([]byte) bool, failing *regexp.Regexp) {
	if turn == nil && failing == nil {
		return
	}
	file := x.files[path]
	if file == nil {
		file = &following{}
		x.files[path] = file
	}
	file.lines(path, x.MaxOutput, func(line []byte) {
		if turn != nil && turn(line) {
			x.turns, x.failures = x.turns+1, 0
		}
		if failing == nil {
			return
		}
		if found := failing.FindSubmatch(line); found != nil {
			x.failures, x.trouble = x.failures+1, string(found[1])
		}
	})
}

// following is how far a growing file was read.
type following struct {
	seen int64
	rest []byte // the beginning of a line
}

// lines calls each for the new complete lines of a file.
func (f *following) lines(path string, limit int64, each func([]byte)) {
	file, err := os.Open(path)
	if err != nil {
		return // does not exist yet, or no longer
	}
	defer file.Close() //nolint:errcheck // read-only
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	fresh, err := io.ReadAll(io.NewSectionReader(file, f.seen, limit))
	if err != nil {
		return // try again next time
	}
	f.seen += int64(len(fresh))
	for {
		line, rest, ok := bytes.Cut(fresh, []byte("\n"))
		f.rest = append(f.rest, line...) // it has no line end, so only fresh output is searched for one
		if !ok {
			return
		}
		each(f.rest)
		f.rest, fresh = f.rest[:0], rest
	}
}
