package project

import (
	"context"
	"os"

	"brenner/project/storage"
	"brenner/store"
)

// CopyStore copies the store at one place to another: the address of a database, or the directory of a project.
func (p *Project) CopyStore(ctx context.Context, from, to string) (done *storage.Copied, err error) {
	source, err := p.placeOf(from)
	if err != nil {
		return nil, err
	}
	made, err := storage.MakeDir(to)
	if err != nil {
		return nil, err
	}
	defer func() {
		if made && err != nil {
			_ = os.Remove(to) // unless something was copied
		}
	}()
	target, err := p.placeOf(to)
	if err != nil {
		return nil, err
	}
	return storage.Copy(ctx, source, target, func(done store.Copied) { p.Log.Debug().Interface("copied", done).Msg("copying the store") })
}

// placeOf returns the store that an argument names.
func (p *Project) placeOf(arg string) (*storage.Place, error) {
	at, err := storage.Find(arg, stateDir)
	if err != nil {
		return nil, err
	}
	at.Before = func() { p.ignore(at.Dir) }
	return at, p.CheckHost(at.Host())
}
