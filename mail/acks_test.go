package mail_test

import (
	"slices"
	"testing"

	"brenner/mail"
	"brenner/mail/mailtest"
)

// Acknowledgements come from receipts or from the view of what is not acknowledged; a server may have neither.
func TestAcks(t *testing.T) {
	double := func(q mailtest.Quirks) *mail.Client { return mailtest.New(t, q).Client(t, mail.Options{}) }
	for name, test := range map[string]struct {
		client *mail.Client
		known  bool
	}{
		"receipts":    {double(mailtest.Quirks{}), true},
		"only a view": {mailtest.NewPoor(t, &mailtest.Poor{}).Client(t, mail.Options{}), true},
		"neither":     {double(mailtest.Quirks{Plain: true, NoResources: true}), false},
	} {
		t.Run(name, func(t *testing.T) {
			c := test.client
			must(t, func() error { _, err := c.EnsureProject(t.Context(), project); return err })
			for _, name := range []string{"Operator", "BlueLake", "RedSky"} {
				must(t, func() error {
					_, err := c.Register(t.Context(), mail.Registration{Project: project, Name: name})
					return err
				})
			}
			var want []mail.Ack
			for i, to := range []string{"BlueLake", "RedSky", "BlueLake"} {
				d := question(to)
				d.AckRequired = i < 2
				s, err := c.SendOnce(t.Context(), d, mail.MarkerOf(thread, i+1, to, string(rune(97+i))))
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					must(t, func() error { return c.Acknowledge(t.Context(), project, to, s.Messages[0].ID) })
				}
				if d.AckRequired {
					want = append(want, mail.Ack{Message: s.Messages[0].ID, Agent: to, Acked: i == 0})
				}
			}
			all, err := c.Thread(t.Context(), mail.ThreadQuery{Project: project, Thread: thread, Reader: "BlueLake", Receipts: true})
			if err != nil || len(all) == 0 {
				t.Fatalf("%d messages, %v", len(all), err)
			}
			if !test.known {
				want = nil
			}
			if got, known := c.Acks(t.Context(), project, all); known != test.known || !slices.Equal(got, want) {
				t.Errorf("got %+v, %t; want %+v, %t", got, known, want, test.known)
			}
		})
	}
}
