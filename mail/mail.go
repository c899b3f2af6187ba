// Package mail is Agent Mail: mailboxes for agents, served over MCP and HTTP. It has the types of
// the contract, the interface Box of a mail store, and a client for any server that implements the
// contract.
//
// The client promises: whatever form a response has, the caller gets a value or a *fault.Error with
// a code; a message with a marker is not sent twice, even if the first response was lost; reading
// marks nothing as read; results contain no tokens. It must not know what messages say, what a
// session is, or how a server stores mail.
package mail

import (
	"slices"

	"brenner/internal/fault"
)

// Codes of mail errors. The embedded server also sends them to its clients.
const (
	Unreachable  fault.Code = "MAIL_UNREACHABLE"     // No mail server at this address; nothing was done.
	Unsure       fault.Code = "MAIL_UNSURE"          // The mail server's response was lost: the request may have been carried out.
	NoAuth       fault.Code = "MAIL_AUTH"            // The mail server requires a token, or rejected the one it was sent.
	NotYours     fault.Code = "MAIL_NOT_YOURS"       // An agent may act for itself and read its own mail only.
	Refused      fault.Code = "MAIL_REFUSED"         // The mail server refused the request; the message quotes it.
	Garbled      fault.Code = "MAIL_ANSWER_GARBLED"  // The mail server's response cannot be parsed.
	Blocked      fault.Code = "MAIL_CONTACT_BLOCKED" // A contact policy blocks a recipient; the message was not delivered.
	NameTaken    fault.Code = "MAIL_NAME_TAKEN"      // Another agent has this name, and its token was not presented.
	OtherProject fault.Code = "MAIL_OTHER_PROJECT"   // On this server the name belongs to an agent of another project; nothing was sent.
	NotFound     fault.Code = "MAIL_NOT_FOUND"       // No such project, agent or message.
	Invalid      fault.Code = "MAIL_INVALID"         // Invalid name, thread id or other mail argument.
	TooLarge     fault.Code = "MAIL_TOO_LARGE"       // The message exceeds the size limit.
	KeyReused    fault.Code = "MAIL_KEY_REUSED"      // The idempotency key was already used for a different message.
	BadKeys      fault.Code = "MAIL_TOKENS_UNUSABLE" // The mail token file cannot be read or written.
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{
		Unreachable:  fault.ClassLater,
		Unsure:       fault.ClassLater,
		NoAuth:       fault.ClassDenied,
		NotYours:     fault.ClassDenied,
		OtherProject: fault.ClassDenied,
		BadKeys:      fault.ClassFailed,
	}
}

// isServerCode reports whether the embedded server refuses with this code.
func isServerCode(code fault.Code) bool {
	return slices.Contains([]fault.Code{NoAuth, NotYours, Refused, Blocked, NameTaken, NotFound, Invalid, TooLarge, KeyReused}, code)
}
