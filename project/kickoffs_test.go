package project

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"brenner/config"
	"brenner/roster"
	"brenner/session/flow"
)

// sizes is an endpoint that reports context sizes by model. It responds when it was asked as often
// as wanted at the same time.
type sizes struct {
	of     map[string]int
	wanted int

	mu    sync.Mutex
	asked int
	all   chan struct{} // closed when asked as often as wanted
}

func (s *sizes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		s.mu.Lock()
		if s.asked++; s.asked == s.wanted {
			close(s.all)
		}
		s.mu.Unlock()
	}
	select {
	case <-s.all:
	case <-r.Context().Done():
		return
	}
	list := ""
	for id, size := range s.of {
		list += fmt.Sprintf(`{"id":%q,"context_length":%d},`, id, size)
	}
	_, _ = fmt.Fprintf(w, `{"data":[%s{"id":"last"}]}`, list)
}

// newSizes returns access to models of these entries at an endpoint.
func newSizes(t *testing.T, s *sizes, entries ...config.Model) (*Models, []flow.Party) {
	t.Helper()
	s.all = make(chan struct{})
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	cfg := &config.Config{Models: entries}
	cfg.BaseURL = server.URL + "/v1"
	m := &Models{Project: &Project{&Host{}, cfg}, Transport: http.DefaultTransport, contexts: &contextSizes{of: make(map[[3]string]func() int)}}
	var parties []flow.Party
	for i, e := range entries {
		parties = append(parties, m.Project.Party(roster.Entry{Agent: fmt.Sprint("A", i), Model: e.Model}, AgentOverride{}))
	}
	return m, parties
}

// Each model of each endpoint is asked for once, and all at the same time. The size decides.
func TestKickoffsByContextSize(t *testing.T) {
	openai := func(name, id, form string) config.Model {
		return config.Model{Model: name, Via: config.ViaOpenAI, ID: id, Kickoff: form}
	}
	s := &sizes{of: map[string]int{"small": 4096, "below": smallContext - 1, "enough": smallContext, "large": 200_000}, wanted: 5}
	m, parties := newSizes(t, s,
		openai("a", "small", ""), openai("b", "small", config.KickoffAuto), openai("c", "below", ""), openai("d", "enough", ""), openai("e", "large", ""),
		openai("f", "unknown", ""), openai("g", "large", config.KickoffShort), openai("h", "small", config.KickoffFull),
		config.Model{Model: "i", Via: config.ViaProgram, ID: "small"}, config.Model{Model: "j", Via: config.ViaMail, Kickoff: config.KickoffShort},
		config.Model{Model: "k", Via: config.ViaRehearsal, ID: "small", Kickoff: config.KickoffShort},
	)
	m.ChooseKickoffs(t.Context(), parties)
	for i, want := range []string{
		"short (context of 4096 tokens, as the endpoint reports)", "short (context of 4096 tokens, as the endpoint reports)",
		"short (context of 12287 tokens, as the endpoint reports)", "full (context of 12288 tokens, as the endpoint reports)",
		"full (context of 200000 tokens, as the endpoint reports)", "full", "short (as configured)", "full", "full", "short (as configured)", "full",
	} {
		if got := parties[i].Way.KickoffForm(); got != want {
			t.Errorf("%s: %s, want %s", parties[i].Model, got, want)
		}
	}
	m.ChooseKickoffs(t.Context(), parties)
	m.fork().ChooseKickoffs(t.Context(), parties)
	if s.asked != s.wanted {
		t.Errorf("the list of models was requested %d times, want %d", s.asked, s.wanted)
	}
}

// An agent with a mailbox keeps its form, also at another mail server.
func TestShortKickoffsByMailArePinned(t *testing.T) {
	cfg := &config.Config{Mail: config.Mail{BaseURL: "http://127.0.0.1:8765", Path: "/mcp/"}}
	p := &Project{&Host{}, cfg}
	party := p.Party(roster.Entry{Agent: "A"}, AgentOverride{Via: config.ViaMail})
	party.Way.Kickoff = flow.KickoffShort
	if ways, err := p.moveMail([]flow.Party{party}); len(ways) > 0 || err != nil {
		t.Errorf("the same server: %+v, %v", ways, err)
	}
	parties := []flow.Party{party}
	mailAt("http://127.0.0.1:1/mcp/", parties)
	if got, want := *parties[0].Way, (flow.Way{Mail: "http://127.0.0.1:1/mcp/", Kickoff: flow.KickoffShort}); got != want {
		t.Errorf("another server: %+v, want %+v", got, want)
	}
	if party.Way.Mail == parties[0].Way.Mail {
		t.Error("the pinned way was changed")
	}
}

// An endpoint that does not respond delays a start, and does not prevent it.
func TestKickoffsWithoutResponse(t *testing.T) {
	m, parties := newSizes(t, &sizes{wanted: 2}, config.Model{Model: "a", Via: config.ViaOpenAI, ID: "small"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	m.ChooseKickoffs(ctx, parties)
	if got := parties[0].Way.KickoffForm(); got != "full" {
		t.Errorf("%s, want full", got)
	}
}
