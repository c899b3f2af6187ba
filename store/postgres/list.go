package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Hashes implements store.Lister.
func (s *Store) Hashes(ctx context.Context, after string, limit int) ([]string, error) {
	key := blobKey(after)
	if key == nil {
		key = []byte{} // before all others
	}
	return ask(ctx, s, "list blobs", pgx.RowTo[string], "SELECT encode(hash, 'hex') FROM ~.blobs WHERE hash > $1 ORDER BY hash LIMIT $2", key, limit)
}
