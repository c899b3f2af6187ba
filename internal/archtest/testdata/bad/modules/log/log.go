// Package log is another module's.
package log
