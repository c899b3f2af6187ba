package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/mailtest"
)

// answers lets agents answer every kickoff, straight in the box of a double. Who is
// not registered yet is waited for.
func answers(t *testing.T, d *mailtest.Double, project string, names ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		done.Wait()
	})
	for _, name := range names {
		done.Go(func() {
			seen := mail.ID("0")
			for ctx.Err() == nil {
				all, err := d.Box.Await(ctx, mail.InboxQuery{Project: project, Agent: name, After: seen})
				if fault.CodeOf(err) == mail.NotFound {
					select {
					case <-time.After(2 * time.Millisecond):
					case <-ctx.Done():
					}
					continue
				}
				for _, m := range all {
					seen = m.ID
					if mail.PrefixOf(m.Subject) != "KICKOFF" {
						continue
					}
					reply := mail.Draft{Project: project, From: name, To: []string{m.From}, Subject: "DELTA[gpt]: mine", Body: hypothesis(name), Thread: m.Thread}
					if _, err := d.Box.Send(ctx, reply); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
			}
		})
	}
}

var pair = []string{"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic"}

// Servers of others have ways of their own; a session with them completes.
func TestSessionsWithOtherServers(t *testing.T) {
	same := func(name string) string { return name }
	other := func(name string) string { return "Calm" + name }
	for name, quirks := range map[string]mailtest.Quirks{
		"renames":       {Rename: other, Plain: true, Errors: "text"},
		"wants tokens":  {Tokens: true, Plain: true, Errors: "text"},
		"speaks events": {SSE: true, Session: true, Plain: true, Errors: "rpc"},
		"marks as read": {Reads: true, NoResources: true, Plain: true, Errors: "member"},
		"loses answers": {Lose: 2, Plain: true, Errors: "text", NoInitialize: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := mailtest.New(t, quirks)
			b := &bureau{t: t, dir: t.TempDir(), env: []string{"HOME=" + t.TempDir(), mail.EnvBaseURL + "=" + d.URL}}
			called := same
			if quirks.Rename != nil {
				called = other
			}
			answers(t, d, b.dir, called("BlueLake"), called("RedSky"))
			args := append([]string{"--rounds", "1", "--question", "Why?", "--thread-id", trial}, pair...)
			if out := b.start(0, args...)(); !strings.Contains(out, "done, round 1 of 1, version 2") {
				t.Fatalf("%.600s", out)
			}
			// Another process goes on with the same mailboxes.
			b.exits(0, "session", "resume", trial, "--rounds", "2")
			subjects := make(map[string]int)
			page, err := d.Box.Thread(t.Context(), mail.ThreadQuery{Project: b.dir, Thread: trial})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range page.Messages {
				subjects[mail.PrefixOf(m.Subject)+" for "+strings.Join(m.To, ",")]++
			}
			us := "Operator"
			if quirks.Rename != nil {
				us = other(us)
			}
			for who, want := range map[string]int{
				"KICKOFF for " + called("BlueLake"): 2, "KICKOFF for " + called("RedSky"): 2, "DELTA for " + us: 4,
			} {
				if subjects[who] != want {
					t.Errorf("%s: %d messages, not %d: %v", who, subjects[who], want, subjects)
				}
			}
			if s := b.status(trial); quirks.Rename != nil && s.Mail.Names["RedSky"] != "CalmRedSky" {
				t.Errorf("%+v", s.Mail)
			}
			b.says("verify", trial)
		})
	}
}

// Where a contact policy keeps a kickoff out, the session says what to do.
func TestASessionThatIsNotLetIn(t *testing.T) {
	b := openBureau(t, "BlueLake", "RedSky")
	b.agents["RedSky"].call("set_contact_policy", map[string]any{"agent_name": "RedSky", "policy": mail.PolicyBlock})
	// Who is no operator, and has no token of RedSky's, cannot change that.
	b.env = append(b.env, mail.EnvToken+"="+strings.TrimSpace(b.says("mail", "token", "Operator")))
	if err := os.Remove(filepath.Join(b.dir, ".brenner", "mail-tokens.json")); err != nil {
		t.Fatal(err)
	}
	end := b.start(3, append([]string{"--rounds", "1", "--quorum", "1", "--question", "Why?", "--thread-id", trial}, pair...)...)
	blue := b.agents["BlueLake"]
	id, _ := blue.next("KICKOFF: ")
	blue.reply(id, hypothesis("dust"))
	end()
	if out := b.exits(3, "session", "status", trial); !strings.Contains(out, "RedSky (round 1)") {
		t.Errorf("%.900s", out)
	}
	if out := b.says("trace", "show", trial+"/r1.1/RedSky/ask"); !strings.Contains(out, "set_contact_policy") {
		t.Errorf("%.900s", out)
	}
}
