package playbookcmd

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/playbook"
)

func playbookHistoryCommand(a *ui.App) *cobra.Command {
	var project, session string
	var limit int
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
			if limit < 0 {
				return ui.Usage(c, "--limit cannot be below 0", "")
			}
			d, err := openPlaybook(c.Context(), a, project)
			if err != nil {
				return err
			}
			defer d.close()
			h := &bulletHistory{Schema: "brenner.playbook.history/v1", Entries: []playbook.Entry{}, Head: d.Head().Hash}
			if len(args) == 1 {
				if _, err := d.Find(args[0]); err != nil {
					return err
				}
				h.Bullet = args[0]
			}
			err = d.Walk(c.Context(), func(e *playbook.Entry) error {
				if (h.Bullet == "" || e.Bullet == h.Bullet) && (session == "" || e.Session == session) {
					h.Entries = append(h.Entries, *e)
					if limit > 0 && len(h.Entries) > 2*limit {
						h.Entries = append(h.Entries[:0:0], h.Entries[len(h.Entries)-limit:]...)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			if limit > 0 && len(h.Entries) > limit {
				h.Entries = h.Entries[len(h.Entries)-limit:]
			}
			return a.Show(h)
		},
	}
	ui.AddProjectFlag(c, &project)
	c.Flags().StringVar(&session, "session", "", "only what a session did")
	c.Flags().IntVar(&limit, "limit", 0, "only the last so many; 0 is all")
	return c
}

// bulletHistory is entries of the journal.
type bulletHistory struct {
	Schema  string           `json:"schema"`
	Bullet  string           `json:"bullet"` // empty for all
	Entries []playbook.Entry `json:"entries"`
	Head    string           `json:"head"`
}

func (h *bulletHistory) Print(a *ui.App) error {
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
