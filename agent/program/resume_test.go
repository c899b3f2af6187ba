package program_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/agent/program/programtest"
	"brenner/agent/program/supervisor"
	"brenner/internal/fault"
)

// asker starts another process that asks the trial's program, and returns a function
// that kills it with SIGKILL.
func (tr *trial) asker(t *testing.T) (answered func() bool, kill func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := tr.options
	o.Count = nil
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "answered")
	cmd := exec.Command(self, askerMarker, string(data), mark)
	cmd.Env = tr.options.Environ
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill() // SIGKILL
		_ = cmd.Wait()         // reports that it was killed
	}
	t.Cleanup(kill)
	return func() bool {
		_, err := os.Stat(mark)
		return err == nil
	}, kill
}

// withBehaviour returns the same agent with another behaviour of its program.
func (tr *trial) withBehaviour(t *testing.T, behaviour string) *program.Program {
	t.Helper()
	o := tr.options
	o.Command = tr.Command(t, behaviour)
	p, err := program.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// When the asking process is killed, the program ends; the next call gets a reply,
// and the evidence is kept.
func TestKilledParent(t *testing.T) {
	for behaviour, mark := range map[string]string{
		programtest.Hangs: "asked", programtest.HangsDeaf: "deaf", programtest.OwnSession: "child",
	} {
		t.Run(behaviour, func(t *testing.T) {
			tr := newTrial(t, program.Gemini, program.Options{Grace: 100 * time.Millisecond}, []string{wanted}, behaviour)
			_, kill := tr.asker(t)
			until(t, "the program is running", func() bool { return tr.Count(mark) > 0 })
			kill()
			// Immediately: the next call itself waits for the supervisor.
			answers(t, tr.withBehaviour(t, programtest.Answers), wanted)
			tr.clean(t)
			if tries := files(t, tr.options.Spool, "*.try-*"); tr.Asked() != 2 || len(tries) != 1 {
				t.Errorf("asked %d times, kept %q", tr.Asked(), tries)
			} else if s, err := supervisor.ReadStatus(tries[0]); err != nil || s.End != supervisor.ParentGone {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

// A finished run is adopted, and the program is not asked again.
func TestFinishedRunIsAdopted(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		tr := newTrial(t, kind, program.Options{}, []string{wanted}, programtest.Answers)
		answered, kill := tr.asker(t)
		until(t, "the reply is stored", answered)
		kill()
		alive := 0
		c := call("ask")
		c.Alive = func() { alive++ }
		// A stored reply needs no program.
		reply, err := tr.withBehaviour(t, programtest.Hangs).Ask(t.Context(), c)
		if err != nil || reply.Text != wanted || reply.Attempts != 1 || tr.Asked() != 1 || alive == 0 {
			t.Errorf("%+v, %v: asked %d times", reply, err, tr.Asked())
		}
		// Another question with the same call id is asked.
		c.Turns = []agent.Turn{{Text: "And what else?"}}
		reply, err = tr.Ask(t.Context(), c)
		if err != nil || reply.Text != wanted || tr.Asked() != 2 {
			t.Errorf("%+v, %v: asked %d times", reply, err, tr.Asked())
		}
	})
}

// A program that marked its reply as complete has answered, even if it was then
// stopped.
func TestHangAfterReply(t *testing.T) {
	tr := newTrial(t, program.Codex, program.Options{Grace: 100 * time.Millisecond}, []string{wanted}, programtest.ThenHangs)
	_, kill := tr.asker(t)
	until(t, "the reply is stored", func() bool { return tr.Count("answered") > 0 })
	kill()
	answers(t, tr, wanted)
	if tr.Asked() != 1 {
		t.Errorf("asked %d times", tr.Asked())
	}
	// The same on cancellation. For any other command it is unknown whether its output
	// was complete.
	for kind, want := range map[string]fault.Code{program.Gemini: "", program.Command: agent.Stopped} {
		tr = newTrial(t, kind, program.Options{Grace: 100 * time.Millisecond}, []string{wanted}, programtest.ThenHangs)
		ctx, cancel := context.WithCancel(t.Context())
		type outcome struct {
			reply agent.Reply
			err   error
		}
		ends := make(chan outcome, 1)
		go func() {
			reply, err := tr.Ask(ctx, call("ask"))
			ends <- outcome{reply, err}
		}()
		until(t, "the reply is stored", func() bool { return tr.Count("answered") > 0 })
		cancel()
		o := <-ends
		var f *agent.Failure
		switch errors.As(o.err, &f); {
		case want == "" && o.reply.Text != wanted, want != "" && (f == nil || f.Code != want || !strings.Contains(f.Partial, wanted)):
			t.Errorf("%s: %+v, %v", kind, o.reply, o.err)
		}
	}
}

// A call without an id cannot be found again.
func TestCallWithoutID(t *testing.T) {
	tr := newTrial(t, program.Command, program.Options{}, []string{wanted}, programtest.Answers)
	for range 2 {
		if reply, err := tr.Ask(t.Context(), agent.Call{Turns: []agent.Turn{{Text: "?"}}}); err != nil || reply.Text != wanted {
			t.Errorf("%+v, %v", reply, err)
		}
	}
	if tr.Asked() != 2 {
		t.Errorf("asked %d times", tr.Asked())
	}
}

func TestSweep(t *testing.T) {
	tr := newTrial(t, program.Command, program.Options{}, []string{wanted}, programtest.Answers)
	answers(t, tr, wanted)
	// The file system's clock may differ from ours.
	run, err := os.Stat(files(t, tr.options.Spool, "*")[0])
	if err != nil {
		t.Fatal(err)
	}
	now := run.ModTime()
	for _, step := range []struct {
		before time.Time
		left   int
	}{{now.Add(-time.Hour), 2}, {now.Add(time.Hour), 0}, {now, 0}} {
		if err := program.Sweep(tr.options.Spool, step.before); err != nil {
			t.Fatal(err)
		}
		if left := files(t, tr.options.Spool, "*"); len(left) != step.left {
			t.Errorf("%q", left)
		}
	}
	if err := program.Sweep(filepath.Join(t.TempDir(), "none"), now); err != nil {
		t.Error(err)
	}
	answers(t, tr, wanted)
}

// Sweep follows no link, and removes no directory that is not a run.
func TestSweepKeepsForeignDirectories(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"documents", "0123456789abcdef0123456789abcdef"} {
		if err := os.Mkdir(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "spool")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := program.Sweep(link, later); err != nil || len(files(t, home, "*")) != 2 {
		t.Errorf("%q, %v", files(t, home, "*"), err)
	}
	if err := program.Sweep(home, later); err != nil || len(files(t, home, "*")) != 1 {
		t.Errorf("%q, %v", files(t, home, "*"), err)
	}
}
