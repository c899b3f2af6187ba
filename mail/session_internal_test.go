package mail

import (
	"net/http"
	"testing"

	"brenner/internal/fault"
)

// When a server has lost the session of several requests, each is repeated, and the new
// session is kept.
func TestLostSessionIsRenewedOnce(t *testing.T) {
	gone := func(session string) error {
		return &fault.Error{Code: Garbled, Cause: &httpStatus{status: http.StatusNotFound, session: session}}
	}
	c := &Client{initialized: true, session: "old"}
	if !c.sessionLost(gone("old")) || c.initialized || c.session != "" {
		t.Errorf("the first request is not repeated: %q", c.session)
	}
	if !c.sessionLost(gone("old")) {
		t.Error("the second request is not repeated")
	}
	c.initialized, c.session = true, "new"
	if !c.sessionLost(gone("old")) || !c.initialized || c.session != "new" {
		t.Errorf("the third request dropped the new session: %q", c.session)
	}
	if c.sessionLost(gone("")) {
		t.Error("a 404 without a session is not a lost session")
	}
}
