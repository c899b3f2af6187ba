package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
)

// name settles what the session is called: another name where one exists and the
// user did not choose it, and otherwise what --if-exists says. It tells whether
// an existing session is meant.
func (a *app) name(ctx context.Context, st store.Store, b *session.Brief, opt *startOptions) (bool, error) {
	head, err := store.HeadOf(ctx, st, session.Prefix+b.Thread)
	if err != nil || head.Seq == 0 {
		return false, err
	}
	switch {
	case opt.ifExists == "resume":
		return true, nil
	case opt.ifExists == "fail", opt.ifExists == "" && opt.brief.threadID != "":
		return false, nil // Start says so, with the lock held
	}
	base := b.Thread
	for n := 2; head.Seq > 0; n++ {
		b.Thread = numbered(base, n)
		if head, err = store.HeadOf(ctx, st, session.Prefix+b.Thread); err != nil {
			return false, err
		}
	}
	return false, kickoff.CheckThreadID(b.Thread)
}

// numbered gives the n-th session of a name its own.
func numbered(base string, n int) string {
	suffix := "-" + strconv.Itoa(n)
	return base[:min(len(base), maxThreadID-len(suffix))] + suffix
}

// maxThreadID is the length of the longest thread id: RS-YYYYMMDD- and 40 more.
const maxThreadID = len("RS-20060102-") + 40

// briefFor is what a brief says of who takes part, and by which rules.
func briefFor(cfg *Project, r roster.Roster, parties []flow.Party) session.Brief {
	b := session.Brief{
		Operator: cfg.Operator, Program: "brenner " + release, Roster: r, Agents: parties, Views: make(map[string]view.Spec),
		Rules: merge.Rules{
			Unified: r.Mode == roster.Unified, Scopes: cfg.Scopes, Limits: cfg.Limits, Priority: cfg.Priority, Authorities: cfg.Authorities,
		},
	}
	for _, p := range parties {
		role := p.Role
		if b.Rules.Unified {
			role = view.Unified
		}
		b.Views[p.Name] = view.Default(role)
	}
	return b
}

// briefOf gathers what a session is opened with.
func (a *app) briefOf(k *composed, module string, evidence []string, parties []flow.Party, script *rehearsal.Script) (session.Brief, error) {
	cfg := k.config
	b := briefFor(cfg, k.roster.Roster, parties)
	b.Thread, b.Settings = k.threadID, cfg.Session
	b.Question, b.Context, b.Excerpt, b.Constraints = k.input.Question, k.input.Context, k.input.Excerpt, k.input.Constraints
	if module != "" {
		if err := govern.CheckID("module", module); err != nil {
			return b, err
		}
		b.Module = module
	}
	b.Settings.Prices = prices(cfg, parties)
	for _, h := range k.input.Hypotheses {
		b.Hypotheses = append(b.Hypotheses, h.Text)
	}
	if script != nil {
		b.Script = script.Source()
	}
	for _, path := range evidence {
		data, err := a.readFile("evidence", path)
		if err != nil {
			return b, err
		}
		if err := checkEvidence("evidence", path, data); err != nil {
			return b, err
		}
		b.Evidence = append(b.Evidence, session.File{Name: filepath.Base(path), Data: data})
	}
	return b, nil
}

// sameSession refuses to go on with a session under another roster or question
// than it was opened with: what was asked for would silently not happen.
func (s *startOptions) sameSession(c *cobra.Command, st store.Store, b *session.Brief) error {
	h, err := session.Load(c.Context(), st, b.Thread)
	if err != nil {
		return err
	}
	o := &h.State.Opened
	given := func(names ...string) bool { return slices.ContainsFunc(names, c.Flags().Changed) }
	var differs string
	switch {
	case given("question") && plainText(b.Question) != plainText(o.Question):
		differs = "asks another question: " + o.Question
	case given("to", "role", "agent-role", "roster", "preset", "unified", "roster-mode") && string(artifact.Canonical(b.Roster.Value())) != string(o.Roster):
		differs = "has another roster"
	case given("script") && store.Hash(b.Script) != o.Rehearsal:
		differs = "plays another script"
	case given("evidence", "hypotheses", "constraints", "excerpt-file", "context"):
		differs = "has its brief already"
	default:
		return nil
	}
	return usage(c, b.Thread+" exists and "+clean(differs), "`brenner session resume "+b.Thread+"` goes on with it as it is; --if-exists new begins another one")
}

// mostEvidence is more than any model reads.
const mostEvidence = 2 << 20

// checkEvidence refuses what no agent could read: it would be sent to each of them
// in every round.
func checkEvidence(what, path string, data []byte) error {
	switch {
	case len(data) > mostEvidence:
		return &fault.Error{
			Code: UnreadableFile, Op: "read " + what, Place: path, Detail: fmt.Sprintf("it has %d bytes; %d are the most", len(data), mostEvidence),
			Hint: "give the part that matters: every agent is sent all of it in every round",
		}
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return &fault.Error{Code: UnreadableFile, Op: "read " + what, Place: path, Detail: "it is no text in UTF-8", Hint: "convert it to text first"}
	}
	return nil
}
