// Package supervisor runs one program so that nothing of it is lost and nothing of
// it is left. It is our own binary, started once more: it puts the program into a
// session of its own, spools what it writes to files, ends it and everything that
// came of it when its time is up, when it is told to, or when whoever wanted it is
// gone, and writes down at the very end how it went.
//
// It promises: a status file is there only when nothing of the program runs any more,
// and the output beside it is whole, or the status says why not; and the end of the
// parent, by whatever means, is the end of the program.
//
// It must not know which program it runs, what it is asked, or what its output
// means.
package supervisor

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"brenner/internal/files"
)

// Marker is the first argument of a process that is to be a supervisor; Main gets
// the rest.
const Marker = "__program-supervisor"

// The files of a spool.
const (
	JobFile    = "job.json"
	StatusFile = "status.json"
	StdinFile  = "stdin"
	StdoutFile = "stdout"
	StderrFile = "stderr"
	LogFile    = "supervisor.log"
	lockFile   = "running"
)

const statusSchema = "brenner.program.status/v1"

// Job is what a supervisor is to do. The program's environment is the
// supervisor's own, so that no secret of it is written down.
type Job struct {
	Argv      []string      `json:"argv"`
	Dir       string        `json:"dir"`        // where the program runs
	Wall      time.Duration `json:"wall"`       // how long at most; 0 is no limit
	MaxOutput int64         `json:"max_output"` // bytes of stdout, and of stderr
	Interrupt bool          `json:"interrupt"`  // SIGINT is the polite way to end it, not SIGTERM
	Grace     time.Duration `json:"grace"`      // between the polite end and the certain one
	Remove    string        `json:"remove"`     // the program's private folder, removed at the end
	// Note is the caller's own, to know the job again.
	Note map[string]string `json:"note,omitempty"`
}

// End is why a program was ended; empty where it came to its end by itself.
type End string

// The reasons to end a program.
const (
	ByItself   End = ""
	Told       End = "told"        // by whoever started it
	ParentGone End = "parent gone" // who started it is no more
	WallPassed End = "wall"        // its time was up
	Flood      End = "flood"       // it wrote more than it may
	Unkept     End = "unkept"      // what it wrote could not be written down
	Signalled  End = "signalled"   // somebody sent the supervisor a signal
)

// Status is how a program ended.
type Status struct {
	Schema  string    `json:"schema"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"`
	Exit    int       `json:"exit"` // -1 where a signal ended it
	Signal  string    `json:"signal,omitempty"`
	End     End       `json:"end,omitempty"`
	Left    []string  `json:"left,omitempty"`    // names of processes that it left behind, and that were ended
	Failure string    `json:"failure,omitempty"` // why it could not be started
	Spool   string    `json:"spool,omitempty"`   // why the output beside it is not whole, or not there
}

// ReadJob gives the job of a spool.
func ReadJob(folder string) (Job, error) { return read[Job](filepath.Join(folder, JobFile)) }

// ReadStatus gives how the program of a spool ended; fs.ErrNotExist means that it
// has not, or that nobody saw it.
func ReadStatus(folder string) (Status, error) {
	s, err := read[Status](filepath.Join(folder, StatusFile))
	if err == nil && s.Schema != statusSchema {
		return Status{}, errors.New("the status is not in the form " + statusSchema)
	}
	return s, err
}

func read[T any](path string) (T, error) {
	var v T
	data, err := os.ReadFile(path)
	if err != nil {
		return v, err
	}
	err = json.Unmarshal(data, &v)
	return v, err
}

// write puts a file in its place in one step: it is whole, or not there.
func write(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return files.Write(path, append(data, '\n'))
}
