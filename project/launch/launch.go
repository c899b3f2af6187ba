// Package launch starts sessions for a face that does not run them itself: it estimates what a session
// costs, and runs it in a process of its own, which survives the one that started it.
package launch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/project"
	"brenner/roster"
	"brenner/session"
	"brenner/store"
)

// NotStarted is the code of a session that did not begin.
const NotStarted fault.Code = "SESSION_NOT_STARTED" // The process that should run the session ended before it opened one.

// Session is a session to start, with the project's own settings for the rest.
type Session struct {
	Question  string
	Preset    string // of the roster; empty for the project's
	Rounds    int    // 0 for the project's
	Rehearsal bool   // scripted agents, free
	Thread    string // empty for a new id
}

// Choices are what a form offers.
type Choices struct {
	Question string
	Rounds   int
	Roster   bool // the project has one
	Presets  []string
}

// ChoicesOf returns what a project offers.
func ChoicesOf(p *project.Project) Choices {
	c := Choices{Question: p.Config.Question, Rounds: p.Config.Session.Rounds}
	if res, err := p.Resolve(nil); err == nil {
		assumed := slices.ContainsFunc(res.Warnings, func(w roster.Warning) bool { return w.Code == roster.DefaultPresetUsed })
		c.Roster = len(res.Roster.Entries) > 0 && !assumed
	}
	for _, preset := range p.Config.Presets {
		c.Presets = append(c.Presets, preset.ID)
	}
	return c
}

// flags returns the keys of the configuration that the session sets.
func (s *Session) flags() []config.Flag {
	flags := []config.Flag{{Key: "question", Name: "the question", Values: []string{s.Question}}}
	if s.Rounds != 0 {
		flags = append(flags, config.Flag{Key: "session.rounds", Name: "the number of rounds", Values: []string{strconv.Itoa(s.Rounds)}})
	}
	if s.Rehearsal {
		flags = append(flags, config.Flag{Key: "via", Name: "the rehearsal", Values: []string{config.ViaRehearsal}})
	}
	return flags
}

// storeFlag returns the flag with which the project was opened, if its store was chosen by one.
func storeFlag(p *project.Project) []config.Flag {
	if p.Config.Origin(config.StoreAddress).Level != roster.Flags {
		return nil
	}
	return []config.Flag{{Key: config.StoreAddress, Name: "--store", Values: []string{p.Config.StoreAddress}}}
}

// Rounds returns the number of rounds that a form has; 0 for the project's, if it has none. What the
// configuration does not accept is refused with its words.
func Rounds(p *project.Project, given string) (int, error) {
	given = strings.TrimSpace(given)
	if given == "" {
		return 0, nil
	}
	own, err := project.Open(p.Host, config.Options{Dir: p.Config.Project.Dir, Flags: []config.Flag{{Key: "session.rounds", Name: "the number of rounds", Values: []string{given}}}})
	if err != nil {
		return 0, err
	}
	return own.Config.Session.Rounds, nil
}

// Preview returns what the session would send first and what it costs at most, or why it cannot start.
// It writes nothing and asks no agent.
func Preview(ctx context.Context, p *project.Project, s *Session) (*project.SessionPreview, error) {
	own, err := project.Open(p.Host, config.Options{Dir: p.Config.Project.Dir, Flags: append(s.flags(), storeFlag(p)...)})
	if err != nil {
		return nil, err
	}
	var layers []roster.Layer
	if s.Preset != "" {
		layers = []roster.Layer{{Origin: roster.Origin{Level: roster.Flags, Source: "the form"}, Preset: s.Preset}}
	}
	res, err := own.Resolve(layers)
	if err != nil {
		return nil, err
	}
	k, err := own.Compose(kickoff.Input{ThreadID: s.Thread, Roster: res.Roster}, res)
	if err != nil {
		return nil, err
	}
	return k.Preview(ctx, &project.StartOptions{AnyQuestion: s.Rehearsal, Estimate: true, Chosen: s.Thread != ""})
}

// Start runs a previewed session with this program in another process, and returns when the session is
// open. One that exists is left alone, so that a form may be sent twice.
func Start(ctx context.Context, p *project.Project, s *Session) error {
	if err := kickoff.CheckThreadID(s.Thread); err != nil {
		return err
	}
	if open, err := exists(ctx, p, s.Thread); open || err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return failed(s, err, "")
	}
	args := []string{
		"session", "start", "-C", p.Config.Project.Dir, "--question", "@-", "--thread-id", s.Thread, "--if-exists", "fail", "--quiet",
	}
	if s.Rounds != 0 {
		args = append(args, "--rounds", strconv.Itoa(s.Rounds))
	}
	if s.Preset != "" {
		args = append(args, "--preset", s.Preset)
	}
	if s.Rehearsal {
		args = append(args, "--via", config.ViaRehearsal)
	}
	for _, f := range storeFlag(p) {
		args = append(args, f.Name, f.Values[0])
	}
	output, err := outputFile(p, s.Thread)
	if err != nil {
		return failed(s, err, "")
	}
	defer output.Close()                                                   //nolint:errcheck // the other process has it
	c := exec.CommandContext(context.WithoutCancel(ctx), program, args...) //nolint:gosec // this program, and no shell
	c.Stdin = strings.NewReader(s.Question)                                // as a flag, "@FILE" would be read
	c.Env, c.Dir, c.Stdout, c.Stderr, c.SysProcAttr = p.Environ, p.Config.Project.Dir, output, output, detached()
	if err := c.Start(); err != nil {
		return failed(s, err, "")
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	return await(ctx, p, s, ended, output.Name())
}

// await returns when the session is open, or why it will not be.
func await(ctx context.Context, p *project.Project, s *Session, ended <-chan error, output string) error {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		var exit error
		over := false
		select {
		case exit = <-ended:
			over = true
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		open, err := exists(ctx, p, s.Thread)
		switch {
		case open || err != nil && !over:
			return err
		case over:
			said, _ := os.ReadFile(output) // it may have said nothing
			return failed(s, exit, strings.TrimSpace(string(said)))
		}
	}
}

func failed(s *Session, cause error, said string) error {
	e := &fault.Error{Code: NotStarted, Op: "start " + s.Thread, Detail: "the session did not start", Cause: cause}
	if said != "" {
		e.Detail, e.Cause = text.Clip(strings.TrimPrefix(said, "brenner: "), 1000), nil
	}
	return e
}

func exists(ctx context.Context, p *project.Project, thread string) (bool, error) {
	_, err := p.Look(ctx, thread)
	switch fault.CodeOf(err) {
	case session.NoSession, store.NoStore:
		return false, nil
	}
	return err == nil, err
}

// outputFile returns the file for what the other process prints.
func outputFile(p *project.Project, thread string) (*os.File, error) {
	dir := filepath.Join(p.StateDir(), "started")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, thread+".log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}
