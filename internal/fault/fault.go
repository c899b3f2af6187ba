// Package fault holds the one error type of the program.
//
// A fault says what was wrong (Detail), where (Op and Place), and what to do
// about it (Hint). Its Code is a word of one closed list: every package declares
// the codes that arise in it, and a test keeps them unique. The package knows
// nothing of exit codes, terminals or HTTP: those are translations at the rim.
package fault

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Code names one kind of fault, spelled the same in Go, JSON, the store and the
// documentation.
type Code string

// Class is what a fault asks of the one who made the request. Most are ClassUsage; a
// package declares the class of its other codes beside them, in a function Classes.
type Class int

// The classes of faults.
const (
	ClassUsage  Class = iota // mend the request, or the file that it names
	ClassFailed              // read the message: the disk, the data or the check failed
	ClassDenied              // ask who may do it
	ClassPerson              // a person has to decide, or another process to end
	ClassLater               // try again later
)

// Classes holds the classes of codes. Those it lacks are ClassUsage.
type Classes map[Code]Class

// Usage is the code of a request that cannot be carried out as it was given: an
// unknown flag, a missing or a wrong value. Every package may return it.
const Usage Code = "USAGE"

// Error is an operation that could not be done.
type Error struct {
	Code   Code
	Op     string // what was being done: "read base"
	File   string // where: a file,
	Line   int    // a line of it, counted from 1,
	Column int    // a column of that line, counted from 1,
	Place  string // and what stands there: an item, a key
	Detail string // what was wrong
	Hint   string // what to do about it
	Cause  error
}

// Error returns the fault in one line, without the hint.
func (e *Error) Error() string {
	var b strings.Builder
	for _, part := range []string{e.Op, e.Where()} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	b.WriteString(e.text())
	return b.String()
}

// Where returns the file, the line, the column and the place, as far as they are known.
func (e *Error) Where() string {
	if e.File == "" && e.Line == 0 {
		return e.Place
	}
	parts := []string{e.File, "", "", e.Place}
	if e.Line > 0 {
		parts[1] = "line " + strconv.Itoa(e.Line)
	}
	if e.Column > 0 {
		parts[2] = "column " + strconv.Itoa(e.Column)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
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
// faults.
func InFile(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, f := range Distinct(err) {
		located := *f
		located.Op, located.File = op, path
		if f.File != "" {
			located.File += ", " + f.File
		}
		all = append(all, &located)
	}
	return errors.Join(all...)
}
