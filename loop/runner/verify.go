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

// Verify proves a loop: the chain of its journal, that every entry may follow the one
// before it, that what the loop decided follows from its rules, and that each session
// was what the loop says of it. It gives the state and all that is wrong; the error is
// that of a journal that cannot be read at all.
func Verify(ctx context.Context, st store.Store, name string) (*loop.State, store.Faults, error) {
	entries, err := entriesOf(ctx, st, loop.Prefix+name)
	if err == nil && len(entries) == 0 {
		err = unknown(ctx, st, name)
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
				Code: store.Damaged, Place: fmt.Sprintf("%s, entry %d (%s)", e.Stream, e.Seq, e.Kind), Detail: "it does not follow from what was journaled before it",
				Hint: anew,
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

const anew = "the journal of the loop or of the session was made anew, or taken out of the store"

// verifySettled compares what a loop says of a session with the session. A person may
// have gone on with it since, so that it counts what it was after any of its entries.
// The entries are that of the loop and those after it.
func verifySettled(ctx context.Context, st store.Store, s *loop.State, entries []journal.Entry) error {
	t, err := journal.Decode[loop.Settled](&entries[0], loop.BadSequence)
	if err != nil {
		return err
	}
	j, _ := s.Job(t.Job)
	wrong := func(format string, args ...any) error {
		return &fault.Error{Code: store.Damaged, Place: j.Thread, Detail: fmt.Sprintf(format, args...), Hint: anew}
	}
	says, empty := t.Says, loop.Settled{Job: t.Job}
	t.Says = nil
	if t.Outcome == loop.Skipped || t.Code == session.Exists { // there is none, or none of this loop
		if !unrun(&t, &empty) {
			return wrong("the loop says what became of session %d, and it was not run", t.Job)
		}
		return nil
	}
	h, err := session.Load(ctx, st, j.Thread)
	switch {
	case fault.CodeOf(err) == session.NoSession && unrun(&t, &empty):
		return nil
	case fault.CodeOf(err) == session.NoSession:
		return wrong("the loop says what became of it, and the store has no such session")
	case err != nil:
		return nil // that was said of the session
	}
	if unrun(&t, &empty) && beginsAgain(t.Job, entries) { // nothing of it was stored then
		return nil
	}
	near, ok := matches(h, &t, t.Outcome == loop.Aside && abandonedBy(entries))
	if !ok {
		return wrong("the loop says another thing of it than its own journal: %s", differences(&t, near))
	}
	if t.Outcome != loop.Done || s.Limits.Quiet <= 0 {
		return nil
	}
	want, err := said(ctx, h, t.Version)
	if err == nil && !slices.Equal(says, want) {
		return wrong("the loop says that version %d says something else", t.Version)
	}
	return nil // pieces that are missing were said of the session
}

// matches looks for the entry after which a session was what the loop says of it. If
// there is none, it gives what the session was at the end that is nearest to that.
// One that a killed run abandoned may have come to its end before that was known.
func matches(h *session.History, t *loop.Settled, abandoned bool) (near *loop.Settled, ok bool) {
	state := &flow.State{}
	for i := range h.Entries {
		if state.Apply(&h.Entries[i]) != nil {
			break
		}
		was := settledBy(t.Job, state)
		if state.Ended != "" {
			if same(&was, t) {
				return nil, true
			}
			if near == nil || was.Version <= t.Version {
				near = &was
			}
		}
		if (abandoned || state.Ended == "" || was.Outcome != loop.Done) && unrun(t, &was) {
			return nil, true
		}
	}
	if near == nil {
		was := settledBy(t.Job, state)
		near = &was
	}
	return near, false
}

// beginsAgain tells whether a session is begun once more.
func beginsAgain(job int, entries []journal.Entry) bool {
	return slices.ContainsFunc(entries, func(e journal.Entry) bool {
		if e.Kind != loop.KindBegan {
			return false
		}
		body, err := journal.Decode[loop.Began](&e, loop.BadSequence)
		return err == nil && body.Job == job
	})
}

// abandonedBy tells whether it was the next run that said what became of a session: it
// does before it begins.
func abandonedBy(entries []journal.Entry) bool {
	for i := range entries {
		if entries[i].Kind != loop.KindSettled {
			return entries[i].Kind == loop.KindResumed
		}
	}
	return false
}

func same(a, b *loop.Settled) bool { return len(differ(a, b)) == 0 }

// unrun tells whether a session that was this could not be run, or was left: then the
// loop says why.
func unrun(t, was *loop.Settled) bool {
	switch t.Outcome {
	case loop.Failed, loop.Aside, loop.Skipped:
	default:
		return false
	}
	w := *was
	w.Outcome, w.Code, w.Detail, w.RetryAt = t.Outcome, t.Code, t.Detail, ""
	return same(&w, t)
}

// differ names what two accounts of a session do not agree about, as the journal calls
// it. What items say is not among it.
func differ(a, b *loop.Settled) []string {
	var all []string
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		name, _, _ := strings.Cut(x.Type().Field(i).Tag.Get("json"), ",")
		if name == "says" {
			continue
		}
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			all = append(all, fmt.Sprintf("%s %s, not %s", name, word(y.Field(i)), word(x.Field(i))))
		}
	}
	return all
}

func word(v any) string {
	if s := fmt.Sprint(v); s != "" {
		return fault.Shown(s)
	}
	return "nothing"
}

func differences(t, near *loop.Settled) string { return strings.Join(differ(t, near), "; ") }
