// Package kickoff writes the messages that open a round, and reads them back.
//
// Compose promises: one message for each recipient, in one fixed order of parts;
// what people and agents wrote stands in it as block quotes, so that no text can
// forge a heading, the roster's table or a delta; and reading a kickoff, or a reply
// that repeats it, as deltas gives none. Audit says whether the roster, the thread
// id and the template of a message agree with each other and with a given roster.
//
// The package is pure. It must not know how a message is sent, what a view was made
// from, or what becomes of a reply.
package kickoff
