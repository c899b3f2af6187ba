package keeper

import (
	"context"

	"brenner/playbook"
)

// Snapshot returns the state of the playbook.
func (k *Keeper) Snapshot(ctx context.Context) (*playbook.Snapshot, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(ctx); err != nil {
		return nil, err
	}
	head := k.chain.Head()
	return &playbook.Snapshot{Schema: playbook.SnapshotSchema, Entries: head.Seq, Head: head.Hash, Bullets: k.book.Save()}, nil
}

// ReturnTo returns the playbook to the state of a snapshot by additional entries, all or none. Without
// apply nothing changes.
func (k *Keeper) ReturnTo(ctx context.Context, act playbook.Act, s *playbook.Snapshot, apply bool) (out *playbook.Returned, entries []playbook.Entry, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(ctx); err != nil {
		return nil, nil, err
	}
	embedding := func(b *playbook.Saved) playbook.Embedding {
		if _, err := k.vectorOf(ctx, &b.Bullet); err != nil {
			return playbook.Embedding{} // embedded again on first use
		}
		return b.Embedding
	}
	decide := func(d *playbook.Draft) (err error) {
		out, err = d.ReturnTo(s, embedding)
		return err
	}
	if !apply {
		err = decide(k.book.Draft(k.Rules, act))
		return out, nil, err
	}
	entries, err = k.do(ctx, act, func(d *playbook.Draft) ([][]byte, error) { return nil, decide(d) })
	return out, entries, err
}
