package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"brenner/flow"
	"brenner/journal"
)

// liveTable shows a running session on a terminal: a line for each event that
// settles something, and below them a table that is drawn anew in its place.
type liveTable struct {
	mu    sync.Mutex
	out   io.Writer
	now   func() time.Time
	rows  []liveRow
	head  string
	drawn int // lines of the table on the screen
	stop  chan struct{}
	ended chan struct{}
}

// liveRow is what the table says of one agent.
type liveRow struct {
	name, role, state string
	round, tokens     int
	began             time.Time // of the call under way; zero where there is none
	took              time.Duration
}

const redraw = 200 * time.Millisecond

func newLiveTable(out io.Writer, now func() time.Time) *liveTable {
	t := &liveTable{out: out, now: now, stop: make(chan struct{}), ended: make(chan struct{})}
	go t.tick()
	return t
}

// tick draws the table every now and then, for the clocks in it.
func (t *liveTable) tick() {
	defer close(t.ended)
	ticker := time.NewTicker(redraw)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			t.mu.Lock()
			t.draw()
			t.mu.Unlock()
		case <-t.stop:
			return
		}
	}
}

func (t *liveTable) event(e *journal.Entry, s *flow.State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.take(s)
	switch e.Kind {
	case flow.KindAnswered, flow.KindPlanned, flow.KindBegan:
		t.draw() // the table says it
	default:
		t.erase()
		if line := eventLine(e, s); line != "" {
			t.put(line + "\n")
		}
		t.draw()
	}
}

// take copies what the table shows out of the state.
func (t *liveTable) take(s *flow.State) {
	t.head = fmt.Sprintf("round %d of %d · version %d · %d tokens", s.Round(), s.Settings.Rounds, s.Version(), s.Spent)
	t.rows = t.rows[:0]
	for _, a := range agentSummaries(s) {
		row := liveRow{name: a.Name, role: a.Role, state: a.State, tokens: a.Tokens}
		for _, c := range s.Calls() {
			if c.Agent != a.Name {
				continue
			}
			row.round, row.began = c.Round, time.Time{}
			switch {
			case c.Status == flow.Begun && c.Turn == flow.TurnRepair:
				row.state, row.began = "repairing", c.Began
			case c.Status == flow.Begun:
				row.state, row.began = "asked", c.Began
			default:
				row.took = c.Ended.Sub(c.Began)
			}
		}
		t.rows = append(t.rows, row)
	}
}

func (t *liveTable) draw() {
	if len(t.rows) == 0 {
		return
	}
	t.erase()
	rows := [][]string{{"AGENT", "ROLE", "ROUND", "STATE", "TOKENS", "TIME"}}
	for _, r := range t.rows {
		took := r.took
		if !r.began.IsZero() {
			took = t.now().Sub(r.began)
		}
		rows = append(rows, []string{
			clean(r.name), orDash(r.role), strconv.Itoa(r.round), r.state, strconv.Itoa(r.tokens), took.Round(100 * time.Millisecond).String(),
		})
	}
	text := columns(rows) + t.head + "\n"
	t.put(text)
	t.drawn = strings.Count(text, "\n")
}

// erase takes the table off the screen: up to its first line, and clear from there.
func (t *liveTable) erase() {
	if t.drawn > 0 {
		t.put(fmt.Sprintf("\x1b[%dA\x1b[J", t.drawn))
		t.drawn = 0
	}
}

// put writes; a terminal that is gone is nobody to tell.
func (t *liveTable) put(text string) { _, _ = io.WriteString(t.out, text) }

// end takes the table away: the summary says more.
func (t *liveTable) end() {
	close(t.stop)
	<-t.ended
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
}
