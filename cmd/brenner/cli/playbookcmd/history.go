package playbookcmd

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
)

func playbookHistoryCommand(a *ui.App) *cobra.Command {
	var dir string
	var opt keeper.HistoryOptions
	c := &cobra.Command{
		Use:   "history [ID]",
		Short: "What happened to a bullet, or to all of them, entry by entry",
		Long: `Shows the entries of the journal, the oldest first: what each changed, who did it and why.
With --json each has the hashes of the bullet before and after it.`,
		Example: `  brenner playbook history pb-00007
  brenner playbook history --limit 20
  brenner playbook history --session RS-20261115-cells --json

Exit codes: 0 shown; 1 the journal is damaged; 2 there is no such bullet.`,
		Args: someIDs(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if opt.Limit < 0 {
				return ui.Usage(c, "--limit cannot be below 0", "")
			}
			if len(args) == 1 {
				opt.Bullet = args[0]
			}
			return withBook(a, c, dir, (*project.Project).OpenPlaybook, func(b *project.Playbook) error {
				h, err := b.History(c.Context(), opt)
				return show(a, historyView{h}, err)
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	c.Flags().StringVar(&opt.Session, "session", "", "only what a session did")
	c.Flags().IntVar(&opt.Limit, "limit", 0, "only the last so many; 0 is all")
	return c
}

// historyView is entries of the journal.
type historyView struct{ *keeper.History }

func (h historyView) Print(a *ui.App) error {
	if len(h.Entries) == 0 {
		a.Say("Nothing has happened yet.\n")
		return nil
	}
	rows := [][]string{{"ENTRY", "AT", "BULLET", "OP", "CHANGE", "BY", "SESSION", "BEFORE", "AFTER", "WHY"}}
	for i := range h.Entries {
		e := &h.Entries[i]
		at, _, _ := strings.Cut(artifact.FormatInstant(e.At), ".")
		why := e.Reason
		if e.Insight != "" {
			why = "“" + e.Insight + "”"
		}
		if e.Op == playbook.OpAdd && e.After.Content != nil {
			why = strings.TrimSpace(*e.After.Content)
		}
		rows = append(rows, []string{
			strconv.Itoa(e.Seq), strings.TrimSuffix(at, "Z") + "Z", e.Bullet, string(e.Op), ui.OrDash(entryChange(e)), ui.Clean(e.Actor), ui.OrDash(ui.Clean(e.Session)),
			shortHash(e.BeforeHash), shortHash(e.AfterHash), ui.Cut(ui.Clean(why)),
		})
	}
	return a.Write([]byte(ui.Columns(rows)))
}

func shortHash(hash string) string {
	if len(hash) < 8 {
		return "-"
	}
	return hash[:8]
}
