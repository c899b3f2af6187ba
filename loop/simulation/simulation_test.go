package simulation

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/merge"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// Variables of `make simulate`. SEED plays one seed, with its trace.
const (
	prefix      = "BRENNER_TEST_"
	envSeeds    = prefix + "SEEDS"
	envSeed     = prefix + "SEED"
	envWorkers  = prefix + "WORKERS"
	envSessions = prefix + "SESSIONS"
)

// few is the number of seeds of an ordinary run.
const few = 100

func setting(t testing.TB, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if least, most := bounds(variable); err != nil || n < least || n > most {
		t.Fatalf("%s is %q; want a number from %d to %d", strings.TrimPrefix(variable, prefix), text, least, most)
	}
	return n
}

func bounds(variable string) (least, most int) {
	switch variable {
	case envWorkers:
		return 1, 1_000
	case envSessions:
		return 1, 100_000
	case envSeed:
		return 0, math.MaxInt
	}
	return 1, 100_000_000
}

// command returns the command that plays a seed again.
func command(seed uint64) string {
	text := fmt.Sprintf("make simulate SEED=%d", seed)
	for _, variable := range []string{envWorkers, envSessions} {
		if value := os.Getenv(variable); value != "" {
			text += " " + strings.TrimPrefix(variable, prefix) + "=" + value
		}
	}
	return text
}

// fleetOf returns the fleet of a seed: small ones of all kinds, unless the size is set.
func fleetOf(t testing.TB, seed uint64) fleet {
	t.Helper()
	n := int(seed % 1000)
	f := fleet{
		seed: seed, workers: setting(t, envWorkers, 2+n%3), sessions: setting(t, envSessions, 2+n%4), rounds: 1 + n%5/4,
		tight: n%4 == 3, most: n % 12, slots: []int{0, 2, 4}[n%3], outages: n%7 == 5,
	}
	if os.Getenv(envWorkers)+os.Getenv(envSessions) != "" {
		f.most = f.sessions
	}
	return f
}

// A loop whose sessions run on a fleet with faults has the result of one process, whatever the
// order of steps is.
func TestFleet(t *testing.T) {
	t.Parallel()
	if one := os.Getenv(envSeed); one != "" {
		f := fleetOf(t, uint64(setting(t, envSeed, 0)))
		f.told = true
		w := simulate(t, f)
		if !testing.Short() {
			t.Log(w.lines)
		}
		t.Log(w.figures())
		w.report(t)
		return
	}
	const chunk = 25
	seeds := setting(t, envSeeds, few)
	fleetOf(t, 0) // wrong sizes fail once
	for first := 0; first < seeds; first += chunk {
		t.Run(fmt.Sprintf("%d", first), func(t *testing.T) {
			t.Parallel()
			for seed := first; seed < min(first+chunk, seeds); seed++ {
				w := simulate(t, fleetOf(t, uint64(seed)))
				w.report(t)
			}
		})
	}
}

// The command of a failure plays the same fleet.
func TestCommandPlaysTheSeed(t *testing.T) {
	for _, size := range []map[string]string{{}, {envWorkers: "7"}, {envSessions: "9"}, {envWorkers: "7", envSessions: "9"}} {
		for variable, value := range size {
			t.Setenv(variable, value)
		}
		f := fleetOf(t, 1234)
		words := strings.Fields(command(f.seed))
		for _, variable := range []string{envSeed, envWorkers, envSessions} {
			t.Setenv(variable, "")
		}
		for _, word := range words[2:] {
			name, value, _ := strings.Cut(word, "=")
			t.Setenv(prefix+name, value)
		}
		if again := fleetOf(t, uint64(setting(t, envSeed, 0))); !reflect.DeepEqual(again, f) {
			t.Errorf("%s plays %+v, want %+v", words, again, f)
		}
		for _, variable := range []string{envSeed, envWorkers, envSessions} {
			t.Setenv(variable, "")
		}
	}
}

// A seed always has the same history, so that a failure can be played again.
func TestSameSeedSameHistory(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		f := fleetOf(t, seed+11)
		f.told = true
		one, two := simulate(t, f), simulate(t, f)
		a, b := one.lines.String(), two.lines.String()
		if a != b {
			t.Errorf("seed %d has two histories: %s", f.seed, difference(a, b))
		}
	}
}

