// Package files holds what the standard library lacks about files: locks between
// processes, and writes that replace a file as a whole or leave it as it was.
package files
