package audit_test

import (
	"testing"

	"brenner/mail"
	"brenner/session/audit"
)

// A status says if the server tells of no acknowledgement, whatever the reason; what is not a message is not counted.
func TestThreadWithoutAcknowledgements(t *testing.T) {
	all := []mail.Message{{}, {ID: "1", From: "Operator", To: mail.Names{"BlueLake"}, Subject: "KICKOFF: q"}}
	for _, c := range []struct {
		acks        []mail.Ack
		known, want bool
	}{{nil, false, true}, {nil, true, true}, {[]mail.Ack{{Message: "1", Agent: "BlueLake"}}, true, false}} {
		thread := audit.ReadThread("http://127.0.0.1:1", all)
		if thread.SetAcks(all, c.acks, c.known); thread.NoAcks != c.want || thread.Messages != 1 {
			t.Errorf("%+v: got %t and %d messages, want %t and 1", c, thread.NoAcks, thread.Messages, c.want)
		}
	}
}
