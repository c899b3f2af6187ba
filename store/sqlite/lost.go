package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
	"brenner/store"
)

// companions are the suffixes of the files that SQLite keeps beside an open one in WAL mode.
func companions() []string { return []string{"-wal", "-shm"} }

const lost = "while in use, the file was moved, deleted or replaced"

// remember notes which files are those of the connection. SQLite keeps them while it is open.
func (w *Writer) remember() (err error) {
	w.opened = make(map[string]os.FileInfo)
	for _, suffix := range companions() {
		if info, err := os.Stat(w.file.Path + suffix); err == nil {
			w.opened[suffix] = info
		}
	}
	w.opened[""], err = os.Stat(w.file.Path)
	if err == nil {
		w.size = w.opened[""].Size()
	}
	return err
}

// has reports whether the file with a suffix is the one that was opened.
func (w *Writer) has(suffix string) bool {
	now, err := os.Stat(w.file.Path + suffix)
	return err == nil && os.SameFile(now, w.opened[suffix])
}

// checkPresent returns Lost if the file was moved, deleted or replaced. Its content can still be
// read through the open connection, so it is first saved.
func (w *Writer) checkPresent(ctx context.Context) error {
	if w.lost != nil {
		return w.lost
	}
	if now, err := os.Stat(w.file.Path); err == nil && os.SameFile(now, w.opened[""]) {
		w.lost = w.checkSize(context.WithoutCancel(ctx), now.Size())
		return w.lost
	}
	e := &fault.Error{Code: store.Lost, Op: "write to the " + w.file.Name, Place: w.file.Path}
	if saved, err := w.save(context.WithoutCancel(ctx)); err == nil {
		e.Detail = lost + "; everything that was in it is now in " + saved
		e.Hint = w.restoring(saved)
	} else {
		e.Detail = lost + ", and its content could not be saved"
		e.Hint = "move it back, or move " + w.file.Path + "-wal away and restore it from a backup; then run the command again"
		e.Cause = err
	}
	w.lost = e
	return w.lost
}

// checkNamed returns Lost if the file of a read-only store was moved, deleted or replaced: nothing new will
// appear in it. A writable store checks each commit.
func (s *Store) checkNamed() error {
	if s.opened == nil {
		return nil
	}
	if now, err := os.Stat(s.file.Path); err == nil && os.SameFile(now, s.opened) {
		return nil
	}
	return &fault.Error{
		Code: store.Lost, Op: "read the store", Place: s.file.Path, Detail: lost,
		Hint: "restore it, then run the command again",
	}
}

// checkSize returns Damaged if the file was truncated. It never becomes smaller, unless another program
// vacuums it: then it has all of its pages.
func (w *Writer) checkSize(ctx context.Context, size int64) error {
	if size < w.size {
		var pages, each int64
		_, err := w.Row(ctx, []any{&pages, &each}, "SELECT (SELECT page_count FROM pragma_page_count), (SELECT page_size FROM pragma_page_size)")
		if err != nil || size < pages*each {
			return &fault.Error{
				Code: store.Damaged, Op: "write to the " + w.file.Name, Place: w.file.Path, Detail: "the file was truncated while in use",
				Hint: w.moveFiles() + ", and restore it from a backup; then run the command again", Cause: err,
			}
		}
	}
	w.size = size
	return nil
}

// moveFiles returns a command that moves the file and those beside it away: a WAL would damage a backup.
func (w *Writer) moveFiles() string {
	to := word(freeName(filepath.Join(filepath.Dir(w.file.Path), "damaged")))
	return "`mkdir " + to + " && mv " + word(w.file.Path) + "* " + to + "`"
}

// save copies the open file to a new one beside its old name, or beside its directory if that is
// gone, too. The WAL is then of no use: left behind, it would damage a file that gets the old name.
func (w *Writer) save(ctx context.Context) (string, error) {
	dir, base := filepath.Split(w.file.Path)
	if !exists(dir) {
		dir = filepath.Dir(filepath.Clean(dir))
	}
	name, err := reserve(filepath.Join(dir, base+".saved"))
	if err != nil {
		return "", err
	}
	if err := copyTo(ctx, w.conn, name, nil); err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	for _, suffix := range companions() {
		if w.has(suffix) {
			_ = os.Remove(w.file.Path + suffix) // the hint names what remains
		}
	}
	return name, nil
}

// reserve creates an empty file with a free name: other processes may save the same file.
func reserve(name string) (string, error) {
	for {
		free := freeName(name)
		if err := makeOwn(free); !errors.Is(err, fs.ErrExist) {
			return free, err
		}
	}
}

// restoring returns the hint that puts a saved copy into place.
func (w *Writer) restoring(saved string) string {
	var before, after string
	if dir := filepath.Dir(w.file.Path); !exists(dir) {
		before, after = "mkdir -p "+word(dir)+" && ", ", if you do not move the directory back"
	}
	for _, suffix := range companions() {
		if exists(w.file.Path + suffix) {
			before += "rm -f " + word(w.file.Path+suffix) + " && "
		}
	}
	return "`" + before + "mv " + word(saved) + " " + word(w.file.Path) + "` restores it" + after
}

// word returns a path as a word of a shell command.
func word(path string) string {
	if strings.ContainsAny(path, " \t'\"\\$&;|<>()*?[]{}!#~") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
