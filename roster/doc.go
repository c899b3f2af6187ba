// Package roster says who takes part in a session, and in which role.
//
// It promises: the five rules of the roster specification in the specification's
// own words, all faults at once; one answer for the same layers, with the origin
// of every field; a Markdown block that no agent's name can forge and that reads
// back as it was written.
//
// It must not know where layers come from (files, flags, the real environment),
// how an agent is reached, what a role's prompt says, or what a role may write.
// It takes values and returns values: no clock, no I/O, no guess that was not
// asked for.
package roster
