// Package cli implements the command line: the root command and its subcommands. A
// command parses its input, calls the application layer in package project or a domain
// package, and prints the result.
package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"brenner/cmd/brenner/cli/loopcmd"
	"brenner/cmd/brenner/cli/mailcmd"
	"brenner/cmd/brenner/cli/mergecmd"
	"brenner/cmd/brenner/cli/patchcmd"
	"brenner/cmd/brenner/cli/playbookcmd"
	"brenner/cmd/brenner/cli/servecmd"
	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/setupcmd"
	"brenner/cmd/brenner/cli/stalematecmd"
	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/cmd/brenner/cli/verifycmd"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
)

// Extension is what another program adds to the commands of this package. The zero value adds nothing.
type Extension struct {
	Program string // its name; empty means brenner
	// Commands are added to those of the root.
	Commands []func(*ui.App) *cobra.Command
	Places   []ui.Place
}

// Run executes one command line of brenner and returns the exit code.
func Run(ctx context.Context, args []string, streams ui.Streams) int {
	return Extension{}.Run(ctx, args, streams)
}

// Run executes one command line and returns the exit code.
func (x Extension) Run(ctx context.Context, args []string, streams ui.Streams) int {
	if streams.ErrTTY {
		streams.Err = &ui.Screen{Out: streams.Err, Width: streams.Width}
	}
	a := &ui.App{Streams: streams, Log: zerolog.Nop(), Places: x.Places}
	a.Rename = x.rename()
	root := x.root(a, args)
	root.SetArgs(args)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		ui.CompleteFlags(a, root) // takes longer than all else at start
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.Exit
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = ui.InterruptedError(err)
	case fault.CodeOf(err) == "":
		err = ui.Usage(root, err.Error(), "") // our own errors all have a code; this one is cobra's
	}
	// On a parse error, --json may not have been read.
	a.JSON = a.JSON || wantsJSON(args)
	a.Fail(err)
	return ui.ExitCode(err)
}

// wantsJSON reports whether the arguments request JSON output.
func wantsJSON(args []string) bool {
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

// root returns the root command. If the first argument names a family, it has only that one.
func (x Extension) root(a *ui.App, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   cmp.Or(x.Program, "brenner"),
		Short: "Run research sessions with several AI agents and merge their work by rule",
		Long: `brenner runs research sessions. It puts one research question to several AI
agents with different roles and merges the changes in their replies, by fixed
rules, into one versioned artifact: hypotheses, predictions, tests, assumptions,
anomalies and critiques. It records which reply every sentence came from.`,
		Example: `  brenner init
  brenner session start --preset default-3-agent --question "Why do cells age?" \
    --via openai --base-url http://localhost:11434/v1 --model llama3.1`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	flags := root.PersistentFlags()
	flags.BoolVar(&a.JSON, "json", false, "print one JSON document to standard output, also on failure")
	flags.BoolVarP(&a.Quiet, "quiet", "q", false, "print only the result, without reports and hints")
	flags.BoolVarP(&a.Verbose, "verbose", "v", false, "log to standard error")
	flags.BoolVar(&a.Plain, "no-color", false, "print no colours [NO_COLOR]")
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		// --json-stream implies --json, even if no event is printed.
		if stream, err := c.Flags().GetBool("json-stream"); err == nil && stream {
			a.JSON = true
		}
		a.Dir, _ = c.Flags().GetString("project") // "" if the command has no such flag
		a.Store, _ = c.Flags().GetString("store") // the same
		a.Log = a.Logger(a.Verbose, a.Quiet)
	}
	root.SetFlagErrorFunc(flagError)
	x.addFamilies(a, root, args)
	root.SetHelpCommandGroupID(other)
	root.SetCompletionCommandGroupID(other)
	ui.Group(root)
	versionFlag(a, root)
	helpInJSON(a, root)
	strictBuiltIns(root)
	replaceArgErrors(root)
	if a.Rename != nil {
		renameHelp(a, root)
	}
	return root
}

// rename returns a function that replaces the commands of brenner in a text by those of the program.
func (x Extension) rename() func(string) string {
	if x.Program == "" {
		return nil
	}
	var names []string
	for _, f := range x.families() {
		names = append(names, f.name)
	}
	command := regexp.MustCompile(`\bbrenner (` + strings.Join(names, "|") + `)\b`)
	return func(text string) string { return command.ReplaceAllString(text, x.Program+" ${1}") }
}

func renameHelp(a *ui.App, c *cobra.Command) {
	c.Long, c.Example = a.Named(c.Long), a.Named(c.Example)
	for _, sub := range c.Commands() {
		renameHelp(a, sub)
	}
}

// other is the title of the commands that are no group of their own.
const other = "Other commands:"

// family is a command with its subcommands.
type family struct {
	group, name string
	command     func(*ui.App) *cobra.Command
}

