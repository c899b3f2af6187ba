package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"brenner/artifact"
	"brenner/fault"
)

// readFile reads a file, or standard input for "-".
func (a *app) readFile(what, path string) ([]byte, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(a.In)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, &fault.Error{
			Code: UnreadableFile, Op: "read " + what, Place: path, Detail: reason(err),
			Hint: "check the path and its permissions",
		}
	}
	a.log.Debug().Str("file", path).Int("bytes", len(data)).Msg("read " + what)
	return data, nil
}

// inFile puts the name of the file in front of a fault that arose in it.
func inFile(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		return &fault.Error{Code: UnreadableFile, Op: op, Place: path, Cause: err}
	}
	located := *f
	located.Op = op
	located.Place = path
	if f.Place != "" {
		located.Place += ", " + f.Place
	}
	return &located
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
// ones, and a crash leaves one of the two.
func writeFile(path string, data []byte) error {
	err := replaceFile(path, data)
	if err != nil {
		return &fault.Error{
			Code: CannotWrite, Op: "write", Place: path, Detail: reason(err),
			Hint: "the file is as it was before",
		}
	}
	return nil
}

func replaceFile(path string, data []byte) (err error) {
	mode := os.FileMode(0o644)
	if info, statErr := os.Stat(path); statErr == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(os.Remove(tmp.Name())))
		}
	}()
	if _, err = tmp.Write(data); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err = tmp.Chmod(mode); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err = tmp.Sync(); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
