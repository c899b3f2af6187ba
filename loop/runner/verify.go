package runner

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// Verify proves a loop: the hash chain of its journal, the sequence of its entries, that
// its decisions follow from its rules, and that the recorded outcomes match the sessions.
// It returns the state and all faults found; the error is for a journal that cannot be
// read.
func Verify(ctx context.Context, st store.Store, name string) (*loop.State, store.Faults, error) {
	entries, err := entriesOf(ctx, st, loop.Prefix+name)
	if err == nil && len(entries) == 0 {
		err = noSuchLoop(ctx, st, name)
	}
	if err != nil {
		return nil, nil, err
	}
	var found store.Faults
	s := &loop.State{}
	for i := range entries {
		e := &entries[i]
		if s.Head.Seq > 0 && !s.Justified(e) {
			found.Add(&fault.Error{
				Code: store.Damaged, Place: fmt.Sprintf("%s, entry %d (%s)", e.Stream, e.Seq, e.Kind), Detail: "does not follow from the entries before it",
				Hint: damagedHint,
			})
		}
		if err := s.Apply(e); err != nil {
			return nil, nil, err
		}
		if e.Kind != loop.KindSettled {
			continue
		}
		found.Add(verifySettled(ctx, st, s, entries[i:]))
	}
	return s, found, nil
}

const damagedHint = "the journal of the loop or of the session was rewritten, or removed from the store"

// verifySettled compares a recorded outcome with the session. The operator may have resumed
// the session since, so its state after any of its entries may match. Entries are the
// loop's, from the outcome on.
func verifySettled(ctx context.Context, st store.Store, s *loop.State, entries []journal.Entry) error {
	t, err := journal.Decode[loop.Settled](&entries[0], loop.BadSequence)
	if err != nil {
		return err
	}
	j, _ := s.Job(t.Job)
	wrong := func(format string, args ...any) error {
		return &fault.Error{Code: store.Damaged, Place: j.Thread, Detail: fmt.Sprintf(format, args...), Hint: damagedHint}
	}
	claims, empty := t.Says, loop.Settled{Job: t.Job}
	t.Says = nil
	if t.Outcome == loop.Skipped || t.Code == session.Exists { // no session, or not of this loop
		if !notRun(&t, &empty) {
			return wrong("the loop records an outcome for session %d, which was not run", t.Job)
		}
		return nil
	}
	h, err := session.Load(ctx, st, j.Thread)
	switch {
	case fault.CodeOf(err) == session.NoSession && notRun(&t, &empty):
		return nil
	case fault.CodeOf(err) == session.NoSession:
		return wrong("the loop records its outcome, but the store has no such session")
	case err != nil:
		return nil // reported for the session
	}
	if notRun(&t, &empty) && beginsAgain(t.Job, entries) { // nothing was stored at that time
		return nil
	}
	near, ok := matches(h, &t, &s.Opened, t.Outcome == loop.Interrupted && settledByNextRun(entries))
	if !ok {
		return wrong("the journals of loop and session disagree: %s", differences(&t, near))
	}
	if t.Outcome != loop.Done || s.Limits.Quiet <= 0 {
		return nil
	}
	want, err := claimHashes(ctx, h, t.Version)
	if err == nil && !slices.Equal(claims, want) {
		return wrong("the loop records other claims for version %d", t.Version)
	}
	return nil // missing pieces are reported for the session
}

// matches looks for an entry of the session after which its state matches the recorded
// outcome. Without one, it returns the outcome of the nearest end. A session abandoned by a
// killed run may have ended before the loop recorded that.
func matches(h *session.History, t *loop.Settled, o *loop.Opened, abandoned bool) (near *loop.Settled, ok bool) {
	state := &flow.State{}
	for i := range h.Entries {
		if state.Apply(&h.Entries[i]) != nil {
			break
		}
		was := settledBy(t.Job, state, o)
		if t.Unread == 0 { // earlier programs did not journal it
			was.Unread = 0
		}
		if state.Ended != "" {
			if same(&was, t) {
				return nil, true
			}
			if near == nil || was.Version <= t.Version {
				near = &was
			}
		}
		if (abandoned || state.Ended == "" || was.Outcome != loop.Done) && notRun(t, &was) {
			return nil, true
		}
	}
	if near == nil {
		was := settledBy(t.Job, state, o)
		near = &was
	}
	return near, false
}

// beginsAgain reports whether a session begins again.
func beginsAgain(job int, entries []journal.Entry) bool {
	return slices.ContainsFunc(entries, func(e journal.Entry) bool {
		if e.Kind != loop.KindBegan {
			return false
		}
		body, err := journal.Decode[loop.Began](&e, loop.BadSequence)
		return err == nil && body.Job == job
	})
}

// settledByNextRun reports whether an outcome was recorded by the next run, which does that
// before it resumes the loop.
func settledByNextRun(entries []journal.Entry) bool {
	for i := range entries {
		if entries[i].Kind != loop.KindSettled {
			return entries[i].Kind == loop.KindResumed
		}
	}
	return false
}

func same(a, b *loop.Settled) bool { return len(differentFields(a, b)) == 0 }

// notRun reports whether t records that a session in state was could not be run or was
// interrupted. Only the loop's journal has the reason.
func notRun(t, was *loop.Settled) bool {
	switch t.Outcome {
	case loop.Failed, loop.Interrupted, loop.Skipped:
	default:
		return false
	}
	w := *was
	w.Outcome, w.Code, w.Detail, w.RetryAt = t.Outcome, t.Code, t.Detail, ""
	w.Trouble, w.Nothing, w.Silent, w.Idle = "", false, 0, nil
	return same(&w, t)
}

// differentFields lists the fields in which two outcomes differ, by JSON name, except claims.
func differentFields(a, b *loop.Settled) []string {
	var all []string
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		name, _, _ := strings.Cut(x.Type().Field(i).Tag.Get("json"), ",")
		if name == "says" {
			continue
		}
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			all = append(all, fmt.Sprintf("%s %s, not %s", name, formatField(y.Field(i)), formatField(x.Field(i))))
		}
	}
	return all
}

func formatField(v any) string {
	if s := fmt.Sprint(v); s != "" {
		return fault.Shown(s)
	}
	return "nothing"
}

func differences(t, near *loop.Settled) string { return strings.Join(differentFields(t, near), "; ") }
