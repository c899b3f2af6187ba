package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"brenner/fault"
	"brenner/journal"
	"brenner/store"
)

// Verify reads everything and gives all that is wrong, joined: pages that are
// damaged, blobs that do not have their hash, streams whose chain is broken or
// that do not end where they should.
func (s *Store) Verify(ctx context.Context) error {
	const op = "verify the store"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	var found fault.List
	for _, look := range []func(context.Context) (fault.List, error){s.verifyPages, s.verifyBlobs, s.verifyStreams} {
		wrong, err := look(ctx)
		found = append(found, wrong...)
		if err != nil && ctx.Err() == nil {
			// A page that cannot be read ends one look, not the others.
			found = append(found, &fault.Error{Code: s.judge(err).code, Op: op, Place: s.file, Hint: s.judge(err).hint, Cause: err})
		}
	}
	if err := ctx.Err(); err != nil {
		return &fault.Error{Op: op, Cause: err}
	}
	return found.Err()
}

func (s *Store) verifyPages(ctx context.Context) (fault.List, error) {
	return list(ctx, s.reader, func(rows *sql.Rows) (*fault.Error, error) {
		var text string
		err := rows.Scan(&text)
		return s.changed("verify the pages", text), err
	}, "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
}

// verifyBlobs keeps one blob in memory at a time.
func (s *Store) verifyBlobs(ctx context.Context) (found fault.List, err error) {
	err = s.reader.query(ctx, func() { found = nil }, func(rows *sql.Rows) error {
		var hash string
		var data sql.RawBytes
		if err := rows.Scan(&hash, &data); err != nil {
			return err
		}
		if is := store.Hash(data); is != hash {
			found = append(found, s.changed("verify the blob "+fault.Shown(hash), "its bytes have the hash "+is))
		}
		return nil
	}, "SELECT hash, data FROM blobs ORDER BY rowid")
	return found, err
}

func (s *Store) verifyStreams(ctx context.Context) (found fault.List, err error) {
	streams, err := s.streams(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, stream := range streams {
		entries, err := s.entries(ctx, stream.Name, 0)
		if err != nil {
			return found, err
		}
		if err := journal.Check(stream.Name, journal.Head{}, entries); err != nil {
			found = append(found, fault.All(err)...)
			continue
		}
		// Other processes may have added to the stream since it was listed.
		if n := stream.Head.Seq; n > len(entries) || entries[n-1].Hash != stream.Head.Hash {
			found = append(found, s.changed("verify the stream "+fault.Shown(stream.Name),
				fmt.Sprintf("it has %d entries, but its head is number %d, %s", len(entries), n, fault.Shown(stream.Head.Hash))))
		}
	}
	return found, nil
}
