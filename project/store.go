package project

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/kickoff"
	"brenner/session"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// stateDir is the name of a project's state directory.
const stateDir = ".brenner"

// StateDir returns the state directory of a project.
func (p *Project) StateDir() string { return filepath.Join(p.Config.Project.Dir, stateDir) }

// OpenStore opens the project's store, and creates it if necessary. It removes what killed programs
// left behind.
func (p *Project) OpenStore(ctx context.Context) (*sqlite.Store, error) {
	p.sweepRuns()
	p.sweepFiles()
	st, err := sqlite.Open(ctx, p.StateDir(), sqlite.Options{Before: p.ignoreState, Summarise: session.Summarise})
	if err == nil {
		p.ignoreState() // the store may be older than its .gitignore, or restored
	}
	return st, err
}

func (p *Project) hasStore() bool {
	_, err := os.Lstat(filepath.Join(p.StateDir(), sqlite.FileName))
	return err == nil
}

// sweepFiles removes the temporary files of killed processes.
func (p *Project) sweepFiles() {
	files.Sweep(p.Config.Project.Dir)
	files.Sweep(p.StateDir())
}

// ignoreState keeps the state directory out of version control.
func (p *Project) ignoreState() {
	if err := writeIgnore(p.StateDir()); err != nil {
		p.Log.Warn().Err(err).Msg("cannot keep " + stateDir + " out of version control")
	}
}

// writeIgnore makes git ignore a state directory, unless it has a .gitignore already.
func writeIgnore(state string) error {
	path := filepath.Join(state, ".gitignore")
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	err := files.Create(path, []byte("*\n"))
	if fault.CodeOf(err) == files.AlreadyExists {
		return nil
	}
	return err
}

// OpenToRead opens the project's store for reading: none is created, but an older one is
// upgraded.
func (p *Project) OpenToRead(ctx context.Context) (*sqlite.Store, error) {
	return sqlite.Open(ctx, p.StateDir(), sqlite.Options{ReadOnly: true, Upgrade: true, Summarise: session.Summarise})
}

// OpenUnchanged opens the project's store for dry runs and checks, without an upgrade: an
// older store is an error with a hint.
func (p *Project) OpenUnchanged(ctx context.Context) (*sqlite.Store, error) {
	return sqlite.Open(ctx, p.StateDir(), sqlite.Options{ReadOnly: true})
}

// CloseStore closes a store. A failure is only logged: everything is stored by then.
func (h *Host) CloseStore(st store.Store) {
	if err := st.Close(); err != nil {
		h.Log.Warn().Err(err).Msg("cannot close the store")
	}
}

// Source is where a command reads a session from: the project's store, or an export.
type Source struct {
	Store   store.Store
	Locks   store.Locks // nil for an export
	Project *Project
	Address session.Address
	File    string // the export; empty for a store
	export  *session.ExportFile
	edited  []string // artifact files with other content
}

// OpenSource opens what the argument of a read-only command names: a session, an address
// within one, or the file of an export (FILE, FILE#H2, FILE@v3).
func (p *Project) OpenSource(ctx context.Context, arg string) (*Source, error) {
	if file, rest, ok := ExportFile(arg); ok {
		return p.openExport(ctx, file, rest)
	}
	if MissingFile(arg) {
		return nil, &fault.Error{Code: files.Unreadable, Op: "read the export", Place: arg, Detail: "no such file", Hint: "check the path"}
	}
	address, err := session.ParseAddress(arg)
	if err != nil {
		return nil, err
	}
	st, err := p.OpenToRead(ctx)
	if err != nil {
		return nil, err
	}
	s := p.source(st, "")
	s.Address = address
	return s, nil
}

// source returns the project's store as the source of a session.
func (p *Project) source(st lockStore, thread string) *Source {
	return &Source{Store: st, Locks: st, Project: p, Address: session.Address{Thread: thread}}
}

// ExportFile reports whether an argument names a file, and what follows the name.
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
	// RS-…@v3#H2 has both marks: cut at the first.
	if i := strings.IndexAny(arg, "@#"); i > 0 {
		if info, err := os.Stat(arg[:i]); err == nil && info.Mode().IsRegular() {
			return arg[:i], arg[i:], true
		}
	}
	return "", "", false
}

