//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of the project's file must not make a command wait.
func TestAPipeForAFile(t *testing.T) {
	dir := repository(t)
	if err := syscall.Mkfifo(filepath.Join(dir, FileName), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Options{Dir: dir})
	if got := told(t, err); !strings.Contains(got, "it is no regular file") {
		t.Error(got)
	}
}
