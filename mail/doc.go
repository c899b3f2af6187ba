// Package mail is Agent Mail: mailboxes for agents, reached as an MCP server over
// HTTP. It holds the words of the contract as values, the interface of whatever
// keeps mail (Box), and a client for any server that speaks the contract.
//
// The client promises: whatever form a server answers in, a caller sees a value or
// a *fault.Error with a code; a message that carries a marker is not sent twice,
// even when the answer to the first attempt was lost; nothing it reads is marked as
// read; tokens are in nothing that comes back.
//
// It must not know what messages say, what a session is, or how a server keeps mail.
package mail
