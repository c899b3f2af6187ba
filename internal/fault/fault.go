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

// Error is an operation that could not be done.
type Error struct {
	Code   Code
	Op     string // what was being done: "read base"
	Place  string // where: a file, a file and line, an item
	Detail string // what was wrong
	Hint   string // what to do about it
	Cause  error
}

// Error gives the fault in one line, without the hint.
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

// Unwrap gives the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// CodeOf gives the code of the first fault in err's chain, or "" where none is.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// HintOf gives the first hint in err's chain.
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

// All gives every fault of an error that joins several, in order, each with its
// own hint; errors.As would find only the first.
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
