// Package sessioncmd holds the commands about sessions: session, roster, kickoff, blame and trace.
package sessioncmd
