package playbookcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
)

func playbookStatsCommand(a *ui.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "stats",
		Short: "How many bullets there are in which stage, and what happened lately",
		Example: `  brenner playbook stats
  brenner playbook stats --json

Exit codes: 0 shown; 1 the playbook is damaged; 2 the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withBook(a, c, dir, (*project.Project).OpenPlaybook, func(b *project.Playbook) error {
				s, err := b.Stats(c.Context())
				return show(a, statsView{s}, err)
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

// statsView is what a playbook amounts to.
type statsView struct{ *keeper.Stats }

// lately is how many days are shown to people.
const lately = 14

func (s statsView) Print(a *ui.App) error {
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
