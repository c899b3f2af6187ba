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

func replaceFile(path string, data []byte) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := writeBeside(path, data, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// writeBeside writes data to a new file in the folder of path, down to the disk,
// and gives its name. What could not be written whole is removed.
func writeBeside(path string, data []byte, mode os.FileMode) (name string, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	return tmp.Name(), errors.Join(err, tmp.Close())
}
