package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/internal/tokens"
	"brenner/session"
	"brenner/store"
)

// holder says who we are, for whoever else wants what we hold.
func (h *Host) holder(doing string) store.Holder {
	host, _ := os.Hostname() // only for people to read
	return store.Holder{PID: os.Getpid(), Host: host, Since: h.Now(), Doing: doing}
}

// MustHave looks for a session without making a store for it.
func (p *Project) MustHave(ctx context.Context, thread string) error {
	st, err := p.OpenToRead(ctx)
	if err != nil {
		return err
	}
	defer p.CloseStore(st)
	_, err = session.Load(ctx, st, thread)
	return err
}

// pinnedScript is the script that a rehearsal was opened with, or nil.
func pinnedScript(ctx context.Context, h *session.History) (*rehearsal.Script, error) {
	hash := h.State.Opened.Rehearsal
	if hash == "" {
		return nil, nil
	}
	data, err := h.Store.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	return rehearsal.Parse(data)
}

// lockStore is a store with its locks.
type lockStore interface {
	store.Store
	store.Locks
}

// runner returns what everything that writes to sessions needs.
func (p *Project) runner(st lockStore, doing string) *session.Runner {
	return &session.Runner{Store: st, Locks: st, Now: p.Now, Log: p.Log, Tokens: tokens.New(), Holder: p.holder(doing)}
}

// Publish writes the newest version of an artifact into the project's folder.
func (p *Project) Publish(ctx context.Context, h *session.History) (string, error) {
	if h.State.Version() == 0 {
		return "", nil
	}
	a, err := h.Artifact(context.WithoutCancel(ctx), h.State.Version())
	if err != nil {
		return "", err
	}
	dir := p.publishedDir(h.Thread)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", &fault.Error{Code: files.CannotWrite, Op: "make", Place: dir, Detail: files.Reason(err), Hint: "the session itself is stored: `brenner session show " + h.Thread + "`"}
	}
	path := filepath.Join(dir, "artifact.md")
	if err := files.Replace(filepath.Join(dir, "artifact.json"), a.JSON()); err != nil {
		return "", err
	}
	return path, files.Replace(path, a.Markdown())
}

// publishedDir is where the artifact of a session is, for people.
func (p *Project) publishedDir(thread string) string {
	return filepath.Join(p.StateDir(), "sessions", thread)
}

// CheckQuorum refuses a number of answers that the roster can never give.
func (k *Composed) CheckQuorum() error {
	detail, hint := unreachable(k.Project.Config.Session.Quorum, "the roster", len(k.Roster.Roster.Entries))
	if detail == "" {
		return nil
	}
	return &fault.Error{Code: fault.Usage, Detail: detail, Hint: hint}
}

// unreachable says what is wrong with a number of answers that can never come from a roster;
// it is "" where they can.
func unreachable(quorum, roster string, agents int) (detail, hint string) {
	if n, err := strconv.Atoi(quorum); err == nil && n > agents {
		return fmt.Sprintf("a quorum of %d answers can never be reached: %s has %s", n, roster, text.Count(agents, "agent")), "all means everybody"
	}
	return "", ""
}
