package storage

import (
	"context"
	"errors"
	"os"

	"brenner/internal/fault"
	"brenner/store"
)

// Copied is the result of copying a store.
type Copied struct {
	Schema  string `json:"schema"`
	From    string `json:"from"`
	To      string `json:"to"`
	Streams int    `json:"streams"`
	Entries int    `json:"entries"`
	Blobs   int    `json:"blobs"`
	Records int    `json:"records"`
	Marks   int    `json:"marks"`
	New     int    `json:"new"` // written by this call
}

// Copy copies the store at one place to another; see store.Copy.
func Copy(ctx context.Context, from, to *Place, progress func(store.Copied)) (c *Copied, err error) {
	if from.same(to) {
		return nil, &fault.Error{Code: fault.Usage, Detail: "both are " + from.String(), Hint: "copy to another project name or directory"}
	}
	source, err := from.Open(ctx, ToRead)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if err := unused(ctx, source); err != nil {
		return nil, err
	}
	target, err := to.Open(ctx, ToWrite)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if err := unused(ctx, target); err != nil {
		return nil, err
	}
	done, err := store.Copy(ctx, source, target, progress)
	if err != nil {
		return nil, err
	}
	if to.Address == "" {
		_ = os.Remove(to.note()) // the store is there again
	}
	return &Copied{
		Schema: "brenner.store.copy/v1", From: from.String(), To: to.String(), Streams: done.Streams, Entries: done.Entries,
		Blobs: done.Blobs, Records: done.Records, Marks: done.Marks, New: done.New,
	}, nil
}

// unused refuses a store in which a process runs a session or a loop, and one that is damaged.
func unused(ctx context.Context, st Opened) error {
	if _, err := st.Health(ctx); err != nil {
		return err
	}
	held, err := st.Holders(ctx)
	if err != nil || len(held) == 0 {
		return err
	}
	return &fault.Error{
		Code: store.Held, Op: "copy the store", Detail: "a process uses it: " + held[0].Name + ", " + held[0].By.String(),
		Hint: "wait for that process to end, or end it; if it died, its lock in a database ends within 30 s",
	}
}

// same reports whether two places are one.
func (p *Place) same(other *Place) bool {
	if p.Address != "" || other.Address != "" {
		return p.Address != "" && p.String() == other.String()
	}
	one, err := os.Stat(p.Dir)
	if err != nil {
		return false
	}
	two, err := os.Stat(other.Dir)
	return err == nil && os.SameFile(one, two)
}
