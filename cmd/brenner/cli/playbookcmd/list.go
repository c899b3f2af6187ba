package playbookcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
)

func playbookListCommand(a *ui.App) *cobra.Command {
	var opt keeper.ListOptions
	c := ui.InProject(&cobra.Command{
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
	})
	f := c.Flags()
	f.StringArrayVar(&opt.Stages, "stage", nil, "SHADOW, STAGING, PROD or QUARANTINED; repeatable")
	f.StringVar(&opt.Section, "section", "", "helpful, harmful or neutral")
	f.StringVar(&opt.Domain, "domain", "", "only this domain")
	f.StringVar(&opt.Tag, "tag", "", "only with this tag")
	f.StringVar(&opt.Like, "like", "", "those that are most like a text, the most alike first")
	f.IntVar(&opt.Limit, "limit", 0, "at most so many; 0 is all, or 20 with --like")
	return c
}

func playbookList(a *ui.App, c *cobra.Command, opt *keeper.ListOptions) error {
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
	return show(a, c, open, func(b *project.Playbook) (*keeper.List, error) { return b.List(c.Context(), *opt) },
		func(a *ui.App, l *keeper.List) string {
			return listText(a, l, "There are no such bullets: `brenner playbook add` makes one.\n")
		})
}

func bulletIDs(bullets []*playbook.Bullet) string {
	return ui.EachLine(bullets, func(b **playbook.Bullet) string { return (*b).ID })
}

// listText puts bullets in rows; none is what to say where there are none.
func listText(a *ui.App, l *keeper.List, none string) string {
	if a.Quiet {
		return bulletIDs(l.Bullets)
	}
	if len(l.Bullets) == 0 {
		a.Say(none)
		return ""
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
	return ui.Columns(rows)
}

func playbookShowCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "show ID",
		Short: "Show everything about a bullet",
		Example: `  brenner playbook show pb-00007
  brenner playbook show pb-00007 --json

Exit codes: 0 shown; 1 the playbook is damaged; 2 there is no such bullet.`,
		Args: someIDs(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return show(a, c, (*project.Project).OpenPlaybook, func(b *project.Playbook) (*keeper.OneBullet, error) { return b.Show(args[0]) }, bulletText)
		},
	})
}

func bulletText(_ *ui.App, o *keeper.OneBullet) string {
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
	return ui.Columns(rows)
}

func playbookHistoryCommand(a *ui.App) *cobra.Command {
	var opt keeper.HistoryOptions
	c := ui.InProject(&cobra.Command{
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
			return show(a, c, (*project.Project).OpenPlaybook, func(b *project.Playbook) (*keeper.History, error) { return b.History(c.Context(), opt) }, historyText)
		},
	})
	c.Flags().StringVar(&opt.Session, "session", "", "only what a session did")
	c.Flags().IntVar(&opt.Limit, "limit", 0, "only the last so many; 0 is all")
	return c
}

func historyText(a *ui.App, h *keeper.History) string {
	if len(h.Entries) == 0 {
		a.Say("Nothing has happened yet.\n")
		return ""
	}
	rows := [][]string{{"ENTRY", "AT", "BULLET", "OP", "CHANGE", "BY", "SESSION", "BEFORE", "AFTER", "WHY"}}
	for i := range h.Entries {
		e := &h.Entries[i]
		why := e.Reason
		if e.Insight != "" {
			why = "“" + e.Insight + "”"
		}
		if e.Op == playbook.OpAdd && e.After.Content != nil {
			why = strings.TrimSpace(*e.After.Content)
		}
		rows = append(rows, []string{
			strconv.Itoa(e.Seq), ui.Seconds(artifact.FormatInstant(e.At)), e.Bullet, string(e.Op), ui.OrDash(entryChange(e)), ui.Clean(e.Actor), ui.OrDash(ui.Clean(e.Session)),
			shortHash(e.BeforeHash), shortHash(e.AfterHash), ui.Cut(ui.Clean(why)),
		})
	}
	return ui.Columns(rows)
}

func shortHash(hash string) string {
	if len(hash) < 8 {
		return "-"
	}
	return hash[:8]
}

