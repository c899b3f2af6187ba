// Package files holds what the standard library lacks about files: reads with a bound,
// writes that replace a file as a whole or leave it as it was, locks between processes,
// and errors with a code and a hint.
package files
