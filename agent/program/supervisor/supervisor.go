// Package supervisor runs one program without losing output or leaving processes
// behind. A supervisor is our own binary, started again: it runs the program in its
// own session, spools its output to files, stops it with all its descendants on a
// timeout, on request or when the parent is gone, and finally writes a status file.
//
// It promises: a status file exists only when all processes of the program are gone,
// and the output beside it is complete, or the status says why not, and contains no
// secrets; and when the parent dies, by whatever means, the program ends.
//
// It must not know which program it runs, what it is asked, or what its output
// means.
package supervisor

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"brenner/internal/files"
)

// Marker is the first argument of a supervisor process; Main gets the rest.
const Marker = "__program-supervisor"

// Files of a spool.
const (
	JobFile    = "job.json"
	StatusFile = "status.json"
	StdinFile  = "stdin"
	StdoutFile = "stdout"
	StderrFile = "stderr"
	LogFile    = "supervisor.log"
	lockFile   = "running"
)

// MarkVariable holds the mark of a run. Its name does not begin like those of settings.
const MarkVariable = "RUN_OF_BRENNER"

const statusSchema = "brenner.program.status/v1"

// Job describes a run. The program's environment is the supervisor's own, so that no
// secret is written to disk.
type Job struct {
	Argv      []string      `json:"argv"`
	Dir       string        `json:"dir"`        // the working directory
	Wall      time.Duration `json:"wall"`       // time limit; 0 means none
	MaxOutput int64         `json:"max_output"` // bytes of stdout and of stderr, each
	Interrupt bool          `json:"interrupt"`  // stop it with SIGINT, not SIGTERM
	Grace     time.Duration `json:"grace"`      // between that signal and SIGKILL
	Remove    string        `json:"remove"`     // the program's private directory, removed at the end
	// Pipe passes standard input through a pipe: some programs do not read files.
	Pipe bool `json:"pipe,omitempty"`
	// Quiet means that the program is alive as long as it runs: it prints nothing while it waits.
	Quiet bool `json:"quiet,omitempty"`
	// Secrets are names of variables whose values are masked in the output.
	Secrets []string `json:"secrets,omitempty"`
	// Note identifies the job for the caller.
	Note map[string]string `json:"note,omitempty"`
	// Mark is the value of MarkVariable in the environment of all processes of the run.
	Mark string `json:"mark,omitempty"`
	// Place identifies the directory of the spool. A copy of it is another directory.
	Place string `json:"place,omitempty"`
}

// End is why a program was stopped; empty if it exited by itself.
type End string

// Reasons to stop a program.
const (
	Exited        End = ""
	StopRequested End = "told"        // requested by the parent
	ParentGone    End = "parent gone" // the parent has died
	TimeExceeded  End = "wall"        // time limit exceeded
	Flood         End = "flood"       // output limit exceeded
	SpoolFailed   End = "unkept"      // its output could not be stored
	Signalled     End = "signalled"   // the supervisor received a signal
)

// Status is the result of a run.
type Status struct {
	Schema  string    `json:"schema"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"`
	Exit    int       `json:"exit"` // -1 if killed by a signal
	Signal  string    `json:"signal,omitempty"`
	End     End       `json:"end,omitempty"`
	Left    []string  `json:"left,omitempty"`    // names of processes that it left behind, now killed
	Failure string    `json:"failure,omitempty"` // why it could not be started
	Spool   string    `json:"spool,omitempty"`   // why the output is incomplete or missing
}

// ReadJob returns the job of a spool.
func ReadJob(dir string) (Job, error) { return read[Job](filepath.Join(dir, JobFile)) }

