package project

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"brenner/agent/rehearsal"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
)

// nameSession settles what the session is called: another name where one exists and the
// user did not choose it, and otherwise what ifExists says. It reports whether an
// existing session is meant.
func nameSession(ctx context.Context, st store.Store, b *session.Brief, ifExists string, chosen bool) (bool, error) {
	head, err := store.HeadOf(ctx, st, session.Prefix+b.Thread)
	if err != nil || head.Seq == 0 {
		return false, err
	}
	switch {
	case ifExists == "resume":
		return true, nil
	case ifExists == "fail", ifExists == "" && chosen:
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
	return base[:min(len(base), MaxThreadID-len(suffix))] + suffix
}

// MaxThreadID is the length of the longest thread id: RS-YYYYMMDD- and 40 more.
const MaxThreadID = len("RS-20060102-") + 40

// briefFor is what a brief says of who takes part, and by which rules.
func (p *Project) briefFor(r roster.Roster, parties []flow.Party) session.Brief {
	b := session.Brief{
		Operator: p.Config.Operator, Program: "brenner " + release, Roster: r, Agents: parties, Views: make(map[string]view.Spec),
		Rules: merge.Rules{
			Unified: r.Mode == roster.Unified, Scopes: p.Config.Scopes, Limits: p.Config.Limits, Priority: p.Config.Priority, Authorities: p.Config.Authorities,
		},
	}
	for _, party := range parties {
		role := party.Role
		if b.Rules.Unified {
			role = view.Unified
		}
		b.Views[party.Name] = view.Default(role)
	}
	return b
}

// Brief gathers what a session is opened with.
func (k *Composed) Brief(module string, evidence []session.File, parties []flow.Party, script *rehearsal.Script) (session.Brief, error) {
	p := k.Project
	b := p.briefFor(k.Roster.Roster, parties)
	b.Thread, b.Settings = k.ThreadID, p.Config.Session
	b.Question, b.Context, b.Excerpt, b.Constraints = k.Input.Question, k.Input.Context, k.Input.Excerpt, k.Input.Constraints
	if module != "" {
		if err := govern.CheckID("module", module); err != nil {
			return b, err
		}
		b.Module = module
	}
	b.Settings.Prices = p.prices(parties)
	for _, h := range k.Input.Hypotheses {
		b.Hypotheses = append(b.Hypotheses, h.Text)
	}
	if script != nil {
		b.Script = script.Source()
	}
	b.Evidence = evidence
	return b, nil
}

// mostEvidence is more than any model reads.
const mostEvidence = 2 << 20

// CheckEvidence refuses what no agent could read: it would be sent to each of them
// in every round.
func CheckEvidence(what, path string, data []byte) error {
	switch {
	case len(data) > mostEvidence:
		return &fault.Error{
			Code: files.Unreadable, Op: "read " + what, Place: path, Detail: fmt.Sprintf("it has %d bytes; %d are the most", len(data), mostEvidence),
			Hint: "give the part that matters: every agent is sent all of it in every round",
		}
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return &fault.Error{Code: files.Unreadable, Op: "read " + what, Place: path, Detail: "it is no text in UTF-8", Hint: "convert it to text first"}
	}
	return nil
}
