//go:build !linux && !darwin

package sqlite

// networkFileSystem returns "": SQLite's own checks must suffice here.
func networkFileSystem(string) (string, error) { return "", nil }
