// Package mailcmd holds the commands of `brenner mail`.
package mailcmd
