// Package face may use a terminal.
package face

import (
	_ "github.com/spf13/cobra"
	_ "golang.org/x/term"
)
