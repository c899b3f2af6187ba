package govern

import "context"

// Due counts what the memo of a module does not take up.
func (d *Door) Due(ctx context.Context, module string) (Due, error) {
	played, err := d.rehearsals(ctx)
	if err != nil {
		return Due{}, err
	}
	return d.due(ctx, module, played)
}
