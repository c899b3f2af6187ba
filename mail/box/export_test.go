package box

import (
	"context"
	"database/sql"
	"errors"
)

// Waiting tells how many wait for mail just now.
func (b *Box) Waiting() int {
	b.bells.mu.Lock()
	defer b.bells.mu.Unlock()
	return b.bells.waiting
}

// Searching takes every connection that is for searching, as searches without end do.
func (b *Box) Searching(ctx context.Context) (end func() error, err error) {
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

// Rows tells how many rows of agents are kept in mind.
func (b *Box) Rows() (n int) {
	b.rows.Range(func(_, _ any) bool { n++; return true })
	return n
}

// Overlap tells whether two claims can mean the same file.
func Overlap(a, b string) bool { return overlap(claimedPath(a), claimedPath(b)) }

// Slug gives the slug that a project has if no other has it.
func Slug(key string) string { return slug(key, slugHashes()[0]) }
