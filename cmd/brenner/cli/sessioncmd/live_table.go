package sessioncmd

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"brenner/cmd/brenner/cli/ui"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/store/journal"
)

// liveTable shows a running session on a terminal: a line for each event that
// settles something, and below them a table that is drawn anew in its place.
type liveTable struct {
	mu     sync.Mutex
	screen *ui.Screen
	now    func() time.Time
	rows   []liveRow
	head   string
	// coming is how much of each answer under way has come, by call.
	coming map[string]int
	stop   chan struct{}
	ended  chan struct{}
}

// liveRow is what the table says of one agent.
type liveRow struct {
	name, role, state string
	call              string
	round, tokens     int
	usd               float64
	began             time.Time // of the call under way; zero where there is none
	took              time.Duration
}

const redraw = 200 * time.Millisecond

// longestName is how many columns of an agent's name the table shows, so that
// what changes has its place on a narrow terminal.
const longestName = 20

func newLiveTable(out io.Writer, now func() time.Time) *liveTable {
	t := &liveTable{screen: ui.ScreenOf(out), now: now, coming: make(map[string]int), stop: make(chan struct{}), ended: make(chan struct{})}
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
	case flow.KindAnswered, flow.KindPlanned, flow.KindBegan: // the table says it
	default:
		if line := eventLine(e, s); line != "" {
			_, _ = io.WriteString(t.screen, line+"\n") // a terminal that is gone is nobody to tell
		}
	}
	t.draw()
}

func (t *liveTable) tokens(call string, output int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.coming[call] = output // it is drawn with the next tick
}

// take copies what the table shows out of the state.
func (t *liveTable) take(s *flow.State) {
	t.head = fmt.Sprintf("round %d of %d · version %d · %d tokens", s.Round(), s.Settings.Rounds, s.Version(), s.Spent.Tokens)
	t.rows = t.rows[:0]
	for _, a := range audit.AgentSummaries(s) {
		row := liveRow{name: a.Name, role: a.Role, state: a.State, tokens: a.Tokens, usd: a.USD}
		for _, c := range s.Calls() {
			if c.Agent != a.Name {
				continue
			}
			row.round, row.began, row.call = c.Round, time.Time{}, c.ID
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
	// The role comes last: it says nothing new, and may be cut off.
	rows := [][]string{{"AGENT", "ROUND", "STATE", "TOKENS", "COST", "TIME", "ROLE"}}
	for _, r := range t.rows {
		took, tokens := r.took, r.tokens
		if !r.began.IsZero() {
			took = t.now().Sub(r.began)
			tokens += t.coming[r.call]
		}
		rows = append(rows, []string{
			ui.Fit(ui.Clean(r.name), longestName), strconv.Itoa(r.round), r.state, strconv.Itoa(tokens), ui.Money(r.usd),
			took.Round(100 * time.Millisecond).String(), ui.OrDash(r.role),
		})
	}
	t.screen.Draw(ui.Columns(rows) + t.head + "\n")
}

// end takes the table away: the summary says more.
func (t *liveTable) end() {
	close(t.stop)
	<-t.ended
	t.screen.Clear()
}
