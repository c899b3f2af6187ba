// Package publish writes the newest version of a session's artifact to files. A file that holds anything but
// a version of its session is never lost. It also writes the reports of loops.
package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/session"
	"brenner/store"
)

// Text is the name of the Markdown file of a published artifact. The JSON is written last: if it is current, so is
// the Markdown.
const (
	Text = "artifact.md"
	json = "artifact.json"
)

// NotGenerated is the code of an artifact file with other content.
const NotGenerated fault.Code = "NOT_GENERATED" // The artifact file is not a version of its session; its content was kept.

// Dir is the directory of the published artifacts of all sessions.
type Dir struct {
	Path string
	Log  zerolog.Logger
}

// Of returns the directory of a session's published artifact.
func (d *Dir) Of(thread string) string { return filepath.Join(d.Path, thread) }

// Publish writes the newest version of an artifact.
func (d *Dir) Publish(ctx context.Context, h *session.History) (string, error) {
	return d.publish(ctx, h, (*publication).replace)
}

// Update is Publish for commands that read: it writes only files that are missing or
// old, and returns NotGenerated for a file that holds anything but a version of the session.
func (d *Dir) Update(ctx context.Context, h *session.History) (string, error) {
	return d.publish(ctx, h, (*publication).update)
}

// Current returns the path of the Markdown if the files hold the newest version, else "". It writes nothing.
func (d *Dir) Current(ctx context.Context, h *session.History) (string, error) {
	path, err := d.publish(ctx, h, (*publication).look)
	if errors.Is(err, errOld) {
		err = nil
	}
	return path, err
}

// Holds reports, without reading the session, whether its files exist and are those of a
// version with this hash of the JSON.
func (d *Dir) Holds(thread, hash string) bool {
	if _, err := os.Stat(filepath.Join(d.Of(thread), Text)); err != nil {
		return false
	}
	data, err := files.Read(filepath.Join(d.Of(thread), json))
	return err == nil && store.Hash(data) == hash
}

// publish writes the newest version with write, and returns the path of the Markdown if it holds
// that version. Another process may have committed a version and published it meanwhile; the
// newest version is written last.
func (d *Dir) publish(ctx context.Context, h *session.History, write func(*publication, context.Context) (bool, error)) (string, error) {
	ctx = context.WithoutCancel(ctx)
	if h.State.Version() == 0 {
		return "", nil
	}
	if err := store.CheckLockName(h.Thread); err != nil { // the store may come from elsewhere
		return "", err
	}
	for {
		a, err := h.Artifact(ctx, h.State.Version())
		if err != nil {
			return "", err
		}
		w := &publication{Dir: d, path: d.Of(h.Thread), history: h, artifact: a}
		wrote, err := write(w, ctx)
		if !wrote && !errors.Is(err, errBehind) {
			return w.text, err
		}
		head, e := store.HeadOf(ctx, h.Store, session.Prefix+h.Thread)
		if e != nil || head == h.State.Head {
			return w.text, errors.Join(err, e)
		}
		if h, e = session.Load(ctx, h.Store, h.Thread); e != nil {
			return w.text, errors.Join(err, e)
		}
	}
}

// publication is a version to be written to its files.
type publication struct {
	*Dir
	path     string // of its directory
	history  *session.History
	artifact artifact.Artifact
	text     string // path of the Markdown, once it holds the version
}

// each calls do for each file. Its errors about files with other content come last.
func (w *publication) each(do func(path string, render func(*artifact.Artifact) []byte) error) error {
	var edited fault.List
	for _, f := range []struct {
		name   string
		render func(*artifact.Artifact) []byte
	}{{Text, (*artifact.Artifact).Markdown}, {json, (*artifact.Artifact).JSON}} {
		path := filepath.Join(w.path, f.name)
		err := do(path, f.render)
		switch {
		case fault.CodeOf(err) == NotGenerated:
			edited = append(edited, fault.All(err)...)
		case err != nil:
			return err
		case f.name == Text:
			w.text = path
		}
	}
	return edited.Err()
}

