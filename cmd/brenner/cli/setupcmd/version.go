package setupcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
)

// VersionCommand returns the version command.
func VersionCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: ui.Other,
		Short:   "Print the version, and which rules and formats it knows",
		Example: `  brenner version
  brenner version --json

Exit codes: 0 printed.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.Show(ThisVersion()) },
	}
}

// versionView is what this program is.
type versionView struct{ *project.VersionInfo }

// ThisVersion returns the version of this program.
func ThisVersion() ui.Result { return versionView{project.Version()} }

func (v versionView) Print(a *ui.App) error {
	line := "brenner " + v.Version
	if len(v.Revision) > 12 {
		line += " (" + v.Revision[:12] + ")"
	}
	return a.Write(fmt.Appendf(nil, "%s, rules %s, %s, %s\n", line, v.Rules, v.Go, v.Platform))
}
