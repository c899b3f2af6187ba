package simulation

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"brenner/project/slots"
)

// scheduler lets the goroutines of all processes take one step at a time. It picks the next step by its seed, once
// all of them wait: for a step, for a timer, or for each other.
type scheduler struct {
	rng     *rand.Rand
	arrived chan struct{}
	faults  func() // called before each step

	mu      sync.Mutex
	waiting []*step
	ended   bool

	steps int
	trace hash.Hash
	lines *strings.Builder // the trace in words, if asked for
}

// step is a goroutine that waits for its turn.
type step struct {
	process *process
	what    string
	after   int // steps taken when it began to wait
	turn    chan struct{}
}

func (s *step) key() string { return s.process.name() + " " + s.what }

// compare orders steps by their names, and those with equal names by when they began to wait.
func (s *step) compare(other *step) int {
	return cmp.Or(cmp.Compare(s.key(), other.key()), cmp.Compare(s.after, other.after))
}

func newScheduler(seed uint64) *scheduler {
	return &scheduler{rng: rand.New(rand.NewPCG(seed, 0)), arrived: make(chan struct{}, 1), trace: sha256.New()}
}

// await waits for the turn of a process. It reports whether the process still runs then.
func (s *scheduler) await(p *process, format string, args ...any) bool {
	one := &step{process: p, what: fmt.Sprintf(format, args...), turn: make(chan struct{})}
	s.mu.Lock()
	if s.ended || p.dead {
		s.mu.Unlock()
		return false
	}
	one.after = s.steps
	s.waiting = append(s.waiting, one)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	<-one.turn
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended && !p.dead
}

// run grants steps until done is closed. Virtual time passes only while no process can take a step.
func (s *scheduler) run(done <-chan struct{}) {
	for {
		synctest.Wait()
		select {
		case <-done:
			s.end()
			return
		default:
		}
		s.faults()
		synctest.Wait() // until what a fault has begun or ended waits, too
		if s.grant() {
			continue
		}
		select {
		case <-s.arrived:
		case <-done:
		case <-time.After(time.Second): // a stalled process may continue
		}
	}
}

// grant lets one step happen. Goroutines that began to wait at one moment for steps with equal names do the same, and
// take them together: which of them is first makes no difference.
func (s *scheduler) grant() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ready []*step
	now := time.Now()
	for _, one := range s.waiting {
		if !one.process.stalled.After(now) {
			ready = append(ready, one)
		}
	}
	if len(ready) == 0 {
		return false
	}
	slices.SortFunc(ready, (*step).compare)
	ready = slices.CompactFunc(ready, func(a, b *step) bool { return a.key() == b.key() })
	next := ready[s.rng.IntN(len(ready))]
	s.note("%s", next.key())
	s.waiting = slices.DeleteFunc(s.waiting, func(one *step) bool {
		if one.compare(next) == 0 {
			close(one.turn)
			return true
		}
		return false
	})
	s.steps++
	return true
}

// release lets all steps of a process that was killed return.
func (s *scheduler) release(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.dead = true
	s.waiting = slices.DeleteFunc(s.waiting, func(one *step) bool {
		if one.process == p {
			close(one.turn)
		}
		return one.process == p
	})
}

func (s *scheduler) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for _, one := range s.waiting {
		close(one.turn)
	}
	s.waiting = nil
}

// note adds a line to the trace.
func (s *scheduler) note(format string, args ...any) {
	line := fmt.Sprintf("%s %s\n", time.Since(epoch), fmt.Sprintf(format, args...))
	_, _ = s.trace.Write([]byte(line)) // never fails
	if s.lines != nil {
		s.lines.WriteString(line)
	}
}

// epoch is when virtual time begins.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// process is one process of the fleet, until it is killed.
type process struct {
	worker  int
	life    int // from 1; a worker that was killed begins another one
	skew    time.Duration
	dead    bool
	stalled time.Time // until then it takes no step
	woken   time.Time // end of the last stall
	apart   time.Time // until then the store does not answer
	alone   time.Time // until then the engine does not answer
	end     func()    // cancels its context

	drain    chan struct{} // closed when it is asked to end
	draining bool
	tasks    int // deliveries that run

	endpoints *slots.Endpoints
}

func (p *process) name() string { return fmt.Sprintf("w%d.%d", p.worker, p.life) }
