package store

import (
	"context"

	"brenner/store/journal"
)

// Walker is a store that can hand out a long stream without holding all of it.
type Walker interface {
	// Walk gives a stream's entries behind number after, in order, as they are
	// stored. It ends with the first error of visit, and gives that.
	Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error
	// Blobs gives the bytes with each hash, in the order of the hashes, and has
	// checked that they have it. It ends with the first error of visit.
	Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error
}

// Walk gives a stream's entries one by one, from any store.
func Walk(ctx context.Context, st Store, stream string, after int, visit func(*journal.Line) error) error {
	if w, ok := st.(Walker); ok {
		return w.Walk(ctx, stream, after, visit)
	}
	entries, err := st.Entries(ctx, stream, after)
	for i := range entries {
		if err != nil {
			return err
		}
		line := journal.LineOf(&entries[i])
		err = visit(&line)
	}
	return err
}

// Blobs gives the bytes of many hashes, from any store.
func Blobs(ctx context.Context, st Store, hashes []string, visit func(n int, data []byte) error) error {
	if w, ok := st.(Walker); ok {
		return w.Blobs(ctx, hashes, visit)
	}
	for n, hash := range hashes {
		data, err := st.Blob(ctx, hash)
		if err == nil {
			err = visit(n, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
