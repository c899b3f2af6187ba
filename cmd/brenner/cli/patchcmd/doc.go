// Package patchcmd holds the commands of `brenner patch`.
package patchcmd
