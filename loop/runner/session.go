package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// session runs one session, new or begun, to its end.
func (n *run) session(ctx context.Context, work *loop.Work, c loop.Run, claims bool) outcome {
	for busy := 0; ; {
		lock := c.Thread // that another process may hold
		h, err := n.attempt(ctx, work, &c, &lock)
		switch code := fault.CodeOf(err); {
		case err == nil:
			return n.conclude(ctx, c, claims, h)
		case errors.Is(err, ErrDetached):
			return outcome{detached: true}
		case errors.Is(err, session.ErrOvertaken):
			c.Job.Thread = c.Thread // it has begun: resume it
		case code == store.Held:
		case code == store.Busy && busy < maxBusyRetries:
			busy++
			c.Job.Thread = c.Thread // resume it: no other session has this name
		default:
			return n.failed(ctx, c, claims, err)
		}
		n.Log.Warn().Err(err).Str("session", c.Thread).Msg("session or store is busy; the loop waits")
		if err := n.awaitOthers(ctx, lock); err != nil {
			return n.failed(ctx, c, claims, err)
		}
	}
}

// maxBusyRetries bounds the retries of a session because the store is busy. The store has
// its own timeout for each.
const maxBusyRetries = 6

// attempt runs a session. It fails if another process holds it or its task, whose lock it then returns, or the store is busy.
func (n *run) attempt(ctx context.Context, work *loop.Work, c *loop.Run, lock *string) (*session.History, error) {
	if n.Place != nil {
		return n.placed(ctx, work, c)
	}
	s, err := n.Sessions(ctx, work, &c.Job)
	if err != nil {
		return nil, err
	}
	if s.Lock != "" {
		lease, err := n.Locks.Hold(s.Lock, n.Holder)
		if err != nil {
			*lock = s.Lock
			return nil, err
		}
		defer n.releaseLock(lease, c.Thread)
	}
	s.Brief.Thread = c.Thread
	s.Runner.Drain = n.drain
	if c.Probe {
		n.tellReply(s.Runner, c.Job.Number)
	}
	return n.startOrResume(ctx, work, *c, s)
}

// tellReply makes the run hear of a session's next reply: it ends an outage.
func (n *run) tellReply(r *session.Runner, job int) {
	observe := r.Observe
	r.Observe = func(e *journal.Entry, s *flow.State) {
		if observe != nil {
			observe(e, s)
		}
		if e.Kind == flow.KindAnswered {
			select {
			case n.replied <- job:
			default: // the run knows, or will know when the session ends
			}
		}
	}
}

// awaitOthers waits for one poll interval, and while another process holds the lock of the session or of its
// task: an operator may have resumed or begun it.
func (n *run) awaitOthers(ctx context.Context, lock string) error {
	ticker := time.NewTicker(n.poll())
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-n.drain:
			return context.Canceled
		case <-ctx.Done():
			return ctx.Err()
		}
		if _, held, err := n.Locks.HolderOf(lock); err != nil || !held {
			return err
		}
	}
}

// conclude returns the outcome of a session that was run.
func (n *run) conclude(ctx context.Context, c loop.Run, claims bool, h *session.History) outcome {
	ctx = context.WithoutCancel(ctx)
	o := outcome{settled: settledBy(c.Job.Number, h.State, &n.opened)}
	if claims {
		if o.settled.Says, o.err = claimHashes(ctx, h, h.State.Version()); o.err != nil {
			return o
		}
	}
	if n.Finished != nil && h.State.Version() > 0 && h.State.Opened.Task == "" {
		if err := n.Finished(ctx, h); err != nil {
			n.Log.Warn().Err(err).Str("session", c.Thread).Msg("cannot write the artifact file; the session itself is stored")
		}
	}
	return o
}

// startOrResume starts a session, or resumes it.
func (n *run) startOrResume(ctx context.Context, work *loop.Work, c loop.Run, s *Session) (*session.History, error) {
	if c.Job.Thread != "" { // it has begun
		res, err := s.Runner.Resume(ctx, c.Thread, s.raise(&c))
		switch fault.CodeOf(err) {
		case session.NotOpen: // it ended before the loop journaled that
			return session.Load(ctx, n.Store, c.Thread)
		case session.NoSession: // killed before it wrote anything
		default:
			if err != nil {
				return nil, err
			}
			return res.History(n.Store), nil
		}
	}
	if err := n.inherit(ctx, work, c.Base, &s.Brief); err != nil {
		return nil, err
	}
	s.limit(&c, &s.Brief.Settings)
	res, err := s.Runner.Start(ctx, s.Brief)
	if err != nil {
		return nil, err
	}
	return res.History(n.Store), nil
}

