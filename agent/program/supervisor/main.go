package supervisor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"
)

// Main is the main function of a supervisor; its argument is the directory of a
// spool with a job. The parent holds its standard input open: a byte means "stop the
// program", and the end of input means that the parent is gone. Each byte on its
// standard output is a sign of life. Main returns the exit code.
func Main(args []string) int {
	if len(args) != 1 {
		return 2
	}
	if err := supervise(args[0]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func supervise(dir string) error {
	// Pdeathsig is bound to the thread that started the program.
	runtime.LockOSThread()
	prepare()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, signals()...)
	lock, err := TryLock(filepath.Join(dir, lockFile))
	if err != nil {
		return err
	}
	if lock == nil {
		return errors.New("another supervisor is working on " + dir)
	}
	defer lock.Release()
	job, err := ReadJob(dir)
	if err != nil {
		return err
	}
	if job.Remove != "" {
		defer func() { _ = os.RemoveAll(job.Remove) }() // after an error it stays in the temporary directory
	}
	if _, err := ReadStatus(dir); !errors.Is(err, fs.ErrNotExist) {
		return errors.New("the job in " + dir + " is already done")
	}
	r := newRun(&job, dir, stop)
	r.parent = watchParent()
	go r.sendHeartbeats()
	status := Status{Schema: statusSchema, Began: time.Now().UTC(), Exit: -1}
	r.program(&status)
	status.Ended = time.Now().UTC()
	MaskOutput(dir, Secrets(job.Secrets, os.Getenv)) // the parent may be gone
	return write(filepath.Join(dir, StatusFile), status)
}

// run is one supervised program.
type run struct {
	job       *Job
	dir       string
	stop      <-chan os.Signal
	parent    <-chan End    // the parent requested a stop, or is gone
	heartbeat chan struct{} // there was output
	abort     chan End      // why the program must be stopped
}

func newRun(job *Job, dir string, stop <-chan os.Signal) *run {
	return &run{job: job, dir: dir, stop: stop, heartbeat: make(chan struct{}, 1), abort: make(chan End, 2)}
}

// program runs the program to its end. It sets the status, including errors of
// starting the program or of storing its output.
func (r *run) program(status *Status) {
	spoolFailed := func(err error) { status.Failure, status.Spool = err.Error(), err.Error() }
	in, err := os.Open(filepath.Join(r.dir, StdinFile))
	if err != nil {
		spoolFailed(err)
		return
	}
	defer in.Close() //nolint:errcheck // read-only
	out, err := r.spool(StdoutFile)
	if err != nil {
		spoolFailed(err)
		return
	}
	errs, err := r.spool(StderrFile)
	if err != nil {
		spoolFailed(errors.Join(err, out.close()))
		return
	}
	cmd := exec.Command(r.job.Argv[0], r.job.Argv[1:]...)
	cmd.Dir, cmd.SysProcAttr = r.job.Dir, programAttr()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out.writer, errs.writer
	if r.job.Pipe {
		cmd.Stdin, cmd.WaitDelay = io.MultiReader(in), time.Second // a descendant may hold the pipe open
	}
	if err := cmd.Start(); err != nil {
		status.Failure = errors.Join(err, out.close(), errs.close()).Error()
		return
	}
	go out.copy()
	go errs.copy()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = cmd.Wait() // the result is in cmd.ProcessState
	}()
	all := newTree(cmd.Process.Pid)
	if status.End = r.watch(all, over); status.End != Exited {
		all.end(r.job, over)
	}
	left := all.sweep(min(r.job.Grace, 500*time.Millisecond))
	if status.End == Exited {
		status.Left = left
	}
	<-over
	status.Exit, status.Signal = cmd.ProcessState.ExitCode(), signalOf(cmd.ProcessState)
	if err := errors.Join(out.finish(), errs.finish()); err != nil {
		status.Spool = err.Error()
	}
}

// checkInterval is how often the process tree is checked.
const checkInterval = 5 * time.Second

// watch waits for the program to exit or for a reason to stop it.
func (r *run) watch(all *tree, over <-chan struct{}) End {
	var wall <-chan time.Time
	if r.job.Wall > 0 {
		timer := time.NewTimer(r.job.Wall)
		defer timer.Stop()
		wall = timer.C
	}
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return Exited
		case reason := <-r.parent:
			return reason
		case <-wall:
			return TimeExceeded
		case reason := <-r.abort:
			return reason
		case <-r.stop:
			return Signalled
		case <-tick.C:
			if all.busy() || r.job.Quiet {
				r.alive()
			}
		}
	}
}

// watchParent reports when the parent requests a stop, or is gone.
func watchParent() <-chan End {
	reason := make(chan End, 1)
	go func() {
		if n, _ := os.Stdin.Read(make([]byte, 1)); n > 0 { // an error also means that it is gone
			reason <- StopRequested
			return
		}
		reason <- ParentGone
	}()
	return reason
}

// alive queues a sign of life; several are merged into one.
func (r *run) alive() {
	select {
	case r.heartbeat <- struct{}{}:
	default:
	}
}

// sendHeartbeats sends signs of life to the parent.
func (r *run) sendHeartbeats() {
	for range r.heartbeat {
		_, _ = os.Stdout.Write([]byte{'.'}) // watchParent notices a missing parent
	}
}

// stopFor stops the program; the first reason counts.
func (r *run) stopFor(reason End) {
	select {
	case r.abort <- reason:
	default:
	}
}

// stream copies one output of the program to a file.
type stream struct {
	run            *run
	file           *os.File
	reader, writer *os.File
	done           chan error
}

func (r *run) spool(name string) (*stream, error) {
	f, err := os.OpenFile(filepath.Join(r.dir, name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &stream{run: r, file: f, reader: reader, writer: writer, done: make(chan error, 1)}, nil
}

// close is for a program that never started.
func (s *stream) close() error {
	return errors.Join(s.reader.Close(), s.writer.Close(), s.file.Close())
}

// copy stores output up to the limit. The rest is read and dropped, so that the
// program does not block.
func (s *stream) copy() {
	_ = s.writer.Close() // the program has it
	left, buffer := s.run.job.MaxOutput, make([]byte, 64<<10)
	var failed error
	for {
		n, err := s.reader.Read(buffer)
		if keep := min(int64(n), left); keep > 0 && failed == nil {
			_, failed = s.file.Write(buffer[:keep])
			left -= keep
			n -= int(keep)
			s.run.alive()
		}
		switch {
		case failed != nil:
			s.run.stopFor(SpoolFailed)
		case n > 0:
			s.run.stopFor(Flood)
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
				err = nil
			}
			s.done <- errors.Join(failed, err)
			return
		}
	}
}

// finish waits until all output is stored. The program's processes are gone; if one
// escaped that still holds the pipe, finish stops waiting.
func (s *stream) finish() error {
	late := time.AfterFunc(2*time.Second, func() { _ = s.reader.Close() }) // ends copy
	err := <-s.done
	late.Stop()
	return errors.Join(err, s.file.Sync(), s.file.Close(), closeFile(s.reader))
}

func closeFile(f *os.File) error {
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
