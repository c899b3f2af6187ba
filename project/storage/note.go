package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/store"
	"brenner/store/sqlite"
)

// noteName is the file in a state directory with the address of the database that was its store last. It has no
// password.
const noteName = "store-address"

// longestNote bounds a note: it may come from elsewhere.
const longestNote = 4096

func (p *Place) note() string { return filepath.Join(p.Dir, noteName) }

func (p *Place) hasFile() bool {
	_, err := os.Lstat(filepath.Join(p.Dir, sqlite.FileName))
	return !errors.Is(err, fs.ErrNotExist)
}

// remember notes the address of a database that was opened. Reading creates no directory, and does not count where
// there is a file as well. Without a note nothing is lost, so failures are ignored.
func (p *Place) remember(what Purpose, address string) {
	switch {
	case p.Dir == "" || what == Unchanged || what == ToWork || what == ToRead && p.hasFile():
		return
	case what == ToWrite && os.MkdirAll(p.Dir, 0o755) == nil: // files of sessions are written there; publishing reports a failure
		p.Before()
	}
	address += "\n"
	if have, _ := files.ReadAtMost(p.note(), longestNote); string(have) != address {
		if info, err := os.Stat(p.Dir); err == nil && info.IsDir() {
			_ = files.Write(p.note(), []byte(address))
		}
	}
}

// Elsewhere returns why a place may not be the one that is meant, if its directory's store was a database before: an
// error with a hint. Serious means that there is no file, so that an empty store would take the place of the database.
func (p *Place) Elsewhere() (doubt *fault.Error, serious bool) {
	if p.Address != "" {
		return nil, false
	}
	data, err := files.ReadAtMost(p.note(), longestNote)
	at, ok := baseurl.ParseDatabase(strings.TrimSpace(string(data)))
	if err != nil || !ok {
		return nil, false
	}
	f := &fault.Error{
		Code: store.Elsewhere, Op: "open the store", Detail: "this directory's store was " + at.String() + ", and no address is set now",
		Hint: "set BRENNER_STORE, or store.address in brenner.yaml, to the address in " + p.note() + "; ",
	}
	if p.hasFile() {
		f.Detail += "; using " + p.String()
		f.Hint += "if that file is meant, delete the note"
		return f, false
	}
	f.Hint += "for a new, separate store: " + sqlite.MoveAway(p.Dir)
	return f, true
}
