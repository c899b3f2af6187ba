package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"brenner/artifact"
	"brenner/internal/fault"
)

// readFile reads a file, or standard input for "-".
func (a *app) readFile(what, path string) ([]byte, error) {
	data, err := a.readBytes(path)
	if err != nil {
		return nil, unreadable("read "+what, path, err)
	}
	return a.withoutMark(what, path, data), nil
}

// withoutMark gives what a file says.
func (a *app) withoutMark(what, path string, data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // editors put it there, and nobody means it
	a.log.Debug().Str("file", path).Int("bytes", len(data)).Msg("read " + what)
	return data
}

func unreadable(op, file string, err error) error {
	if fault.CodeOf(err) == UsageError {
		return err
	}
	return &fault.Error{
		Code: UnreadableFile, Op: op, Place: file, Detail: reason(err), Hint: "check the path and its permissions",
	}
}

// mostBytes is how much is read of one file: what goes on for ever, such as a device,
// ends here.
const mostBytes = 256 << 20

var errTooLarge = errors.New("it has more than 256 MiB")

// readBytes reads a file, or standard input for "-". That has nothing more to say to
// whoever reads it a second time, which is not what somebody meant who named it twice.
func (a *app) readBytes(path string) ([]byte, error) {
	if path == "-" {
		if a.drained {
			return nil, &fault.Error{Code: UsageError, Detail: `standard input ("-") can only be read once`, Hint: "put one of them into a file"}
		}
		a.drained = true
		return readBounded(a.In, mostBytes)
	}
	return readWhole(path)
}

func readWhole(path string) ([]byte, error) { return readAtMost(path, mostBytes) }

func readAtMost(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return readBounded(f, most)
}

func readBounded(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = errTooLarge
	}
	return data, err
}

// inFile puts the name of the file in front of a fault that arose in it.
func inFile(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, f := range faultsOf(err) {
		located := *f
		located.Op = op
		located.Place = path
		if f.Place != "" {
			located.Place += ", " + f.Place
		}
		all = append(all, &located)
	}
	return errors.Join(all...)
}

// readArtifact reads an artifact from JSON or Markdown, whole or not at all.
func (a *app) readArtifact(what, path string) (artifact.Artifact, []byte, error) {
	data, err := a.readFile(what, path)
	if err != nil {
		return artifact.Artifact{}, nil, err
	}
	art, err := artifact.Parse(data)
	return art, data, inFile("read "+what, path, err)
}

// writeFile replaces a file in one step: a reader sees the old bytes or the new
// ones, and a crash leaves one of the two. A link is followed; what is no plain
// file (a pipe, a device) is written to as it is.
func writeFile(path string, data []byte) error {
	err := replaceFile(realDisk{}, path, data)
	if err != nil {
		return &fault.Error{
			Code: CannotWrite, Op: "write", Place: path, Detail: reason(err),
			Hint: "nothing was written; check the path and its permissions",
		}
	}
	return nil
}

func replaceFile(d disk, path string, data []byte) error {
	path = followed(path)
	keep := newMode
	if info, err := os.Stat(path); err == nil {
		mode := info.Mode()
		keep = mode.Perm()
		switch {
		case mode.IsDir():
			return errors.New("it is a folder")
		case !mode.IsRegular():
			return writeThrough(path, data)
		case mode.Perm()&0o222 == 0:
			return os.ErrPermission
		}
	}
	tmp, err := writeBeside(d, path, data, keep)
	if err != nil {
		return err
	}
	if err := d.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// followed gives what a name leads to, which need not be there yet.
func followed(path string) string {
	const most = 40 // links that lead to each other end somewhere else
	for range most {
		target, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}

func writeThrough(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// writeBeside writes data to a new file in the folder of path, down to the disk,
// and gives its name. What could not be written whole is removed.
func writeBeside(d disk, path string, data []byte, mode os.FileMode) (name string, err error) {
	return writeTemp(d, filepath.Dir(path), "."+filepath.Base(path)+".*", data, mode)
}

// newMode is that of a file that was not there: as readable as the user's umask says.
const newMode os.FileMode = 0

// writeTemp does so under a name of a pattern.
func writeTemp(d disk, dir, pattern string, data []byte, mode os.FileMode) (name string, err error) {
	made := os.FileMode(0o600) // nobody else reads it before it has the mode that it shall have
	if mode == newMode {
		made = 0o666
	}
	tmp, err := d.CreateTemp(dir, pattern, made)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(data)
	if err == nil && mode != newMode {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	return tmp.Name(), errors.Join(err, tmp.Close())
}
