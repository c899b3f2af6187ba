package storage

import (
	"context"
	"fmt"
	"time"

	"brenner/store/postgres"
)

func (p *Place) openDatabase(ctx context.Context, what Purpose) (Opened, error) {
	at, err := postgres.ParseAddress(p.Address)
	if err != nil {
		return nil, err
	}
	st, err := postgres.Open(ctx, at, postgres.Options{ReadOnly: what == ToRead || what == Unchanged})
	if err != nil {
		return nil, err
	}
	p.remember(what, at.String())
	return &database{st}, nil
}

// database is the store of a team.
type database struct{ *postgres.Store }

// mostSkew is the difference of two clocks from which on times of different machines mislead.
const mostSkew = 5 * time.Second

// Health implements Opened.
func (d *database) Health(ctx context.Context) (*Health, error) {
	if err := d.QuickCheck(ctx); err != nil {
		return nil, err
	}
	is, err := d.Store.Health(ctx)
	if err != nil {
		return nil, err
	}
	h := &Health{Size: is.Size, Unwritable: is.Refused, OnlyReads: len(is.Missing) > 0}
	if !is.CanCreate {
		h.Facts = append(h.Facts, "this user cannot create other projects")
	}
	return h, nil
}

// Server examines the server of a database, whether or not the project exists there; nil for a file.
func (p *Place) Server(ctx context.Context) (*Health, error) {
	if p.Address == "" {
		return nil, nil //nolint:nilnil // a file has none
	}
	at, err := postgres.ParseAddress(p.Address)
	if err != nil {
		return nil, err
	}
	is, err := postgres.Ask(ctx, at, postgres.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	return describe(is, at.Undurable()), nil
}

// describe returns what a server says about itself, for people. A server that may lose data is only described here if the
// address accepts it: otherwise the store cannot be opened, and the error says why.
func describe(is *postgres.Health, undurable bool) *Health {
	h := &Health{Unwritable: is.Refused, Facts: []string{
		"PostgreSQL " + is.Version, "user " + is.User, is.Encoding, "answers in " + is.Latency.Round(100*time.Microsecond).String(),
		"its clock differs by " + is.Skew.Round(time.Millisecond).String(),
	}}
	if is.Encrypted {
		h.Facts = append(h.Facts, "encrypted")
	}
	if !is.Exists && is.CanCreate {
		h.Facts = append(h.Facts, "this user can create projects")
	}
	if is.Skew.Abs() >= mostSkew {
		h.Notes = append(h.Notes, Note{"clock", fmt.Sprintf("the server's clock differs by %s from this machine's", is.Skew.Round(time.Second)), "synchronise both clocks: times in journals come from the machine that writes"})
	}
	if !is.Durable && undurable {
		h.Notes = append(h.Notes, Note{"durability", "a crash of the server can lose what was stored last", "remove durable=no from the address, and set synchronous_commit and fsync of the server to on"})
	}
	return h
}

// IsAddress reports whether a text names a database rather than a directory.
func IsAddress(text string) bool { return postgres.IsAddress(text) }
