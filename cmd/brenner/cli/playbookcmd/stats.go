package playbookcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/playbook"
)

func playbookStatsCommand(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "stats",
		Short: "How many bullets there are in which stage, and what happened lately",
		Example: `  brenner playbook stats
  brenner playbook stats --json

Exit codes: 0 shown; 1 the playbook is damaged; 2 the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := openPlaybook(c.Context(), a, project)
			if err != nil {
				return err
			}
			defer d.close()
			var counter playbook.Counter
			if err := d.Walk(c.Context(), func(e *playbook.Entry) error { counter.Take(e); return nil }); err != nil {
				return err
			}
			return a.Show(&bulletStats{Schema: "brenner.playbook.stats/v1", Stats: counter.Stats(d.Bullets(nil)), Head: d.Head().Hash})
		},
	}
	ui.AddProjectFlag(c, &project)
	return c
}

// bulletStats is what a playbook amounts to.
type bulletStats struct {
	Schema string `json:"schema"`
	playbook.Stats
	Head string `json:"head"`
}

// lately is how many days are shown to people.
const lately = 14

func (s *bulletStats) Print(a *ui.App) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %d waiting for a person\n", text.Count(s.Bullets, "bullet"), text.Plural(s.Entries, "entry", "entries"), s.Waiting)
	chart(&b, "Stages", s.Stages)
	chart(&b, "Sections", s.Sections)
	if len(s.Domains) > 1 {
		chart(&b, "Domains", s.Domains)
	}
	days := s.Days[max(0, len(s.Days)-lately):]
	if len(days) > 0 {
		most := 0
		for _, d := range days {
			most = max(most, d.Added+d.Counted+d.Other)
		}
		b.WriteString("\nDays (█ added, ▓ counted, ░ other)\n")
		rows := [][]string{}
		for _, d := range days {
			bar := strings.Repeat("█", length(d.Added, most)) + strings.Repeat("▓", length(d.Counted, most)) + strings.Repeat("░", length(d.Other, most))
			rows = append(rows, []string{"  " + d.Date, fmt.Sprintf("%d + %d + %d", d.Added, d.Counted, d.Other), bar})
		}
		b.WriteString(ui.Columns(rows))
	}
	return a.Write([]byte(b.String()))
}

// widestBar is how many characters the longest bar of a chart has.
const widestBar = 30

// length gives how long a bar is; what is there at all can be seen.
func length(n, most int) int {
	if n == 0 || most == 0 {
		return 0
	}
	return max(1, n*widestBar/most)
}

func chart(b *strings.Builder, title string, tallies []playbook.Tally) {
	most := 0
	for _, t := range tallies {
		most = max(most, t.Count)
	}
	rows := make([][]string, 0, len(tallies))
	for _, t := range tallies {
		rows = append(rows, []string{"  " + t.Name, fmt.Sprint(t.Count), strings.Repeat("█", length(t.Count, most))})
	}
	b.WriteString("\n" + title + "\n" + ui.Columns(rows))
}
