package ui

import (
	"github.com/spf13/cobra"
)

// Unused refuses flags that would do nothing as the command was given: whoever gave one
// believes that it does. Why stands behind the name of the flag.
func Unused(c *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return Usage(c, "--"+name+" "+why, "")
		}
	}
	return nil
}
