package sessioncmd

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/sqlite"
)

func sessionListCommand(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the sessions of the project, the one with the latest event first",
		Long: `Lists the sessions of the project, the one in which something happened last first. With
--quiet it prints their ids only.`,
		Example: `  brenner session list
  brenner session list --json
  brenner session list -q | xargs -n 1 brenner session resume

Exit codes: 0 listed, even if there are none; 1 the store, or a session of those that are
listed, is damaged; 2 the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return listSessions(c.Context(), a, project) },
	}
	ui.AddProjectFlag(c, &project)
	return c
}

// sessionRow is what the list says of a session.
type sessionRow struct {
	Thread    string     `json:"thread_id"`
	Phase     string     `json:"phase"`
	Reason    string     `json:"reason"`
	Round     int        `json:"round"`
	Rounds    int        `json:"rounds"`
	Version   int        `json:"version"`
	Conflicts int        `json:"conflicts"`
	Rehearsal bool       `json:"rehearsal"`
	Question  string     `json:"question"`
	Started   string     `json:"started_at"`
	Updated   string     `json:"updated_at"`
	Code      fault.Code `json:"code,omitempty"` // of a session that cannot be read
	Problem   string     `json:"problem,omitempty"`
}

func listSessions(ctx context.Context, a *ui.App, project string) error {
	p, err := a.Open(project, "", nil)
	if err != nil {
		return err
	}
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return a.Show(sessionList{})
	}
	if err != nil {
		return err
	}
	defer a.CloseStore(st)
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return err
	}
	rows := rowsOf(ctx, st, streams)
	if err := ctx.Err(); err != nil {
		return err
	}
	if slices.ContainsFunc(rows, func(r sessionRow) bool { return r.Phase == session.PhaseDamaged }) {
		a.Exit = ui.ExitFailed
	}
	return a.Show(sessionList(rows))
}

// listers is how many journals are read at once.
const listers = 4

func rowsOf(ctx context.Context, st *sqlite.Store, streams []store.Stream) []sessionRow {
	rows := make([]sessionRow, len(streams))
	var group sync.WaitGroup
	for first := range listers {
		group.Go(func() {
			for i := first; i < len(streams); i += listers {
				rows[i] = rowOf(ctx, st, &streams[i])
			}
		})
	}
	group.Wait()
	return rows
}

// rowOf folds a journal. It does not follow its chain: that is what verify is
// for. A session that cannot be read is a row all the same.
func rowOf(ctx context.Context, st *sqlite.Store, stream *store.Stream) sessionRow {
	row := sessionRow{
		Thread: session.ThreadOf(stream), Started: artifact.FormatInstant(stream.Began), Updated: artifact.FormatInstant(stream.Last),
	}
	entries, err := st.Entries(ctx, stream.Name, 0)
	var s *flow.State
	if err == nil {
		s, err = flow.Fold(entries)
	}
	var held bool
	if err == nil && s.Ended == "" {
		_, held, err = st.HolderOf(row.Thread)
	}
	if err != nil {
		row.Phase, row.Code, row.Problem = session.PhaseDamaged, fault.CodeOf(err), err.Error()
		return row
	}
	row.Reason, row.Round, row.Rounds, row.Version = s.Ended, s.Round(), s.Settings.Rounds, s.Version()
	row.Question, row.Rehearsal = s.Opened.Question, s.Opened.Rehearsal != ""
	if n := len(s.Commits); n > 0 {
		row.Conflicts = s.Commits[n-1].Outcome.Conflicts
	}
	switch {
	case held:
		row.Phase = session.PhaseRunning
	case s.Ended == "":
		row.Phase = session.PhaseLeft
	default:
		row.Phase = session.PhaseEnded
	}
	return row
}

// sessionList is all sessions of a project.
type sessionList []sessionRow

func (l sessionList) Print(a *ui.App) error {
	var b strings.Builder
	if a.Quiet {
		for i := range l {
			b.WriteString(ui.Clean(l[i].Thread) + "\n")
		}
		return a.Write([]byte(b.String()))
	}
	if len(l) == 0 {
		a.Say("There are no sessions yet: `brenner session start` begins one.\n")
		return nil
	}
	rows := [][]string{{"SESSION", "PHASE", "ROUND", "VERSION", "CONFLICTS", "UPDATED", "QUESTION"}}
	for i := range l {
		rows = append(rows, l[i].cells())
	}
	return a.Write([]byte(ui.Columns(rows)))
}

func (r *sessionRow) cells() []string {
	updated := ui.Seconds(r.Updated)
	if r.Phase == session.PhaseDamaged {
		return []string{r.Thread, r.Phase, "-", "-", "-", updated, r.Problem}
	}
	phase := r.Phase
	if r.Reason != "" && r.Reason != flow.EndRounds {
		phase += " (" + ui.Clean(r.Reason) + ")"
	}
	question := ui.Cut(ui.Clean(strings.Join(strings.Fields(r.Question), " ")))
	if r.Rehearsal {
		question = "(rehearsal) " + question
	}
	return []string{
		ui.Clean(r.Thread), phase, strconv.Itoa(r.Round) + " of " + strconv.Itoa(r.Rounds), strconv.Itoa(r.Version),
		strconv.Itoa(r.Conflicts), updated, question,
	}
}

func (l sessionList) Document() any {
	return struct {
		Schema   string       `json:"schema"`
		Sessions []sessionRow `json:"sessions"`
	}{"brenner.session.list/v1", append([]sessionRow{}, l...)}
}
