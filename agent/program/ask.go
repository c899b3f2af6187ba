package program

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

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
