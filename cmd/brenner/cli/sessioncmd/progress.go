package sessioncmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/store/journal"
)

// progressFor chooses how a running session is shown: JSON events, a live table on a
// terminal, lines otherwise, or only failed calls.
func progressFor(a *ui.App, stream bool) project.Watch {
	switch {
	case stream: // the entries themselves, one per line, as in an export
		return project.Watch{Event: func(e *journal.Entry, _ *flow.State) {
			// On a write error the session continues: its journal is stored.
			_ = a.WriteJSON(append(e.JSON(), '\n'))
		}}
	case a.JSON:
		return project.Watch{}
	case a.Quiet: // only why calls failed
		return project.Watch{Event: func(e *journal.Entry, s *flow.State) {
			if e.Kind == flow.KindFailed {
				line, _, _ := strings.Cut(eventLine(e, s), "\n")
				a.Say(line + "\n")
			}
		}}
	}
	return textProgress(a)
}

// textProgress shows a live table on a terminal, and a line per event otherwise.
func textProgress(a *ui.App) project.Watch {
	if a.ErrTTY {
		t := newLiveTable(a.Err, a.Now)
		return project.Watch{Event: t.event, Tokens: t.tokens, Ended: t.end}
	}
	return project.Watch{Event: func(e *journal.Entry, s *flow.State) {
		if line := eventLine(e, s); line != "" {
			a.Say(line + "\n")
		}
	}}
}

// resumedAt returns the words before the number of the round in which a session continues.
func resumedAt(s *flow.State) string {
	if s.OpenLeg() != nil {
		return "in round"
	}
	return "after round"
}

// eventLine describes an event in one line, or returns "" for an event that is not shown.
func eventLine(e *journal.Entry, s *flow.State) string {
	switch e.Kind {
	case flow.KindOpened:
		line := fmt.Sprintf("%s: %s, %s", s.Opened.Thread, text.Count(len(s.Opened.Agents), "agent"), text.Count(s.Settings.Rounds, "round"))
		if s.Opened.Task != "" {
			line = s.Opened.Thread + ": task " + ui.Clean(s.Opened.Task)
		}
		if asked := askedModels(s); asked != "" {
			line += ", asking " + asked
		}
		if s.Opened.Rehearsal != "" {
			line = ui.RehearsalNote + "\n" + line
		}
		return line
	case flow.KindResumed:
		line := fmt.Sprintf("%s: resumed %s %d of %d, at version %d", s.Opened.Thread, resumedAt(s), s.Round(), s.Settings.Rounds, s.Version())
		if asked := askedModels(s); asked != "" {
			line += ", asking " + asked
		}
		return line + newWayLines(e, s)
	case flow.KindBegan:
		return askLine(e, s)
	case flow.KindAnswered, flow.KindFailed:
		return callLine(s, endedCall(e, s))
	case flow.KindCommitted:
		if s.Opened.Task != "" { // its artifact does not change
			return ""
		}
		return commitLine(&s.Commits[len(s.Commits)-1])
	case flow.KindNoted:
		n := s.Notes[len(s.Notes)-1]
		return fmt.Sprintf("note by %s: %s", ui.Clean(n.Author), ui.Clean(n.Text))
	case flow.KindPatched:
		return patchLines(s)
	case flow.KindPublished:
		if s.Unmailed.Version > 0 {
			return unmailedLine(&s.Unmailed)
		}
		return fmt.Sprintf("version %d mailed", s.Mailed)
	case flow.KindEnded:
		return s.Opened.Thread + ": " + ui.Ended(s.Opened.Task, s.Ended, string(s.Verdict()))
	}
	return ""
}

// askedModels lists the models and programs that a session asks, each once.
func askedModels(s *flow.State) string {
	var all []string
	for _, p := range flow.WithArbiter(s.Agents, s.Arbiter) {
		if asked := ui.Clean(p.Asked()); p.Way != nil && !slices.Contains(all, asked) {
			all = append(all, asked)
		}
	}
	return strings.Join(all, ", ")
}

