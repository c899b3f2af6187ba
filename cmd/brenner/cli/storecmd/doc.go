// Package storecmd holds the commands about records: store, context and project.
package storecmd