// openExport reads an export into a store in memory. One that was changed is refused;
// verify lists the changes.
func (p *Project) openExport(ctx context.Context, file, rest string) (*Source, error) {
	x, err := p.readExport(file)
	if err != nil {
		return nil, err
	}
	if len(x.Faults) > 0 {
		f := fault.Distinct(x.Faults[0])[0]
		return nil, &fault.Error{
			Code: f.Code, Op: "read the export", File: file, Line: f.Line, Place: f.Place, Detail: f.Detail,
			Hint: "`brenner verify " + file + "` lists the changes",
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

func (p *Project) readExport(file string) (*session.ExportFile, error) {
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

// MissingFile reports whether an argument names a file that does not exist.
func MissingFile(arg string) bool {
	if !strings.ContainsAny(arg, `/\`) && !strings.HasSuffix(arg, ".jsonl") {
		return false
	}
	_, err := os.Stat(arg)
	return errors.Is(err, fs.ErrNotExist)
}

// OpenToWrite opens the project's store for a command that may write. A missing store is
// created by the first write, so that a failed or refused command leaves no empty store.
func (p *Project) OpenToWrite(ctx context.Context) (store.Store, error) {
	_, err := os.Lstat(filepath.Join(p.StateDir(), sqlite.FileName))
	if !errors.Is(err, fs.ErrNotExist) {
		return p.OpenStore(ctx)
	}
	return &lateStore{Store: memory.New(), open: func(ctx context.Context, _ store.Store) (store.Store, error) {
		return p.OpenStore(ctx)
	}}, nil
}

// OpenForRole opens the project's store for reading by a role: refusals are recorded.
func (p *Project) OpenForRole(ctx context.Context) (store.Store, error) {
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

// lateStore is a store that is opened for writing by the first write. It is not safe for
// concurrent use.
type lateStore struct {
	store.Store // read-only at first, then writable
	// open opens the writable one; nil once it is open.
	open func(ctx context.Context, before store.Store) (store.Store, error)
}

// Write opens the store and writes to it. If another process has written meanwhile, it
// returns the same error as any store.
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

// Walk walks the store behind it.
func (l *lateStore) Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error {
	return store.Walk(ctx, l.Store, stream, after, visit)
}

// Blobs reads from the store behind it.
func (l *lateStore) Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error {
	return store.Blobs(ctx, l.Store, hashes, visit)
}

// scratchStore is a read-only store with one stream that accepts writes, which are
// discarded in the end.
type scratchStore struct {
	*memory.Store // the stream, and new blobs
	base          store.Store
}

// scratch returns a scratchStore.
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

// Blob looks among the new blobs first.
func (s *scratchStore) Blob(ctx context.Context, hash string) ([]byte, error) {
	data, err := s.Store.Blob(ctx, hash)
	if fault.CodeOf(err) == store.NoBlob {
		return s.base.Blob(ctx, hash)
	}
	return data, err
}

// Close closes both stores.
func (s *scratchStore) Close() error { return errors.Join(s.Store.Close(), s.base.Close()) }

// Imported is an imported session.
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

// ProvenExport reads an export. If it fails to prove itself, the error lists every fault.
func ProvenExport(ctx context.Context, file string, data []byte) (*session.ExportFile, error) {
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
		Code: session.ExportChanged, Op: "import", Place: file, Detail: "it fails its own proof; nothing was imported",
		Hint: "get the file again, or export the session again",
	}}
	for _, err := range found {
		for _, f := range fault.Distinct(err) {
			all = append(all, &fault.Error{Code: f.Code, Place: file, Cause: f})
		}
	}
	return errors.Join(all...)
}

// Import stores the session of a proven export, all or nothing, and publishes its artifact.
// doing is shown to other processes meanwhile.
func (p *Project) Import(ctx context.Context, file string, x *session.ExportFile, doing string) (*Imported, error) {
	st, err := p.OpenStore(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	release, err := st.Hold(x.Thread, p.holder(doing))
	if err != nil {
		return nil, err
	}
	defer release() //nolint:errcheck // everything is stored; the lock ends with the process
	n, err := session.Import(ctx, st, x)
	if err != nil {
		return nil, fault.InFile("import", file, err)
	}
	if err := p.Records(st).MarkUnmarked(ctx, govern.Actor{Name: p.Config.Operator}, "import of "+x.Thread); err != nil {
		return nil, err
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