func playbookRenderCommand(a *ui.App) *cobra.Command {
	var w keeper.Selection
	c := ui.InProject(&cobra.Command{
		Use:   "render",
		Short: "Print the bullets that a prompt would get, within its bound of tokens",
		Long: `Prints what a session puts into a prompt: bullets in PROD, and for a share of the sessions
(playbook.staging_share, by the session's id) those in STAGING, line for line as they stand
under Memory in its messages; those most about the subject first. Bullets are taken whole; those for which there is no room are named.`,
		Example: `  brenner playbook render --about "How does a cell know what to become?" --role test_designer
  brenner playbook render --tokens 200 --session RS-20261115-cells
  brenner playbook render --all

Exit codes: 0 printed, even if there is nothing; 1 the playbook is damaged; 2 a flag is wrong; 75 the
endpoint for embeddings cannot be reached.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if w.Tokens < 0 {
				return ui.Usage(c, "--tokens cannot be below 0", "")
			}
			var bound *int
			if c.Flags().Changed("tokens") {
				bound = &w.Tokens
			}
			return playbookRender(a, c, w, bound)
		},
	})
	f := c.Flags()
	f.StringVar(&w.About, "about", "", "the subject; without it the oldest come first")
	f.StringVar(&w.Role, "role", "", "for this role: bullets with a tag role:OTHER are left out")
	f.StringVar(&w.Session, "session", "", "for this session")
	f.StringVar(&w.Domain, "domain", "", "only this domain")
	f.IntVar(&w.Tokens, "tokens", 0, "the bound; playbook.tokens if not given")
	f.BoolVar(&w.All, "all", false, "of every stage but quarantine: what could be said, not what is")
	return c
}

func playbookRender(a *ui.App, c *cobra.Command, w keeper.Selection, bound *int) error {
	about := ""
	err := show(a, c, (*project.Project).SearchPlaybook, func(b *project.Playbook) (*project.RenderedLessons, error) {
		return b.Render(c.Context(), w, bound)
	}, func(_ *ui.App, r *project.RenderedLessons) string {
		switch {
		case len(r.Left) > 0:
			about = "No room in " + text.Count(r.Budget, "token") + " for " + strings.Join(r.Left, ", ") + ".\n"
		case r.Text == "":
			about = "No bullet reaches this prompt.\n"
		}
		return r.Text
	})
	if err == nil && !a.Quiet {
		a.Say(about)
	}
	return err
}

func playbookImportCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var domain string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Add bullets from lines of the form [id] helpful=N harmful=N :: text",
		Long: `Adds bullets from a file in the line form of other playbook tools, all or none; "-" is
standard input. Blank lines and headings (#) are passed over. A line that is there already is
passed over too, and one whose id or text stands for something else is refused, as is one that
says the same as another line, that stands in another domain than --domain, or that cannot be
read: then nothing is imported, and every such line is named.

The bullets keep their ids and counters and begin in SHADOW. Making their vectors takes some
ten to forty milliseconds for each.`,
		Example: `  brenner playbook import playbook.txt
  brenner playbook export -C ../other | brenner playbook import -

Exit codes: 0 imported; 1 it could not be stored; 2 the file or a line cannot be used, and nothing is
imported; 4 --as names no authority; 75 the store is busy, or the endpoint cannot be reached.`,
		Args: ui.OneFile,
		RunE: func(c *cobra.Command, args []string) error { return playbookImport(a, c, &opt, args[0], domain) },
	}
	opt.add(c, "why, for the journal")
	c.Flags().StringVar(&domain, "domain", "", "the domain of the bullets; playbook.domain if not given")
	return c
}

func playbookImport(a *ui.App, c *cobra.Command, opt *actFlags, file, domain string) error {
	data, err := a.ReadFile("the bullets", file)
	if err != nil {
		return err
	}
	return act(a, c, opt, func(b *project.Playbook, act playbook.Act) (*project.ImportedLines, error) {
		return b.ImportLines(c.Context(), act, file, string(data), domain)
	}, importText)
}

func importText(a *ui.App, r *project.ImportedLines) string {
	if a.Quiet {
		return ""
	}
	return fmt.Sprintf("%s: %s added, %d there before\n", ui.Clean(r.File), text.Count(r.Added, "bullet"), r.Already)
}

func playbookExportCommand(a *ui.App) *cobra.Command {
	var domain, out string
	var all, force bool
	c := ui.InProject(&cobra.Command{
		Use:   "export",
		Short: "Write the bullets as lines of the form [id] helpful=N harmful=N :: text",
		Long: `Writes the bullets, the oldest first, in the line form of other playbook tools. It has no
stages: so what is quarantined is left out, unless --all is given. What is exported can be
imported again, and gives the same lines; it has no domains either, so where domains share a
text, export each of them with --domain.`,
		Example: `  brenner playbook export > playbook.txt
  brenner playbook export --all --out everything.txt

Exit codes: 0 written, even if there are none; 1 it cannot be written, or the playbook is damaged; 2 the
file is there already.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				if err := ui.Unused(c, "needs --out", "force"); err != nil {
					return err
				}
			}
			write := files.Create
			switch {
			case out == "":
				write = func(string, []byte) error { return nil }
			case force:
				write = files.Replace
			}
			return show(a, c, (*project.Project).OpenPlaybook, func(b *project.Playbook) (*keeper.Lines, error) {
				x := b.Lines(domain, all)
				x.File = out
				return x, write(out, x.Bytes())
			}, linesText)
		},
	})
	f := c.Flags()
	f.StringVarP(&out, "out", "o", "", "write to this file instead of standard output")
	f.StringVar(&domain, "domain", "", "only this domain")
	f.BoolVar(&all, "all", false, "what is quarantined too")
	f.BoolVar(&force, "force", false, "overwrite the file if it is there")
	return c
}

func linesText(a *ui.App, x *keeper.Lines) string {
	if x.File == "" {
		return string(x.Bytes())
	}
	if !a.Quiet {
		a.Say(fmt.Sprintf("%s: %s\n", ui.Clean(x.File), text.Count(len(x.Lines), "bullet")))
	}
	return ""
}
