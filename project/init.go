package project

import (
	"os"
	"path/filepath"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
)

// Initialised is what Init made.
type Initialised struct {
	Schema string `json:"schema"`
	File   string `json:"file"`
	Folder string `json:"folder"`
}

// Init makes the configuration of a project and its state directory. A file that is
// there already is never touched.
func Init(dir string, starter config.Starter) (*Initialised, error) {
	file, old := filepath.Join(dir, config.FileName), filepath.Join(dir, config.OldFileName)
	for _, path := range []string{file, old} {
		if _, err := os.Lstat(path); err == nil {
			return nil, files.AlreadyThere(path)
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, &fault.Error{
			Code: files.Unreadable, Op: "write", Place: file, Detail: "there is no folder " + dir, Hint: "make the folder first",
		}
	}
	state := filepath.Join(dir, stateDir)
	if err := os.MkdirAll(state, 0o755); err != nil {
		return nil, &fault.Error{Code: files.CannotWrite, Op: "make", Place: state, Detail: files.Reason(err), Hint: "it must be a folder, or not there at all"}
	}
	ignore := filepath.Join(state, ".gitignore")
	if err := files.Create(ignore, []byte("*\n")); err != nil && fault.CodeOf(err) != files.AlreadyExists {
		return nil, err
	}
	if err := files.Create(file, config.Template(starter)); err != nil { // last: it makes this a project
		return nil, err
	}
	return &Initialised{Schema: "brenner.init/v1", File: file, Folder: state}, nil
}
