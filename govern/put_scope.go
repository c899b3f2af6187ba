package govern

import "context"

// mayPut refuses what is outside the scope of an agent's role, or of the role that
// people have who may not decide, before anything else is said about it.
func (d *Door) mayPut(ctx context.Context, who Actor, draft *Draft) error {
	o, err := d.outside(ctx, who, draft)
	if err != nil || o == nil {
		return err
	}
	return d.refuse(ctx, o.who, o.action, o.kind, draft.ID)
}

// overstep is something that a role may not do.
type overstep struct {
	who          Actor
	action, kind string
}

// outside says what of a draft is outside somebody's scope, and keeps no attempt; nil is
// nothing.
func (d *Door) outside(ctx context.Context, who Actor, draft *Draft) (*overstep, error) {
	kind := draft.Type
	if err := d.Types.Check(kind); err != nil {
		return nil, err
	}
	if who.person() {
		if d.authority(who) || d.Rules.People == "" {
			return nil, nil
		}
		who.Role = d.Rules.People
	}
	if !draft.granted && !d.Access.MayWrite(who.Role, kind) {
		return &overstep{who, "write", kind}, nil
	}
	if draft.KeepSummary && !d.mayRead(who, kind) {
		return &overstep{who, "read", kind}, nil
	}
	// Whatever type the draft names, it is a version of what is there.
	there, err := d.exactly(ctx, draft.ID)
	if err != nil {
		return nil, err
	}
	if there.Latest > 0 && there.Type != kind && !d.Access.MayWrite(who.Role, there.Type) {
		return &overstep{who, "write", there.Type}, nil
	}
	return nil, nil
}

// mayRead tells whether somebody may read records of a type: a person may read all,
// and an agent what its role may, but never what was sent and said.
func (d *Door) mayRead(who Actor, kind string) bool {
	t, _ := d.Types.Find(kind)
	return who.person() || !t.Raw && d.Access.MayRead(who.Role, kind)
}
