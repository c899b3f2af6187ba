package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/setupcmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
)

// helpInJSON makes all help one document where --json is given, as everything is that goes
// to standard output then.
func helpInJSON(a *ui.App, root *cobra.Command) {
	inText := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if !a.JSON {
			inText(c, args)
			return
		}
		var text bytes.Buffer
		c.SetOut(&text)
		inText(c, args)
		c.SetOut(a.Out)
		doc := helpDocument{Schema: "brenner.help/v1", Command: c.CommandPath(), Text: text.String()}
		if err := a.PrintJSON(doc); err != nil {
			a.Fail(err)
		}
	})
}

// helpDocument is the help of a command.
type helpDocument struct {
	Schema  string `json:"schema"`
	Command string `json:"command"`
	Text    string `json:"text"`
}

// versionFlag gives --version both of its forms.
func versionFlag(a *ui.App, root *cobra.Command) {
	wanted := root.Flags().Bool("version", false, "version for brenner")
	run := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case *wanted && a.JSON:
			return setupcmd.ShowVersion(a)
		case *wanted:
			return a.Write([]byte("brenner " + project.Release() + "\n"))
		}
		return run(c, args)
	}
}
