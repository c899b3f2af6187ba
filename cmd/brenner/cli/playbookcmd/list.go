package playbookcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/playbook"
)

type playbookListOptions struct {
	project string
	stages  []string
	section string
	domain  string
	tag     string
	like    string
	limit   int
}

func playbookListCommand(a *ui.App) *cobra.Command {
	var opt playbookListOptions
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
		RunE: func(c *cobra.Command, _ []string) error { return playbookList(a, c, &opt) },
	}
	ui.AddProjectFlag(c, &opt.project)
	f := c.Flags()
	f.StringArrayVar(&opt.stages, "stage", nil, "SHADOW, STAGING, PROD or QUARANTINED; repeatable")
	f.StringVar(&opt.section, "section", "", "helpful, harmful or neutral")
	f.StringVar(&opt.domain, "domain", "", "only this domain")
	f.StringVar(&opt.tag, "tag", "", "only with this tag")
	f.StringVar(&opt.like, "like", "", "those that are most like a text, the most alike first")
	f.IntVar(&opt.limit, "limit", 0, "at most so many; 0 is all, or 20 with --like")
	return c
}

func playbookList(a *ui.App, c *cobra.Command, opt *playbookListOptions) error {
	want, err := opt.want(c)
	if err != nil {
		return err
	}
	open := func() (*desk, error) { return openPlaybook(c.Context(), a, opt.project) }
	if opt.like != "" {
		open = func() (*desk, error) { return openToSearch(c.Context(), a, opt.project) }
	}
	d, err := open()
	if err != nil {
		return err
	}
	defer d.close()
	if opt.like == "" {
		all := d.Bullets(want)
		if opt.limit > 0 && len(all) > opt.limit {
			all = all[:opt.limit]
		}
		return a.Show(d.list(all))
	}
	most := opt.limit
	if most == 0 {
		most = 20
	}
	matches, err := d.Similar(c.Context(), opt.like, most, want)
	if err != nil {
		return err
	}
	var all []*playbook.Bullet
	cosines := []float64{}
	for _, m := range matches {
		b, err := d.Find(m.ID)
		if err != nil {
			return err
		}
		all, cosines = append(all, b), append(cosines, m.Cosine)
	}
	l := d.list(all)
	l.Cosines = cosines
	return a.Show(l)
}

// want gives which bullets the flags ask for.
func (o *playbookListOptions) want(c *cobra.Command) (func(*playbook.Bullet) bool, error) {
	for i, s := range o.stages {
		o.stages[i] = strings.ToUpper(s)
		if !slices.Contains(playbook.Stages(), playbook.Stage(o.stages[i])) {
			return nil, ui.Usage(c, "there is no stage "+fault.Shown(s), "SHADOW, STAGING, PROD or QUARANTINED")
		}
	}
	if o.section != "" && !slices.Contains(playbook.Sections(), playbook.Section(o.section)) {
		return nil, ui.Usage(c, "there is no section "+fault.Shown(o.section), "helpful, harmful or neutral")
	}
	if o.limit < 0 {
		return nil, ui.Usage(c, "--limit cannot be below 0", "")
	}
	return func(b *playbook.Bullet) bool {
		return (len(o.stages) == 0 || slices.Contains(o.stages, string(b.Stage))) && (o.section == "" || string(b.Section) == o.section) &&
			(o.domain == "" || b.Domain == o.domain) && (o.tag == "" || slices.Contains(b.Tags, o.tag))
	}, nil
}

// bulletList is bullets in rows.
type bulletList struct {
	Schema  string             `json:"schema"`
	Bullets []*playbook.Bullet `json:"bullets"`
	Cosines []float64          `json:"cosines,omitempty"` // of each bullet, where a text was looked for
	Head    string             `json:"head"`
	none    string
	hint    string
}

func (d *desk) list(all []*playbook.Bullet) *bulletList {
	l := &bulletList{
		Schema: "brenner.playbook.list/v1", Bullets: []*playbook.Bullet{}, Head: d.Head().Hash,
		none: "There are no such bullets: `brenner playbook add` makes one.\n",
	}
	for _, b := range all {
		l.Bullets = append(l.Bullets, listed(b))
	}
	return l
}

func (l *bulletList) Print(a *ui.App) error {
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
	var project string
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show everything about a bullet",
		Example: `  brenner playbook show pb-00007
  brenner playbook show pb-00007 --json

Exit codes: 0 shown; 1 the playbook is damaged; 2 there is no such bullet.`,
		Args: someIDs(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := openPlaybook(c.Context(), a, project)
			if err != nil {
				return err
			}
			defer d.close()
			b, err := d.Find(args[0])
			if err != nil {
				return err
			}
			return a.Show(&oneBullet{Schema: "brenner.playbook.bullet/v1", Bullet: listed(b), Hash: b.Hash()})
		},
	}
	ui.AddProjectFlag(c, &project)
	return c
}

// oneBullet is all about one bullet.
type oneBullet struct {
	Schema string           `json:"schema"`
	Bullet *playbook.Bullet `json:"bullet"`
	Hash   string           `json:"hash"`
}

func (o *oneBullet) Print(a *ui.App) error {
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
