package temporal

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"brenner/internal/fault"
	"brenner/project"
	"brenner/session"
)

// said is what a worker tells the person who started it: once, although what is returned to the queue comes again.
type said struct {
	say func(name, what string) // of a session or loop

	mu   sync.Mutex
	last map[string]string // by name: begun, or the code with which it was returned
}

func newSaid(say func(name, what string)) *said {
	return &said{say: say, last: make(map[string]string)}
}

const begun = "begun"

// mostSaid is the number of names from which on things are said again.
const mostSaid = 1000

func (s *said) begun(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last[name] = begun
	s.say(name, begun)
}

// ended says how a session or loop ended here. One that did not begin, as it has ended before, is not worth a line.
func (s *said) ended(name string, err error, cancelled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, code := s.last[name], fault.CodeOf(err)
	delete(s.last, name)
	switch {
	case err == nil, code == session.NotOpen, cancelled:
		if last == begun && cancelled {
			s.say(name, "stopped after its calls in flight, as its loop or a user of the engine asked")
		} else if last == begun {
			s.say(name, "ended")
		}
	case code == project.Drained:
		s.say(name, "left to another worker ("+string(code)+")")
	default:
		if len(s.last) >= mostSaid {
			clear(s.last)
		}
		code = cmp.Or(code, failed)
		if s.last[name] = string(code); last != string(code) {
			what := "returned to the queue: " + strings.ReplaceAll(err.Error(), "\n", "; ") // of joined errors
			if hint := fault.HintOf(err); hint != "" {
				what += "; " + hint
			}
			s.say(name, what+" ("+string(code)+")")
		}
	}
}

// watch says once when the engine is away, and once when it is back.
func watch(ctx context.Context, every time.Duration, ask func(context.Context) error, say func(away error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	away := false
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		asking, cancel := context.WithTimeout(ctx, every)
		err := ask(asking)
		cancel()
		if ctx.Err() == nil && (err != nil) != away {
			away = err != nil
			say(err)
		}
	}
}