// newWayLines names the agents that a resumed session reaches in another way.
func newWayLines(e *journal.Entry, s *flow.State) string {
	body, err := journal.Decode[flow.Resumed](e, flow.BadSequence)
	if err != nil {
		return ""
	}
	lines := ""
	for _, p := range flow.WithArbiter(s.Agents, s.Arbiter) {
		if slices.ContainsFunc(body.Ways, func(w flow.NewWay) bool { return w.Agent == p.Name }) {
			lines += fmt.Sprintf("\n%s is asked in another way from now on: %s", ui.Clean(p.Name), ui.Clean(p.Asked()))
		}
	}
	return lines
}

// askLine names the agent of a call that begins.
func askLine(e *journal.Entry, s *flow.State) string {
	for _, c := range s.Calls() {
		if c.Status != flow.Begun || c.Seq != e.Seq {
			continue
		}
		if c.Turn == flow.TurnRepair {
			return fmt.Sprintf("round %d: asking %s for corrections", c.Round, ui.Clean(c.Agent))
		}
		return fmt.Sprintf("round %d: asking %s", c.Round, ui.Clean(c.Agent))
	}
	return ""
}

// endedCall returns the call that an entry ended.
func endedCall(e *journal.Entry, s *flow.State) *flow.Call {
	for _, c := range s.Calls() {
		if c.Seq == e.Seq {
			return c
		}
	}
	return nil
}

// hinted reports whether an earlier call of the round failed with the same hint, as those to one
// endpoint do.
func hinted(s *flow.State, c *flow.Call) bool {
	return slices.ContainsFunc(s.Calls(), func(o *flow.Call) bool {
		return o.Round == c.Round && o.Seq < c.Seq && o.Status == flow.Lost && o.Failed.Hint == c.Failed.Hint
	})
}

// movedHint returns how to ask another address, after a call that did not reach the pinned one.
func movedHint(s *flow.State, c *flow.Call) string {
	p := s.Reached(c)
	if p == nil || p.Endpoint() == "" || !session.NotReached(c.Failed.Code) {
		return ""
	}
	url := "URL"
	if slices.ContainsFunc(flow.WithArbiter(s.Agents, s.Arbiter), func(o flow.Party) bool { return o.Endpoint() != "" && o.Endpoint() != p.Endpoint() }) {
		url = ui.Clean(p.Name) + "=URL"
	}
	return "; if the model has moved: `brenner session resume " + s.Opened.Thread + " --base-url " + url + "`"
}

func callLine(s *flow.State, c *flow.Call) string {
	if c == nil {
		return ""
	}
	who := fmt.Sprintf("round %d: %s", c.Round, ui.Clean(c.Agent))
	switch {
	case c.Status == flow.Lost:
		what := "did not reply"
		if c.Turn == flow.TurnRepair {
			what = "did not correct its reply, which stands as it is"
		}
		line := fmt.Sprintf("%s %s: %s, %s", who, what, ui.Clean(string(c.Failed.Code)), ui.Clean(c.Failed.Detail))
		if c.Failed.Hint != "" && !hinted(s, c) {
			line += "\n  hint: " + ui.Clean(c.Failed.Hint) + movedHint(s, c)
		}
		return line
	case c.Turn == flow.TurnRepair:
		return who + " answered the request for corrections"
	case c.Answered.Repairable > 0:
		return fmt.Sprintf("%s replied (%d tokens, %s to correct)", who, c.Answered.Spent().Tokens, text.Count(c.Answered.Repairable, "problem"))
	}
	return fmt.Sprintf("%s replied (%d tokens)", who, c.Answered.Spent().Tokens)
}