// raise returns the change of a resumed session's settings. After an outage, its budget is what was
// reserved for it besides what it has spent.
func (s *Session) raise(c *loop.Run) func(*flow.Settings) {
	if c.Job.Extra == (flow.Cost{}) {
		return s.Change
	}
	return func(set *flow.Settings) {
		if s.Change != nil {
			s.Change(set)
		}
		s.limit(c, set)
	}
}

// limit sets a session's budget to what was reserved for it and what it has spent.
func (*Session) limit(c *loop.Run, set *flow.Settings) {
	budget := c.Job.Settled.Cost().Plus(c.Reserve)
	if set.Budget > 0 {
		set.Budget = budget.Tokens
	}
	if set.BudgetUSD > 0 {
		set.BudgetUSD = budget.USD
	}
}

// inherit adds the results of an earlier session to a brief.
func (n *run) inherit(ctx context.Context, work *loop.Work, base string, b *session.Brief) error {
	if base == "" {
		return nil
	}
	h, err := session.Load(ctx, n.Store, base)
	if err != nil {
		return err
	}
	a, err := h.Artifact(ctx, h.State.Version())
	if err != nil {
		return err
	}
	from := &loop.Earlier{Thread: base, Artifact: &a}
	for _, e := range h.State.Opened.Evidence {
		from.Evidence = append(from.Evidence, e.Hash)
	}
	var own []string
	for _, f := range b.Evidence {
		own = append(own, store.Hash(f.Data))
	}
	follow := work.Follow
	if follow == nil {
		follow = &loop.Follow{Take: loop.DefaultTake(), Relation: "extends"}
	}
	for _, it := range loop.Inherit(from, follow, own) {
		b.Seeds = append(b.Seeds, session.Seed{Section: it.Section, Label: it.Label, Payload: it.Payload, Rationale: it.Rationale})
	}
	b.Evidence = append(b.Evidence, session.File{Name: base + ".txt", Data: loop.Account(from)})
	return nil
}

// settledBy returns the outcome of a session, with what the rules of its loop record.
func settledBy(job int, s *flow.State, o *loop.Opened) loop.Settled {
	out := outcomeOf(job, s)
	if !o.NotesLost() {
		out.Lost, out.LostUSD = 0, 0
	}
	if !o.NotesTroubles() {
		return out
	}
	switch {
	case o.NotesLost() && out.Outcome == loop.Short && shortByOutage(s):
		_, c := troubleOf(s)
		out.Outcome, out.Wants, out.WantsUSD = loop.Failed, 0, 0
		out.Trouble, out.Code, out.Detail = loop.Passing, c.Failed.Code, c.Agent+": "+c.Failed.Detail
	case out.Outcome == loop.Failed && s.Ended == flow.EndQuorum:
		if trouble, c := troubleOf(s); trouble != "" {
			out.Trouble, out.Code, out.Detail = trouble, c.Failed.Code, c.Agent+": "+c.Failed.Detail
		}
	case out.Outcome == loop.Done || out.Outcome == loop.Short:
		idle := s.Idle()
		out.Nothing, out.Silent = s.CameToNothing(), len(idle)
		if o.NotesLost() {
			out.Idle = idle
		}
	}
	return out
}

// shortByOutage reports whether a session exhausted its budget only by calls that an outage left
// without a reply.
func shortByOutage(s *flow.State) bool {
	trouble, _ := troubleOf(s)
	return trouble == loop.Passing && s.Settings.Affords(s.Spent.Minus(s.Unanswered()).Plus(s.Shortfall()))
}

func outcomeOf(job int, s *flow.State) loop.Settled {
	spent, lost := s.Spent.Plus(s.InFlight()), s.Unanswered() // a lost call may have been answered
	out := loop.Settled{
		Job: job, Reason: s.Ended, Round: s.Round(), Version: s.Version(), Spent: spent.Tokens, SpentUSD: spent.USD, Missing: len(s.Missing()),
		Merged: merged(s), Lost: lost.Tokens, LostUSD: lost.USD,
	}
	if len(s.Commits) > 0 {
		c := &s.Commits[len(s.Commits)-1]
		out.Artifact, out.Errors, out.Warnings = c.Artifact, c.Outcome.Errors, c.Outcome.Warnings
		out.Tests = c.Active[artifact.DiscriminativeTests.String()]
	}
	countNeeds(s, &out)
	if s.Opened.Task != "" { // its artifact stays empty
		made, refused := s.Made()
		out.Records, out.Refused, out.Unread, out.Errors, out.Warnings = len(made), refused, unread(s), 0, 0
	}
	switch s.Ended {
	case flow.EndLater:
		out.Outcome = loop.Later
		if leg := s.OpenLeg(); leg != nil {
			at, _ := leg.RetryTime()
			out.RetryAt = artifact.FormatInstant(at)
		}
	case flow.EndInterrupted, "": // or killed
		out.Outcome = loop.Interrupted
	case flow.EndQuorum, flow.EndTime:
		out.Outcome = loop.Failed
		out.Code, out.Detail = missingReason(s)
	case flow.EndBudget:
		out.Outcome = loop.Short
		wants := s.Shortfall()
		out.Wants, out.WantsUSD, out.Detail = wants.Tokens, wants.USD, budgetDetail(s)
	default:
		out.Outcome = loop.Done
	}
	return out
}

