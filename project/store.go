package project

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/session"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// stateDir is where a project keeps what brenner writes, below its own folder.
const stateDir = ".brenner"

// StateDir returns the state directory of a project.
func (p *Project) StateDir() string { return filepath.Join(p.Config.Project.Dir, stateDir) }

// OpenStore opens the project's store, and makes it if need be.
func (p *Project) OpenStore(ctx context.Context) (*sqlite.Store, error) {
	return sqlite.Open(ctx, p.StateDir(), sqlite.Options{})
}

// OpenToRead opens the project's store for a command that only looks: none is made, and
// one of an older program is brought up to date.
func (p *Project) OpenToRead(ctx context.Context) (*sqlite.Store, error) {
	return sqlite.Open(ctx, p.StateDir(), sqlite.Options{ReadOnly: true, Upgrade: true})
}

// OpenUnchanged opens the project's store as it is, for dry runs and for commands that
// judge it: one of an older program is an error that says how to bring it up to date.
func (p *Project) OpenUnchanged(ctx context.Context) (*sqlite.Store, error) {
	return sqlite.Open(ctx, p.StateDir(), sqlite.Options{ReadOnly: true})
}

// CloseStore ends a store. What is stored is stored: a store that cannot be
// closed is worth a word, no more.
func (h *Host) CloseStore(st store.Store) {
	if err := st.Close(); err != nil {
		h.Log.Warn().Err(err).Msg("the store could not be closed")
	}
}

// Source is where a command reads a session from: the project's store, or the
// file of an export.
type Source struct {
	Store   store.Store
	Locks   store.Locks // nil for a file
	Project *Project
	Address session.Address
	File    string // of an export; empty for a store
	export  *session.Exported
}

// OpenSource finds what an argument of a read-only command means: a session, an
// address within one, or the file of an export (FILE, FILE#H2, FILE@v3).
func (p *Project) OpenSource(ctx context.Context, arg string) (*Source, error) {
	if file, rest, ok := ExportFile(arg); ok {
		return p.openExport(ctx, file, rest)
	}
	if MissingFile(arg) {
		return nil, &fault.Error{Code: files.Unreadable, Op: "read the export", Place: arg, Detail: "there is no such file", Hint: "check the path"}
	}
	address, err := session.ParseAddress(arg)
	if err != nil {
		return nil, err
	}
	st, err := p.OpenToRead(ctx)
	if err != nil {
		return nil, err
	}
	return &Source{Store: st, Locks: st, Project: p, Address: address}, nil
}

// ExportFile tells whether an argument names a file, and what follows its name.
func ExportFile(arg string) (file, rest string, ok bool) {
	for _, cut := range []string{"", "#", "@"} {
		file, rest = arg, ""
		if cut != "" {
			i := strings.LastIndex(arg, cut)
			if i < 0 {
				continue
			}
			file, rest = arg[:i], arg[i:]
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file, rest, true
		}
	}
	// RS-…@v3#H2 has both marks: cut at the first of them.
	if i := strings.IndexAny(arg, "@#"); i > 0 {
		if info, err := os.Stat(arg[:i]); err == nil && info.Mode().IsRegular() {
			return arg[:i], arg[i:], true
		}
	}
	return "", "", false
}

// openExport reads an export into a store of its own, in memory. One that was
// changed is refused: verify says what was.
func (p *Project) openExport(ctx context.Context, file, rest string) (*Source, error) {
	x, err := p.readExport(file)
	if err != nil {
		return nil, err
	}
	if len(x.Faults) > 0 {
		f := fault.Distinct(x.Faults[0])[0]
		return nil, &fault.Error{
			Code: f.Code, Op: "read the export", File: file, Line: f.Line, Place: f.Place, Detail: f.Detail,
			Hint: "`brenner verify " + file + "` lists everything that was changed",
		}
	}
	address, err := session.ParseAddress(x.Thread + rest)
	if err != nil {
		return nil, err
	}
	st := memory.New()
	if _, err := session.Import(ctx, st, x); err != nil {
		return nil, fault.InFile("read the export", file, err)
	}
	return &Source{Store: st, Project: p, Address: address, File: file, export: x}, nil
}

func (p *Project) readExport(file string) (*session.Exported, error) {
	data, err := files.Read(file)
	if err != nil {
		return nil, files.CannotRead("read the export", file, err)
	}
	data = files.WithoutMark(data)
	p.logRead("the export", file, data)
	x, err := session.ReadExport(data)
	return x, fault.InFile("read the export", file, err)
}

// logRead logs that a file was read.
func (h *Host) logRead(what, file string, data []byte) {
	h.Log.Debug().Str("file", file).Int("bytes", len(data)).Msg("read " + what)
}

// MissingFile tells whether an argument was meant as a file that is not there.
func MissingFile(arg string) bool {
	if !strings.ContainsAny(arg, `/\`) && !strings.HasSuffix(arg, ".jsonl") {
		return false
	}
	_, err := os.Stat(arg)
	return errors.Is(err, fs.ErrNotExist)
}
