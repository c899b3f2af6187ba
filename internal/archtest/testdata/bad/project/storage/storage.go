// Package storage chooses the implementation of the store.
package storage

import _ "bad/store/sqlite"
