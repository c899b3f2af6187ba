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
	"brenner/kickoff"
	"brenner/session"
	"brenner/store"
	"brenner/store/journal"
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

// OpenToWrite opens the project's store for a command that may write. Where there is
// none, it is made with the first thing that is written, and not before: who asks for
// something that is not there, or may not do it, leaves no empty store behind.
func (p *Project) OpenToWrite(ctx context.Context) (store.Store, error) {
	_, err := os.Lstat(filepath.Join(p.StateDir(), sqlite.FileName))
	if !errors.Is(err, fs.ErrNotExist) {
		return p.OpenStore(ctx)
	}
	return &lateStore{Store: memory.New(), open: func(ctx context.Context, _ store.Store) (store.Store, error) {
		return p.OpenStore(ctx)
	}}, nil
}

// OpenToRefuse opens the project's store for reading by a role: what it may not read is a
// refusal, and that is recorded.
func (p *Project) OpenToRefuse(ctx context.Context) (store.Store, error) {
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return p.OpenToWrite(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &lateStore{Store: st, open: func(ctx context.Context, before store.Store) (store.Store, error) {
		st, err := p.OpenStore(ctx)
		if err != nil {
			return nil, err
		}
		return st, before.Close()
	}}, nil
}

// lateStore is a store that is opened for writing when something is first written. It is
// for commands that use it from one goroutine.
type lateStore struct {
	store.Store // what is there before, and then the one that can be written
	// open opens that one; nil once it is open.
	open func(ctx context.Context, before store.Store) (store.Store, error)
}

// Write opens the store, and writes to it. Should others have written meanwhile, it says
// what it would have said at once.
func (l *lateStore) Write(ctx context.Context, b store.Batch) error {
	if l.open != nil {
		st, err := l.open(ctx, l.Store)
		if err != nil {
			return err
		}
		l.Store, l.open = st, nil
	}
	return l.Store.Write(ctx, b)
}

// Walk is that of the store behind it.
func (l *lateStore) Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error {
	return store.Walk(ctx, l.Store, stream, after, visit)
}

// Blobs is that of the store behind it.
func (l *lateStore) Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error {
	return store.Blobs(ctx, l.Store, hashes, visit)
}

// scratchStore is a store that cannot be written, with what is written to one of its streams
// all the same: that is forgotten in the end.
type scratchStore struct {
	*memory.Store // the stream, and what is new
	base          store.Store
}

// scratch makes one.
func scratch(ctx context.Context, base store.Store, stream string) (*scratchStore, error) {
	entries, err := base.Entries(ctx, stream, 0)
	if err != nil {
		return nil, err
	}
	s := &scratchStore{memory.New(), base}
	if len(entries) > 0 {
		err = s.Write(ctx, store.Batch{Appends: []store.Append{{Stream: stream, Entries: entries}}})
	}
	return s, err
}

// Blob looks among what is new first.
func (s *scratchStore) Blob(ctx context.Context, hash string) ([]byte, error) {
	data, err := s.Store.Blob(ctx, hash)
	if fault.CodeOf(err) == store.NoBlob {
		return s.base.Blob(ctx, hash)
	}
	return data, err
}

// Close ends both.
func (s *scratchStore) Close() error { return errors.Join(s.Store.Close(), s.base.Close()) }

// Imported is a session that was taken in.
type Imported struct {
	Schema   string `json:"schema"`
	Thread   string `json:"thread_id"`
	File     string `json:"file"`
	New      int    `json:"new_entries"`
	Entries  int    `json:"entries"`
	Versions int    `json:"versions"`
	Head     string `json:"head"`
	Seal     string `json:"seal"`
	Ahead    bool   `json:"-"` // the project has more of it than the export
}

// ProvenExport reads an export. One that does not prove itself is an error, with
// everything that is wrong with it.
func ProvenExport(ctx context.Context, file string, data []byte) (*session.Exported, error) {
	proof, x, err := VerifyExport(ctx, file, data, "")
	if err != nil {
		return nil, err
	}
	if len(proof.Faults) > 0 {
		return nil, refusedExport(file, proof.Faults)
	}
	// It becomes the name of a directory.
	return x, fault.InFile("import", file, kickoff.CheckThreadID(x.Thread))
}

func refusedExport(file string, found []error) error {
	all := []error{&fault.Error{
		Code: session.ExportChanged, Op: "import", Place: file, Detail: "it does not prove itself; nothing was imported",
		Hint: "ask for the file again, or export it again",
	}}
	for _, err := range found {
		for _, f := range fault.Distinct(err) {
			all = append(all, &fault.Error{Code: f.Code, Place: file, Cause: f})
		}
	}
	return errors.Join(all...)
}

// Import takes the session of a proven export into the project's store, whole or not at
// all, and publishes its artifact. doing is what other processes are told meanwhile.
func (p *Project) Import(ctx context.Context, file string, x *session.Exported, doing string) (*Imported, error) {
	st, err := p.OpenStore(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	release, err := st.Hold(x.Thread, p.holder(doing))
	if err != nil {
		return nil, err
	}
	defer release() //nolint:errcheck // what is stored is stored; the lock ends with the process at the latest
	n, err := session.Import(ctx, st, x)
	if err != nil {
		return nil, fault.InFile("import", file, err)
	}
	h, err := session.Load(ctx, st, x.Thread)
	if err != nil {
		return nil, err
	}
	if _, err := p.Publish(ctx, h); err != nil {
		return nil, err
	}
	return &Imported{
		Schema: "brenner.session.import/v1", Thread: x.Thread, File: file, New: n, Entries: len(h.Entries),
		Versions: h.State.Version(), Head: h.State.Head.Hash, Seal: h.State.Seal(), Ahead: len(h.Entries) > len(x.Batch.Appends[0].Entries),
	}, nil
}
