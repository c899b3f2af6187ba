package sessioncmd

import (
	"context"
	"fmt"
	"slices"
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
	var flags AuthorFlags
	var take string
	c := &cobra.Command{
		Use:   "resolve ID [PLACE]",
		Short: "Resolve a conflict by choosing one of the candidates",
		Long: `Resolves a CONFLICT by choosing one candidate, named by its agent, its delta or a prefix
of the delta's id. The decision is journaled as an EDIT under the name given by --as. To
write a different value, use ` + "`brenner session apply --set`" + `.

Without --take and PLACE on a terminal, shows one open conflict after the other and takes one
key each: 1, 2, … chooses that candidate, e writes another value ($VISUAL or $EDITOR, else a
line), s skips, q quits. Each decision is journaled at once. Otherwise it lists the candidates
with their values and the commands that choose them.`,
		Example: `  brenner session resolve RS-20261115-cell-fate
  brenner session resolve RS-20261115-cell-fate A1.status
  brenner session resolve RS-20261115-cell-fate A1.status --take GreenValley --why "the estimate was a guess"
  brenner session resolve RS-20261115-cell-fate P2.predictions.H1 --take d-92dbc1ff --as Sydney

Exit codes: 0 resolved, or no conflicts; 1 storing failed; 2 no such session, conflict or
candidate; 4 --as is not an authority; 5 listed conflicts that need a decision; 75 the
store is busy.`,
		Args: ui.OneOrTwo,
		RunE: func(c *cobra.Command, args []string) error {
			place := ""
			if len(args) > 1 {
				place = args[1]
			}
			switch {
			case !c.Flags().Changed("take") && place == "" && a.Interactive() && !isExport(args[0]):
				return walkConflicts(a, c, &flags, args[0])
			case !c.Flags().Changed("take"):
				if err := ui.Unused(c, "requires --take", "why", "as"); err != nil {
					return err
				}
				return listConflicts(a, c, args[0], place)
			case place == "":
				return ui.Usage(c, "--take requires PLACE", "`brenner session resolve "+ui.Clean(args[0])+"` lists the conflicts")
			}
			return resolveConflict(a, c, &flags, args[0], place, take)
		},
	}
	flags.Add(c)
	c.Flags().StringVar(&take, "take", "", "candidate to choose: an agent, a delta id, or a prefix of it")
	c.Flags().StringVar(&flags.why, "why", "", "reason, kept in the journal")
	return c
}

// completeConflicts completes the places of open conflicts, and with --take the agents of one.
func completeConflicts(a *ui.App, c *cobra.Command) *cobra.Command {
	session := c.ValidArgsFunction
	words := func(c *cobra.Command, args []string, of func(*audit.OpenConflict) []string) ([]string, cobra.ShellCompDirective) {
		return a.Completed(c, func(p *project.Project, c *cobra.Command) []string {
			var all []string
			open := openConflicts(c.Context(), p, args[0])
			for i := range open {
				if len(args) == 1 || open[i].Place == args[1] {
					all = append(all, of(&open[i])...)
				}
			}
			slices.Sort(all)
			return slices.Compact(all)
		}), cobra.ShellCompDirectiveNoFileComp
	}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return session(c, args, word)
		}
		return words(c, args, func(o *audit.OpenConflict) []string { return []string{o.Place} })
	}
	_ = c.RegisterFlagCompletionFunc("take", func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(c, args, func(o *audit.OpenConflict) []string {
			var agents []string
			for i := range o.Candidates {
				agents = append(agents, o.Candidates[i].Agent)
			}
			return agents
		})
	})
	return c
}

// openConflicts returns the open conflicts of a session, or none on any error.
func openConflicts(ctx context.Context, p *project.Project, id string) []audit.OpenConflict {
	if id == ui.LatestSession {
		id, _ = p.NewestSession(ctx)
	}
	src, err := p.OpenSource(ctx, id)
	if err != nil {
		return nil
	}
	defer p.CloseStore(src.Store)
	h, err := src.Load(ctx)
	if err != nil {
		return nil
	}
	open, err := audit.OpenConflicts(ctx, h, "")
	if err != nil {
		return nil
	}
	return open.Conflicts
}

func resolveConflict(a *ui.App, c *cobra.Command, flags *AuthorFlags, arg, place, take string) error {
	d, err := OpenWritable(a, c, flags, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Editor.Store)
	ctx := c.Context()
	h, err := session.Load(ctx, d.Editor.Store, d.Thread)
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
	// By its full id, so that a concurrent write does not change the choice.
	h, out, err := d.Editor.Resolve(ctx, d.Thread, place, chosen.Delta, flags.why)
	if err != nil {
		return err
	}
	res := Applied(ctx, a, d, h, &out)
	res.Resolved = &audit.Resolved{Place: place, Agent: chosen.Agent, Delta: chosen.Delta, Value: artifact.Canonical(chosen.Value)}
	return ui.Show(a, res, nil, appliedText)
}

// listConflicts lists the open conflicts.
func listConflicts(a *ui.App, c *cobra.Command, arg, place string) error {
	return a.WithWhole(c, arg, func(ctx context.Context, _ *project.Source, h *session.History) error {
		res, err := audit.OpenConflicts(ctx, h, place)
		if err != nil {
			return err
		}
		if len(res.Conflicts) > 0 {
			a.Exit = ui.ExitPerson
		}
		return ui.Show(a, res, nil, conflictsText)
	})
}

func conflictsText(a *ui.App, r *audit.ConflictList) string {
	var b strings.Builder
	for i := range r.Conflicts {
		c := &r.Conflicts[i]
		fmt.Fprintf(&b, "%s\n", ui.Clean(c.Place))
		for j := range c.Candidates {
			b.WriteString("  " + candidateText(&c.Candidates[j], !a.Quiet))
			if !a.Quiet {
				fmt.Fprintf(&b, "    to take it: %s\n", takeCommand(r.Thread, c, j))
			}
		}
	}
	if len(r.Conflicts) == 0 {
		fmt.Fprintf(&b, "%s: no conflicts in version %d\n", r.Thread, r.Version)
	}
	return b.String()
}

// candidateText shows a candidate: author, value and rationale.
func candidateText(c *audit.OpenCandidate, why bool) string {
	out := fmt.Sprintf("%s (%s, %s): %s\n", ui.Clean(c.Agent), ui.Clean(c.Delta), c.At, ui.Clean(c.Text))
	if c.Rationale != "" && why {
		out += fmt.Sprintf("    why: %s\n", ui.Clean(c.Rationale))
	}
	return out
}

// takeCommand is the command that chooses a candidate: by its agent, or by its delta if the
// agent has several.
func takeCommand(thread string, c *audit.OpenConflict, n int) string {
	name := c.Candidates[n].Agent
	for i := range c.Candidates {
		if i != n && c.Candidates[i].Agent == name {
			name = c.Candidates[n].Delta
			break
		}
	}
	return text.CommandToCopy("brenner session resolve "+thread, "PLACE --take NAME", c.Place, "--take", name)
}

func isExport(arg string) bool {
	_, _, export := project.ExportFile(arg)
	return export
}