// unread counts the deltas of a task that were not read as records.
func unread(s *flow.State) int {
	n := 0
	for i := range s.Commits {
		n += s.Commits[i].Outcome.Rejected
	}
	return n
}

// merged counts how often replies were merged.
func merged(s *flow.State) int {
	n := 0
	for i := range s.Commits {
		if s.Commits[i].Source == flow.ByRound {
			n++
		}
	}
	return n
}

// budgetDetail describes how many rounds a session's budget allowed. The text is journaled
// and compared by verify, so it must not change.
func budgetDetail(s *flow.State) string {
	var budget []string
	if s.Settings.Budget > 0 {
		budget = append(budget, fmt.Sprintf("%d tokens", s.Settings.Budget))
	}
	if s.Settings.BudgetUSD > 0 {
		budget = append(budget, fmt.Sprintf("$%.2f", flow.Dollars(s.Settings.BudgetUSD)))
	}
	text := "its budget of " + strings.Join(budget, " and ")
	if s.Spent == (flow.Cost{}) {
		return text + " does not reach for one call"
	}
	complete := s.Round()
	if s.OpenLeg() != nil {
		complete--
	}
	text += fmt.Sprintf(" reached for %d of %d rounds", complete, s.Settings.Rounds)
	switch n := len(s.Missing()); n {
	case 0:
		return text
	case 1:
		return text + ", 1 answer is missing"
	default:
		return text + fmt.Sprintf(", %d answers are missing", n)
	}
}

// missingReason returns the failure of the first agent that did not answer.
func missingReason(s *flow.State) (fault.Code, string) {
	if leg := s.OpenLeg(); leg != nil {
		for c := range leg.Calls() {
			if c.Status == flow.Lost {
				return c.Failed.Code, c.Agent + ": " + c.Failed.Detail
			}
		}
	}
	if s.Ended == flow.EndTime {
		return "", "the session timed out"
	}
	return "", "too few agents answered"
}

// failed returns the outcome of a session that could not be run. Errors of the store end
// the run: they would affect every session.
func (n *run) failed(ctx context.Context, c loop.Run, claims bool, err error) outcome {
	switch fault.CodeOf(err) {
	case store.Busy, store.Full, store.Damaged, store.Closed, store.Unwritable, store.Unsupported, store.Unreachable:
		return outcome{err: err}
	}
	before := &c.Job.Settled // costs of earlier attempts stay
	out := loop.Settled{
		Job: c.Job.Number, Outcome: loop.Failed, Code: fault.CodeOf(err), Detail: strings.ToValidUTF8(err.Error(), "\ufffd"),
		Spent: before.Spent, SpentUSD: before.SpentUSD, Lost: before.Lost, LostUSD: before.LostUSD,
	}
	if errors.Is(err, context.Canceled) {
		out.Outcome, out.Code, out.Detail = loop.Interrupted, "", ""
	}
	ctx = context.WithoutCancel(ctx)
	h, unread := session.Load(ctx, n.Store, c.Thread)
	if unread != nil && fault.CodeOf(unread) != session.NoSession {
		return outcome{err: unread} // its outcome is unknown
	}
	if unread == nil && out.Code != session.Exists { // count what it has spent
		s := settledBy(c.Job.Number, h.State, &n.opened)
		if h.State.Ended != "" && s.Outcome == loop.Done { // it had already ended
			return n.conclude(ctx, c, claims, h)
		}
		s.Outcome, s.Code, s.Detail, s.RetryAt = out.Outcome, out.Code, out.Detail, ""
		s.Trouble, s.Nothing, s.Silent, s.Idle = "", false, 0, nil
		out = s
		if claims {
			out.Says, err = claimHashes(ctx, h, h.State.Version())
			return outcome{settled: out, err: err}
		}
	}
	return outcome{settled: out}
}

// claimHashes returns short hashes of the active items' claims in a version, or nil if no
// replies were merged.
func claimHashes(ctx context.Context, h *session.History, version int) ([]string, error) {
	if merged(h.State) == 0 {
		return nil, nil
	}
	a, err := h.Artifact(ctx, version)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, s := range artifact.Sections() {
		if s == artifact.ResearchThread {
			continue
		}
		for _, it := range a.Active(s) {
			text := strings.ToLower(strings.Join(strings.Fields(it.Text(s.Spec().Main)), " "))
			all = append(all, store.Hash([]byte(s.String() + "\n" + text))[:16])
		}
	}
	return all, nil
}
