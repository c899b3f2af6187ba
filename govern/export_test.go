package govern

import (
	"context"

	"brenner/store/record"
)

// Due counts what the memo of a module does not take up.
func (d *Door) Due(ctx context.Context, module string) (Due, error) {
	played, err := d.rehearsals(ctx)
	if err != nil {
		return Due{}, err
	}
	return d.due(ctx, module, played)
}

// Read returns a version and its content to an actor who may read it.
func (d *Door) Read(ctx context.Context, who Actor, address string) (record.Record, []byte, error) {
	r, _, err := d.findFor(ctx, who, address, standingOf)
	if err != nil {
		return record.Record{}, nil, err
	}
	data, err := d.Content(ctx, &r)
	return r, data, err
}
