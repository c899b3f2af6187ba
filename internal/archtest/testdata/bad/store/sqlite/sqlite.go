// Package sqlite is an implementation of the store.
package sqlite
