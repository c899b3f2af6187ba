package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

func (a *app) stalemateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "stalemate",
		GroupID: other,
		Short:   "What sessions are stuck on: ask for rulings, and rule",
		Long: `A session that goes round in circles opens a stalemate instead: a conflict that survived
a round, the same error three times, a change sent again as it was refused, a field
written back and forth. So does a record whose patches are refused in the same way for
the third time; commands then take its id where they take that of a session. Somebody
who is no party rules: the arbiter that the session was started with (session start
--arbiter) or that is asked about a record (stalemate request --arbiter), or a person.`,
	}
	c.AddCommand(a.stalemateOpenCommand(), a.stalemateListCommand(), a.stalemateShowCommand(), a.stalemateRequestCommand(), a.stalemateRuleCommand())
	group(c)
	return c
}

// stalemateRow is a stalemate in a list.
type stalemateRow struct {
	ID      string   `json:"id"`
	Thread  string   `json:"thread_id"`
	State   string   `json:"state"`
	Kind    string   `json:"kind"`
	Place   string   `json:"place"`
	Parties []string `json:"parties"`
	By      string   `json:"by"`
	Why     string   `json:"why"`
	Opened  string   `json:"opened_at"`
	Moved   string   `json:"moved_at"`
	waits   bool
}

func stalemateRowOf(thread string, s *flow.Stalemate) stalemateRow {
	return stalemateRow{
		ID: s.ID, Thread: thread, State: s.State, Kind: s.Kind, Place: s.Place, By: s.By, Why: s.Why,
		Opened: artifact.FormatInstant(s.Opened), Moved: artifact.FormatInstant(s.Moved), waits: s.Waits(),
	}
}

// stalemateRows gives the stalemates of a session, without their parties.
func stalemateRows(h *session.History) []stalemateRow {
	rows := []stalemateRow{}
	for i := range h.State.Stalemates {
		rows = append(rows, stalemateRowOf(h.Thread, &h.State.Stalemates[i]))
	}
	return rows
}

// stuck tells whether somebody is needed for a ruling.
func (s *sessionSummary) stuck() bool {
	for _, r := range s.Stuck {
		if r.waits {
			return true
		}
	}
	return false
}

func (s *sessionSummary) nextRuling() []string {
	for _, r := range s.Stuck {
		if r.waits {
			return []string{"brenner stalemate show " + s.Thread + " " + r.ID, "brenner stalemate rule " + s.Thread + " " + r.ID + " --for NAME …", "brenner session show " + s.Thread}
		}
	}
	return nil
}

// stalemates names what waits for a ruling, and what was ruled.
func (s *sessionSummary) stalemates(b *strings.Builder) {
	if len(s.Stuck) == 0 {
		return
	}
	b.WriteString("\nStalemates:\n")
	for _, r := range s.Stuck {
		fmt.Fprintf(b, "  %s, %s (%s): %s", clean(r.ID), clean(r.Place), clean(r.Kind), clean(r.State))
		if r.By != "" {
			b.WriteString(" by " + clean(r.By))
		}
		if r.Why != "" {
			b.WriteString(": " + clean(r.Why))
		}
		b.WriteByte('\n')
	}
}

