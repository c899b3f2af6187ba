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

// Diverged is the code of an export that conflicts with the stored session.
const Diverged fault.Code = "SESSIONS_DIVERGE" // The export and the project have different sessions with one id.

// Import adds an export to a store and returns the number of new entries. An existing session
// is extended if the export continues it; a diverged one is not changed.
func Import(ctx context.Context, st store.Store, x *ExportFile) (int, error) {
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
			Code: Diverged, Detail: "a different session " + x.Thread + " already exists in this project",
			Hint: "import it into another project: brenner session import -C DIR FILE",
		}
	}
	if len(have) >= len(all) {
		return 0, nil
	}
	before, err := flow.Fold(have)
	if err != nil {
		return 0, err
	}
	state, err := flow.Fold(all)
	if err != nil {
		return 0, err
	}
	batch.Appends = []store.Append{{Stream: stream, After: journal.HeadOf(have), Entries: all[common:], Summary: state.ListedText()}}
	if batch.Records, err = x.records(ctx, st, state, before.Version()); err != nil {
		return 0, err
	}
	beside, more, err := sideRecords(before, all[common:])
	if err != nil {
		return 0, err
	}
	batch.Blobs, batch.Records = append(batch.Blobs, more...), append(beside, batch.Records...)
	return len(all) - common, st.Write(ctx, batch)
}

// records returns the store's records of the export's versions after version.
func (x *ExportFile) records(ctx context.Context, st store.Store, state *flow.State, version int) ([]record.Record, error) {
	h := &History{Store: x.blobStore(st), Thread: x.Thread, Entries: x.Batch.Appends[0].Entries, State: state}
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

// blobStore returns a store that also has the blobs of the export.
func (x *ExportFile) blobStore(st store.Store) overlay {
	o := overlay{Store: st, blobs: make(map[string][]byte)}
	for _, data := range x.Batch.Blobs {
		o.blobs[store.Hash(data)] = data
	}
	return o
}

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
