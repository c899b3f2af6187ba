package ui

import (
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/project"
	"brenner/roster"
	"brenner/session"
)

// Doing names a command for other processes that find a lock held by it.
func Doing(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ") }

// Args requires between least and most arguments. The error about a missing argument has
// its placeholder in the usage line, and hint.
func Args(least, most int, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return Usage(c, "missing argument: "+strings.Trim(strings.Fields(c.Use)[1+len(args)], "[]"), hint)
		case len(args) > most:
			return Unexpected(c, args[most])
		}
		return nil
	}
}

// Unexpected returns the error about an extra argument. It may be a part of text that the
// shell split.
func Unexpected(c *cobra.Command, arg string) error {
	hint := ""
	if strings.Contains(c.Use, "TEXT") {
		hint = "quote text that contains spaces"
	}
	return Usage(c, "unexpected argument: "+Clean(fault.Shown(arg)), hint)
}

// One requires one argument.
func One(c *cobra.Command, args []string) error { return Args(1, 1, "")(c, args) }

// OneOrTwo requires one or two arguments.
func OneOrTwo(c *cobra.Command, args []string) error { return Args(1, 2, "")(c, args) }

// OneSession requires one session.
func OneSession(c *cobra.Command, args []string) error {
	return Args(1, 1, "`brenner session list` lists the sessions")(c, args)
}

// WholeSession rejects an address that names only a part of a session.
func WholeSession(c *cobra.Command, address session.Address) error {
	if address.Version == 0 && address.Item == "" {
		return nil
	}
	return Usage(c, Clean(address.String())+": `"+c.CommandPath()+"` requires an entire session", "pass "+Clean(address.Thread))
}

// StoredSession returns the thread id of a session in the store. It rejects export
// files, which cannot be changed.
func StoredSession(c *cobra.Command, arg string) (string, error) {
	if file, _, ok := project.ExportFile(arg); ok {
		return "", Usage(c, Clean(file)+" is a file, not a session of this project", "`brenner session import "+Clean(file)+"` imports it")
	}
	address, err := session.ParseAddress(arg)
	if err != nil {
		return "", err
	}
	return address.Thread, WholeSession(c, address)
}

// MailURL returns the configuration key that --mail-url sets, if it is given.
func MailURL(c *cobra.Command) []config.Flag {
	if !c.Flags().Changed("mail-url") {
		return nil
	}
	return []config.Flag{{Key: "mail.base_url", Name: "--mail-url", Values: []string{c.Flags().Lookup("mail-url").Value.String()}}}
}

// Unused rejects flags that would have no effect. The error is the name of the flag
// followed by why.
func Unused(c *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return Usage(c, "--"+name+" "+why, "")
		}
	}
	return nil
}

// ChangedKeys returns the configuration keys that were set by flags.
func ChangedKeys(c *cobra.Command, all ...config.Flag) []config.Flag {
	return slices.DeleteFunc(all, func(f config.Flag) bool { return !c.Flags().Changed(strings.TrimPrefix(f.Name, "--")) })
}

// ReadRoster reads and checks a roster, given as JSON or as a file.
func (a *App) ReadRoster(value string) (roster.Roster, error) {
	data, file, err := a.RosterText(value)
	if err != nil {
		return roster.Roster{}, err
	}
	r, warnings, err := roster.ReadJSON(data)
	if err == nil {
		err = r.Validate()
	}
	a.Host().Warn(warnings)
	if file == "" {
		file = "--roster"
	}
	return r, fault.InFile("read roster", file, err)
}

// RosterUsage is the usage of --roster in every command.
const RosterUsage = "roster as JSON, or a file that contains it (FILE or @FILE)"

// RosterText returns the JSON of a roster, and the file it was read from if any.
func (a *App) RosterText(value string) (data []byte, file string, err error) {
	if artifact.IsJSON([]byte(value)) {
		return []byte(value), "", nil
	}
	file = strings.TrimPrefix(value, "@")
	data, err = a.ReadFile("roster", file)
	return data, file, err
}

