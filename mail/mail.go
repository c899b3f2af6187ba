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

import (
	"slices"

	"brenner/internal/fault"
)

// The codes of mail that could not be sent, read or kept. A server of ours sends
// them along, so that both sides of the wire use the same words.
const (
	Unreachable fault.Code = "MAIL_UNREACHABLE"     // nobody answers there; nothing was done
	Unsure      fault.Code = "MAIL_UNSURE"          // the answer was lost: it may have been done
	NoAuth      fault.Code = "MAIL_AUTH"            // no token, or none that counts
	NotYours    fault.Code = "MAIL_NOT_YOURS"       // an agent acts for itself, and reads its own mail
	Refused     fault.Code = "MAIL_REFUSED"         // the server will not, in its own words
	Garbled     fault.Code = "MAIL_ANSWER_GARBLED"  // what came is no answer
	Blocked     fault.Code = "MAIL_CONTACT_BLOCKED" // a contact policy keeps the message out
	NameTaken   fault.Code = "MAIL_NAME_TAKEN"      // an agent has this name already
	NotFound    fault.Code = "MAIL_NOT_FOUND"       // no such project, agent, message or thread
	Invalid     fault.Code = "MAIL_INVALID"         // an argument cannot be what it is
	TooLarge    fault.Code = "MAIL_TOO_LARGE"       // a message is larger than it may be
	KeyReused   fault.Code = "MAIL_KEY_REUSED"      // one idempotency key for two messages
	BadKeys     fault.Code = "MAIL_TOKENS_UNUSABLE" // the file of tokens cannot be read or written
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{
		Unreachable: fault.ClassLater,
		Unsure:      fault.ClassLater,
		NoAuth:      fault.ClassDenied,
		NotYours:    fault.ClassDenied,
		BadKeys:     fault.ClassFailed,
	}
}

// known reports whether a server of ours refuses with a code.
func known(code fault.Code) bool {
	return slices.Contains([]fault.Code{NoAuth, NotYours, Refused, Blocked, NameTaken, NotFound, Invalid, TooLarge, KeyReused}, code)
}