func (x Extension) families() []family {
	const session, review, knowledge = "Session commands:", "Review commands:", "Knowledge commands:"
	all := []family{
		{session, "session", sessioncmd.Command},
		{session, "loop", loopcmd.Command},
		{session, "init", setupcmd.InitCommand},
		{session, "doctor", setupcmd.DoctorCommand},
		{session, "roster", sessioncmd.RosterCommand},
		{session, "mail", mailcmd.Command},
		{session, "stalemate", stalematecmd.Command},
		{review, "serve", servecmd.Command},
		{review, "blame", sessioncmd.BlameCommand},
		{review, "trace", sessioncmd.TraceCommand},
		{review, "verify", verifycmd.Command},
		{knowledge, "store", func(a *ui.App) *cobra.Command { return storecmd.Command(a, sessioncmd.RunTaskCommand(a)) }},
		{knowledge, "context", storecmd.ContextCommand},
		{knowledge, "project", storecmd.ProjectCommand},
		{knowledge, "playbook", playbookcmd.Command},
		{knowledge, "patch", patchcmd.Command},
		{other, "merge", mergecmd.Command},
		{other, "artifact", mergecmd.ArtifactCommand},
		{other, "delta", mergecmd.DeltaCommand},
		{other, "kickoff", sessioncmd.KickoffCommand},
		{other, "prompts", sessioncmd.PromptsCommand},
		{other, "config", setupcmd.ConfigCommand},
		{other, "trust", setupcmd.TrustCommand},
		{other, "version", setupcmd.VersionCommand},
		{other, "schema", setupcmd.SchemaCommand},
	}
	for _, command := range x.Commands {
		all = append(all, family{"Fleet commands:", command(&ui.App{}).Name(), command})
	}
	return all
}

// addFamilies adds the family that the first argument names, or else all, in groups.
func (x Extension) addFamilies(a *ui.App, root *cobra.Command, args []string) {
	isNamed := func(f family) bool { return len(args) > 0 && args[0] == f.name }
	all := x.families()
	isOne := slices.ContainsFunc(all, isNamed)
	for _, f := range all {
		if !root.ContainsGroup(f.group) {
			root.AddGroup(&cobra.Group{ID: f.group, Title: f.group})
		}
		if !isOne || isNamed(f) {
			c := f.command(a)
			c.GroupID = f.group
			root.AddCommand(c)
		}
	}
}

// replaceArgErrors replaces cobra's errors about the number of arguments, in c and all
// its subcommands, with errors that name the extra argument. It refuses empty flags, too.
func replaceArgErrors(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil {
				return emptyFlag(c)
			}
			if fault.CodeOf(err) != "" {
				return err
			}
			if len(args) == 0 {
				return ui.Usage(c, "missing argument; usage: "+c.UseLine(), "")
			}
			most := len(args) - 1
			for most > 0 && check(c, args[:most]) != nil {
				most--
			}
			return ui.Unexpected(c, args[most])
		}
	}
	for _, sub := range c.Commands() {
		replaceArgErrors(sub)
	}
}

// emptyFlag refuses an empty address, file or place, which would silently mean the default.
func emptyFlag(c *cobra.Command) error {
	for _, name := range []string{"url", "mail-url", "base-url", "tape", "record-tape", "store", "place"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return ui.Usage(c, "--"+name+": empty value", "pass one, or omit the flag")
		}
	}
	return nil
}

// strictBuiltIns makes cobra's own commands reject unknown arguments.
func strictBuiltIns(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			ui.Group(c)
		case "help":
			c.Run = nil
			c.RunE = func(_ *cobra.Command, args []string) error {
				topic, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return ui.UnknownCommand(root, strings.Join(args, " "))
				}
				topic.InitDefaultHelpFlag()
				return topic.Help()
			}
		}
	}
}

func flagError(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		name := "--" + invalid.GetFlag().Name + ": "
		if kind := flagKind(invalid.GetFlag()); kind != "" {
			return ui.Usage(c, name+fault.Shown(invalid.GetValue())+" is not "+kind, "")
		}
		return ui.Usage(c, name+invalid.Unwrap().Error(), "")
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ui.Usage(c, err.Error(), "")
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	hint := ""
	if near, ok := text.Nearest(unknown.GetSpecifiedName(), names); ok {
		hint = "did you mean --" + near + "?"
	}
	return ui.Usage(c, err.Error(), hint)
}

// flagKind describes the values of a flag, or returns "" if the flag's own error is clear.
func flagKind(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "an integer"
	case "bool":
		return "true or false"
	}
	return ""
}

// helpInJSON makes help print one JSON document with --json.
func helpInJSON(a *ui.App, root *cobra.Command) {
	textHelp := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if !a.JSON {
			textHelp(c, args)
			return
		}
		var text bytes.Buffer
		c.SetOut(&text)
		textHelp(c, args)
		c.SetOut(a.Out)
		doc := helpDocument{Schema: "brenner.help/v1", Command: c.CommandPath(), Text: text.String()}
		if err := a.PrintJSON(doc); err != nil {
			a.Fail(err)
		}
	})
}

// helpDocument is the help text of a command as JSON.
type helpDocument struct {
	Schema  string `json:"schema"`
	Command string `json:"command"`
	Text    string `json:"text"`
}

// versionFlag adds --version to the root command, in text and JSON form.
func versionFlag(a *ui.App, root *cobra.Command) {
	wanted := root.Flags().Bool("version", false, "print the version")
	run := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case *wanted && a.JSON:
			return setupcmd.ShowVersion(a)
		case *wanted:
			return a.Write([]byte("brenner " + project.Release() + "\n"))
		}
		return run(c, args)
	}
}