func commitLine(c *flow.Commit) string {
	what := "the brief"
	switch c.Source {
	case flow.ByRound:
		what = fmt.Sprintf("round %d", c.Round)
	case flow.ByPerson:
		what = "deltas by " + ui.Clean(c.Author)
	case flow.ByThread:
		what = text.Count(len(c.Letters), "message") + " from the thread"
	}
	o := c.Outcome
	return fmt.Sprintf("%s: version %d, %d applied, %d rejected, %s; lint: %s, %s", what, c.Version, o.Applied, o.Rejected,
		text.Count(o.Conflicts, "conflict"), text.Count(o.Errors, "error"), text.Count(o.Warnings, "warning"))
}

// liveTable shows a running session on a terminal: a line per event that changes the
// artifact, and below them a table that is redrawn in place.
type liveTable struct {
	mu     sync.Mutex
	screen *ui.Screen
	now    func() time.Time
	rows   []liveRow
	head   string
	// partial counts the output tokens of each call in flight.
	partial map[string]int
	stop    chan struct{}
	ended   chan struct{}
}

// liveRow is the table row of one agent.
type liveRow struct {
	name, role, state string
	call              string
	round, tokens     int
	usd               float64
	began             time.Time // of the call in flight; zero if idle
	took              time.Duration
}

const redrawInterval = 200 * time.Millisecond

// maxName is the most columns for an agent's name, so that the changing columns fit on a
// narrow terminal.
const maxName = 20

func newLiveTable(out io.Writer, now func() time.Time) *liveTable {
	t := &liveTable{screen: ui.ScreenOf(out), now: now, partial: make(map[string]int), stop: make(chan struct{}), ended: make(chan struct{})}
	go t.tick()
	return t
}

// tick redraws the table periodically, because it shows elapsed times.
func (t *liveTable) tick() {
	defer close(t.ended)
	ticker := time.NewTicker(redrawInterval)
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
	t.update(s)
	switch e.Kind {
	case flow.KindAnswered, flow.KindPlanned, flow.KindBegan: // shown in the table
	default:
		if line := eventLine(e, s); line != "" {
			_, _ = io.WriteString(t.screen, line+"\n") // a closed terminal is ignored
		}
	}
	t.draw()
}

func (t *liveTable) tokens(call string, output int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.partial[call] = output // drawn with the next tick
}

// update copies what the table shows from the state.
func (t *liveTable) update(s *flow.State) {
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
	// The role comes last: it never changes, and may be cut off.
	rows := [][]string{{"AGENT", "ROUND", "STATE", "TOKENS", "COST", "TIME", "ROLE"}}
	for _, r := range t.rows {
		took, tokens := r.took, r.tokens
		if !r.began.IsZero() {
			took = t.now().Sub(r.began)
			tokens += t.partial[r.call]
		}
		rows = append(rows, []string{
			ui.Fit(ui.Clean(r.name), maxName), strconv.Itoa(r.round), r.state, strconv.Itoa(tokens), ui.Money(r.usd),
			took.Round(100 * time.Millisecond).String(), ui.OrDash(r.role),
		})
	}
	t.screen.Draw(ui.Columns(rows) + t.head + "\n")
}

// end removes the table; the summary replaces it.
func (t *liveTable) end() {
	close(t.stop)
	<-t.ended
	t.screen.Clear()
}

