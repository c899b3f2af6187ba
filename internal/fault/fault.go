// Package fault holds the one error type of the program.
//
// A fault says what was wrong (Detail), where (Op and Place), and what to do
// about it (Hint). Its Code is a word of one closed list: every package declares
// the codes that arise in it, and a test keeps them unique. The package knows
// nothing of exit codes, terminals or HTTP: those are translations at the rim.
package fault

import (
	"errors"
	"strings"
)

// Code names one kind of fault, spelled the same in Go, JSON, the store and the
// documentation.
type Code string

// Usage is the code of a request that cannot be carried out as it was given: an
// unknown flag, a missing or a wrong value. Every package may return it.
const Usage Code = "USAGE"

// Error is an operation that could not be done.
type Error struct {
	Code   Code
	Op     string // what was being done: "read base"
	Place  string // where: a file, a file and line, an item
	Detail string // what was wrong
	Hint   string // what to do about it
	Cause  error
}

// Error returns the fault in one line, without the hint.
func (e *Error) Error() string {
	var b strings.Builder
	for _, part := range []string{e.Op, e.Place, e.text()} {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(part)
	}
	return b.String()
}

func (e *Error) text() string {
	switch {
	case e.Detail != "" && e.Cause != nil:
		return e.Detail + ": " + e.Cause.Error()
	case e.Detail != "":
		return e.Detail
	case e.Cause != nil:
		return e.Cause.Error()
	default:
		return string(e.Code)
	}
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// CodeOf returns the code of the first fault in err's chain, or "" without one.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// HintOf returns the first hint in err's chain.
func HintOf(err error) string {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return ""
		}
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Cause
	}
	return ""
}

// All returns every fault of an error that joins several, in order, each with its
// own hint; errors.As finds only the first.
func All(err error) []*Error {
	switch e := err.(type) { //nolint:errorlint // every step of the chain is looked at by itself
	case nil:
		return nil
	case *Error:
		return []*Error{e}
	case interface{ Unwrap() []error }:
		var all []*Error
		for _, part := range e.Unwrap() {
			all = append(all, All(part)...)
		}
		return all
	}
	return All(errors.Unwrap(err))
}

// Distinct returns the faults of an error, each text once. An error without a fault
// becomes one, so the result of an error is never empty.
func Distinct(err error) []*Error {
	var all []*Error
	seen := make(map[string]bool)
	for _, f := range All(err) {
		if text := f.Error(); !seen[text] {
			seen[text] = true
			all = append(all, f)
		}
	}
	if len(all) > 0 {
		return all
	}
	return []*Error{{Code: CodeOf(err), Detail: err.Error(), Hint: HintOf(err)}}
}

// InFile returns an error with the operation and the file in each of its distinct
// faults. A place within the file stays behind the file's name.
func InFile(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, f := range Distinct(err) {
		located := *f
		located.Op = op
		located.Place = path
		if f.Place != "" {
			located.Place += ", " + f.Place
		}
		all = append(all, &located)
	}
	return errors.Join(all...)
}
