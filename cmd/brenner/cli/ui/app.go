package ui

import (
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"brenner/internal/text"
	"brenner/project"
)

// App is what all commands share: the streams, and the flags that every command has.
type App struct {
	Streams
	Log     zerolog.Logger
	JSON    bool
	Quiet   bool
	Verbose bool
	printed bool // a JSON document went out
	drained bool // standard input was read
	Exit    int  // of a command that was done, but has more to say than 0

	host *project.Host // of this run, once it is needed
}

// The groups of commands in the help text.
const (
	Everyday = "everyday"
	Other    = "other"
)

// Group makes a command that only holds others say so, instead of printing help
// and calling it a success when the word after it is misspelt.
func Group(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return UnknownCommand(c, args[0])
	}
}

// UnknownCommand is the error of a word that is not a command.
func UnknownCommand(c *cobra.Command, word string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := ""
	if near, ok := text.Nearest(word, names); ok {
		hint = "did you mean `" + c.CommandPath() + " " + near + "`?"
	}
	return Usage(c, "there is no command `"+c.CommandPath()+" "+Clean(word)+"`", hint)
}