// replace writes the files, and first copies those with other content.
func (w *publication) replace(ctx context.Context) (bool, error) {
	err := w.each(func(path string, render func(*artifact.Artifact) []byte) error {
		if err := w.keep(ctx, path, render); err != nil {
			return err
		}
		return w.write(path, render)
	})
	return err == nil, err
}

func (w *publication) write(path string, render func(*artifact.Artifact) []byte) error {
	if err := os.MkdirAll(w.path, 0o755); err != nil {
		return &fault.Error{
			Code: files.CannotWrite, Op: "make", Place: w.path, Detail: files.Reason(err),
			Hint: "the session itself is stored: `brenner session show " + w.history.Thread + "`",
		}
	}
	return files.Replace(path, render(&w.artifact))
}

// keep copies a file that is about to be replaced if a person may have edited it.
func (w *publication) keep(ctx context.Context, path string, render func(*artifact.Artifact) []byte) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil // writing it says what is wrong
	}
	data, err := files.Read(path)
	if err != nil {
		return files.CannotRead("read the artifact file", path, err)
	}
	if _, ours, err := w.holds(ctx, data, render); ours || err != nil {
		return err
	}
	free := path + ".edited"
	for n := 2; ; n++ {
		err := files.Create(free, data)
		if fault.CodeOf(err) != files.AlreadyExists {
			if err == nil {
				w.Log.Warn().Str("code", string(NotGenerated)).Str("place", path).Msg("it held no version of the session; its content is now in " + free)
			}
			return err
		}
		free = fmt.Sprintf("%s.edited-%d", path, n)
	}
}

// update writes the files that are missing or old. It leaves those with other content.
func (w *publication) update(ctx context.Context) (wrote bool, err error) {
	err = w.each(func(path string, render func(*artifact.Artifact) []byte) error {
		current, err := w.isCurrent(ctx, path, render)
		if current || err != nil {
			return err
		}
		wrote = true
		return w.write(path, render)
	})
	return wrote, err
}

// isCurrent reports whether a file holds the version. It returns false for a missing or
// empty file and for an earlier version, and an error for other content.
func (w *publication) isCurrent(ctx context.Context, path string, render func(*artifact.Artifact) []byte) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, files.CannotRead("read the artifact file", path, err)
	case !info.Mode().IsRegular():
		return false, w.notGenerated(path, "not a regular file")
	}
	data, err := files.Read(path)
	if err != nil {
		return false, files.CannotRead("read the artifact file", path, err)
	}
	current, ours, err := w.holds(ctx, data, render)
	if err == nil && !ours {
		err = w.notGenerated(path, "it holds no version of the session; not overwritten")
	}
	return current, err
}

// errBehind means that another process has committed a version, which a file may hold.
var errBehind = errors.New("there is a newer version")

// holds reports whether data is the version, and whether it is empty or any version.
func (w *publication) holds(ctx context.Context, data []byte, render func(*artifact.Artifact) []byte) (current, ours bool, err error) {
	if bytes.Equal(data, render(&w.artifact)) {
		return true, true, nil
	}
	if len(data) == 0 {
		return false, true, nil
	}
	for version := w.history.State.Version() - 1; version > 0; version-- {
		a, err := w.history.Artifact(ctx, version)
		if err != nil {
			return false, false, err
		}
		if bytes.Equal(data, render(&a)) {
			return false, true, nil
		}
	}
	head, err := store.HeadOf(ctx, w.history.Store, session.Prefix+w.history.Thread)
	if err == nil && head != w.history.State.Head {
		err = errBehind
	}
	return false, false, err
}

func (w *publication) notGenerated(path, detail string) error {
	return &fault.Error{
		Code: NotGenerated, Op: "update the artifact file", Place: path, Detail: detail,
		Hint: "move it away, then run `brenner session status " + w.history.Thread + "`",
	}
}

// errOld means that the files do not hold the newest version.
var errOld = errors.New("the artifact files are missing or old")

// look writes nothing.
func (w *publication) look(ctx context.Context) (bool, error) {
	return false, w.each(func(path string, render func(*artifact.Artifact) []byte) error {
		current, err := w.isCurrent(ctx, path, render)
		if err == nil && !current {
			err = errOld
		}
		return err
	})
}
