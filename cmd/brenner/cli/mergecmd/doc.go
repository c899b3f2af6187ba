// Package mergecmd holds the commands about artifacts without a store: merge, artifact and delta.
package mergecmd
