package files

import (
	"errors"
	"io/fs"

	"brenner/internal/fault"
)

// The codes of files.
const (
	Unreadable    fault.Code = "UNREADABLE_FILE"
	CannotWrite   fault.Code = "CANNOT_WRITE"
	AlreadyExists fault.Code = "ALREADY_EXISTS"
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{CannotWrite: fault.ClassFailed}
}

// Reason returns the text of a file error without the operation and the path, which the
// faults of this program name themselves.
func Reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// CannotRead returns the error of a file that cannot be read. A usage error stays as it
// is: it is about the command line, not about the file.
func CannotRead(op, path string, err error) error {
	if fault.CodeOf(err) == fault.Usage {
		return err
	}
	return &fault.Error{
		Code: Unreadable, Op: op, Place: path, Detail: Reason(err), Hint: "check the path and its permissions",
	}
}

// AlreadyThere returns the error of a file that would be created and exists.
func AlreadyThere(path string) error {
	return &fault.Error{
		Code: AlreadyExists, Op: "write", Place: path, Detail: "it is there already, and was not touched",
		Hint: "edit it, or move it away first",
	}
}

func cannotWrite(path string, err error, hint string) error {
	return &fault.Error{Code: CannotWrite, Op: "write", Place: path, Detail: Reason(err), Hint: hint}
}
