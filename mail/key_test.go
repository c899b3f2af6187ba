package mail_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/mailtest"
)

// A message is never sent without its key because of a temporary failure: a retry would
// duplicate it.
func TestKeyIsNeverOmitted(t *testing.T) {
	d := mailtest.New(t, mailtest.Quirks{})
	var cuts atomic.Int32
	cuts.Store(1)
	shaky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || bytes.Contains(body, []byte("tools/list")) && cuts.Add(-1) >= 0 {
			panic(http.ErrAbortHandler) // killed during the response
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		d.ServeHTTP(w, r)
	}))
	defer shaky.Close()
	c := mailtest.NewClient(t, mail.Options{URL: shaky.URL + "/mcp"})
	// Not through c, which must list the tools only when it sends.
	other := d.Client(t, mail.Options{})
	must(t, func() error { _, err := other.EnsureProject(t.Context(), project); return err })
	must(t, func() error {
		_, err := other.Register(t.Context(), mail.Registration{Project: project, Name: "BlueLake"})
		return err
	})
	draft := mail.Draft{Project: project, From: "BlueLake", To: []string{"BlueLake"}, Subject: "s", Body: "b", Thread: thread, Key: "k"}
	if s, err := c.Send(t.Context(), draft); fault.CodeOf(err) != mail.Unreachable || d.Calls("send_message") != 0 {
		t.Errorf("%+v, %v, %d calls", s, err, d.Calls("send_message"))
	}
	for range 2 {
		must(t, func() error { _, err := c.Send(t.Context(), draft); return err })
	}
	all, err := other.Thread(t.Context(), mail.ThreadQuery{Project: project, Thread: thread})
	if err != nil || len(all) != 1 {
		t.Errorf("%d messages, %v", len(all), err)
	}
}
