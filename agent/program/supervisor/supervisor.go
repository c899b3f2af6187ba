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
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
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

// Lock is a lock that the system takes back when its holder ends, however it ends.
type Lock struct{ file *os.File }

// TryLock takes a lock; nil without an error means that somebody holds it.
func TryLock(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	free, err := files.TryLock(f, true)
	if err != nil || !free {
		_ = f.Close() // nothing was written
		return nil, err
	}
	// Who cleans up may have removed the file between our opening and locking it;
	// then this is the lock of nothing.
	if mine, err := f.Stat(); err == nil {
		if there, err := os.Stat(path); err == nil && os.SameFile(mine, there) {
			return &Lock{f}, nil
		}
	}
	_ = f.Close()   // nothing was written
	return nil, nil //nolint:nilnil // not now: that is no error
}

// WaitLock waits for a lock as long as the context lasts.
func WaitLock(ctx context.Context, path string) (*Lock, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if l, err := TryLock(path); l != nil || err != nil {
			return l, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Release gives the lock back.
func (l *Lock) Release() { _ = l.file.Close() } // nothing was written

// AwaitEnd waits until no supervisor works on a spool.
func AwaitEnd(ctx context.Context, folder string) error {
	l, err := WaitLock(ctx, filepath.Join(folder, lockFile))
	if err != nil {
		return err
	}
	l.Release()
	return nil
}

// Start begins a job in the folder of a spool, which holds what the program reads
// as its input. own is the command that becomes a supervisor, without the folder;
// empty means this very binary with the Marker. env is all that the program will
// see of the environment.
func Start(own []string, folder string, job Job, env []string) (*Running, error) {
	if len(own) == 0 {
		self, err := ownBinary()
		if err != nil {
			return nil, err
		}
		own = []string{self, Marker}
	}
	if err := write(filepath.Join(folder, JobFile), job); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(folder, LogFile), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // the supervisor writes to it, not we
	r := &Running{job: job}
	r.cmd = exec.Command(own[0], append(own[1:len(own):len(own)], folder)...)
	r.cmd.Args[0] = "brenner"
	r.cmd.Dir, r.cmd.Env, r.cmd.Stderr, r.cmd.SysProcAttr = folder, env, log, ownSession()
	leash, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	pulse, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, leash.Close())
	}
	r.leash, r.pulse = leash, pulse
	if err := r.cmd.Start(); err != nil {
		return nil, err // which has closed the pipes
	}
	return r, nil
}

// Running is a supervisor at work.
type Running struct {
	job   Job
	cmd   *exec.Cmd
	leash io.WriteCloser
	pulse io.Reader
}

// mostCleaning is how long a supervisor may need beyond the grace.
const mostCleaning = 15 * time.Second

// Wait waits for the supervisor's end, and with it for the end of all that it
// supervises. alive is called at every sign of life. When stop is closed, the
// program is ended.
func (r *Running) Wait(stop <-chan struct{}, alive func()) error {
	over := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-over:
			return
		case <-stop:
		}
		_, _ = r.leash.Write([]byte("e")) // where it is gone already, nothing is to be ended
		late := time.NewTimer(r.job.Grace + mostCleaning)
		defer late.Stop()
		select {
		case <-over:
		case <-late.C:
			_ = r.cmd.Process.Kill() // the system ends the program then, where it can
		}
	}()
	buffer := make([]byte, 256)
	for {
		n, err := r.pulse.Read(buffer)
		if n > 0 {
			alive()
		}
		if err != nil {
			break // the supervisor has ended
		}
	}
	err := r.cmd.Wait()
	close(over)
	<-ended
	_ = r.leash.Close() // exec has closed it
	return err
}

// Together makes a short command end together with what it started, when its
// context is over. It is for questions like --version; everything else is for a
// supervisor.
func Together(cmd *exec.Cmd) {
	cmd.SysProcAttr = ownSession()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 2 * time.Second
}
