package setupcmd

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/project"
)

// InitCommand returns the init command.
func InitCommand(a *ui.App) *cobra.Command {
	var project, question string
	c := &cobra.Command{
		Use:     "init",
		GroupID: ui.Everyday,
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
			return InitProject(a, dir, config.Starter{Question: question})
		},
	}
	c.Flags().StringVarP(&project, "project", "C", "", "the folder that becomes a project; the working directory if not given ["+config.EnvProject+"]")
	c.Flags().StringVar(&question, "question", "", "the question of sessions that are started without one")
	return c
}

// InitProject makes the configuration of a project and its state directory.
func InitProject(a *ui.App, dir string, starter config.Starter) error {
	file, old := filepath.Join(dir, config.FileName), filepath.Join(dir, config.OldFileName)
	for _, path := range []string{file, old} {
		if _, err := os.Lstat(path); err == nil {
			return files.AlreadyThere(path)
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &fault.Error{
			Code: files.Unreadable, Op: "write", Place: file, Detail: "there is no folder " + dir, Hint: "make the folder first",
		}
	}
	state := filepath.Join(dir, project.StateDir)
	if err := os.MkdirAll(state, 0o755); err != nil {
		return &fault.Error{Code: files.CannotWrite, Op: "make", Place: state, Detail: files.Reason(err), Hint: "it must be a folder, or not there at all"}
	}
	ignore := filepath.Join(state, ".gitignore")
	if err := files.Create(ignore, []byte("*\n")); err != nil && fault.CodeOf(err) != files.AlreadyExists {
		return err
	}
	if err := files.Create(file, config.Template(starter)); err != nil { // last: it makes this a project
		return err
	}
	return a.Show(initialised{File: file, Folder: state})
}

// initialised is what init made.
type initialised struct {
	File   string
	Folder string
}

func (i initialised) Print(a *ui.App) error {
	text := "made " + ui.Clean(i.File) + " and " + ui.Clean(i.Folder) + "\n"
	if !a.Quiet {
		text += "next: say in it how your models are reached, then `brenner doctor`\n"
	}
	return a.Write([]byte(text))
}

func (i initialised) Document() any {
	return struct {
		Schema string `json:"schema"`
		File   string `json:"file"`
		Folder string `json:"folder"`
	}{"brenner.init/v1", i.File, i.Folder}
}
