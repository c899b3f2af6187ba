package project

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"brenner/config"
	"brenner/roster"
)

// Host is what the application layer needs of the process around it.
type Host struct {
	Environ []string         // as os.Environ returns it
	Now     func() time.Time // the clock
	Log     zerolog.Logger
	// Pause waits so long, or until the context ends.
	Pause func(context.Context, time.Duration)
	// Notice tells the person who runs the process something; nil tells nothing.
	Notice func(text string)

	served servedMail
}

// Project is an opened project: its configuration, and the process it is opened in.
type Project struct {
	*Host
	Config *config.Config
}

// Open reads the configuration of a project. Warnings are logged.
func Open(h *Host, o config.Options) (*Project, error) {
	o.Environ = h.Environ
	o.Dir = config.StartDir(o.Dir, h.Environ)
	cfg, err := config.Load(o)
	if err != nil {
		return nil, err
	}
	h.Warn(cfg.Warnings)
	h.Log.Debug().Str("project", cfg.Project.Dir).Str("file", cfg.Project.File).Msg("read the configuration")
	return &Project{h, cfg}, nil
}

// notify tells the person who runs the process something.
func (h *Host) notify(text string) {
	if h.Notice != nil {
		h.Notice(text)
	}
}

// Warn logs what a person should know and that stops nothing.
func (h *Host) Warn(warnings []roster.Warning) {
	for _, w := range warnings {
		e := h.Log.Warn().Str("code", string(w.Code))
		if w.Place != "" {
			e = e.Str("place", w.Place)
		}
		if w.Hint != "" {
			e = e.Str("hint", w.Hint)
		}
		e.Msg(w.Message)
	}
}

// servedMail are the operators' tokens of the mail servers in this process, by address.
type servedMail struct {
	mu     sync.Mutex
	tokens map[string]string
}

func (s *servedMail) token(address string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens[address]
}

// set remembers the token of a server; an empty one forgets it.
func (s *servedMail) set(address, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = make(map[string]string)
	}
	s.tokens[address] = token
}
