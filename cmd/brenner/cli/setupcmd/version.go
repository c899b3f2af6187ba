package setupcmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/merge"
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

// versionInfo says what this program is, and what it can read.
type versionInfo struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Rules    string `json:"rules"`
	Artifact string `json:"artifact"`
}

// ThisVersion returns the version of this program.
func ThisVersion() versionInfo {
	v := versionInfo{
		Schema: "brenner.version/v1", Version: project.Release(), Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Rules: merge.Version, Artifact: artifact.Schema,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	return v
}

func (v versionInfo) Print(a *ui.App) error {
	line := "brenner " + v.Version
	if len(v.Revision) > 12 {
		line += " (" + v.Revision[:12] + ")"
	}
	return a.Write(fmt.Appendf(nil, "%s, rules %s, %s, %s\n", line, v.Rules, v.Go, v.Platform))
}
