package tryout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/session/flow"
)

// recorder passes on the calls of a trial, one after another, and keeps the replies as files.
type recorder struct {
	id   string // begins the ids of calls: no two runs share one
	name string // begins the names of files
	dir  string // empty keeps no files

	turn   string // of the current call
	kept   []string
	unkept error
}

// recorded returns an agent whose replies are kept.
func (r *recorder) recorded(a agent.Agent) agent.Agent {
	return agent.Func(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
		r.turn = c.ID[strings.LastIndexByte(c.ID, '/')+1:]
		c.ID = r.id + r.turn
		reply, err := a.Ask(ctx, c)
		r.record(&reply, err)
		return reply, err
	})
}

// record keeps a reply, or the text that came before a failure.
func (r *recorder) record(reply *agent.Reply, err error) {
	text := reply.Text
	var failure *agent.Failure
	partial := errors.As(err, &failure)
	if partial {
		text = failure.Partial
	}
	if r.dir == "" || partial && text == "" {
		return
	}
	path := filepath.Join(r.dir, r.file(r.turn, partial))
	if err := files.Create(path, []byte(text)); err != nil {
		r.unkept = errors.Join(r.unkept, err)
		return
	}
	r.kept = append(r.kept, path)
}

// checkKeep refuses to overwrite files.
func (t *tryout) checkKeep() error {
	for _, one := range t.trials {
		for _, name := range one.calls.files() {
			if _, err := os.Lstat(filepath.Join(t.Keep, name)); t.Keep != "" && err == nil {
				return files.ExistsError(filepath.Join(t.Keep, name))
			}
		}
	}
	return nil
}

// prepareKeep creates the directory for the replies.
func (t *tryout) prepareKeep() error {
	if t.Keep == "" {
		return nil
	}
	if err := os.MkdirAll(t.Keep, 0o755); err != nil {
		return &fault.Error{Code: files.CannotWrite, Op: "create", Place: t.Keep, Detail: files.Reason(err), Hint: "pass another directory with --keep"}
	}
	for _, one := range t.trials {
		one.calls.dir = t.Keep
	}
	return nil
}

// files returns the names of all files that may be written.
func (r *recorder) files() []string {
	var all []string
	for _, turn := range []string{flow.TurnAsk, flow.TurnRepair} {
		all = append(all, r.file(turn, false), r.file(turn, true))
	}
	return all
}

// file returns the name for the reply to a turn, or for the text before a failure.
func (r *recorder) file(turn string, partial bool) string {
	if partial {
		turn += "-partial"
	}
	return r.name + "-" + turn + ".md"
}

// fileName returns a model's name as a part of a file name.
func fileName(model string) string {
	const longest = 60
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, model)
	return name[:min(len(name), longest)]
}