func sessionWatchCommand(a *ui.App) *cobra.Command {
	var stream bool
	c := ui.InProject(&cobra.Command{
		Use:   "watch [ID]",
		Short: "Watch a session run by another process",
		Long: `Shows the versions of a session so far, then every event as it is journaled: a live table
on a terminal, lines otherwise. Exits when the session ends or no process runs it, and
shows its status.

Watching does not affect the session: it continues after Ctrl-C.`,
		Example: `  brenner session watch RS-20261115-cell-fate
  brenner session watch RS-20261115-cell-fate --json-stream

Exit codes: 0 the session ended, or is not running; 1 the store is damaged; 2 no such
session; 3 ended, but some agent neither contributed nor wrote NO CHANGES in any round; 5
ended with an open conflict or stalemate; 130 interrupted.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error {
			return a.WithWhole(c, args[0], func(ctx context.Context, src *project.Source, h *session.History) error {
				return watch(ctx, a, src, h, stream)
			})
		},
	})
	c.Flags().BoolVar(&stream, "json-stream", false, "print each journal entry as a line of JSON, then the result")
	return c
}

func watch(ctx context.Context, a *ui.App, src *project.Source, h *session.History, stream bool) error {
	hard, drain, done := a.Interrupts.Gently(ctx, func() {})
	defer done()
	w := &watcher{app: a, src: src, thread: h.Thread, state: &flow.State{}, progress: progressFor(a, stream)}
	interrupted, err := w.follow(hard, drain, h.Entries, stream)
	if w.progress.Ended != nil {
		w.progress.Ended()
	}
	if err != nil {
		return err
	}
	if interrupted {
		a.Exit = ui.ExitInterrupted
		return nil
	}
	if h, err = session.Load(ctx, src.Store, h.Thread); err != nil {
		return err
	}
	if stream {
		a.JSON = true
	}
	return showStatus(ctx, a, src, h)
}

// watcher follows a journal that another process writes.
type watcher struct {
	app      *ui.App
	src      *project.Source
	thread   string
	state    *flow.State
	progress project.Watch
}

// follow reports all events until no process runs the session. It returns true if it was
// stopped before.
func (w *watcher) follow(ctx context.Context, drain <-chan struct{}, past []journal.Entry, stream bool) (stopped bool, err error) {
	if err := w.past(past, stream); err != nil {
		return false, err
	}
	ticker := time.NewTicker(w.pollInterval())
	defer ticker.Stop()
	for {
		// Check the lock first, so that entries written before its release are read.
		running := false
		if w.src.Locks != nil {
			if _, running, err = w.src.Locks.HolderOf(w.thread); err != nil {
				return false, err
			}
		}
		if err := w.poll(ctx); err != nil || !running {
			return false, err
		}
		select {
		case <-ticker.C:
		case <-drain:
			return true, nil
		case <-ctx.Done():
			return true, nil
		}
	}
}

// pollInterval returns how often to check the journal. An export does not change.
func (w *watcher) pollInterval() time.Duration {
	if w.src.Project == nil {
		return time.Second
	}
	return w.src.Project.StorePoll()
}

// past reports earlier events: a line per version, and every event since the last one. A
// JSON stream has all events.
func (w *watcher) past(entries []journal.Entry, stream bool) error {
	known := 0
	for i := range entries {
		if entries[i].Kind == flow.KindCommitted && !stream {
			known = i + 1
		}
	}
	for i := range entries[:known] {
		if err := w.state.Apply(&entries[i]); err != nil {
			return err
		}
	}
	if known > 0 && !w.app.Quiet && !w.app.JSON {
		if w.state.Opened.Rehearsal != "" {
			w.app.Say(ui.RehearsalNote + "\n")
		}
		for i := range w.state.Commits {
			w.app.Say(commitLine(&w.state.Commits[i]) + "\n")
		}
	}
	return w.report(entries[known:])
}

// poll reads the entries written since the last call.
func (w *watcher) poll(ctx context.Context) error {
	entries, err := w.src.Store.Entries(ctx, session.Prefix+w.thread, w.state.Head.Seq)
	if err == nil {
		err = journal.Check(session.Prefix+w.thread, w.state.Head, entries)
	}
	if err != nil {
		return err
	}
	return w.report(entries)
}

func (w *watcher) report(entries []journal.Entry) error {
	for i := range entries {
		if err := w.state.Apply(&entries[i]); err != nil {
			return err
		}
		if w.progress.Event != nil {
			w.progress.Event(&entries[i], w.state)
		}
	}
	return nil
}
