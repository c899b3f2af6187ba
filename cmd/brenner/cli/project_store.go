package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// stateDir is where a project keeps what brenner writes, below its own folder.
const stateDir = ".brenner"

func storeDir(cfg *Project) string { return filepath.Join(cfg.Project.Dir, stateDir) }

// openStore opens the project's store, and makes it if need be.
func (p *Project) openStore(ctx context.Context) (*sqlite.Store, error) {
	return sqlite.Open(ctx, storeDir(p), sqlite.Options{})
}

// openToRead opens the project's store for a command that only looks: none is made, and
// one of an older program is brought up to date.
func (p *Project) openToRead(ctx context.Context) (*sqlite.Store, error) {
	return sqlite.Open(ctx, storeDir(p), sqlite.Options{ReadOnly: true, Upgrade: true})
}

// openUnchanged opens the project's store as it is, for dry runs and for commands that
// judge it: one of an older program is an error that says how to bring it up to date.
func (p *Project) openUnchanged(ctx context.Context) (*sqlite.Store, error) {
	return sqlite.Open(ctx, storeDir(p), sqlite.Options{ReadOnly: true})
}

// opener is one of them.
type opener func(*Project, context.Context) (*sqlite.Store, error)

// closeStore ends a store. What is stored is stored: a store that cannot be
// closed is worth a word, no more.
func (h *Host) closeStore(st store.Store) {
	if err := st.Close(); err != nil {
		h.Log.Warn().Err(err).Msg("the store could not be closed")
	}
}

// source is where a command reads a session from: the project's store, or the
// file of an export.
type source struct {
	store   store.Store
	locks   store.Locks // nil for a file
	config  *Project
	address session.Address
	file    string // of an export; empty for a store
	export  *session.Exported
}

// openSource finds what an argument of a read-only command means: a session, an
// address within one, or the file of an export (FILE, FILE#H2, FILE@v3).
func (a *app) openSource(ctx context.Context, project, arg string) (*source, error) {
	cfg, err := a.open(project, "", nil)
	if err != nil {
		return nil, err
	}
	if file, rest, ok := exportFile(arg); ok {
		return a.openExport(ctx, cfg, file, rest)
	}
	if missingFile(arg) {
		return nil, &fault.Error{Code: UnreadableFile, Op: "read the export", Place: arg, Detail: "there is no such file", Hint: "check the path"}
	}
	address, err := session.ParseAddress(arg)
	if err != nil {
		return nil, err
	}
	st, err := cfg.openToRead(ctx)
	if err != nil {
		return nil, err
	}
	return &source{store: st, locks: st, config: cfg, address: address}, nil
}

// exportFile tells whether an argument names a file, and what follows its name.
func exportFile(arg string) (file, rest string, ok bool) {
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
func (a *app) openExport(ctx context.Context, cfg *Project, file, rest string) (*source, error) {
	x, err := a.readExport(file)
	if err != nil {
		return nil, err
	}
	if len(x.Faults) > 0 {
		f := faultsOf(x.Faults[0])[0]
		return nil, &fault.Error{
			Code: f.Code, Op: "read the export", Place: file + ", " + f.Place, Detail: f.Detail,
			Hint: "`brenner verify " + file + "` lists everything that was changed",
		}
	}
	address, err := session.ParseAddress(x.Thread + rest)
	if err != nil {
		return nil, err
	}
	st := memory.New()
	if _, err := session.Import(ctx, st, x); err != nil {
		return nil, inFile("read the export", file, err)
	}
	return &source{store: st, config: cfg, address: address, file: file, export: x}, nil
}

func (a *app) readExport(file string) (*session.Exported, error) {
	data, err := a.readFile("the export", file)
	if err != nil {
		return nil, err
	}
	x, err := session.ReadExport(data)
	return x, inFile("read the export", file, err)
}

// withSession runs a read-only command on a session or an export.
func (a *app) withSession(c *cobra.Command, project, arg string, do func(context.Context, *source, *session.History) error) error {
	ctx := c.Context()
	src, err := a.openSource(ctx, project, arg)
	if err != nil {
		return err
	}
	defer a.closeStore(src.store)
	h, err := session.Load(ctx, src.store, src.address.Thread)
	if err != nil {
		return err
	}
	return do(ctx, src, h)
}