// Inline returns the value of a flag or an argument, or for "@FILE" the file's content.
func (a *App) Inline(what, value string) (string, error) {
	text, place := value, ""
	if path, isFile := strings.CutPrefix(value, "@"); isFile {
		data, err := a.ReadFile(what, path)
		if err != nil {
			return "", err
		}
		text, place = string(data), path
	}
	if !utf8.ValidString(text) {
		return "", &fault.Error{Code: fault.Usage, Op: "read " + what, Place: place, Detail: "not valid UTF-8", Hint: "convert it to UTF-8 first"}
	}
	return text, nil
}

// ReadFile reads a file, or standard input for "-".
func (a *App) ReadFile(what, path string) ([]byte, error) {
	data, err := a.ReadExact(what, path)
	if err != nil {
		return nil, err
	}
	data = files.WithoutMark(data)
	a.Log.Debug().Str("file", path).Int("bytes", len(data)).Msg("read " + what)
	return data, nil
}

// ReadExact is ReadFile without removing a byte order mark.
func (a *App) ReadExact(what, path string) ([]byte, error) {
	data, err := a.ReadBytes(path)
	if err != nil {
		return nil, files.CannotRead("read "+what, path, err)
	}
	return data, nil
}

// ReadBytes reads a file, or standard input for "-". Reading standard input twice is an
// error.
func (a *App) ReadBytes(path string) ([]byte, error) {
	if path == "-" {
		if a.drained {
			return nil, &fault.Error{Code: fault.Usage, Detail: `standard input ("-") can only be read once`, Hint: "put one of them into a file"}
		}
		a.drained = true
		return files.ReadBounded(a.In, files.MostBytes)
	}
	return files.Read(path)
}

// ReadArtifact reads a valid artifact from JSON or Markdown, with the notes on its form.
func (a *App) ReadArtifact(what, path string) (doc artifact.Document, data []byte, err error) {
	if data, err = a.ReadFile(what, path); err != nil {
		return doc, nil, err
	}
	a.CollectLater(data)
	if doc, err = artifact.Read(data); err == nil {
		_, err = doc.Strict()
	}
	return doc, data, fault.InFile("read "+what, path, err)
}

// CollectLater lets garbage lie longer in a command that works on data and ends: it saves a fifth of the time. With
// much data, it would need too much memory. The variable GOGC decides if it is set.
func (a *App) CollectLater(data []byte) {
	const most = 16 << 20 // bytes
	const usual, later = 100, 400
	if a.works += len(data); os.Getenv("GOGC") != "" {
		return
	}
	if a.works <= most {
		debug.SetGCPercent(later)
	} else {
		debug.SetGCPercent(usual)
	}
}

// Lines returns the values of a flag; "@FILE" contributes one value per line.
func (a *App) Lines(flag string, values []string) ([]string, error) {
	var out []string
	for _, v := range values {
		text, err := a.Inline(flag, v)
		if err != nil {
			return nil, err
		}
		parts := []string{text}
		if strings.HasPrefix(v, "@") {
			parts = strings.Split(text, "\n")
		}
		for _, p := range parts {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// WriteOut writes data to the file named by --out and returns its name. For standard
// output it writes nothing and returns "".
func WriteOut(out string, data func() []byte) (written string, err error) {
	if out == "" || out == "-" {
		return "", nil
	}
	return out, files.Replace(out, data())
}

// Tokens is the value of a flag that takes a number of tokens: digits, or one such as 100k.
type Tokens int

func (t *Tokens) String() string { return strconv.Itoa(int(*t)) }

// Type implements pflag.Value.
func (t *Tokens) Type() string { return "TOKENS" }

// Set implements pflag.Value.
func (t *Tokens) Set(value string) error {
	n, ok := text.Amount(value)
	if !ok {
		return errors.New("not a number of tokens, such as 800 or 2k")
	}
	*t = Tokens(n)
	return nil
}