// ReadStatus returns the status of a spool; fs.ErrNotExist means that the program is
// still running or that its supervisor was killed.
func ReadStatus(dir string) (Status, error) {
	s, err := read[Status](filepath.Join(dir, StatusFile))
	if err == nil && s.Schema != statusSchema {
		return Status{}, errors.New("unknown schema of status (want " + statusSchema + ")")
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

// write writes a file atomically.
func write(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return files.Write(path, append(data, '\n'))
}

// Lock is a lock that the system releases when its holder dies.
type Lock struct{ file *os.File }

// TryLock takes a lock. It returns nil without an error if the lock is held.
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
	// Sweep may have removed the file between open and lock; then this lock is void.
	if mine, err := f.Stat(); err == nil {
		if there, err := os.Stat(path); err == nil && os.SameFile(mine, there) {
			return &Lock{f}, nil
		}
	}
	_ = f.Close()   // nothing was written
	return nil, nil //nolint:nilnil // held: not an error
}

// WaitLock waits for a lock until ctx is done.
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

// Release releases the lock.
func (l *Lock) Release() { _ = l.file.Close() } // nothing was written

// AwaitEnd waits until no supervisor is working on a spool.
func AwaitEnd(ctx context.Context, dir string) error {
	l, err := WaitLock(ctx, filepath.Join(dir, lockFile))
	if err != nil {
		return err
	}
	l.Release()
	return nil
}

// OwnJob returns the job that was started in the directory of a spool. It returns false in a copy of the
// directory: processes and files of the job belong to the original, which may still run.
func OwnJob(dir string) (Job, bool) {
	job, err := ReadJob(dir)
	return job, err == nil && job.Place != "" && job.Place == place(dir)
}

// KillLost kills the processes of a run whose supervisor was killed, and waits for their end. They are
// known by the run's mark, so that no other process is killed, even if it has the pid of one of them.
func KillLost(dir string) {
	const limit = 5 * time.Second
	job, own := OwnJob(dir)
	if _, running := ReadStatus(dir); !own || running == nil || !regexp.MustCompile(`^[A-Z2-7]{26,}$`).MatchString(job.Mark) {
		return
	}
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	known := map[int]string{}
	for begin := time.Now(); killMarked(MarkVariable+"="+job.Mark, known) && time.Since(begin) < limit; {
		<-look.C
	}
}

// Mark marks a directory as that of a run without a supervisor, and returns the variable for the environment of its
// processes, so that KillLost finds them.
func Mark(dir string) (variable string, err error) {
	job := Job{Mark: rand.Text(), Place: place(dir)}
	return MarkVariable + "=" + job.Mark, write(filepath.Join(dir, JobFile), job)
}

// Start starts a job in the directory of a spool, which holds the program's input.
// own is the supervisor's command, without the directory; empty means this binary
// with Marker. env is the program's complete environment.
func Start(own []string, dir string, job Job, env []string) (*Running, error) {
	if len(own) == 0 {
		self, err := ownBinary()
		if err != nil {
			return nil, err
		}
		own = []string{self, Marker}
	}
	job.Mark, job.Place = rand.Text(), place(dir)
	if err := write(filepath.Join(dir, JobFile), job); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, LogFile), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // only the supervisor writes to it
	r := &Running{job: job}
	r.cmd = exec.Command(own[0], append(own[1:len(own):len(own)], dir)...)
	r.cmd.Args[0] = "brenner"
	r.cmd.Dir, r.cmd.Env, r.cmd.Stderr, r.cmd.SysProcAttr = dir, append(slices.Clip(env), MarkVariable+"="+job.Mark), log, sessionAttr()
	control, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	heartbeat, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, control.Close())
	}
	r.control, r.heartbeat = control, heartbeat
	if err := r.cmd.Start(); err != nil {
		return nil, err // Start has closed the pipes
	}
	return r, nil
}

// Running is a running supervisor.
type Running struct {
	job       Job
	cmd       *exec.Cmd
	control   io.WriteCloser
	heartbeat io.Reader
}

// cleanupTimeout is how long a supervisor may take to exit after the grace period.
const cleanupTimeout = 15 * time.Second

// Wait waits for the supervisor and all processes that it supervises. It calls alive
// on every sign of life, and stops the program when stop is closed.
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
		_, _ = r.control.Write([]byte("e")) // if it is gone, there is nothing to stop
		late := time.NewTimer(r.job.Grace + cleanupTimeout)
		defer late.Stop()
		select {
		case <-over:
		case <-late.C:
			_ = r.cmd.Process.Kill() // on Linux the kernel then kills the program
		}
	}()
	buffer := make([]byte, 256)
	for {
		n, err := r.heartbeat.Read(buffer)
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
	_ = r.control.Close() // exec has closed it
	return err
}

// KillGroupOnCancel makes a short command, such as --version, end with its children
// when its context is done. Anything longer needs a supervisor.
func KillGroupOnCancel(cmd *exec.Cmd) {
	cmd.SysProcAttr = sessionAttr()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 2 * time.Second
}
