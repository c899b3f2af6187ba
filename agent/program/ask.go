package program

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"brenner/agent"
	"brenner/agent/program/supervisor"
	"brenner/internal/fault"
)

// Ask runs the program, or returns the stored reply of an earlier run.
func (p *Program) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	if c.Alive == nil {
		c.Alive = func() {}
	}
	text := question(c.Turns)
	s, err := p.open(ctx, c.ID)
	if err != nil {
		if ctx.Err() != nil {
			return agent.Reply{}, agent.ContextFailure(ctx)
		}
		return agent.Reply{}, spoolFailure(err)
	}
	defer s.close()
	if reply, ok := p.adopt(s, text); ok {
		c.Alive()
		return reply, nil
	}
	argv, found := p.argv()
	if !found {
		return agent.Reply{}, p.missing()
	}
	if state, _ := p.Login(); state == LoginNone {
		// Some programs would wait for a login.
		return agent.Reply{}, &agent.Failure{Code: agent.NoAuth, Detail: "not logged in to " + fault.Shown(argv[0]), Hint: p.kind.login}
	}
	if f := p.checkLogin(); f != nil {
		return agent.Reply{}, f
	}
	if err := s.renew(text); err != nil {
		return agent.Reply{}, spoolFailure(err)
	}
	x := &execution{Program: p, spool: s, call: c, text: text, argv: argv}
	if f := x.run(ctx); f != nil {
		return agent.Reply{}, f
	}
	reply, f := x.outcome(ctx)
	if f != nil {
		return agent.Reply{}, f
	}
	return reply, nil
}

// execution is one run of the program.
type execution struct {
	*Program
	spool  *spool
	call   agent.Call
	text   string // the question
	argv   []string
	status supervisor.Status
	out    []byte
	errs   []byte
	watched
}

// run runs the program to its end. It fails if the result is unknown.
func (x *execution) run(ctx context.Context) *agent.Failure {
	at, err := x.prepare()
	if f, ok := errors.AsType[*agent.Failure](err); ok {
		return f
	}
	if err != nil {
		return spoolFailure(err)
	}
	job := supervisor.Job{
		Argv: x.argv, Dir: at.work, Wall: x.Wall, Grace: x.Grace, MaxOutput: x.MaxOutput, Interrupt: x.kind.interrupt, Pipe: x.kind.pipe, Quiet: x.kind.quiet,
		Remove: at.root, Secrets: x.secretNames(), Note: x.note(x.text),
	}
	running, err := supervisor.Start(x.Supervisor, x.spool.dir, job, x.environment(at))
	if err != nil {
		return &agent.Failure{
			Code: Lost, Detail: "cannot start the program's supervisor", Retry: true,
			Hint: "check the system's limits for processes and open files", Cause: errors.Join(err, os.RemoveAll(at.root)),
		}
	}
	run, stop := context.WithCancel(ctx)
	defer stop()
	over, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		x.watch(at.home, over, stop)
	}()
	err = running.Wait(run.Done(), x.call.Alive)
	close(over)
	<-watched
	if err2 := x.load(); err2 != nil {
		supervisor.EndLost(x.spool.dir, x.hide.values)
		if ctx.Err() != nil {
			return agent.ContextFailure(ctx)
		}
		return &agent.Failure{
			Code: Lost, Detail: "the program's supervisor exited without a status", Retry: true,
			Hint:  "it may have been killed; the program's output is in " + x.spool.dir,
			Usage: agent.Usage{Input: x.Count(x.text), Guessed: true}, Cause: errors.Join(err, err2),
		}
	}
	return nil
}

// load reads the files of a run.
func (x *execution) load() error {
	var err error
	if x.status, err = supervisor.ReadStatus(x.spool.dir); err != nil {
		return err
	}
	if x.status.Failure != "" {
		return nil // there may be no output
	}
	x.out, err = os.ReadFile(filepath.Join(x.spool.dir, supervisor.StdoutFile))
	if err != nil {
		return err
	}
	x.errs, err = os.ReadFile(filepath.Join(x.spool.dir, supervisor.StderrFile))
	return err
}

// unnamed is the prefix of spools of calls without an id. No lock protects them.
const unnamed = "call-"

