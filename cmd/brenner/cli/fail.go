package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/trust"
	"brenner/mail"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/uselite"
	"brenner/playbook/vector"
	"brenner/session"
	"brenner/store"
	"brenner/store/journal"
)

// The exit codes are an interface: docs/exit-codes.md says what each means.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitPartial = 3
	exitDenied  = 4
	exitPerson  = 5
	exitBudget  = 6
	exitLater   = 75

	// ExitInterrupted is how a program that was interrupted ends.
	ExitInterrupted = 130
)

// The codes that arise at the command line.
const (
	UsageError     fault.Code = "USAGE"
	UnreadableFile fault.Code = "UNREADABLE_FILE"
	CannotWrite    fault.Code = "CANNOT_WRITE"
	UnknownRules   fault.Code = "UNKNOWN_RULES"
	AlreadyExists  fault.Code = "ALREADY_EXISTS"
	Interrupted    fault.Code = "INTERRUPTED"
)

// exitCode translates a fault into an exit code. Nearly all faults are input
// that cannot be used, whatever is wrong with it.
func exitCode(err error) int {
	var none nothingFound
	if errors.As(err, &none) {
		return exitFailed
	}
	switch faultsOf(err)[0].Code {
	case Interrupted:
		return ExitInterrupted
	case CannotWrite, trust.Unreadable, mail.BadKeys, store.Full, store.Unwritable, store.Damaged, store.NoBlob, journal.BrokenChain, playbook.Impossible, vector.Invalid, uselite.Damaged, session.ReplayDiffers, session.ExportChanged:
		return exitFailed
	case session.NotAllowed, trust.Untrusted, mail.NoAuth, mail.NotYours, policy.OutOfScope, policy.Blocked, govern.StillUsed:
		return exitDenied
	case store.Held, session.Diverged, session.RoundOpen, store.CanonMoved:
		return exitPerson
	case store.Busy, mail.Unreachable, mail.Unsure, embedding.Unavailable:
		return exitLater
	default:
		return exitUsage
	}
}

// nothingFound is a search without a result: an answer, not a mistake in the call.
type nothingFound struct{ error }

func (n nothingFound) Unwrap() error { return n.error }

func usage(c *cobra.Command, detail, hint string) error {
	if hint == "" {
		hint = "see `" + c.CommandPath() + " --help`"
	}
	return &fault.Error{Code: UsageError, Detail: detail, Hint: hint}
}

func interrupted(err error) error {
	return &fault.Error{Code: Interrupted, Detail: "interrupted", Cause: err}
}

// faultsOf gives the faults to print, one line each.
func faultsOf(err error) []*fault.Error {
	var all []*fault.Error
	seen := make(map[string]bool)
	for _, f := range fault.All(err) {
		if text := f.Error(); !seen[text] {
			seen[text] = true
			all = append(all, f)
		}
	}
	if len(all) > 0 {
		return all
	}
	return []*fault.Error{{Code: fault.CodeOf(err), Detail: err.Error(), Hint: fault.HintOf(err)}}
}

// fail prints an error: what was wrong, where, and what to do.
func (a *app) fail(err error) {
	all := faultsOf(err)
	if !a.json {
		a.sayFaults(all)
		return
	}
	if a.printed { // the document is out, or half of it: only words are left
		a.say("brenner: " + clean(err.Error()) + "\n")
		return
	}
	doc := failure{Schema: "brenner.error/v1", Exit: exitCode(err), Error: detail(all[0])}
	for _, f := range all[1:] {
		doc.Also = append(doc.Also, detail(f))
	}
	if err := a.printJSON(doc); err != nil {
		a.say("brenner: " + clean(err.Error()) + "\n")
	}
}

// sayFaults says what was wrong on standard error.
func (a *app) sayFaults(all []*fault.Error) {
	var text strings.Builder
	for _, f := range all {
		text.WriteString("brenner: " + clean(f.Error()) + "\n")
		if hint := fault.HintOf(f); hint != "" && !a.quiet {
			text.WriteString("  hint: " + clean(hint) + "\n")
		}
	}
	a.say(text.String())
}

type failure struct {
	Schema string          `json:"schema"`
	Exit   int             `json:"exit"`
	Error  failureDetail   `json:"error"`
	Also   []failureDetail `json:"also"` // what else was wrong
}

type failureDetail struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Hint    string     `json:"hint"`
}

func detail(f *fault.Error) failureDetail {
	return failureDetail{Code: f.Code, Message: f.Error(), Hint: fault.HintOf(f)}
}

// result is what a command has to say. It knows its text form; whether that or
// JSON is wanted is decided in show, and nowhere else.
type result interface {
	// text writes the human form: the thing asked for to Out, what is said
	// about it to Err.
	text(a *app) error
	// document gives the JSON form, with its schema named in it.
	document() any
}

// show prints a result.
func (a *app) show(r result) error {
	if a.json {
		return a.printJSON(r.document())
	}
	return r.text(a)
}

func (a *app) printJSON(v any) error {
	// A name or a reply that is no UTF-8 must not cost the whole document.
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return &fault.Error{Code: CannotWrite, Op: "encode the result", Cause: err}
	}
	a.printed = true
	return a.write(append(data, '\n'))
}

// write puts the result on standard output; a result that nobody got is a failure.
func (a *app) write(data []byte) error {
	if _, err := a.Out.Write(data); err != nil {
		return &fault.Error{Code: CannotWrite, Op: "write the result", Cause: err}
	}
	return nil
}

// say writes to standard error. If nobody can read that, there is nobody to tell.
func (a *app) say(text string) { _, _ = io.WriteString(a.Err, text) }

// clean makes text from outside fit for a terminal: one line, and no control
// characters that could move the cursor or change what stands there.
func clean(s string) string { return cleanBut(s, "") }

// cleanText is clean for a text that keeps its lines and its tabs.
func cleanText(s string) string { return cleanBut(s, "\n\t") }

// cleanLines gives a text of several lines as cleanText does, each behind an indent and
// with the same end.
func cleanLines(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\r\n")) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			b.WriteString(indent + cleanText(line))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func cleanBut(s, keep string) string {
	bad := func(r rune) bool { return !unicode.IsPrint(r) && r != ' ' && !strings.ContainsRune(keep, r) }
	if !strings.ContainsFunc(s, bad) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)): // a byte that some terminals obey
			fmt.Fprintf(&b, `\x{%x}`, s[i])
		case !bad(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// toCopy completes a command with words from outside, for a shell; where they cannot
// be shown so, with what they are.
func toCopy(command, otherwise string, words ...string) string {
	if quoted, ok := text.ShellCommand(words...); ok {
		return command + " " + quoted
	}
	return command + " " + otherwise
}

// reason gives the part of a file error that is worth reading.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
