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

// shifts are the lives of one mail server that is killed again and again. Whoever
// could not get an answer in one waits for the next.
type shifts struct {
	mu      sync.Mutex
	changed *sync.Cond
	n       int
	waited  int           // how often somebody did
	last    int           // the one that nobody kills
	gone    chan struct{} // closed when somebody has given up
}

func newShifts(kills int) *shifts {
	s := &shifts{last: kills, gone: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// next waits for a life that is later than one; there is none after the last.
func (s *shifts) next(than int) (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waited++
	for s.n <= than && than < s.last {
		s.changed.Wait()
	}
	return s.n, s.n > than && s.n <= s.last
}

func (s *shifts) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	s.changed.Broadcast()
}

// stop makes everybody give up.
func (s *shifts) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n <= s.last {
		s.n = s.last + 1
		close(s.gone)
	}
	s.changed.Broadcast()
}

// persistent does something until it works, with a client of its own in each of the
// server's lives: a connection of an earlier one is of no use.
type persistent struct {
	shifts     *shifts
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
		n, ok := p.shifts.next(p.now)
		if !ok {
			return fmt.Errorf("in its life %d: %w", p.now, err)
		}
		p.now = n
	}
}

// TestMailSurvivesKills: a mail server is killed with -9 and started again at the
// same port, four times, while eight agents send and four read. Everything that was
// sent is there once, and every reader has read it once, in one order.
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
	s := newShifts(kills)
	one := func() *persistent {
		return &persistent{shifts: s, url: server.base + "/mcp/", token: strings.TrimSpace(string(token))}
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
		t.Error("nobody has noticed the kills")
	}

	want := make(map[string]bool)
	for _, subject := range orders[0] {
		want[subject] = true
	}
	if len(want) != writers*each || len(orders[0]) != len(want) {
		t.Errorf("%d messages came, %d different ones, not %d", len(orders[0]), len(want), writers*each)
	}
	for r, order := range orders {
		if strings.Join(order, " ") != strings.Join(orders[0], " ") {
			t.Errorf("%s has read in another order:\n%q\n%q", names[r], order, orders[0])
		}
	}
	p := one()
	p.now = kills
	if err := p.do(func(c *mail.Client) error {
		thread, err := c.Thread(t.Context(), mail.ThreadQuery{Project: dir, Thread: "TH-1"})
		if len(thread) != writers*each {
			t.Errorf("the thread has %d messages, not %d", len(thread), writers*each)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
