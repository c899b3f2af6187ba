package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/internal/fault"
)

func (a *app) initCommand() *cobra.Command {
	var project, question string
	c := &cobra.Command{
		Use:     "init",
		GroupID: everyday,
		Short:   "Make a commented brenner.yaml and the .brenner folder",
		Long: `Writes a brenner.yaml in which every key is explained, and the folder .brenner, which
git ignores. A file that is there already is never touched.`,
		Example: `  brenner init
  brenner init -C my-project --question "Why do cells age?"

Exit codes: 0 made; 1 the folder cannot be written to; 2 there is a brenner.yaml
already, or the folder is missing.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir := config.StartDir(project, a.Environ)
			return a.initProject(dir, config.Starter{Question: question})
		},
	}
	c.Flags().StringVarP(&project, "project", "C", "", "the folder that becomes a project; the working directory if not given ["+config.EnvProject+"]")
	c.Flags().StringVar(&question, "question", "", "the question of sessions that are started without one")
	return c
}

func (a *app) initProject(dir string, starter config.Starter) error {
	file, old := filepath.Join(dir, config.FileName), filepath.Join(dir, config.OldFileName)
	for _, path := range []string{file, old} {
		if _, err := os.Lstat(path); err == nil {
			return alreadyThere(path)
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &fault.Error{
			Code: UnreadableFile, Op: "write", Place: file, Detail: "there is no folder " + dir, Hint: "make the folder first",
		}
	}
	state := filepath.Join(dir, stateDir)
	if err := os.MkdirAll(state, 0o755); err != nil {
		return &fault.Error{Code: CannotWrite, Op: "make", Place: state, Detail: reason(err), Hint: "it must be a folder, or not there at all"}
	}
	ignore := filepath.Join(state, ".gitignore")
	if err := createFile(ignore, []byte("*\n")); err != nil && fault.CodeOf(err) != AlreadyExists {
		return err
	}
	if err := createFile(file, config.Template(starter)); err != nil { // last: it makes this a project
		return err
	}
	return a.show(initialised{File: file, Folder: state})
}

func alreadyThere(path string) error {
	return &fault.Error{
		Code: AlreadyExists, Op: "write", Place: path, Detail: "it is there already, and was not touched",
		Hint: "edit it, or move it away first",
	}
}

// createFile writes a file that must not be there yet. It appears whole or not
// at all: the bytes are written beside it and linked to its name.
func createFile(path string, data []byte) error {
	fail := func(err error) error {
		if errors.Is(err, fs.ErrExist) {
			return alreadyThere(path)
		}
		return &fault.Error{Code: CannotWrite, Op: "write", Place: path, Detail: reason(err), Hint: "check the folder and its permissions"}
	}
	if _, err := os.Lstat(path); err == nil {
		return fail(fs.ErrExist)
	}
	tmp, err := writeBeside(realDisk{}, path, data, newMode)
	if err != nil {
		return fail(err)
	}
	err = os.Link(tmp, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(tmp, path) // a file system without links
	} else if removed := os.Remove(tmp); err == nil {
		err = removed
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// initialised is what init made.
type initialised struct {
	File   string
	Folder string
}

func (i initialised) text(a *app) error {
	text := "made " + clean(i.File) + " and " + clean(i.Folder) + "\n"
	if !a.quiet {
		text += "next: say in it how your models are reached, then `brenner doctor`\n"
	}
	return a.write([]byte(text))
}

func (i initialised) document() any {
	return struct {
		Schema string `json:"schema"`
		File   string `json:"file"`
		Folder string `json:"folder"`
	}{"brenner.init/v1", i.File, i.Folder}
}
