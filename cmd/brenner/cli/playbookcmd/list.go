package playbookcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/playbook/keeper"
	"brenner/project"
)

func playbookListCommand(a *ui.App) *cobra.Command {
	var dir string
	var opt keeper.ListOptions
	c := &cobra.Command{
		Use:   "list",
		Short: "List bullets, the oldest first, or those most like a text",
		Example: `  brenner playbook list
  brenner playbook list --stage PROD --stage STAGING
  brenner playbook list --like "how many replicates" --limit 5
  brenner playbook list -q --stage SHADOW

Exit codes: 0 listed, even if there are none; 1 the playbook is damaged; 2 a flag is wrong; 75 the
endpoint for embeddings cannot be reached.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return playbookList(a, c, dir, &opt) },
	}
	ui.AddProjectFlag(c, &dir)
	f := c.Flags()
	f.StringArrayVar(&opt.Stages, "stage", nil, "SHADOW, STAGING, PROD or QUARANTINED; repeatable")
	f.StringVar(&opt.Section, "section", "", "helpful, harmful or neutral")
	f.StringVar(&opt.Domain, "domain", "", "only this domain")
	f.StringVar(&opt.Tag, "tag", "", "only with this tag")
	f.StringVar(&opt.Like, "like", "", "those that are most like a text, the most alike first")
	f.IntVar(&opt.Limit, "limit", 0, "at most so many; 0 is all, or 20 with --like")
	return c
}

func playbookList(a *ui.App, c *cobra.Command, dir string, opt *keeper.ListOptions) error {
	if err := opt.Check(); err != nil {
		return err
	}
	if opt.Limit < 0 {
		return ui.Usage(c, "--limit cannot be below 0", "")
	}
	open := (*project.Project).OpenPlaybook
	if opt.Like != "" {
		open = (*project.Project).SearchPlaybook
	}
	return withBook(a, c, dir, open, func(b *project.Playbook) error {
		l, err := b.List(c.Context(), *opt)
		return show(a, &listView{List: l, none: "There are no such bullets: `brenner playbook add` makes one.\n"}, err)
	})
}

// listView is bullets in rows.
type listView struct {
	*keeper.List
	none string
	hint string
}

func (l *listView) Print(a *ui.App) error {
	if a.Quiet {
		var b strings.Builder
		for _, bullet := range l.Bullets {
			b.WriteString(bullet.ID + "\n")
		}
		return a.Write([]byte(b.String()))
	}
	if len(l.Bullets) == 0 {
		a.Say(l.none)
		return nil
	}
	head := []string{"BULLET", "STAGE", "SECTION", "HELPFUL", "HARMFUL", "CONFIDENCE", "TEXT"}
	if l.Cosines != nil {
		head = append([]string{"COSINE"}, head...)
	}
	rows := [][]string{head}
	for i, b := range l.Bullets {
		row := []string{
			b.ID, string(b.Stage), string(b.Section), strconv.Itoa(b.Helpful), strconv.Itoa(b.Harmful), fmt.Sprintf("%.2f", b.Confidence), ui.Cut(ui.Clean(b.Content)),
		}
		if l.Cosines != nil {
			row = append([]string{fmt.Sprintf("%.3f", l.Cosines[i])}, row...)
		}
		rows = append(rows, row)
	}
	if err := a.Write([]byte(ui.Columns(rows))); err != nil {
		return err
	}
	a.Say(l.hint)
	return nil
}

func playbookShowCommand(a *ui.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show everything about a bullet",
		Example: `  brenner playbook show pb-00007
  brenner playbook show pb-00007 --json

Exit codes: 0 shown; 1 the playbook is damaged; 2 there is no such bullet.`,
		Args: someIDs(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return withBook(a, c, dir, (*project.Project).OpenPlaybook, func(b *project.Playbook) error {
				one, err := b.Show(args[0])
				return show(a, bulletView{one}, err)
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

// bulletView is all about one bullet.
type bulletView struct{ *keeper.OneBullet }

func (o bulletView) Print(a *ui.App) error {
	b := o.Bullet
	rows := [][]string{
		{"Bullet", b.ID},
		{"Text", ui.Clean(b.Content)},
		{"Stage", bulletState(b)},
		{"Section", fmt.Sprintf("%s, in the domain %s", b.Section, ui.Clean(b.Domain))},
		{"Confidence", fmt.Sprintf("%.2f", b.Confidence)},
		{"Created", fmt.Sprintf("%s, last seen %s", artifact.FormatInstant(b.Created), artifact.FormatInstant(b.LastSeen))},
	}
	more := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{name, value})
		}
	}
	more("From", strings.Join(slices.DeleteFunc([]string{b.Source.Agent, b.Source.Session, b.Source.Task}, func(s string) bool { return s == "" }), ", "))
	more("Tags", strings.Join(b.Tags, ", "))
	more("Near", strings.Join(b.Near, ", "))
	more("Supersedes", b.Supersedes)
	more("Review", b.Review)
	more("Model", b.Embedding.Model)
	rows = append(rows, []string{"Hash", o.Hash})
	return a.Write([]byte(ui.Columns(rows)))
}
