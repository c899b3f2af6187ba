package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
)

// TrueName gives a file by its one name, whatever links lead to it.
func TrueName(path string) (string, error) {
	name, err := filepath.Abs(path)
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	if err != nil {
		return "", &fault.Error{Code: Unreadable, Op: "find the file", Place: path, Detail: Reason(err), Hint: "check the path and its permissions"}
	}
	return name, nil
}

// The codes of files.
const (
	Unreadable    fault.Code = "UNREADABLE_FILE"
	CannotWrite   fault.Code = "CANNOT_WRITE"
	AlreadyExists fault.Code = "ALREADY_EXISTS"
)

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

// Reason gives the part of a file error that is worth reading.
func Reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// WithoutMark returns what a file says without the mark that editors put at its beginning.
func WithoutMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

// CannotRead returns the error of a file that cannot be read.
func CannotRead(op, file string, err error) error {
	if fault.CodeOf(err) == fault.Usage {
		return err
	}
	return &fault.Error{
		Code: Unreadable, Op: op, Place: file, Detail: Reason(err), Hint: "check the path and its permissions",
	}
}

// MostBytes is how much is read of one file: what goes on for ever, such as a device,
// ends here.
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

// ReadBounded reads at most so many bytes, and fails where there are more.
func ReadBounded(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = errTooLarge
	}
	return data, err
}
