package files

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock acquires the lock of an open file without waiting, exclusive or shared. It reports
// whether the lock was free. Closing the file releases it. Windows refuses reads of a locked range,
// so the range is one without content.
func TryLock(f *os.File, exclusive bool) (bool, error) {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	beyond := windows.Overlapped{OffsetHigh: 0x7fffffff}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &beyond)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}