// Each invariant can fail: a program that is broken in one place is found within a hundred seeds.
func TestBrokenProgramsAreFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		found string // the invariant that finds it
		apply func(*fleet)
	}{
		{"acknowledges answers before they are stored", "asked again", func(f *fleet) {
			f.broken = func(c *client) { c.stored, c.cache = storeAnswersLate, make(map[string]store.Batch) }
		}},
		{"runs on although its leases are lost", "without a lease", func(f *fleet) {
			f.rounds, f.broken = 2, func(c *client) { c.forgetful = true }
		}},
		{"believes that a lease is renewed that is not", "without a lease", func(f *fleet) {
			f.rounds, f.broken = 2, func(c *client) { c.hopeful = true }
		}},
		{"repeats calls without regard to the budget", "budget", func(f *fleet) {
			f.tight, f.prepared = true, func(_ *process, s *runner.Session) { s.Runner.Allowance = nil }
		}},
		{"opens sessions without the limit of the reservation", "budget", func(f *fleet) {
			f.tight, f.prepared = true, func(_ *process, s *runner.Session) { s.Brief.Settings.Budget = 0 }
		}},
		{"limits the calls to an endpoint in each process", "endpoint", func(f *fleet) {
			f.slots, f.alone = 2, true
		}},
		{"keeps the end of a session in memory", "fold", func(f *fleet) {
			f.broken = func(c *client) { c.stored, c.cache = cacheEnds, make(map[string]store.Batch) }
		}},
		{"runs sessions with other rules on one worker", "same bytes", func(f *fleet) {
			f.prepared = func(p *process, s *runner.Session) {
				if p.worker == 0 {
					s.Brief.Rules.Limits = map[artifact.Section]merge.Limit{artifact.HypothesisSlate: {Max: 1}}
				}
			}
		}},
		{"asks for one more round whenever it resumes", "same bytes", func(f *fleet) {
			f.prepared = func(_ *process, s *runner.Session) { s.Change = func(set *flow.Settings) { set.Rounds++ } }
		}},
		{"fails sessions while their place is down", "ends once", func(f *fleet) {
			f.hasty = true
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(100) {
				f := fleetOf(t, seed)
				f.tight, f.most = false, 11
				test.apply(&f)
				for _, v := range simulate(t, f).found {
					if v.invariant == test.found {
						t.Logf("found by seed %d: %s", seed, v)
						return
					}
				}
			}
			t.Errorf("not found in 100 seeds")
		})
	}
}

// A worker with other settings or another program refuses the sessions of a loop, and the rest of the fleet runs them.
func TestMixedFleetRefuses(t *testing.T) {
	t.Parallel()
	for i, other := range []loop.Pins{{Config: "other", Prompts: "same"}, {Config: "same", Prompts: "other"}} {
		code := []string{string(runner.ConfigDiffers), string(session.PromptsChanged)}[i]
		refused := 0
		for seed := range uint64(10) {
			f := fleetOf(t, seed)
			f.tight, f.told = false, true
			f.pins = func(worker int) loop.Pins {
				if worker == 1 {
					return other
				}
				return loop.Pins{Config: "same", Prompts: "same"}
			}
			w := simulate(t, f)
			w.report(t)
			refused += strings.Count(w.lines.String(), code)
		}
		if refused == 0 {
			t.Errorf("no worker has refused with %s", code)
		}
	}
}

// storeAnswersLate acknowledges answers, and stores them with the next entries of their session.
func storeAnswersLate(c *client, b store.Batch) error {
	return c.storeLate(b, flow.KindAnswered)
}

// cacheEnds acknowledges that sessions ended, and keeps it in memory only.
func cacheEnds(c *client, b store.Batch) error {
	return c.storeLate(b, flow.KindEnded)
}

// storeLate stores a batch, unless it has an entry of a kind: then with the next batch of its session.
func (c *client) storeLate(b store.Batch, kind string) error {
	stream := b.Appends[len(b.Appends)-1].Stream
	if before, ok := c.cache[stream]; ok {
		delete(c.cache, stream)
		if err := c.world.store(c, before); err != nil {
			return err
		}
	}
	for _, e := range b.Appends[len(b.Appends)-1].Entries {
		if e.Kind == kind {
			c.cache[stream] = b
			c.world.promise(&b)
			return nil
		}
	}
	return c.world.store(c, b)
}
