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

// The exit codes are an interface, documented in docs/exit-codes.md.
const (
	ExitFailed  = 1
	ExitUsage   = 2
	ExitPartial = 3
	exitDenied  = 4
	ExitPerson  = 5
	ExitBudget  = 6
	ExitLater   = 75

	// ExitInterrupted is the exit code after a signal.
	ExitInterrupted = 130
)

// Fault codes of the command line.
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

// nothingFound is a search without a result, which is not a usage error.
type nothingFound struct{ error }

// NothingFound marks an error as a search without a result.
func NothingFound(err error) error { return nothingFound{err} }

func (n nothingFound) Unwrap() error { return n.error }

// Usage returns a usage error of a command.
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

// Fail prints an error with its hints.
func (a *App) Fail(err error) {
	all := fault.Distinct(err)
	if !a.JSON {
		a.SayFaults(all)
		return
	}
	if a.printed { // a second JSON document would corrupt the output
		a.Say("brenner: " + Clean(err.Error()) + "\n")
		return
	}
	doc := failure{Schema: "brenner.error/v1", Exit: ExitCode(err), Error: a.detailOf(all[0]), Result: a.Partial}
	for _, f := range all[1:] {
		doc.Also = append(doc.Also, a.detailOf(f))
	}
	if err := a.PrintJSON(doc); err != nil {
		a.Say("brenner: " + Clean(err.Error()) + "\n")
	}
}

func (a *App) detailOf(f *fault.Error) fault.Detail {
	d := fault.DetailOf(f)
	d.Hint = a.Named(d.Hint)
	return d
}

// SayFaults prints faults and their hints to standard error.
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
	Also   []fault.Detail `json:"also"`             // further errors
	Result any            `json:"result,omitempty"` // partial result
}

// Show prints a result unless err is set: as JSON with --json, otherwise as text. Notes
// about the result go to Err.
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
	// A name or a reply that is not valid UTF-8 must not make the document fail.
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return &fault.Error{Code: files.CannotWrite, Op: "encode the result", Cause: err}
	}
	a.printed = true
	return a.WriteJSON(append(data, '\n'))
}

// JSONText returns data as the text to print, escaped as WriteJSON does if it is JSON.
func (a *App) JSONText(data []byte, isJSON bool) string {
	if isJSON && a.OutTTY {
		data = visibleJSON(data)
	}
	return string(data)
}

// WriteJSON writes JSON to standard output. On a terminal, what it would obey is escaped.
func (a *App) WriteJSON(data []byte) error {
	return a.WriteText(a.JSONText(data, true))
}

// Write writes the result to standard output.
func (a *App) Write(data []byte) error {
	_, err := a.Out.Write(data)
	return cannotWrite(err)
}

func cannotWrite(err error) error {
	if err != nil {
		return &fault.Error{Code: files.CannotWrite, Op: "write the result", Cause: err}
	}
	return nil
}

// WriteText writes text to standard output.
func (a *App) WriteText(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(a.Out, text)
	return cannotWrite(err)
}

// Say writes to standard error. A write error is ignored: there is nowhere to report it.
func (a *App) Say(s string) { _, _ = io.WriteString(a.Err, a.Named(s)) }

// Clean makes untrusted text safe for a terminal: one line, without control characters
// that could move the cursor or change the screen.
func Clean(s string) string { return text.Clean(s, text.TerminalLine) }

// CleanText is Clean for text that keeps its lines and tabs.
func CleanText(s string) string { return text.Clean(s, text.TerminalText) }

// CleanLines is CleanText with each line indented and line endings normalised.
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

// HintLine returns the line with the hint of a fault, or "" if it has none.
func HintLine(f fault.Detail) string {
	if f.Hint == "" {
		return ""
	}
	return "  hint: " + Clean(f.Hint) + "\n"
}
