// Package archtest is the architecture as a test: which package may import
// which, what a pure package must not do, how large a package may be, that only
// commands use a terminal, and that the codes of faults are one closed list. It
// reads the source tree through the go command and go/types.
//
// The checks are tested with testdata/bad, a module with many violations, each marked by a
// comment: the checks must find all of them and nothing else. What the checks cannot see (a
// write through a pointer into a package variable, a shell function behind an interface) is
// left to review.
//
// TestPlainEnglish finds wordings that readers stumble over, in code and docs. make lint
// runs it, too.
package archtest
