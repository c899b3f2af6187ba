package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/project"
	"brenner/roster"
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

// RosterUsage describes --roster, which is the same wherever it stands.
const RosterUsage = "a roster: JSON, or a file that holds it (FILE or @FILE)"

// RosterText gives the JSON of a roster, and the file it came from if any.
func (a *App) RosterText(value string) (data []byte, file string, err error) {
	if artifact.IsJSON([]byte(value)) {
		return []byte(value), "", nil
	}
	file = strings.TrimPrefix(value, "@")
	data, err = a.ReadFile("roster", file)
	return data, file, err
}

// Inline gives the text of a flag or an argument: itself, or a file's content behind "@".
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
		return "", &fault.Error{Code: fault.Usage, Op: "read " + what, Place: place, Detail: "it is no text in UTF-8", Hint: "convert it to UTF-8 first"}
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

// ReadExact is ReadFile for a file of which every byte counts: a mark that an editor put
// in front stays.
func (a *App) ReadExact(what, path string) ([]byte, error) {
	data, err := a.ReadBytes(path)
	if err != nil {
		return nil, files.CannotRead("read "+what, path, err)
	}
	return data, nil
}

// ReadBytes reads a file, or standard input for "-". That has nothing more to say to
// whoever reads it a second time, which is not what somebody meant who named it twice.
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

// ReadArtifact reads an artifact from JSON or Markdown, whole or not at all.
func (a *App) ReadArtifact(what, path string) (artifact.Artifact, []byte, error) {
	data, err := a.ReadFile(what, path)
	if err != nil {
		return artifact.Artifact{}, nil, err
	}
	art, err := artifact.Parse(data)
	return art, data, fault.InFile("read "+what, path, err)
}

// Lines gives the values of a flag; a file behind "@" has one a line.
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

// WriteOut writes the file that --out names, and returns its name; "" is standard output, to
// which nothing is written here.
func WriteOut(out string, data func() []byte) (written string, err error) {
	if out == "" || out == "-" {
		return "", nil
	}
	return out, files.Replace(out, data())
}
