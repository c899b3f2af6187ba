package program

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"brenner/agent"
	"brenner/agent/program/supervisor"
	"brenner/internal/fault"
)

// Ask runs the program, or takes the answer of a run that is on the disk already.
func (p *Program) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	if c.Alive == nil {
		c.Alive = func() {}
	}
	text := question(c.Turns)
	s, err := p.open(ctx, c.ID)
	if err != nil {
		if ctx.Err() != nil {
			return agent.Reply{}, agent.Ended(ctx)
		}
		return agent.Reply{}, unusable(err)
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
		// Some would wait for somebody to log in.
		return agent.Reply{}, &agent.Failure{Code: agent.NoAuth, Detail: "nobody is logged in to " + fault.Shown(argv[0]), Hint: p.kind.login}
	}
	if err := s.renew(text); err != nil {
		return agent.Reply{}, unusable(err)
	}
	x := &execution{Program: p, spool: s, call: c, text: text, argv: argv}
	if f := x.run(ctx); f != nil {
		return agent.Reply{}, f
	}
	reply, f := x.judge(ctx)
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
	seen   int64 // bytes of the output that were looked at for turns
	rest   []byte
	turns  int
	looped bool // there were too many turns, and we ended it
}

// run runs the program to its end. A failure is why nothing can be said of it.
func (x *execution) run(ctx context.Context) *agent.Failure {
	at, err := x.prepare()
	if err != nil {
		return unusable(err)
	}
	job := supervisor.Job{
		Argv: x.argv, Dir: at.work, Wall: x.Wall, Grace: x.Grace, MaxOutput: x.MaxOutput, Interrupt: x.kind.interrupt,
		Remove: at.root, Note: x.note(x.text),
	}
	running, err := supervisor.Start(x.Supervisor, x.spool.folder, job, x.environment(at))
	if err != nil {
		return &agent.Failure{
			Code: Lost, Detail: "the supervisor of the program could not be started", Retry: true,
			Hint: "look at the limits of this machine for processes and files", Cause: errors.Join(err, os.RemoveAll(at.root)),
		}
	}
	run, stop := context.WithCancel(ctx)
	defer stop()
	err = running.Wait(run.Done(), func() {
		x.call.Alive()
		if x.count(); x.turns > x.Turns && !x.looped {
			x.looped = true
			stop()
		}
	})
	for _, name := range []string{supervisor.StdoutFile, supervisor.StderrFile} {
		x.hide.file(filepath.Join(x.spool.folder, name))
	}
	if err2 := x.load(); err2 != nil {
		if ctx.Err() != nil {
			return agent.Ended(ctx)
		}
		return &agent.Failure{
			Code: Lost, Detail: "the supervisor of the program ended without saying how it went", Retry: true,
			Hint:  "was it killed? what the program wrote is in " + x.spool.folder,
			Usage: agent.Usage{Input: x.Count(x.text), Guessed: true}, Cause: errors.Join(err, err2),
		}
	}
	return nil
}

// load reads what a run has left.
func (x *execution) load() error {
	var err error
	if x.status, err = supervisor.ReadStatus(x.spool.folder); err != nil {
		return err
	}
	if x.status.Failure != "" {
		return nil // there may be no output
	}
	x.out, err = os.ReadFile(filepath.Join(x.spool.folder, supervisor.StdoutFile))
	if err != nil {
		return err
	}
	x.errs, err = os.ReadFile(filepath.Join(x.spool.folder, supervisor.StderrFile))
	return err
}

// count looks at what the program wrote since the last time, for turns.
func (x *execution) count() {
	f, err := os.Open(filepath.Join(x.spool.folder, supervisor.StdoutFile))
	if err != nil {
		return // not yet there
	}
	defer f.Close() //nolint:errcheck // it was only read
	fresh, err := io.ReadAll(io.NewSectionReader(f, x.seen, x.MaxOutput))
	if err != nil {
		return // the next time
	}
	x.seen += int64(len(fresh))
	x.rest = append(x.rest, fresh...)
	for {
		line, rest, ok := bytes.Cut(x.rest, []byte("\n"))
		if !ok {
			return
		}
		if x.rest = rest; x.kind.turn(line) {
			x.turns++
		}
	}
}

// spool is where one call is written down. While it is open nobody else, in this
// process or another, asks the same call.
type spool struct {
	folder string
	claim  *supervisor.Lock
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// open claims the spool of a call. Who asks the same call at this time is waited
// for, and so is a supervisor whose parent has died: it is about to end.
func (p *Program) open(ctx context.Context, id string) (*spool, error) {
	if err := os.MkdirAll(p.Spool, 0o700); err != nil {
		return nil, err
	}
	if id == "" { // nothing to know it again by
		folder, err := os.MkdirTemp(p.Spool, "call-*")
		return &spool{folder: folder}, err
	}
	s := &spool{folder: filepath.Join(p.Spool, digest(id)[:32])}
	claim, err := supervisor.WaitLock(ctx, s.folder+".lock")
	if err != nil {
		return nil, err
	}
	s.claim = claim
	if exists(s.folder) {
		if err := supervisor.AwaitEnd(ctx, s.folder); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

func (s *spool) close() {
	if s.claim != nil {
		s.claim.Release()
	}
}

// renew makes the spool ready for a run. What is there has no answer, and is kept
// beside it as evidence.
func (s *spool) renew(text string) error {
	if entries, err := os.ReadDir(s.folder); err == nil && len(entries) > 0 {
		if err := os.Rename(s.folder, s.unused()); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.folder, supervisor.StdinFile), []byte(text), 0o600)
}

// unused gives a name for evidence that nothing has yet.
func (s *spool) unused() string {
	for n := 1; ; n++ {
		if name := fmt.Sprintf("%s.try-%d", s.folder, n); !exists(name) {
			return name
		}
	}
}

// note is what a job is known by: who answers what.
func (p *Program) note(text string) map[string]string {
	return map[string]string{"kind": p.Kind, "question": digest(text)}
}

// adopt gives the answer of a run that came to its end when nobody was there.
func (p *Program) adopt(s *spool, text string) (agent.Reply, bool) {
	job, err := supervisor.ReadJob(s.folder)
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

// Sweep removes what the runs of programs have left in a spool and nobody has
// touched since: answers that were taken long ago, and evidence. What is in use is
// left alone.
func Sweep(folder string, before time.Time) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var failed []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || info.ModTime().After(before) {
			continue
		}
		call, _, _ := strings.Cut(filepath.Join(folder, e.Name()), ".try-")
		claim, err := supervisor.TryLock(call + ".lock")
		if claim != nil {
			failed = append(failed, os.RemoveAll(filepath.Join(folder, e.Name())))
			if !exists(call) {
				failed = append(failed, os.Remove(call+".lock"))
			}
			claim.Release()
		}
		failed = append(failed, err)
	}
	return errors.Join(append(failed, err)...)
}
