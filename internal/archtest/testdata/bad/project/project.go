// Package project uses a terminal.
package project

import (
	_ "bad/store/sqlite"           // want store
	_ "github.com/mattn/go-isatty" // want face
	_ "github.com/spf13/cobra"     // want face
	_ "github.com/spf13/cobra/doc" // want face
	_ "github.com/spf13/pflag"     // want face
	_ "golang.org/x/term"          // want face
)
