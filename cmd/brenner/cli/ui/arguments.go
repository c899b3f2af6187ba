package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/project"
	"brenner/session"
)

// Doing is what a command does, for others that find something locked by it.
func Doing(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), "brenner ") }

// Args refuses fewer or more arguments; needed says which ones are wanted.
func Args(least, most int, needed, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return Usage(c, fmt.Sprintf("%s, %d given", needed, len(args)), hint)
		}
		return nil
	}
}

// OneFile requires one file.
func OneFile(c *cobra.Command, args []string) error {
	return Args(1, 1, "one file is needed", "")(c, args)
}

// OneSession requires one session.
func OneSession(c *cobra.Command, args []string) error {
	return Args(1, 1, "one session is needed", "`brenner session list` shows those there are")(c, args)
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

// textHint is for a text that the shell may have split.
func textHint(c *cobra.Command) string {
	return "see `" + c.CommandPath() + " --help`; a text with blanks needs quotation marks"
}

// Exactly wants one argument, and calls it by its name.
func Exactly(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		return Args(1, 1, "one "+what+" is needed", textHint(c))(c, args)
	}
}

// OneOrTwo refuses other numbers of arguments; missing is what to say of none.
func OneOrTwo(missing string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usage(c, missing, "")
		}
		return Args(1, 2, "two arguments at most", textHint(c))(c, args)
	}
}

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

// ChangedKeys returns those keys of the configuration that flags of the command line set.
func ChangedKeys(c *cobra.Command, all ...config.Flag) []config.Flag {
	return slices.DeleteFunc(all, func(f config.Flag) bool { return !c.Flags().Changed(strings.TrimPrefix(f.Name, "--")) })
}
