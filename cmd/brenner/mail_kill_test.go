package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/mail"
)

// restarts counts the restarts of a mail server that is killed repeatedly. A client whose
// request failed waits for the next restart.
type restarts struct {
	mu      sync.Mutex
	changed *sync.Cond
	n       int
	waited  int           // number of waits
	last    int           // the server is not killed after this restart
	gone    chan struct{} // closed when a client has failed
}

func newRestarts(kills int) *restarts {
	s := &restarts{last: kills, gone: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// next waits for a restart after than. It returns false after the last one.
func (s *restarts) next(than int) (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited++
	for s.n <= than && than < s.last {
		s.changed.Wait()
	}
	return s.n, s.n > than && s.n <= s.last
}

func (s *restarts) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	s.changed.Broadcast()
}

// stop makes all clients fail.
func (s *restarts) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n <= s.last {
		s.n = s.last + 1
		close(s.gone)
	}
	s.changed.Broadcast()
}

// persistent retries a request until it succeeds, with a new client after each restart.
type persistent struct {
	restarts   *restarts
	url, token string
	now        int
	client     *mail.Client
}

func (p *persistent) do(what func(c *mail.Client) error) error {
	for {
		if p.client == nil {
			c, err := mail.New(mail.Options{URL: p.url, Token: p.token, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}})
			if err != nil {
				return err
			}
			p.client = c
		}
		err := what(p.client)
		if err == nil {
			return nil
		}
		p.client = nil
		n, ok := p.restarts.next(p.now)
		if !ok {
			return fmt.Errorf("after restart %d: %w", p.now, err)
		}
		p.now = n
	}
}

// TestMailSurvivesKills kills a mail server with SIGKILL and restarts it on the same port,
// four times, while eight agents send and four read. Every message is stored once, and all
// readers read it once, in the same order.
func TestMailSurvivesKills(t *testing.T) {
	const kills, writers, readers, each = 4, 8, 4, 25
	dir := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"}
	server, err := startMail(dir, env, "--addr", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(server.base, "http://")
	defer func() {
		if err := server.stop(); err != nil {
			t.Error(err)
		}
	}()
	token, err := os.ReadFile(filepath.Join(dir, ".brenner", "mail-operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	s := newRestarts(kills)
	one := func() *persistent {
		return &persistent{restarts: s, url: server.base + "/mcp/", token: strings.TrimSpace(string(token))}
	}
	var names []string
	if err := one().do(func(c *mail.Client) error {
		if _, err := c.EnsureProject(t.Context(), dir); err != nil {
			return err
		}
		for n := range readers {
			names = append(names, fmt.Sprint("Reader", n))
			if _, err := c.Register(t.Context(), mail.Registration{Project: dir, Name: names[n]}); err != nil {
				return err
			}
		}
		_, err := c.Register(t.Context(), mail.Registration{Project: dir, Name: "Writer"})
		return err
	}); err != nil {
		t.Fatal(err)
	}

	sent := make(chan struct{}, writers*each)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			p := one()
			for n := range each {
				d := mail.Draft{Project: dir, From: "Writer", To: names, Subject: fmt.Sprintf("INFO: %d/%d", w, n), Body: "b", Thread: "TH-1", Key: fmt.Sprintf("%d/%d", w, n)}
				if err := p.do(func(c *mail.Client) error { _, err := c.Send(t.Context(), d); return err }); err != nil {
					t.Error(err)
					s.stop()
					return
				}
				sent <- struct{}{}
			}
		})
	}
	orders := make([][]string, readers)
	for r, name := range names {
		all.Go(func() {
			p, seen := one(), mail.ID("0")
			for len(orders[r]) < writers*each {
				var got []mail.Message
				err := p.do(func(c *mail.Client) (err error) {
					got, err = c.Inbox(t.Context(), mail.InboxQuery{Project: dir, Agent: name, After: seen, Limit: 7}, 5*time.Second)
					return err
				})
				for _, m := range got {
					orders[r], seen = append(orders[r], m.Subject), m.ID
				}
				if err == nil && len(got) > 0 {
					err = p.do(func(c *mail.Client) error { return c.Acknowledge(t.Context(), dir, name, seen) })
				}
				if err != nil {
					t.Error(err)
					s.stop()
					return
				}
			}
		})
	}
	all.Go(func() {
		for range kills {
			for range writers * each / (kills + 1) {
				select {
				case <-sent:
				case <-s.gone:
					return
				}
			}
			if err := server.kill(); err != nil {
				t.Error(err)
			}
			again, err := startMail(dir, env, "--addr", address)
			if err != nil {
				t.Error(err)
				s.stop()
				return
			}
			server = again
			s.begin()
		}
	})
	all.Wait()
	if s.waited == 0 {
		t.Error("no client noticed the kills")
	}

	want := make(map[string]bool)
	for _, subject := range orders[0] {
		want[subject] = true
	}
	if len(want) != writers*each || len(orders[0]) != len(want) {
		t.Errorf("%d messages, %d distinct, want %d", len(orders[0]), len(want), writers*each)
	}
	for r, order := range orders {
		if strings.Join(order, " ") != strings.Join(orders[0], " ") {
			t.Errorf("%s read in a different order:\n%q\n%q", names[r], order, orders[0])
		}
	}
	p := one()
	p.now = kills
	if err := p.do(func(c *mail.Client) error {
		thread, err := c.Thread(t.Context(), mail.ThreadQuery{Project: dir, Thread: "TH-1"})
		if len(thread) != writers*each {
			t.Errorf("the thread has %d messages, want %d", len(thread), writers*each)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
