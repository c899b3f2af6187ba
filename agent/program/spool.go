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
	"strings"
	"time"

	"brenner/agent"
	"brenner/agent/program/supervisor"
)

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