// spool is the directory of one call. While it is open, the same call is not made
// elsewhere, in this process or another.
type spool struct {
	dir   string
	claim *supervisor.Lock
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// open locks the spool of a call. It waits for a concurrent equal call, and for a
// supervisor whose parent has died.
func (p *Program) open(ctx context.Context, id string) (*spool, error) {
	if err := os.MkdirAll(p.Spool, 0o700); err != nil {
		return nil, err
	}
	if id == "" { // cannot be found again
		dir, err := os.MkdirTemp(p.Spool, unnamed+"*")
		return &spool{dir: dir}, err
	}
	s := &spool{dir: filepath.Join(p.Spool, digest(id)[:32])}
	claim, err := supervisor.WaitLock(ctx, s.dir+".lock")
	if err != nil {
		return nil, err
	}
	s.claim = claim
	if exists(s.dir) {
		if err := supervisor.AwaitEnd(ctx, s.dir); err != nil {
			s.close()
			return nil, err
		}
		supervisor.EndLost(s.dir, p.hide.values)
	}
	return s, nil
}

func (s *spool) close() {
	if s.claim != nil {
		s.claim.Release()
	}
}

// renew prepares the spool for a run. An earlier run without a reply is kept beside
// it as evidence.
func (s *spool) renew(text string) error {
	if entries, err := os.ReadDir(s.dir); err == nil && len(entries) > 0 {
		if err := os.Rename(s.dir, s.unused()); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, supervisor.StdinFile), []byte(text), 0o600)
}

// unused returns an unused name for evidence.
func (s *spool) unused() string {
	for n := 1; ; n++ {
		if name := fmt.Sprintf("%s.try-%d", s.dir, n); !exists(name) {
			return name
		}
	}
}

// note identifies the kind and question of a job.
func (p *Program) note(text string) map[string]string {
	return map[string]string{"kind": p.Kind, "question": digest(text)}
}

// adopt returns the reply of a run that finished after its caller had died.
func (p *Program) adopt(s *spool, text string) (agent.Reply, bool) {
	job, err := supervisor.ReadJob(s.dir)
	if err != nil {
		return agent.Reply{}, false
	}
	for key, value := range p.note(text) {
		if job.Note[key] != value {
			return agent.Reply{}, false
		}
	}
	x := &execution{Program: p, spool: s, text: text}
	if x.load() != nil {
		return agent.Reply{}, false
	}
	return x.answer(p.kind.read(x.out, x.errs))
}

// Sweep removes runs older than before from a spool, and abandoned ones of any age, except those
// in use.
func Sweep(dir string, before time.Time) error {
	if info, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil // a link in a project must not lead to other directories
	}
	entries, err := os.ReadDir(dir)
	var failed []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || !isRun(e.Name()) {
			continue
		}
		run := filepath.Join(dir, e.Name())
		recent := info.ModTime().After(before)
		if recent && !supervisor.WasLost(run) && (strings.HasPrefix(e.Name(), unnamed) || !supervisor.Abandoned(run)) {
			continue
		}
		failed = append(failed, sweepRun(run, recent))
	}
	return errors.Join(append(failed, err)...)
}

// sweepRun removes a run that no call uses. Of a recent run that is not abandoned, only the private
// directory that its killed supervisor left is removed: its output is evidence.
func sweepRun(run string, recent bool) error {
	call, _, _ := strings.Cut(run, ".try-")
	claim, err := supervisor.TryLock(call + ".lock")
	if claim == nil {
		return err
	}
	defer claim.Release()
	if recent && !supervisor.Abandoned(run) { // or it was begun again meanwhile
		if supervisor.WasLost(run) {
			removePrivate(run)
		}
		return nil
	}
	removePrivate(run)
	err = os.RemoveAll(run)
	if !exists(call) {
		err = errors.Join(err, os.Remove(call+".lock"))
	}
	return err
}

// isRun reports whether a directory of a spool was made by this package.
func isRun(name string) bool {
	return regexp.MustCompile(`^([0-9a-f]{32}(\.try-[0-9]+)?|` + unnamed + `[0-9]+)$`).MatchString(name)
}

// removePrivate kills the processes and removes the private directory that a killed supervisor left behind. The path comes
// from a file of the project, so only a directory that prepare can have made is removed.
func removePrivate(run string) {
	supervisor.KillLost(run)
	job, own := supervisor.OwnJob(run)
	if !own || !strings.HasPrefix(filepath.Base(job.Remove), privatePrefix) || filepath.Dir(job.Remove) != filepath.Clean(os.TempDir()) {
		return
	}
	if info, err := os.Lstat(job.Remove); err == nil && info.IsDir() {
		_ = os.RemoveAll(job.Remove) // what cannot be removed stays in the temporary directory
	}
}
