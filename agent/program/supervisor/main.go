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

// Main is the supervisor: its argument is the folder of a spool that holds a job.
// Its standard input is held open by whoever started it; a byte that comes through
// it means "end it", and its end means that there is nobody any more. On its
// standard output it gives a byte as a sign of life. It gives the exit code.
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

func supervise(folder string) error {
	// The system binds a program's life to the thread that started it.
	runtime.LockOSThread()
	prepare()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, signals()...)
	lock, err := TryLock(filepath.Join(folder, lockFile))
	if err != nil {
		return err
	}
	if lock == nil {
		return errors.New("another supervisor works on " + folder)
	}
	defer lock.Release()
	job, err := ReadJob(folder)
	if err != nil {
		return err
	}
	if job.Remove != "" {
		defer func() { _ = os.RemoveAll(job.Remove) }() // what cannot be removed is in a temporary folder
	}
	if _, err := ReadStatus(folder); !errors.Is(err, fs.ErrNotExist) {
		return errors.New("the job in " + folder + " was done before")
	}
	r := newRun(&job, folder, stop)
	r.parent = leash()
	go r.beat()
	status := Status{Schema: statusSchema, Began: time.Now().UTC(), Exit: -1}
	r.program(&status)
	status.Ended = time.Now().UTC()
	return write(filepath.Join(folder, StatusFile), status)
}

// run is one program under supervision.
type run struct {
	job    *Job
	folder string
	stop   <-chan os.Signal
	parent <-chan End    // whoever started it wants the end, or is gone
	pulse  chan struct{} // something was written
	enough chan End      // an output is no longer written down, and why
}

func newRun(job *Job, folder string, stop <-chan os.Signal) *run {
	return &run{job: job, folder: folder, stop: stop, pulse: make(chan struct{}, 1), enough: make(chan End, 2)}
}

// program runs the program to its end, whatever that is, and says in the status why it
// could not be started, or what it wrote not be kept.
func (r *run) program(status *Status) {
	unspooled := func(err error) { status.Failure, status.Spool = err.Error(), err.Error() }
	in, err := os.Open(filepath.Join(r.folder, StdinFile))
	if err != nil {
		unspooled(err)
		return
	}
	defer in.Close() //nolint:errcheck // it was only read
	out, err := r.spool(StdoutFile)
	if err != nil {
		unspooled(err)
		return
	}
	errs, err := r.spool(StderrFile)
	if err != nil {
		unspooled(errors.Join(err, out.close()))
		return
	}
	cmd := exec.Command(r.job.Argv[0], r.job.Argv[1:]...)
	cmd.Dir, cmd.SysProcAttr = r.job.Dir, supervised()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out.writer, errs.writer
	if err := cmd.Start(); err != nil {
		status.Failure = errors.Join(err, out.close(), errs.close()).Error()
		return
	}
	go out.copy()
	go errs.copy()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
	}()
	all := newTree(cmd.Process.Pid)
	if status.End = r.watch(all, over); status.End != ByItself {
		all.end(r.job, over)
	}
	left := all.sweep(min(r.job.Grace, 500*time.Millisecond))
	if status.End == ByItself {
		status.Left = left
	}
	<-over
	status.Exit, status.Signal = cmd.ProcessState.ExitCode(), endedBy(cmd.ProcessState)
	if err := errors.Join(out.finish(), errs.finish()); err != nil {
		status.Spool = err.Error()
	}
}

// look is how often the tree is looked at while nothing else happens.
const look = 5 * time.Second

// watch waits for the program's end or for a reason to end it.
func (r *run) watch(all *tree, over <-chan struct{}) End {
	var wall <-chan time.Time
	if r.job.Wall > 0 {
		timer := time.NewTimer(r.job.Wall)
		defer timer.Stop()
		wall = timer.C
	}
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return ByItself
		case reason := <-r.parent:
			return reason
		case <-wall:
			return WallPassed
		case reason := <-r.enough:
			return reason
		case <-r.stop:
			return Signalled
		case <-tick.C:
			if all.busy() {
				r.alive()
			}
		}
	}
}

// leash tells when the parent wants the end, or has ended itself.
func leash() <-chan End {
	reason := make(chan End, 1)
	go func() {
		if n, _ := os.Stdin.Read(make([]byte, 1)); n > 0 { // an error is an end, too
			reason <- Told
			return
		}
		reason <- ParentGone
	}()
	return reason
}

// alive gives a sign of life; many at once are one.
func (r *run) alive() {
	select {
	case r.pulse <- struct{}{}:
	default:
	}
}

// beat gives the signs of life to the parent.
func (r *run) beat() {
	for range r.pulse {
		_, _ = os.Stdout.Write([]byte{'.'}) // nobody there: that is told by the leash
	}
}

// end wants the program's end; the first reason counts.
func (r *run) end(reason End) {
	select {
	case r.enough <- reason:
	default:
	}
}

// stream is one output of the program on its way to a file.
type stream struct {
	run            *run
	file           *os.File
	reader, writer *os.File
	done           chan error
}

func (r *run) spool(name string) (*stream, error) {
	f, err := os.OpenFile(filepath.Join(r.folder, name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
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

// copy writes down what comes, up to the limit; the rest is read and dropped, so
// that the program comes to its end.
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
			s.run.end(Unkept)
		case n > 0:
			s.run.end(Flood)
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

// finish waits until all is written down. Nothing of the program lives any more;
// should something have escaped that holds the pipe, it is not waited for.
func (s *stream) finish() error {
	late := time.AfterFunc(2*time.Second, func() { _ = s.reader.Close() }) // copy tells
	err := <-s.done
	late.Stop()
	return errors.Join(err, s.file.Sync(), s.file.Close(), closed(s.reader))
}

func closed(f *os.File) error {
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
