package mail

import (
	"net/http"
	"testing"

	"brenner/internal/fault"
)

// When a server has forgotten the session of several requests at once, each of them is made
// again, whoever introduces us; and the new session is not taken for the old one.
func TestASessionThatManyFindForgotten(t *testing.T) {
	gone := func(session string) error {
		return &fault.Error{Code: Garbled, Cause: &httpStatus{status: http.StatusNotFound, session: session}}
	}
	c := &Client{greeted: true, session: "old"}
	if !c.forgotten(gone("old")) || c.greeted || c.session != "" {
		t.Errorf("the first is not made again: %q", c.session)
	}
	if !c.forgotten(gone("old")) {
		t.Error("the second is not made again, while the first introduces us")
	}
	c.greeted, c.session = true, "new"
	if !c.forgotten(gone("old")) || !c.greeted || c.session != "new" {
		t.Errorf("the third takes the new session away: %q", c.session)
	}
	if c.forgotten(gone("")) {
		t.Error("without a session, a 404 is the address's fault")
	}
}
