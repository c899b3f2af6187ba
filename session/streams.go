package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"brenner/store"
)

// Streams returns the streams of all sessions, the latest first.
func Streams(ctx context.Context, st store.Store) ([]store.Stream, error) {
	streams, err := st.Streams(ctx, Prefix)
	slices.SortStableFunc(streams, func(x, y store.Stream) int {
		return cmp.Or(y.Last.Compare(x.Last), cmp.Compare(y.Name, x.Name))
	})
	return streams, err
}

// ThreadOf returns the thread id of a stream of a session.
func ThreadOf(s *store.Stream) string { return strings.TrimPrefix(s.Name, Prefix) }
