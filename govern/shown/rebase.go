package shown

import (
	"context"
	"fmt"
	"slices"

	"brenner/govern"
	"brenner/store/record"
)

// OlderInputs names the inputs of a task that are not the latest of their record, although they stand: what the
// agent makes of one under its id is a branch beside the later versions, and needs a rebase. Only inputs of types
// that the role of the task may write count, and not those that have moved.
func OlderInputs(ctx context.Context, rs *govern.Records, task *govern.Task, moved []govern.Moved) ([]string, error) {
	var all []string
	for i := range task.Inputs {
		in := &task.Inputs[i]
		isMoved := slices.ContainsFunc(moved, func(m govern.Moved) bool { return m.Input.Ref() == in.Ref() })
		if isMoved || !rs.Access.MayWrite(task.Role, in.Type) {
			continue
		}
		tips, err := rs.Store.Tips(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(tips, in.Version) {
			all = append(all, fmt.Sprintf("input %s is not the latest (%s): a version that the agent makes of it needs a rebase", in.Ref(), govern.Versions(tips)))
		}
	}
	return all, nil
}

// besideNote says beside which versions of its record an agent's version stands, if that is why it needs a rebase.
func besideNote(ctx context.Context, rs *govern.Records, made *record.Record) (string, error) {
	if made == nil || made.Status != record.NeedsRebase || made.Parent == 0 {
		return "", nil
	}
	tips, err := rs.Store.Tips(ctx, made.ID)
	tips = slices.DeleteFunc(tips, func(n int) bool { return n == made.Version })
	if err != nil || len(tips) == 0 {
		return "", err
	}
	return fmt.Sprintf("made from v%d, beside %s: compare them, then `brenner store merge %s` decides", made.Parent, govern.Versions(tips), made.ID), nil
}
