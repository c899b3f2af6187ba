// Package face may use a terminal.
package face

import (
	_ "bad/store/sqlite" // want store
	_ "github.com/spf13/cobra"
	_ "golang.org/x/term"
)
