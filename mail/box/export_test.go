package box

import (
	"context"
	"database/sql"
	"errors"
)

// Waiting returns the number of callers that wait for mail.
func (b *Box) Waiting() int {
	b.notifier.mu.Lock()
	defer b.notifier.mu.Unlock()
	return b.notifier.waiting
}

// OccupySearch occupies all connections for searching, like long searches.
func (b *Box) OccupySearch(ctx context.Context) (end func() error, err error) {
	var all []*sql.Conn
	end = func() error {
		var err error
		for _, c := range all {
			err = errors.Join(err, c.Close())
		}
		return err
	}
	for range searchers {
		c, err := b.search.DB.Conn(ctx)
		if err != nil {
			return nil, errors.Join(err, end())
		}
		all = append(all, c)
	}
	return end, nil
}

// Rows returns the number of cached rows of agents.
func (b *Box) Rows() (n int) {
	b.rows.Range(func(_, _ any) bool { n++; return true })
	return n
}

// Overlap reports whether two claims can match the same file.
func Overlap(a, b string) bool { return overlap(newClaimPattern(a), newClaimPattern(b)) }

// Slug returns a project's slug if no other project has it.
func Slug(key string) string { return slug(key, slugHashes()[0]) }