func (a *app) stalemateListCommand() *cobra.Command {
	var project string
	var all bool
	c := &cobra.Command{
		Use:   "list [ID]",
		Short: "List the stalemates that wait for somebody",
		Long: `Lists the stalemates of all sessions and records, or of one, that wait for somebody. A
session that cannot be read is named, and the others are listed all the same.`,
		Example: `  brenner stalemate list
  brenner stalemate list RS-20261115-cell-fate --all

Exit codes: 0 nothing waits; 1 a session is damaged, and the others are listed; 2 there is no such
session or record; 5 listed: a ruling is needed.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && aboutRecord(args[0]) {
				return a.listRecordStalemates(c, project, args[0], all)
			}
			if len(args) == 1 {
				return a.withSession(c, project, args[0], func(ctx context.Context, src *source, h *session.History) error {
					if err := wholeSession(c, src.address); err != nil {
						return err
					}
					var l stalemateList
					if err := l.addSession(ctx, h, all); err != nil {
						return err
					}
					return a.showStalemates(&l)
				})
			}
			return a.listAllStalemates(c, project, all)
		},
	}
	addProjectFlag(c, &project)
	c.Flags().BoolVar(&all, "all", false, "also those that were ruled or settled")
	return c
}

func (a *app) listAllStalemates(c *cobra.Command, project string, all bool) error {
	ctx := c.Context()
	cfg, err := a.open(project, "", nil)
	if err != nil {
		return err
	}
	st, err := cfg.openToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return a.showStalemates(&stalemateList{})
	}
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	threads, err := session.List(ctx, st)
	if err != nil {
		return err
	}
	var l stalemateList
	for _, thread := range threads {
		h, err := session.Load(ctx, st, thread)
		if err == nil {
			err = l.addSession(ctx, h, all)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // the others may need somebody all the same
			l.damaged = append(l.damaged, damagedSession{thread, fault.CodeOf(err), err.Error()})
		}
	}
	about, err := cfg.door(st).Stalemates(ctx, "")
	if err != nil {
		return err
	}
	l.addRecords(about, all)
	return a.showStalemates(&l)
}

// stalemateList is a list of stalemates.
type stalemateList struct {
	rows    []stalemateRow
	damaged []damagedSession
}

// damagedSession is one whose stalemates cannot be told.
type damagedSession struct {
	Thread  string     `json:"thread_id"`
	Code    fault.Code `json:"code"`
	Problem string     `json:"problem"`
}

// addSession adds the stalemates of a session, or none of them.
func (l *stalemateList) addSession(ctx context.Context, h *session.History, all bool) error {
	var rows []stalemateRow
	for i := range h.State.Stalemates {
		s := &h.State.Stalemates[i]
		if !all && !s.Waits() {
			continue
		}
		row := stalemateRowOf(h.Thread, s)
		r, err := h.Request(ctx, s.ID)
		if err != nil {
			return err
		}
		for _, p := range r.Parties {
			row.Parties = append(row.Parties, p.Name)
		}
		rows = append(rows, row)
	}
	l.rows = append(l.rows, rows...)
	return nil
}

func (l *stalemateList) addRecords(about []govern.Stalemate, all bool) {
	for i := range about {
		if row := recordStalemateRow(&about[i]); all || row.waits {
			l.rows = append(l.rows, row)
		}
	}
}

// showStalemates shows a list. One that may lack something says so by its exit code, whoever
// else is needed.
func (a *app) showStalemates(l *stalemateList) error {
	switch {
	case len(l.damaged) > 0:
		a.exit = exitFailed
	case slices.ContainsFunc(l.rows, func(r stalemateRow) bool { return r.waits }):
		a.exit = exitPerson
	}
	return a.show(l)
}

func (l *stalemateList) text(a *app) error {
	if len(l.rows)+len(l.damaged) == 0 {
		return a.write([]byte("nothing is stuck\n"))
	}
	table := [][]string{{"STALEMATE", "ABOUT", "STATE", "KIND", "PLACE", "PARTIES"}}
	for _, r := range l.rows {
		table = append(table, []string{r.ID, r.Thread, r.State, r.Kind, r.Place, strings.Join(r.Parties, ", ")})
	}
	for _, d := range l.damaged {
		table = append(table, []string{"-", d.Thread, phaseDamaged, "-", "-", d.Problem})
	}
	return a.write([]byte(columns(table)))
}

func (l *stalemateList) document() any {
	return struct {
		Schema     string           `json:"schema"`
		Stalemates []stalemateRow   `json:"stalemates"`
		Damaged    []damagedSession `json:"damaged"`
	}{"brenner.stalemate.list/v1", l.rows, l.damaged}
}
