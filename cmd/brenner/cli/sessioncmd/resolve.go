package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

func sessionResolveCommand(a *ui.App) *cobra.Command {
	var flags DoorFlags
	var take string
	c := &cobra.Command{
		Use:   "resolve ID [PLACE]",
		Short: "Decide a conflict: take what one of the agents wrote",
		Long: `Clears a CONFLICT by taking one of its candidates, named by its agent, its delta, or the
beginning of that. The decision is an EDIT in the journal, under the name of --as. To write
something that no candidate says, use ` + "`brenner session apply --set`" + `.

Without --take it lists the candidates with their values, and without a PLACE all
conflicts; then nothing is written.`,
		Example: `  brenner session resolve RS-20261115-cell-fate
  brenner session resolve RS-20261115-cell-fate A1.status
  brenner session resolve RS-20261115-cell-fate A1.status --take GreenValley --why "the estimate was a guess"
  brenner session resolve RS-20261115-cell-fate P2.predictions.H1 --take d-92dbc1ff --as Sydney

Exit codes: 0 decided, or nothing is in conflict; 1 it could not be stored; 2 there is no
such session, conflict or candidate; 4 --as names no authority; 5 listed: a decision is
needed; 75 the store is busy.`,
		Args: ui.OneOrTwo("a session is needed"),
		RunE: func(c *cobra.Command, args []string) error {
			place := ""
			if len(args) > 1 {
				place = args[1]
			}
			switch {
			case !c.Flags().Changed("take"):
				if err := ui.Unused(c, "needs --take: without it nothing is decided", "why", "as"); err != nil {
					return err
				}
				return listConflicts(a, c, flags.Project, args[0], place)
			case place == "":
				return ui.Usage(c, "--take needs the place that is to be decided", "`brenner session resolve "+ui.Clean(args[0])+"` lists them")
			}
			return resolveConflict(a, c, &flags, args[0], place, take)
		},
	}
	flags.Add(c)
	c.Flags().StringVar(&take, "take", "", "whose value: an agent, a delta, or the beginning of a delta's id")
	c.Flags().StringVar(&flags.why, "why", "", "the reason, for whoever reads the journal")
	return c
}

func resolveConflict(a *ui.App, c *cobra.Command, flags *DoorFlags, arg, place, take string) error {
	d, err := OpenDoor(a, c, flags, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Door.Store)
	ctx := c.Context()
	h, err := session.Load(ctx, d.Door.Store, d.Thread)
	if err != nil {
		return err
	}
	before, err := h.Artifact(ctx, h.State.Version())
	if err != nil {
		return err
	}
	conflict, err := session.ConflictAt(&before, place)
	if err != nil {
		return err
	}
	chosen, err := session.Candidate(conflict, place, take)
	if err != nil {
		return err
	}
	// By its whole id: should others have written meanwhile, the choice stays what it is.
	h, out, err := d.Door.Resolve(ctx, d.Thread, place, chosen.Delta, flags.why)
	if err != nil {
		return err
	}
	res := Applied(ctx, a, d, h, &out)
	res.Resolved = &audit.Resolved{Place: place, Agent: chosen.Agent, Delta: chosen.Delta, Value: artifact.Canonical(chosen.Value)}
	return a.Show(appliedView{res})
}

// listConflicts shows what waits for a decision.
func listConflicts(a *ui.App, c *cobra.Command, dir, arg, place string) error {
	return a.WithSession(c, dir, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
		if err := ui.WholeSession(c, src.Address); err != nil {
			return err
		}
		res, err := audit.OpenConflicts(ctx, h, place)
		if err != nil {
			return err
		}
		if len(res.Conflicts) > 0 {
			a.Exit = ui.ExitPerson
		}
		return a.Show(conflictsView{res})
	})
}

// conflictsView is what waits for a decision, for people.
type conflictsView struct{ *audit.ConflictList }

func (r conflictsView) Print(a *ui.App) error {
	var b strings.Builder
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "%s\n", ui.Clean(c.Place))
		for _, one := range c.Candidates {
			fmt.Fprintf(&b, "  %s (%s, %s): %s\n", ui.Clean(one.Agent), ui.Clean(one.Delta), one.At, ui.Clean(one.Text))
			if one.Rationale != "" && !a.Quiet {
				fmt.Fprintf(&b, "    why: %s\n", ui.Clean(one.Rationale))
			}
		}
	}
	switch {
	case len(r.Conflicts) == 0:
		fmt.Fprintf(&b, "%s: nothing is in conflict in version %d\n", r.Thread, r.Version)
	case !a.Quiet:
		c := r.Conflicts[0]
		fmt.Fprintf(&b, "\nTo decide: %s\n", text.CommandToCopy("brenner session resolve "+r.Thread, "PLACE --take NAME", c.Place, "--take", c.Candidates[0].Agent))
	}
	return a.Write([]byte(b.String()))
}
