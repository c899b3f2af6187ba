package project

import (
	"runtime"
	"runtime/debug"

	"brenner/artifact"
	"brenner/merge"
)

// release is the version of the program; a release build sets it.
var release = "0.1.0-dev"

// Release returns the version of the program.
func Release() string { return release }

// VersionInfo says what this program is, and what it can read.
type VersionInfo struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Rules    string `json:"rules"`
	Artifact string `json:"artifact"`
}

// Version returns the version of this program.
func Version() *VersionInfo {
	v := &VersionInfo{
		Schema: "brenner.version/v1", Version: release, Go: runtime.Version(),
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
