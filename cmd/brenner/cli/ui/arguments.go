package ui

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/project"
	"brenner/session"
)

// Doing is what a command does, for others that find something locked by it.
func Doing(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), "brenner ") }

// OneFile requires one file.
func OneFile(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return Usage(c, fmt.Sprintf("one file is needed, %d given", len(args)), "")
	}
	return nil
}

// OneSession requires one session.
func OneSession(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return Usage(c, fmt.Sprintf("one session is needed, %d given", len(args)), "`brenner session list` shows those there are")
	}
	return nil
}

// WholeSession refuses what names a part of a session where the whole is meant.
func WholeSession(c *cobra.Command, address session.Address) error {
	if address.Version == 0 && address.Item == "" {
		return nil
	}
	return Usage(c, c.CommandPath()+" takes a whole session, not "+Clean(address.String()), "leave out what follows "+Clean(address.Thread))
}

// StoredSession reads the name of a session of the store: what is to be changed
// is not the file of an export.
func StoredSession(c *cobra.Command, arg string) (string, error) {
	if file, _, ok := project.ExportFile(arg); ok {
		return "", Usage(c, Clean(file)+" is a file, not a session of this project", "`brenner session import "+Clean(file)+"` takes it in")
	}
	address, err := session.ParseAddress(arg)
	if err != nil {
		return "", err
	}
	return address.Thread, WholeSession(c, address)
}

// Exactly wants one argument, and calls it by its name.
func Exactly(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Usage(c, fmt.Sprintf("one %s is needed, %d given", what, len(args)), "see `"+c.CommandPath()+" --help`; a text with blanks needs quotation marks")
		}
		return nil
	}
}

// OneOrTwo refuses other numbers of arguments; missing is what to say of none.
func OneOrTwo(missing string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return Usage(c, missing, "")
		case 1, 2:
			return nil
		}
		return Usage(c, fmt.Sprintf("two arguments at most, %d given", len(args)),
			"see `"+c.CommandPath()+" --help`; a text with blanks needs quotation marks")
	}
}
