package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// app is what all commands share: the streams, and the flags that every command has.
type app struct {
	Streams
	log     zerolog.Logger
	json    bool
	quiet   bool
	verbose bool
	printed bool // a JSON document went out
	drained bool // standard input was read
	exit    int  // of a command that was done, but has more to say than 0

	served map[string]string // operators' tokens of the mail servers in this process, by address
	disk   disk              // where files are replaced
}

// Run runs one command line and gives the exit code.
func Run(ctx context.Context, args []string, streams Streams) int {
	if streams.ErrTTY {
		streams.Err = &screen{out: streams.Err, width: streams.Width}
	}
	a := &app{Streams: streams, log: zerolog.Nop(), disk: realDisk{}, served: make(map[string]string)}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.exit
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = interrupted(err)
	case fault.CodeOf(err) == "":
		err = usage(root, err.Error(), "") // everything of our own has a code; this is cobra's
	}
	// A flag that comes before the broken word may not have been read.
	a.json = a.json || asksForJSON(args)
	a.fail(err)
	return exitCode(err)
}

func asksForJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true", "--json-stream", "--json-stream=true":
			return true
		}
	}
	return false
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "brenner",
		Short: "Research sessions of several agents, merged by rule into one auditable artifact",
		Long: `brenner merges what several agents contribute to one research question, by rule,
into one versioned artifact: hypotheses, predictions, tests, assumptions,
anomalies and critiques. Every line of it can be traced to who wrote it.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	flags := root.PersistentFlags()
	flags.BoolVar(&a.json, "json", false, "print one JSON document on standard output, on failure too")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "print the result only: no report, no hints")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "log what is done to standard error")
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		// Who wants events in JSON wants the result so too, be there events or not.
		if stream, err := c.Flags().GetBool("json-stream"); err == nil && stream {
			a.json = true
		}
		a.log = a.logger(a.verbose, a.quiet)
	}
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: everyday, Title: "Everyday commands:"},
		&cobra.Group{ID: other, Title: "Other commands:"},
	)
	root.SetHelpCommandGroupID(other)
	root.SetCompletionCommandGroupID(other)
	root.AddCommand(
		a.mergeCommand(), a.artifactCommand(), a.deltaCommand(), a.rosterCommand(),
		a.sessionCommand(), a.loopCommand(), a.mailCommand(), a.initCommand(), a.doctorCommand(), a.kickoffCommand(), a.configCommand(),
		a.verifyCommand(), a.blameCommand(), a.traceCommand(), a.trustCommand(), a.playbookCommand(),
		a.storeCommand(), a.contextCommand(), a.projectCommand(), a.versionCommand(), a.schemaCommand(),
		a.patchCommand(), a.stalemateCommand(),
	)
	group(root)
	a.versionFlag(root)
	a.helpInJSON(root)
	strictBuiltIns(root)
	inOwnWords(root)
	return root
}

// inOwnWords makes all commands say in our words, and with their own help as the
// hint, that they got more arguments than they take: cobra's words name commands
// and flags that nobody meant.
func inOwnWords(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil || fault.CodeOf(err) != "" {
				return err
			}
			if len(args) == 0 {
				return usage(c, "`"+c.CommandPath()+"` needs an argument: "+c.Use, "")
			}
			takes := len(args) - 1
			for takes > 0 && check(c, args[:takes]) != nil {
				takes--
			}
			most := "no argument"
			if takes > 0 {
				most = "at most " + count(takes, "argument")
			}
			return usage(c, "`"+c.CommandPath()+"` takes "+most+": what is "+clean(fault.Shown(args[takes]))+"?", "")
		}
	}
	for _, sub := range c.Commands() {
		inOwnWords(sub)
	}
}

// strictBuiltIns makes cobra's own commands refuse what they do not know, as ours do.
func strictBuiltIns(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			group(c)
		case "help":
			c.Run = nil
			c.RunE = func(_ *cobra.Command, args []string) error {
				topic, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return unknownCommand(root, strings.Join(args, " "))
				}
				topic.InitDefaultHelpFlag()
				return topic.Help()
			}
		}
	}
}

// The groups of commands in the help text.
const (
	everyday = "everyday"
	other    = "other"
)

// group makes a command that only holds others say so, instead of printing help
// and calling it a success when the word after it is misspelt.
func group(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return unknownCommand(c, args[0])
	}
}

func flagError(c *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		if kind := kindOfFlag(wrong.GetFlag()); kind != "" {
			return usage(c, "--"+wrong.GetFlag().Name+" "+fault.Shown(wrong.GetValue())+" is not "+kind, "")
		}
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usage(c, err.Error(), "")
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	hint := ""
	if near, ok := text.Nearest(unknown.GetSpecifiedName(), names); ok {
		hint = "did you mean --" + near + "?"
	}
	return usage(c, err.Error(), hint)
}

// kindOfFlag says what a flag takes, or "" for one that says so itself.
func kindOfFlag(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	}
	return ""
}

func unknownCommand(c *cobra.Command, word string) error {
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
	return usage(c, "there is no command `"+c.CommandPath()+" "+clean(word)+"`", hint)
}
