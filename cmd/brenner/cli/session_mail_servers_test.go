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

// answerKickoffs makes agents answer every kickoff directly in the mailbox of a test double. It
// waits for agents to be registered.
func answerKickoffs(t *testing.T, d *mailtest.Double, project string, names ...string) {
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

// Sessions complete with other servers in spite of their quirks.
func TestSessionsWithOtherServers(t *testing.T) {
	same := func(name string) string { return name }
	other := func(name string) string { return "Calm" + name }
	for name, quirks := range map[string]mailtest.Quirks{
		"renames":       {Rename: other, Plain: true, Errors: "text"},
		"needs tokens":  {Tokens: true, Plain: true, Errors: "text"},
		"sends events":  {SSE: true, Session: true, Plain: true, Errors: "rpc"},
		"marks as read": {Reads: true, NoResources: true, Plain: true, Errors: "member"},
		"loses answers": {Lose: 2, Plain: true, Errors: "text", NoInitialize: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := mailtest.New(t, quirks)
			b := &mailProject{t: t, dir: t.TempDir(), env: []string{"HOME=" + t.TempDir(), mail.EnvBaseURL + "=" + d.URL}}
			called := same
			if quirks.Rename != nil {
				called = other
			}
			answerKickoffs(t, d, b.dir, called("BlueLake"), called("RedSky"))
			args := append([]string{"--rounds", "1", "--question", "Why?", "--thread-id", mailThread}, pair...)
			if out := b.start(0, args...)(); !strings.Contains(out, "done, round 1 of 1, version 2") {
				t.Fatalf("%.600s", out)
			}
			// Another process resumes with the same mailboxes.
			b.wantExit(0, "session", "resume", mailThread, "--rounds", "2")
			subjects := make(map[string]int)
			page, err := d.Box.Thread(t.Context(), mail.ThreadQuery{Project: b.dir, Thread: mailThread})
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
					t.Errorf("%s: %d messages, want %d: %v", who, subjects[who], want, subjects)
				}
			}
			if s := b.status(mailThread); quirks.Rename != nil && s.Mail.Names["RedSky"] != "CalmRedSky" {
				t.Errorf("%+v", s.Mail)
			}
			b.mustRun("verify", mailThread)
		})
	}
}

// If a contact policy rejects a kickoff, the session prints what to do.
func TestContactPolicyRejectsKickoff(t *testing.T) {
	b := newMailProject(t, "BlueLake", "RedSky")
	b.agents["RedSky"].call("set_contact_policy", map[string]any{"agent_name": "RedSky", "policy": mail.PolicyBlock})
	// Only the operator or RedSky's token could change that.
	b.env = append(b.env, mail.EnvToken+"="+strings.TrimSpace(b.mustRun("mail", "token", "Operator")))
	if err := os.Remove(filepath.Join(b.dir, ".brenner", "mail-tokens.json")); err != nil {
		t.Fatal(err)
	}
	end := b.start(3, append([]string{"--rounds", "1", "--quorum", "1", "--question", "Why?", "--thread-id", mailThread}, pair...)...)
	blue := b.agents["BlueLake"]
	id, _ := blue.next("KICKOFF: ")
	blue.reply(id, hypothesis("dust"))
	end()
	if out := b.wantExit(3, "session", "status", mailThread); !strings.Contains(out, "RedSky (round 1)") {
		t.Errorf("%.900s", out)
	}
	if out := b.mustRun("trace", "show", mailThread+"/r1.1/RedSky/ask"); !strings.Contains(out, "set_contact_policy") {
		t.Errorf("%.900s", out)
	}
}
