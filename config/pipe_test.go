//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in place of the project's file must not block.
func TestPipeInsteadOfFile(t *testing.T) {
	dir := repository(t)
	if err := syscall.Mkfifo(filepath.Join(dir, FileName), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Options{Dir: dir})
	if got := details(t, err); !strings.Contains(got, "not a regular file") {
		t.Error(got)
	}
}
