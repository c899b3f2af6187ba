package setupcmd

import (
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/project"
)

// InitCommand returns the init command.
func InitCommand(a *ui.App) *cobra.Command {
	var dir, question string
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
			made, err := project.Init(config.StartDir(dir, a.Environ), config.Starter{Question: question})
			if err != nil {
				return err
			}
			return a.Show(initView{made})
		},
	}
	c.Flags().StringVarP(&dir, "project", "C", "", "the folder that becomes a project; the working directory if not given ["+config.EnvProject+"]")
	c.Flags().StringVar(&question, "question", "", "the question of sessions that are started without one")
	return c
}

// initView is what init made.
type initView struct{ *project.Initialised }

func (i initView) Print(a *ui.App) error {
	text := "made " + ui.Clean(i.File) + " and " + ui.Clean(i.Folder) + "\n"
	if !a.Quiet {
		text += "next: say in it how your models are reached, then `brenner doctor`\n"
	}
	return a.Write([]byte(text))
}
