// Package stalematecmd holds the commands of `brenner stalemate`.
package stalematecmd
