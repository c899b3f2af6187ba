package govern

import (
	"context"

	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// triedEvent is a patch of a record that was refused. Who sends the same one again and
// again is stuck, and that is seen by these.
type triedEvent struct {
	By      string     `json:"by"`
	Role    string     `json:"role"`
	ID      string     `json:"id"`
	Version int        `json:"version"` // that it was held against
	Patch   string     `json:"patch"`   // hash
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Why     string     `json:"why"`
}

// lookedAt is how many attempts, of all records, are looked at for those of one.
const lookedAt = 1000

// refused keeps the patches that were refused, and asks for a ruling when their
// author is stuck.
func (d *Door) refused(ctx context.Context, who Actor, p *Patching, out *Patched) error {
	last := ""
	for i := range out.Reports {
		if out.Reports[i].OK() || p.Patches[i].Result == out.Before.Hash() { // the latter has been applied already
			continue
		}
		one, problem := &p.Patches[i], &out.Reports[i].Problems[0]
		text := one.JSON()
		last = string(text)
		e := triedEvent{
			By: who.Name, Role: who.Role, ID: out.Base.ID, Version: out.Base.Version, Patch: store.Hash(text),
			Code: problem.Code, Message: problem.Message, Why: one.Notes(),
		}
		if err := d.log(ctx, Attempts, kindTried, e, text); err != nil {
			return err
		}
	}
	if last == "" {
		return nil
	}
	tries, err := d.tries(ctx, out.Base)
	if err != nil {
		return err
	}
	on := &stalemate.Patched{Name: out.Base.String(), Content: out.Before.Canonical(), Patch: last}
	c, stuck := stalemate.OfPatches(on, tries)
	if !stuck {
		return nil
	}
	of, _, err := d.Find(ctx, out.Base.String())
	if err != nil {
		return err
	}
	asked := stalemate.PatchRequest(on, d.Now().UTC(), &c)
	ref, _, err := d.request(ctx, who, &of, &c, &asked)
	out.Stuck = &ref
	return err
}

// tries gives the patches that a version refused, in their order.
func (d *Door) tries(ctx context.Context, of record.Ref) ([]stalemate.Attempt, error) {
	entries, _, err := d.newest(ctx, Attempts, lookedAt)
	if err != nil {
		return nil, err
	}
	var all []stalemate.Attempt
	for i := len(entries) - 1; i >= 0; i-- {
		e, err := journal.Decode[triedEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		if e.ID == of.ID && e.Version == of.Version {
			all = append(all, stalemate.Attempt{By: e.By, Place: e.ID, Content: e.Patch, Code: e.Code, Message: e.Message, Why: e.Why})
		}
	}
	return all, nil
}

// request puts the request for a ruling on a version, unless it is there, and tells
// whether it was not. The program asks, not the author of the patch: what that may
// write does not matter here.
func (d *Door) request(ctx context.Context, who Actor, of *record.Record, c *stalemate.Case, r *stalemate.Request) (ref record.Ref, fresh bool, err error) {
	err = d.write(ctx, func() (*change, error) {
		b := d.putting(who)
		h, err := b.headOf(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		if fresh = h.Latest == 0; !fresh {
			ref = record.Ref{ID: h.ID, Version: h.Latest}
			return nil, nil
		}
		put, err := b.put(ctx, &Draft{
			ID: c.ID, Type: record.StalemateRequest, Module: of.Module, Content: r.JSON(), Tags: []string{c.Kind}, Summary: record.Extract([]byte(r.Summary)),
			Links: []Link{{Relation: record.Cites, To: of.Ref().String()}}, summaryBy: record.Extracted, ours: true,
		})
		ref = put.Record.Ref()
		b.c.event = b.event()
		return b.c, err
	})
	return ref, fresh, err
}
