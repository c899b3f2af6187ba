// Package verifycmd holds the command `brenner verify`.
package verifycmd
