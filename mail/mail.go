// Package mail is Agent Mail: mailboxes for agents, served over MCP and HTTP. It has the types of
// the contract, the Box interface of whatever keeps mail, and a client for any server of the
// contract.
//
// The client promises: whatever form an answer has, the caller gets a value or a *fault.Error with
// a code; a message with a marker is not sent twice, even if the first answer was lost; reading
// marks nothing as read; results contain no tokens. It must not know what messages say, what a
// session is, or how a server keeps mail.
package mail

import (
	"slices"

	"brenner/internal/fault"
)

// Codes of mail faults. The embedded server sends them, so that both sides use the same.
const (
	Unreachable fault.Code = "MAIL_UNREACHABLE"     // no connection; nothing was done
	Unsure      fault.Code = "MAIL_UNSURE"          // the answer was lost: it may have been done
	NoAuth      fault.Code = "MAIL_AUTH"            // missing or invalid token
	NotYours    fault.Code = "MAIL_NOT_YOURS"       // an agent may act and read only for itself
	Refused     fault.Code = "MAIL_REFUSED"         // refused by the server
	Garbled     fault.Code = "MAIL_ANSWER_GARBLED"  // not a valid answer
	Blocked     fault.Code = "MAIL_CONTACT_BLOCKED" // a contact policy rejects the message
	NameTaken   fault.Code = "MAIL_NAME_TAKEN"      // the name is in use
	NotFound    fault.Code = "MAIL_NOT_FOUND"       // no such project, agent, message or thread
	Invalid     fault.Code = "MAIL_INVALID"         // invalid argument
	TooLarge    fault.Code = "MAIL_TOO_LARGE"       // message too large
	KeyReused   fault.Code = "MAIL_KEY_REUSED"      // one idempotency key for two messages
	BadKeys     fault.Code = "MAIL_TOKENS_UNUSABLE" // the token file cannot be read or written
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

// known reports whether the embedded server refuses with this code.
func known(code fault.Code) bool {
	return slices.Contains([]fault.Code{NoAuth, NotYours, Refused, Blocked, NameTaken, NotFound, Invalid, TooLarge, KeyReused}, code)
}
