package ui

import (
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/project"
)

// The exit codes are an interface: docs/exit-codes.md says what each means.
const (
	ExitFailed  = 1
	ExitUsage   = 2
	ExitPartial = 3
	exitDenied  = 4
	ExitPerson  = 5
	ExitBudget  = 6
	ExitLater   = 75

	// ExitInterrupted is how a program that was interrupted ends.
	ExitInterrupted = 130
)

// The codes that arise at the command line.
const (
	UnknownRules fault.Code = "UNKNOWN_RULES" // The base was made by merge rules that this program does not have.
	Interrupted  fault.Code = "INTERRUPTED"   // The command was interrupted.
)

// ExitCode returns the exit code of an error.
func ExitCode(err error) int {
	var none nothingFound
	if errors.As(err, &none) {
		return ExitFailed
	}
	if fault.Distinct(err)[0].Code == Interrupted {
		return ExitInterrupted
	}
	switch project.ClassOf(err) {
	case fault.ClassFailed:
		return ExitFailed
	case fault.ClassDenied:
		return exitDenied
	case fault.ClassPerson:
		return ExitPerson
	case fault.ClassLater:
		return ExitLater
	default:
		return ExitUsage
	}
}

// nothingFound is a search without a result: an answer, not a mistake in the call.
type nothingFound struct{ error }

// NothingFound marks an error as a search without a result.
func NothingFound(err error) error { return nothingFound{err} }

func (n nothingFound) Unwrap() error { return n.error }

// Usage returns the error of a command line that cannot be used.
func Usage(c *cobra.Command, detail, hint string) error {
	if hint == "" {
		hint = "see `" + c.CommandPath() + " --help`"
	}
	return &fault.Error{Code: fault.Usage, Detail: detail, Hint: hint}
}

// InterruptedError returns the error of an interrupted command.
func InterruptedError(err error) error {
	return &fault.Error{Code: Interrupted, Detail: "interrupted", Cause: err}
}

// Fail prints an error: what was wrong, where, and what to do.
func (a *App) Fail(err error) {
	all := fault.Distinct(err)
	if !a.JSON {
		a.SayFaults(all)
		return
	}
	if a.printed { // the document is out, or half of it: only words are left
		a.Say("brenner: " + Clean(err.Error()) + "\n")
		return
	}
	doc := failure{Schema: "brenner.error/v1", Exit: ExitCode(err), Error: fault.DetailOf(all[0])}
	for _, f := range all[1:] {
		doc.Also = append(doc.Also, fault.DetailOf(f))
	}
	if err := a.PrintJSON(doc); err != nil {
		a.Say("brenner: " + Clean(err.Error()) + "\n")
	}
}

// SayFaults says what was wrong on standard error.
func (a *App) SayFaults(all []*fault.Error) {
	var b strings.Builder
	for _, f := range all {
		b.WriteString("brenner: " + Clean(f.Error()) + "\n")
		if hint := fault.HintOf(f); hint != "" && !a.Quiet {
			b.WriteString("  hint: " + Clean(hint) + "\n")
		}
	}
	a.Say(b.String())
}

type failure struct {
	Schema string         `json:"schema"`
	Exit   int            `json:"exit"`
	Error  fault.Detail   `json:"error"`
	Also   []fault.Detail `json:"also"` // what else was wrong
}

// Show prints a result, unless there is an error: with --json the value itself, which names
// its schema, and else the text for people. What is said about the result goes to Err.
func Show[V any](a *App, v V, err error, text func(*App, V) string) error {
	switch {
	case err != nil:
		return err
	case a.JSON:
		return a.PrintJSON(v)
	}
	return a.WriteText(text(a, v))
}

// PrintJSON prints a value as one JSON document.
func (a *App) PrintJSON(v any) error {
	// A name or a reply that is no UTF-8 must not cost the whole document.
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return &fault.Error{Code: files.CannotWrite, Op: "encode the result", Cause: err}
	}
	a.printed = true
	return a.Write(append(data, '\n'))
}

// Write puts the result on standard output; a result that nobody got is a failure.
func (a *App) Write(data []byte) error {
	if _, err := a.Out.Write(data); err != nil {
		return &fault.Error{Code: files.CannotWrite, Op: "write the result", Cause: err}
	}
	return nil
}

// WriteText puts a text on standard output.
func (a *App) WriteText(text string) error {
	if text == "" {
		return nil
	}
	return a.Write([]byte(text))
}

// Say writes to standard error. If nobody can read that, there is nobody to tell.
func (a *App) Say(words string) { _, _ = io.WriteString(a.Err, words) }

// Clean makes text from outside fit for a terminal: one line, and no control
// characters that could move the cursor or change what stands there.
func Clean(s string) string { return text.Clean(s, text.TerminalLine) }

// CleanText is clean for a text that keeps its lines and its tabs.
func CleanText(s string) string { return text.Clean(s, text.TerminalText) }

// CleanLines gives a text of several lines as cleanText does, each behind an indent and
// with the same end.
func CleanLines(lines, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(lines, "\r\n")) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			b.WriteString(indent + CleanText(line))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
