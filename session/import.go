package session

import (
	"context"
	"slices"

	"brenner/internal/fault"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Diverged is the code of an export whose session is another one here.
const Diverged fault.Code = "SESSIONS_DIVERGE"

// Import takes an export into a store. A session that is there already is
// continued where the export has more of it; one that went another way is left
// alone. It tells how many entries are new.
func Import(ctx context.Context, st store.Store, x *Exported) (int, error) {
	batch := x.Batch
	stream := Prefix + x.Thread
	have, err := st.Entries(ctx, stream, 0)
	if err != nil {
		return 0, err
	}
	all := batch.Appends[0].Entries
	common := min(len(have), len(all))
	if !slices.EqualFunc(have[:common], all[:common], func(a, b journal.Entry) bool { return a.Hash == b.Hash }) {
		return 0, &fault.Error{
			Code: Diverged, Detail: "there is another session " + x.Thread + " in this project",
			Hint: "import it into another project: brenner session import -C DIR FILE",
		}
	}
	if len(have) >= len(all) {
		return 0, nil
	}
	batch.Appends = []store.Append{{Stream: stream, After: journal.HeadOf(have), Entries: all[common:]}}
	before, err := flow.Fold(have)
	if err != nil {
		return 0, err
	}
	if batch.Records, err = x.records(ctx, st, before.Version()); err != nil {
		return 0, err
	}
	beside, more, err := sideRecords(before, all[common:])
	if err != nil {
		return 0, err
	}
	batch.Blobs, batch.Records = append(batch.Blobs, more...), append(beside, batch.Records...)
	return len(all) - common, st.Write(ctx, batch)
}

// records are the versions of an export after one, as the store's lists show them.
func (x *Exported) records(ctx context.Context, st store.Store, version int) ([]record.Record, error) {
	all := x.Batch.Appends[0].Entries
	state, err := flow.Fold(all)
	if err != nil {
		return nil, err
	}
	h := &History{Store: x.blobs(st), Thread: x.Thread, Entries: all, State: state}
	var records []record.Record
	for i := range state.Commits {
		c := &state.Commits[i]
		if c.Version <= version {
			continue
		}
		version = c.Version
		a, err := h.Artifact(ctx, version)
		if err != nil {
			return nil, err
		}
		records = append(records, h.record(&c.Committed, c.Instant, &settle.Settlement{Artifact: a}))
	}
	return records, nil
}

// blobs gives a store that also has the blobs of the export.
func (x *Exported) blobs(st store.Store) overlay {
	o := overlay{Store: st, blobs: make(map[string][]byte)}
	for _, data := range x.Batch.Blobs {
		o.blobs[store.Hash(data)] = data
	}
	return o
}

// overlay is a store with blobs that it does not have yet.
type overlay struct {
	store.Store
	blobs map[string][]byte
}

func (o overlay) Blob(ctx context.Context, hash string) ([]byte, error) {
	if data, ok := o.blobs[hash]; ok {
		return data, nil
	}
	if o.Store == nil {
		return nil, store.Missing(hash)
	}
	return o.Store.Blob(ctx, hash)
}
