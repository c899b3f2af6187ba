package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop/runner"
	"brenner/store"
	"brenner/store/sqlite"
)

func (a *app) loopStatusCommand() *cobra.Command {
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
			cfg, err := a.open(project, "", nil)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.listLoops(c.Context(), cfg)
			}
			return cfg.withLoops(c.Context(), func(st *sqlite.Store) error {
				state, err := runner.Load(c.Context(), st, args[0])
				if err != nil {
					return err
				}
				s, err := cfg.summaryOf(c.Context(), st, state)
				if err != nil {
					return err
				}
				return a.show(s)
			})
		},
	}
	addProjectFlag(c, &project)
	return c
}

// withLoops reads the store of a project.
func (p *Project) withLoops(ctx context.Context, do func(*sqlite.Store) error) error {
	st, err := p.openToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return &fault.Error{Code: runner.NoLoop, Detail: "there are no loops in this project yet", Hint: "`brenner loop run PLAN.yaml` begins one"}
	}
	if err != nil {
		return err
	}
	defer p.closeStore(st)
	return do(st)
}

// openLoops opens the store of a project for a change of a loop. A store that is not
// there must not be made by asking for one.
func (p *Project) openLoops(ctx context.Context, name string) (*sqlite.Store, error) {
	err := p.withLoops(ctx, func(st *sqlite.Store) error {
		_, err := runner.Load(ctx, st, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p.openStore(ctx)
}

func (a *app) listLoops(ctx context.Context, cfg *Project) error {
	list := loopList{}
	err := cfg.withLoops(ctx, func(st *sqlite.Store) error {
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
				a.exit = exitFailed
				row.Phase, row.Code, row.Problem = phaseDamaged, fault.CodeOf(err), err.Error()
			default:
				s := cfg.loopSummary(st, state)
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
	return a.show(list)
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

func (l loopList) text(a *app) error {
	if a.quiet {
		var b strings.Builder
		for i := range l {
			b.WriteString(clean(l[i].Loop) + "\n")
		}
		return a.write([]byte(b.String()))
	}
	if len(l) == 0 {
		a.say("There are no loops yet: `brenner loop run PLAN.yaml` begins one.\n")
		return nil
	}
	var problems strings.Builder
	rows := [][]string{{"LOOP", "PHASE", "ROUND", "DONE", "FAILED", "TOKENS", "UPDATED"}}
	for i := range l {
		r := &l[i]
		phase := r.Phase
		if r.Reason != "" {
			phase += " (" + clean(r.Reason) + ")"
		}
		if r.RetryAt != "" {
			phase += ", waiting until " + a.clock(r.RetryAt)
		}
		if r.Phase == phaseDamaged {
			rows = append(rows, []string{r.Loop, phase, "-", "-", "-", "-", seconds(r.Updated)})
			problems.WriteString("\n" + clean(r.Loop) + ": " + clean(r.Problem) + "\n")
			continue
		}
		rows = append(rows, []string{
			clean(r.Loop), phase, fmt.Sprintf("%d of %d", r.Round, r.Rounds), fmt.Sprintf("%d of %d", r.Done, r.Planned), fmt.Sprint(r.Failed),
			fmt.Sprint(r.Tokens), seconds(r.Updated),
		})
	}
	return a.write([]byte(columns(rows) + problems.String()))
}

// seconds gives an instant as people want it in a list.
func seconds(instant string) string {
	text, _, _ := strings.Cut(instant, ".")
	return strings.TrimSuffix(text, "Z") + "Z"
}

func (l loopList) document() any {
	return struct {
		Schema string    `json:"schema"`
		Loops  []loopRow `json:"loops"`
	}{"brenner.loop.list/v1", append([]loopRow{}, l...)}
}
