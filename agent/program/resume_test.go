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

// asker starts another process that asks the trial's program, and gives a way to
// kill it as nobody can prevent.
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
		_ = cmd.Wait()         // which says that it was killed
	}
	t.Cleanup(kill)
	return func() bool {
		_, err := os.Stat(mark)
		return err == nil
	}, kill
}

// behaves gives the same agent with a program that behaves otherwise.
func (tr *trial) behaves(t *testing.T, behaviour string) *program.Program {
	t.Helper()
	o := tr.options
	o.Command = tr.Command(t, behaviour)
	p, err := program.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTheParentIsKilledAtWork: the program ends, too, and whoever asks again gets
// an answer; what there was is kept.
func TestTheParentIsKilledAtWork(t *testing.T) {
	for behaviour, mark := range map[string]string{
		programtest.Hangs: "asked", programtest.HangsDeaf: "deaf", programtest.OwnSession: "child",
	} {
		t.Run(behaviour, func(t *testing.T) {
			tr := tried(t, program.Gemini, program.Options{Grace: 100 * time.Millisecond}, []string{wanted}, behaviour)
			_, kill := tr.asker(t)
			until(t, "the program works", func() bool { return tr.Said(mark) > 0 })
			kill()
			// At once: who asks again waits for the supervisor's end by itself.
			answers(t, tr.behaves(t, programtest.Answers), wanted)
			tr.clean(t)
			if tries := files(t, tr.options.Spool, "*.try-*"); tr.Asked() != 2 || len(tries) != 1 {
				t.Errorf("asked %d times, %q kept", tr.Asked(), tries)
			} else if s, err := supervisor.ReadStatus(tries[0]); err != nil || s.End != supervisor.ParentGone {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

// TestAnAnswerThatNobodyTook is adopted, and the program is not asked again.
func TestAnAnswerThatNobodyTook(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		tr := tried(t, kind, program.Options{}, []string{wanted}, programtest.Answers)
		answered, kill := tr.asker(t)
		until(t, "the answer is there", answered)
		kill()
		alive := 0
		c := call("ask")
		c.Alive = func() { alive++ }
		// What is on the disk needs no program.
		reply, err := tr.behaves(t, programtest.Hangs).Ask(t.Context(), c)
		if err != nil || reply.Text != wanted || reply.Attempts != 1 || tr.Asked() != 1 || alive == 0 {
			t.Errorf("%+v, %v: asked %d times", reply, err, tr.Asked())
		}
		// Another question under the same name is another question.
		c.Turns = []agent.Turn{{Text: "And what else?"}}
		reply, err = tr.Ask(t.Context(), c)
		if err != nil || reply.Text != wanted || tr.Asked() != 2 {
			t.Errorf("%+v, %v: asked %d times", reply, err, tr.Asked())
		}
	})
}

// TestAWholeAnswerBeforeAHang: a program that has said that its answer is whole has
// answered, even if it had to be ended then.
func TestAWholeAnswerBeforeAHang(t *testing.T) {
	tr := tried(t, program.Codex, program.Options{Grace: 100 * time.Millisecond}, []string{wanted}, programtest.AndHangs)
	_, kill := tr.asker(t)
	until(t, "the answer is there", func() bool { return tr.Said("answered") > 0 })
	kill()
	answers(t, tr, wanted)
	if tr.Asked() != 1 {
		t.Errorf("asked %d times", tr.Asked())
	}
	// The same when it is told to end. Of any other command nobody knows whether
	// more would have come.
	for kind, want := range map[string]fault.Code{program.Gemini: "", program.Command: agent.Stopped} {
		tr = tried(t, kind, program.Options{Grace: 100 * time.Millisecond}, []string{wanted}, programtest.AndHangs)
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
		until(t, "the answer is there", func() bool { return tr.Said("answered") > 0 })
		cancel()
		o := <-ends
		var f *agent.Failure
		switch errors.As(o.err, &f); {
		case want == "" && o.reply.Text != wanted, want != "" && (f == nil || f.Code != want || !strings.Contains(f.Partial, wanted)):
			t.Errorf("%s: %+v, %v", kind, o.reply, o.err)
		}
	}
}

// TestACallWithoutAName has nothing to be known again by.
func TestACallWithoutAName(t *testing.T) {
	tr := tried(t, program.Command, program.Options{}, []string{wanted}, programtest.Answers)
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
	tr := tried(t, program.Command, program.Options{}, []string{wanted}, programtest.Answers)
	answers(t, tr, wanted)
	// The clock of the file system, which need not be that of this machine.
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
