// Package archtest is the architecture as a test: which package may import
// which, what a pure package must not do, how large a package may be, that only
// commands know a terminal, and that the codes of faults are one closed list. It
// reads the source tree through the go command and go/types.
//
// It must catch what it promises to catch: testdata/bad is a module with one
// violation after another, each marked by a comment, and the checks must find
// all of them and nothing else. What the checks cannot see (a write through a
// pointer into a package variable's rows, a shell function hidden behind an
// interface) is left to review.
package archtest
