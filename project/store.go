package project

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"brenner/config"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/kickoff"
	"brenner/project/storage"
	"brenner/roster"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
	"brenner/store/memory"
)

// stateDir is the name of a project's state directory.
const stateDir = ".brenner"

// StateDir returns the state directory of a project.
func (p *Project) StateDir() string { return filepath.Join(p.Config.Project.Dir, stateDir) }

// OpenStore opens the project's store, and creates it if necessary. It removes what killed programs
// left behind.
func (p *Project) OpenStore(ctx context.Context) (storage.Opened, error) {
	p.sweepRuns()
	p.sweepFiles()
	st, err := p.openStore(ctx, storage.ToWrite)
	if err == nil {
		p.ignoreState() // the store may be older than its .gitignore, or restored
	}
	return st, err
}

// OpenToRead opens the project's store for reading: none is created, but an older file is
// upgraded.
func (p *Project) OpenToRead(ctx context.Context) (storage.Opened, error) {
	return p.openStore(ctx, storage.ToRead)
}

// OpenUnchanged opens the project's store for dry runs and checks, without an upgrade: an
// older store is an error with a hint.
func (p *Project) OpenUnchanged(ctx context.Context) (storage.Opened, error) {
	return p.openStore(ctx, storage.Unchanged)
}

func (p *Project) openStore(ctx context.Context, what storage.Purpose) (storage.Opened, error) {
	at, err := p.storage()
	if err != nil {
		return nil, err
	}
	return at.Open(ctx, what)
}

// StoreServer examines the server of the project's store, whether or not the project exists there; nil for a file.
func (p *Project) StoreServer(ctx context.Context) (*storage.Health, error) {
	at, err := p.storage()
	if err != nil {
		return nil, err
	}
	return at.Server(ctx)
}

// HasStore reports whether the project's store exists.
func (p *Project) HasStore(ctx context.Context) (bool, error) {
	at, err := p.storage()
	if err != nil {
		return false, err
	}
	return at.Exists(ctx)
}

// StorePlace returns where the project's store is: its file, or the host, database and project.
func (p *Project) StorePlace() string { return p.storagePlace().String() }

// StorePoll returns how often to ask the store for what other processes have written.
func (p *Project) StorePoll() time.Duration { return p.storagePlace().Poll() }

func (p *Project) storagePlace() *storage.Place {
	return &storage.Place{Address: p.Config.StoreAddress, Dir: p.StateDir(), Before: p.ignoreState}
}

// storage returns where the project's store is. A database must be at an allowed host, and named by the
// user or a trusted file: it receives the project's texts.
func (p *Project) storage() (*storage.Place, error) {
	at := p.storagePlace()
	if p.Config.StoreAddress == "" {
		doubt, serious := at.Elsewhere()
		if serious {
			return nil, doubt
		}
		if doubt != nil {
			p.doubted.Do(func() { p.Warn([]roster.Warning{{Code: doubt.Code, Message: doubt.Detail, Hint: doubt.Hint}}) })
		}
		return at, nil
	}
	if err := p.CheckHost(at.Host()); err != nil {
		return nil, err
	}
	return at, p.mustTrust(p.Config.Origin(config.StoreAddress), databaseAction+at.String())
}

// databaseAction begins the description, for trust, of using a database as the store.
const databaseAction = "store the project's texts in "

// sweepFiles removes the temporary files of killed processes.
func (p *Project) sweepFiles() {
	files.Sweep(p.Config.Project.Dir)
	files.Sweep(p.StateDir())
}

// ignoreState keeps the state directory out of version control.
func (p *Project) ignoreState() { p.ignore(p.StateDir()) }

func (h *Host) ignore(state string) {
	if err := writeIgnore(state); err != nil {
		h.Log.Warn().Err(err).Msg("cannot keep " + stateDir + " out of version control")
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
	s := p.Source(st, "")
	s.Address = address
	return s, nil
}

// Source returns the project's store as the source of a session.
func (p *Project) Source(st storage.Store, thread string) *Source {
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
	x, err := audit.ReadExport(data)
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
	has, err := p.HasStore(ctx)
	switch {
	case err != nil:
		return nil, err
	case has:
		return p.OpenStore(ctx)
	}
	return &storage.Late{Store: memory.New(), Open: func(ctx context.Context, _ store.Store) (store.Store, error) {
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
	return &storage.Late{Store: st, Open: func(ctx context.Context, before store.Store) (store.Store, error) {
		st, err := p.OpenStore(ctx)
		if err != nil {
			return nil, err
		}
		return st, before.Close()
	}}, nil
}

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
	lease, err := st.Hold(x.Thread, p.holder(doing))
	if err != nil {
		return nil, err
	}
	defer lease.Release() //nolint:errcheck // everything is stored; the lock ends with the process
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

// VerifyExport proves the exact bytes of an export: a byte order mark added by an editor is
// a change, too.
func VerifyExport(ctx context.Context, file string, data []byte, head string) (*session.Proof, *session.ExportFile, error) {
	proof, x, err := audit.VerifyExport(ctx, memory.New(), data, head)
	if err != nil {
		return nil, nil, fault.InFile("read the export", file, err)
	}
	proof.File = file
	return proof, x, nil
}
