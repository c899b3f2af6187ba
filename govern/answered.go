package govern

import (
	"context"
	"slices"
	"strings"

	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// unread finds the newest answer of an agent that was journaled, and of which nothing
// has come: whoever asked was killed before it was put. What is answered is not asked
// for again.
func (d *Door) unread(ctx context.Context, h *Helper, role string, fits func(*askedEvent) (bool, error)) (*askedEvent, error) {
	entries, _, err := d.newest(ctx, Calls, lookedAt)
	if err != nil {
		return nil, err
	}
	read := make(map[string]bool) // what came of a call stands after it
	for i := range entries {
		if entries[i].Kind == kindProduced {
			e, err := journal.Decode[producedEvent](&entries[i], journal.BrokenChain)
			if err != nil {
				return nil, err
			}
			read[e.Call] = true
			continue
		}
		e, err := journal.Decode[askedEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		if read[e.Call] || e.Reply == "" || e.Role != role || e.Agent != h.Name || e.Model != h.Model {
			continue
		}
		if ok, err := fits(&e); err != nil || ok {
			return &e, err
		}
	}
	return nil, nil
}

// again gives the answer to a job that somebody else was killed over, or nil. The
// question must be the same, word by word, with everything that is shown for it.
func (d *Door) again(ctx context.Context, who Actor, h *Helper, j *job) (*answer, error) {
	var a *answer
	e, err := d.unread(ctx, h, j.role, func(e *askedEvent) (bool, error) {
		task, err := d.pinned(ctx, who, e.Task, j)
		if task == nil || err != nil {
			return false, err
		}
		var given *Given
		if a, given, err = d.prepare(ctx, j, task.Ref()); err != nil {
			return false, err
		}
		return store.Hash([]byte(given.Text)) == e.Prompt, nil
	})
	if e == nil || err != nil {
		return nil, err
	}
	return a, d.takeUp(ctx, a, e)
}

// pinned gives the task spec of a call, if it is this job, by the same person.
func (d *Door) pinned(ctx context.Context, who Actor, address string, j *job) (*record.Record, error) {
	r, _, err := d.Find(ctx, address)
	if fault.CodeOf(err) == store.NoRecord {
		return nil, nil
	}
	if err != nil || r.Creator != who.Name || r.Type != record.TaskSpec {
		return nil, err
	}
	t, err := d.readTask(ctx, &r)
	if err != nil || t.Task != strings.TrimSpace(j.task) || t.Role != j.role || t.Cross != j.cross {
		return nil, err
	}
	same := slices.EqualFunc(t.Inputs, j.inputs, func(in Input, ref record.Ref) bool { return in.ID == ref.ID && in.Version == ref.Version })
	if !same {
		return nil, nil
	}
	return &r, nil
}

// takeUp makes what a journaled call was answered the answer.
func (d *Door) takeUp(ctx context.Context, a *answer, e *askedEvent) error {
	reply, err := d.Store.Blob(ctx, e.Reply)
	a.event, a.text = *e, asText(string(reply))
	if err == nil && a.text == "" {
		err = d.empty(ctx, a)
	}
	return err
}

// made journals what was made of an answer. One of which nothing can be made, because of
// what it says, was read as well: who asks again gets another.
func (d *Door) made(ctx context.Context, a *answer, ref record.Ref, err error) error {
	switch {
	case err == nil:
		return d.produced(ctx, a, ref)
	case authors(err):
		if err := d.produced(ctx, a); err != nil {
			return err
		}
	}
	return err
}

// authors tells whether an error is about what somebody wrote, who could mend it.
func authors(err error) bool {
	switch fault.CodeOf(err) {
	case policy.OutOfScope, BadRecord, NothingNew, BadLink, LinkCycle, record.Invalid, record.BadSummary:
		return true
	}
	return false
}
