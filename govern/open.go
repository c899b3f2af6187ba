package govern

import (
	"context"

	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/store/record"
)

// OpenStalemate is a person who says that patches of a record are stuck: those that a
// version refused, without waiting for a third time, or what a request of theirs
// describes. Warnings name evidence in it that is only a placeholder.
func (d *Door) OpenStalemate(ctx context.Context, who Actor, address string, request []byte) (*Stalemate, []*fault.Error, error) {
	r, _, text, err := d.Text(ctx, who, address)
	if err != nil {
		return nil, nil, err
	}
	if !d.authority(who) {
		return nil, nil, &fault.Error{
			Code: policy.OutOfScope, Op: "open a stalemate about " + r.ID, Detail: fault.Shown(who.Name) + " is nobody who may decide",
			Hint: "the operator and the authorities of brenner.yaml may",
		}
	}
	var c stalemate.Case
	var asked stalemate.Request
	var warnings []*fault.Error
	if request != nil {
		if asked, warnings, err = stalemate.ReadBrought(request); err != nil {
			return nil, nil, err
		}
		c = stalemate.FromRequest(r.ID, &asked, r.Ref().String(), 0)
	} else {
		on := &stalemate.Patched{Name: r.Ref().String(), Content: text.Canonical()}
		if c, err = d.refusedSoFar(ctx, &r, on); err != nil {
			return nil, nil, err
		}
		asked = stalemate.PatchRequest(on, d.Now().UTC(), &c)
	}
	put, fresh, err := d.request(ctx, who, &r, &c, &asked)
	if err == nil && !fresh {
		err = &fault.Error{
			Code: stalemate.BadState, Detail: put.ID + " is about this already", Hint: "`brenner stalemate show " + r.ID + " " + put.ID + "` shows it",
		}
	}
	if err != nil {
		return nil, nil, err
	}
	s, err := d.Stalemate(ctx, "", put.ID)
	return s, warnings, err
}

// refusedSoFar makes the case of what a version refused, however often that was.
func (d *Door) refusedSoFar(ctx context.Context, r *record.Record, on *stalemate.Patched) (stalemate.Case, error) {
	tries, err := d.tries(ctx, r.Ref())
	if err != nil {
		return stalemate.Case{}, err
	}
	c, ok := stalemate.SaidOfPatches(on, tries)
	if !ok {
		return c, &fault.Error{
			Code: NothingGiven, Op: "open a stalemate about " + on.Name, Detail: "it refused no patch",
			Hint: "bring a request that says what is stuck: --request FILE",
		}
	}
	patch, err := d.Store.Blob(ctx, tries[len(tries)-1].Content)
	on.Patch = string(patch)
	return c, err
}
