package project

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// MissingFile tells whether an argument was meant as a file that is not there.
func MissingFile(arg string) bool {
	if !strings.ContainsAny(arg, `/\`) && !strings.HasSuffix(arg, ".jsonl") {
		return false
	}
	_, err := os.Stat(arg)
	return errors.Is(err, fs.ErrNotExist)
}
