package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
)

// MostBytes bounds how much of one file is read, because a device may have no end.
const MostBytes = 256 << 20

// Read returns the content of a file of at most MostBytes.
func Read(path string) ([]byte, error) { return ReadAtMost(path, MostBytes) }

// ReadAtMost returns the content of a file of at most most bytes.
func ReadAtMost(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	return ReadBounded(f, most)
}

// ReadBounded reads to the end. It returns an error if there are more than most bytes.
func ReadBounded(r io.Reader, most int64) ([]byte, error) {
	var b bytes.Buffer
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Size() <= most {
			b.Grow(int(info.Size()) + bytes.MinRead) // so that it is not copied
		}
	}
	n, err := b.ReadFrom(io.LimitReader(r, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("larger than %d MiB", most>>20)
	}
	return b.Bytes(), err
}

// WithoutMark returns data without a leading byte order mark.
func WithoutMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

// RealPath returns the absolute path of a file, with all links resolved.
func RealPath(path string) (string, error) {
	name, err := filepath.Abs(path)
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	if err != nil {
		return "", CannotRead("find the file", path, err)
	}
	return name, nil
}

// FromHere returns path relative to the working directory if it is below that, else unchanged.
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

// The codes for files.
const (
	Unreadable    fault.Code = "UNREADABLE_FILE" // The file cannot be read.
	CannotWrite   fault.Code = "CANNOT_WRITE"    // The output file cannot be written; it is unchanged.
	AlreadyExists fault.Code = "ALREADY_EXISTS"  // The file already exists; it was not overwritten.
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{CannotWrite: fault.ClassFailed}
}

// Reason returns the text of a file error without operation and path, which faults have as fields.
func Reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// CannotRead returns the error for an unreadable file. A usage error is returned unchanged.
func CannotRead(op, path string, err error) error {
	if fault.CodeOf(err) == fault.Usage {
		return err
	}
	return &fault.Error{
		Code: Unreadable, Op: op, Place: path, Detail: Reason(err), Hint: "check the path and its permissions",
	}
}

// ExistsError returns the error for a file to be created that exists.
func ExistsError(path string) error {
	return &fault.Error{
		Code: AlreadyExists, Op: "write", Place: path, Detail: "already exists; not overwritten",
		Hint: "edit it, or move it away first",
	}
}

func cannotWrite(path string, err error, hint string) error {
	return &fault.Error{Code: CannotWrite, Op: "write", Place: path, Detail: Reason(err), Hint: hint}
}
