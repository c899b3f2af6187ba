package mail_test

import (
	"fmt"
	"testing"

	"brenner/internal/fault"
	"brenner/mail"
)

// Too many invalid names are one error, so that the response is bounded.
func TestTooManyRecipientsAreOneError(t *testing.T) {
	d := mail.Draft{From: "BlueLake", Body: "text"}
	for i := range 2 * mail.MaxRecipients {
		d.BCC = append(d.BCC, fmt.Sprintf("no name %d", i))
	}
	if err := d.Check(); fault.CodeOf(err) != mail.Invalid || len(fault.All(err)) != 1 {
		t.Errorf("%d errors: %v", len(fault.All(err)), err)
	}
	d.BCC = d.BCC[:mail.MaxRecipients]
	if err := d.Check(); len(fault.All(err)) != mail.MaxRecipients {
		t.Errorf("%d errors", len(fault.All(err)))
	}
}

// A recipient that is named several times is one, in the first place.
func TestUniqueRecipients(t *testing.T) {
	d := mail.Draft{To: []string{"BlueLake", "bluelake", "RedSky"}, CC: []string{"RedSky", "GreenValley"}, BCC: []string{"BlueLake"}}
	got := d.Unique()
	if fmt.Sprint(got.To, got.CC, got.BCC) != "[BlueLake RedSky] [GreenValley] []" || fmt.Sprint(d.Recipients()) != "[BlueLake RedSky GreenValley]" || len(d.To) != 3 {
		t.Errorf("got %v, %v, %v of %v", got.To, got.CC, got.BCC, d)
	}
}
