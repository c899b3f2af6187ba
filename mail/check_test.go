package mail_test

import (
	"fmt"
	"testing"

	"brenner/internal/fault"
	"brenner/mail"
)

// A million names that are none are one mistake: the answer is not longer than the question.
func TestTooManyRecipientsAreOneMistake(t *testing.T) {
	d := mail.Draft{From: "BlueLake", Body: "text"}
	for i := range 2 * mail.MaxRecipients {
		d.BCC = append(d.BCC, fmt.Sprintf("no name %d", i))
	}
	if err := d.Check(); fault.CodeOf(err) != mail.Invalid || len(fault.All(err)) != 1 {
		t.Errorf("%d mistakes: %v", len(fault.All(err)), err)
	}
	d.BCC = d.BCC[:mail.MaxRecipients]
	if err := d.Check(); len(fault.All(err)) != mail.MaxRecipients {
		t.Errorf("%d mistakes", len(fault.All(err)))
	}
}
