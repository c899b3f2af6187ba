package files

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// MostBytes bounds how much of one file is read. A device may have no end.
const MostBytes = 256 << 20

var errTooLarge = errors.New("it has more than 256 MiB")

// Read returns the content of a file of at most MostBytes.
func Read(path string) ([]byte, error) { return ReadAtMost(path, MostBytes) }

// ReadAtMost returns the content of a file of at most so many bytes.
func ReadAtMost(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return ReadBounded(f, most)
}

// ReadBounded reads to the end, and fails where there are more than so many bytes.
func ReadBounded(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = errTooLarge
	}
	return data, err
}

// WithoutMark returns the content of a file without the byte order mark that some
// editors put at its beginning.
func WithoutMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

// TrueName returns the absolute path of a file, with all links resolved.
func TrueName(path string) (string, error) {
	name, err := filepath.Abs(path)
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	if err != nil {
		return "", CannotRead("find the file", path, err)
	}
	return name, nil
}

// FromHere returns the path of a file as seen from the working directory. One that is not
// below that keeps its path.
func FromHere(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(here, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}
