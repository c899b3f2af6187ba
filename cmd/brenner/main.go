// Command brenner runs research sessions and merges the contributions of several agents
// by rule into one auditable artifact.
package main

import (
	"os"

	"brenner/cmd/brenner/cli"
)

func main() { os.Exit(cli.Extension{}.Main()) }
