package store

import (
	"context"

	"brenner/store/journal"
)

// HeadOf gives the head of a stream as the store knows it; that of a stream that is not
// there is the zero one.
func HeadOf(ctx context.Context, st Store, stream string) (journal.Head, error) {
	streams, err := st.Streams(ctx, stream)
	if err != nil || len(streams) == 0 || streams[0].Name != stream { // nothing that begins with it sorts before it
		return journal.Head{}, err
	}
	return streams[0].Head, nil
}
