package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/loop"
	"brenner/session"
	"brenner/store"
)

// The files of a published artifact. The JSON is written last: if it is current, so is the
// Markdown.
const (
	artifactText = "artifact.md"
	artifactJSON = "artifact.json"
)

// NotGenerated is the code of an artifact file with other content.
const NotGenerated fault.Code = "NOT_GENERATED" // The artifact file is not a version of its session; its content was kept.

// publishedDir returns the directory of a session's published artifact.
func (p *Project) publishedDir(thread string) string {
	return filepath.Join(p.StateDir(), "sessions", thread)
}

// Publish writes the newest version of an artifact to the project's state directory.
func (p *Project) Publish(ctx context.Context, h *session.History) (string, error) {
	return p.publish(ctx, h, (*publication).replace)
}

// followStore is Publish for commands that read: it writes only files that are missing or
// old, and returns NotGenerated for a file that holds anything but a version of the session.
func (p *Project) followStore(ctx context.Context, h *session.History) (string, error) {
	return p.publish(ctx, h, (*publication).update)
}

// publish writes the newest version with write, and returns the path of the Markdown if it holds
// that version. Another process may have committed a version and published it meanwhile; the
// newest version is written last.
func (p *Project) publish(ctx context.Context, h *session.History, write func(*publication, context.Context) (bool, error)) (string, error) {
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
		w := &publication{project: p, dir: p.publishedDir(h.Thread), history: h, artifact: a}
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
	project  *Project
	dir      string
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
	}{{artifactText, (*artifact.Artifact).Markdown}, {artifactJSON, (*artifact.Artifact).JSON}} {
		path := filepath.Join(w.dir, f.name)
		err := do(path, f.render)
		switch {
		case fault.CodeOf(err) == NotGenerated:
			edited = append(edited, fault.All(err)...)
		case err != nil:
			return err
		case f.name == artifactText:
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
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return &fault.Error{
			Code: files.CannotWrite, Op: "make", Place: w.dir, Detail: files.Reason(err),
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
				w.project.Log.Warn().Str("code", string(NotGenerated)).Str("place", path).Msg("it held no version of the session; its content is now in " + free)
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

// Load reads the session of the source's address. Unless the source is an export, or
// another process runs the session, its artifact files follow.
func (s *Source) Load(ctx context.Context) (*session.History, error) {
	h, err := session.Load(ctx, s.Store, s.Address.Thread)
	if err == nil {
		s.artifactFile(ctx, h)
	}
	return h, err
}

// artifactFile brings the artifact files of a session up to date and returns the path of
// the current Markdown, if any. A failure is logged: reading does not depend on the files.
func (s *Source) artifactFile(ctx context.Context, h *session.History) string {
	path, err := s.restore(ctx, h)
	s.edited = nil
	for _, e := range fault.All(err) {
		if e.Code == NotGenerated {
			s.edited = append(s.edited, e.Place)
		}
	}
	if err != nil {
		s.warn(h.Thread, err)
	}
	return path
}

// restore writes the artifact files that are missing or old, unless the source is an export or
// another process runs the session: that process writes them when it ends.
func (s *Source) restore(ctx context.Context, h *session.History) (string, error) {
	if s.File != "" || s.Project == nil {
		return "", nil
	}
	if _, held, err := s.Locks.HolderOf(h.Thread); err == nil && held {
		path, err := s.Project.publish(ctx, h, (*publication).look)
		if errors.Is(err, errOld) {
			err = nil
		}
		return path, err
	}
	return s.Project.followStore(ctx, h)
}

// warn says, once for each session, why artifact files could not be written.
func (s *Source) warn(thread string, err error) {
	if !slices.Contains(s.Project.warned, thread) {
		s.Project.warnUnpublished(thread, err)
		s.Project.warned = append(s.Project.warned, thread)
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

func (h *Host) warnUnpublished(thread string, err error) {
	for _, e := range fault.All(err) {
		h.Log.Warn().Err(e).Str("session", thread).Str("code", string(e.Code)).Str("hint", e.Hint).Msg("cannot write the artifact file; the session itself is stored")
	}
}

// followLoop updates the artifact files of a loop's sessions: the disk may have been full,
// or the process was killed.
func (p *Project) followLoop(ctx context.Context, st store.Store, s *loop.State) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if ctx.Err() != nil {
			return // the next run of the command writes them
		}
		if j.Settled.Version == 0 || p.isPublished(j) {
			continue
		}
		h, err := session.Load(ctx, st, j.Thread)
		if err == nil {
			_, err = p.followStore(ctx, h)
		}
		if err != nil && ctx.Err() == nil {
			p.warnUnpublished(j.Thread, err)
		}
	}
}

// isPublished reports, without reading the session, whether its artifact files exist and
// are those of its last settlement.
func (p *Project) isPublished(j *loop.Job) bool {
	dir := p.publishedDir(j.Thread)
	if _, err := os.Stat(filepath.Join(dir, artifactText)); err != nil {
		return false
	}
	data, err := files.Read(filepath.Join(dir, artifactJSON))
	return err == nil && store.Hash(data) == j.Settled.Artifact
}
