// Package fault defines the program's error type.
//
// A fault has a cause (Detail), a location (Op, File and Place) and a remedy (Hint). Every package
// declares its own codes, and a test keeps them unique. The package must not know about exit codes,
// terminals or HTTP.
package fault

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Code identifies one kind of fault, written the same in Go, JSON, the store and the documentation.
type Code string

// Class is the kind of reaction that a fault requires. Most are ClassUsage; a package declares the
// class of its other codes in a function Classes.
type Class int

// The classes of faults.
const (
	ClassUsage  Class = iota // fix the request, or the file it names
	ClassFailed              // read the message: the disk, the data or the check failed
	ClassDenied              // a user with more rights must do it
	ClassPerson              // a person must decide, or another process must end
	ClassLater               // try again later
)

// Classes maps codes to classes. Codes not in it are ClassUsage.
type Classes map[Code]Class

// Usage is the code for an invalid request, such as a wrong flag. Every package may return it.
const Usage Code = "USAGE" // Invalid command line: an unknown flag, or a missing or invalid value.

// Error is a failed operation.
type Error struct {
	Code   Code
	Op     string // the operation: "read base"
	File   string // the file,
	Line   int    // its line, from 1,
	Column int    // its column, from 1,
	Place  string // and the item or key there
	Detail string // what is wrong
	Hint   string // how to fix it
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

// Where returns the file, line, column and place, as far as known.
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

// CodeOf returns the code of the first fault in err's chain, or "".
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

// All returns every fault of a joined error, in order. errors.As finds only the first.
func All(err error) []*Error {
	switch e := err.(type) { //nolint:errorlint // each step of the chain is examined
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

// Distinct returns the faults of an error without repeated texts. An error without a fault becomes
// one, so the result is empty only for nil.
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

// InFile returns err with the operation and the file set in each of its distinct faults.
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
