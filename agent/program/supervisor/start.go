package supervisor

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

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
