package loopcmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/loop/runner"
	"brenner/project"
	"brenner/session"
	"brenner/store"
	"brenner/store/sqlite"
)

func loopStatusCommand(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "status [NAME]",
		Short: "Say where a loop stands, from any terminal; without a name, list all of them",
		Example: `  brenner loop status
  brenner loop status night --json

Exit codes: 0 shown; 1 the store, or a loop of those that are listed, is damaged; 2 there is
no such loop.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.Open(project, "", nil)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listLoops(c.Context(), a, p)
			}
			return p.WithLoops(c.Context(), func(st *sqlite.Store) error {
				state, err := runner.Load(c.Context(), st, args[0])
				if err != nil {
					return err
				}
				s, err := summaryOf(p, c.Context(), st, state)
				if err != nil {
					return err
				}
				return a.Show(s)
			})
		},
	}
	ui.AddProjectFlag(c, &project)
	return c
}

func listLoops(ctx context.Context, a *ui.App, p *project.Project) error {
	list := loopList{}
	err := p.WithLoops(ctx, func(st *sqlite.Store) error {
		streams, err := runner.List(ctx, st)
		if err != nil {
			return err
		}
		slices.SortStableFunc(streams, func(x, y store.Stream) int {
			return cmp.Or(y.Last.Compare(x.Last), cmp.Compare(y.Name, x.Name))
		})
		for i := range streams {
			row := loopRow{
				Loop: runner.NameOf(&streams[i]), Started: artifact.FormatInstant(streams[i].Began), Updated: artifact.FormatInstant(streams[i].Last),
			}
			state, err := runner.Load(ctx, st, row.Loop)
			if err == nil {
				err = runner.AsNow(ctx, st, state)
			}
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil: // the others are there all the same
				a.Exit = ui.ExitFailed
				row.Phase, row.Code, row.Problem = session.PhaseDamaged, fault.CodeOf(err), err.Error()
			default:
				s := summarise(p, st, state)
				row.Phase, row.Reason, row.RetryAt, row.Round, row.Rounds = s.Phase, s.Reason, s.RetryAt, s.Round, s.Rounds
				row.Planned, row.Done, row.Failed, row.Short, row.Tokens, row.Rehearsal = s.Planned, s.Done, s.Failed, s.Short, s.Tokens, s.Rehearsal
			}
			list = append(list, row)
		}
		return nil
	})
	if err != nil && fault.CodeOf(err) != runner.NoLoop {
		return err
	}
	return a.Show(list)
}

// loopRow is what the list says of a loop.
type loopRow struct {
	Loop      string     `json:"loop"`
	Phase     string     `json:"phase"`
	Reason    string     `json:"reason"`
	RetryAt   string     `json:"retry_at"` // no session begins before
	Round     int        `json:"round"`
	Rounds    int        `json:"rounds"`
	Planned   int        `json:"planned"`
	Done      int        `json:"done"`
	Failed    int        `json:"failed"`
	Short     int        `json:"short"`
	Tokens    int        `json:"tokens_spent"`
	Rehearsal bool       `json:"rehearsal"`
	Started   string     `json:"started_at"`
	Updated   string     `json:"updated_at"`
	Code      fault.Code `json:"code,omitempty"` // of a loop that cannot be read
	Problem   string     `json:"problem,omitempty"`
}

type loopList []loopRow

func (l loopList) Print(a *ui.App) error {
	if a.Quiet {
		var b strings.Builder
		for i := range l {
			b.WriteString(ui.Clean(l[i].Loop) + "\n")
		}
		return a.Write([]byte(b.String()))
	}
	if len(l) == 0 {
		a.Say("There are no loops yet: `brenner loop run PLAN.yaml` begins one.\n")
		return nil
	}
	var problems strings.Builder
	rows := [][]string{{"LOOP", "PHASE", "ROUND", "DONE", "FAILED", "TOKENS", "UPDATED"}}
	for i := range l {
		r := &l[i]
		phase := r.Phase
		if r.Reason != "" {
			phase += " (" + ui.Clean(r.Reason) + ")"
		}
		if r.RetryAt != "" {
			phase += ", waiting until " + a.Clock(r.RetryAt)
		}
		if r.Phase == session.PhaseDamaged {
			rows = append(rows, []string{r.Loop, phase, "-", "-", "-", "-", ui.Seconds(r.Updated)})
			problems.WriteString("\n" + ui.Clean(r.Loop) + ": " + ui.Clean(r.Problem) + "\n")
			continue
		}
		rows = append(rows, []string{
			ui.Clean(r.Loop), phase, fmt.Sprintf("%d of %d", r.Round, r.Rounds), fmt.Sprintf("%d of %d", r.Done, r.Planned), fmt.Sprint(r.Failed),
			fmt.Sprint(r.Tokens), ui.Seconds(r.Updated),
		})
	}
	return a.Write([]byte(ui.Columns(rows) + problems.String()))
}

func (l loopList) Document() any {
	return struct {
		Schema string    `json:"schema"`
		Loops  []loopRow `json:"loops"`
	}{"brenner.loop.list/v1", append([]loopRow{}, l...)}
}
