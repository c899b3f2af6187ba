package govern

import (
	"context"

	"brenner/store/record"
)

// Due returns the records that the memo of a module does not cover.
func (rs *Records) Due(ctx context.Context, module string) (Due, error) {
	rehearsed, err := rs.Rehearsals(ctx)
	if err != nil {
		return Due{}, err
	}
	return rs.due(ctx, module, rehearsed)
}

// Read returns a version and its content to an actor who may read it.
func (rs *Records) Read(ctx context.Context, who Actor, address string) (record.Record, []byte, error) {
	r, _, err := rs.findFor(ctx, who, address, standingOf)
	if err != nil {
		return record.Record{}, nil, err
	}
	data, err := rs.Content(ctx, &r)
	return r, data, err
}
