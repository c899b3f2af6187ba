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
	"brenner/project/lessons"
)

func playbookListCommand(a *ui.App) *cobra.Command {
	var opt keeper.ListOptions
	c := ui.InProject(&cobra.Command{
		Use:   "list",
		Short: "List bullets, oldest first or by similarity to a text",
		Example: `  brenner playbook list
  brenner playbook list --stage PROD --stage STAGING
  brenner playbook list --like "how many replicates" --limit 5
  brenner playbook list -q --stage SHADOW

Exit codes: 0 listed, even if empty; 1 the playbook is damaged; 2 invalid flag;
75 the embeddings endpoint is unreachable.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return playbookList(a, c, &opt) },
	})
	f := c.Flags()
	f.StringArrayVar(&opt.Stages, "stage", nil, "stage to list: SHADOW, STAGING, PROD, QUARANTINED or MERGED; repeatable (default: all but MERGED)")
	f.StringVar(&opt.Section, "section", "", "section to list: helpful, harmful or neutral")
	f.StringVar(&opt.Domain, "domain", "", "domain to list")
	f.StringVar(&opt.Tag, "tag", "", "tag that bullets must have")
	f.StringVar(&opt.Like, "like", "", "text to compare with; most similar bullets first")
	f.IntVar(&opt.Limit, "limit", 0, "maximum number of bullets; 0 means all, or 20 with --like")
	return c
}

func playbookList(a *ui.App, c *cobra.Command, opt *keeper.ListOptions) error {
	if err := opt.Check(); err != nil {
		return err
	}
	if opt.Limit < 0 {
		return ui.Usage(c, "--limit: must not be negative", "")
	}
	open := lessons.Open
	if opt.Like != "" {
		open = lessons.Search
	}
	return show(a, c, open, func(b *lessons.Book) (*keeper.List, error) { return b.List(c.Context(), *opt) },
		func(a *ui.App, l *keeper.List) string {
			return listText(a, l, "No matching bullets. Add one with `brenner playbook add`.\n")
		})
}

func bulletIDs(bullets []*playbook.Bullet) string {
	return ui.EachLine(bullets, func(b **playbook.Bullet) string { return (*b).ID })
}

// listText formats bullets as a table, or prints none for an empty list.
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

Exit codes: 0 shown; 1 the playbook is damaged; 2 no such bullet.`,
		Args: someIDs(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return show(a, c, lessons.Open, func(b *lessons.Book) (*keeper.OneBullet, error) { return b.Show(args[0]) }, bulletText)
		},
	})
}

func bulletText(_ *ui.App, o *keeper.OneBullet) string {
	b := o.Bullet
	rows := [][]string{
		{"Bullet", b.ID},
		{"Text", ui.Clean(b.Content)},
		{"Stage", bulletState(b)},
		{"Section", fmt.Sprintf("%s, domain %s", b.Section, ui.Clean(b.Domain))},
		{"Confidence", fmt.Sprintf("%.2f", b.Confidence)},
		{"Created", fmt.Sprintf("%s, last seen %s", artifact.FormatInstant(b.Created), artifact.FormatInstant(b.LastSeen))},
	}
	more := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{name, value})
		}
	}
	more("From", originOf(b))
	more("Tags", strings.Join(b.Tags, ", "))
	more("Near", strings.Join(b.Near, ", "))
	more("Supersedes", b.Supersedes)
	more("Merged into", o.MergedInto)
	for _, m := range o.Merged {
		rows = append(rows, []string{"Stands for", m.ID + ": " + bulletState(m) + fromText(m)}, []string{"", ui.Clean(m.Content)})
	}
	more("Review", b.Review)
	more("Model", b.Embedding.Model)
	rows = append(rows, []string{"Hash", o.Hash})
	return ui.Columns(rows)
}

// originOf formats where a bullet comes from.
func originOf(b *playbook.Bullet) string {
	return strings.Join(slices.DeleteFunc([]string{b.Source.Agent, b.Source.Session, b.Source.Task}, func(s string) bool { return s == "" }), ", ")
}

func fromText(b *playbook.Bullet) string {
	if from := originOf(b); from != "" {
		return "; from " + ui.Clean(from)
	}
	return ""
}

func playbookHistoryCommand(a *ui.App) *cobra.Command {
	var opt keeper.HistoryOptions
	c := ui.InProject(&cobra.Command{
		Use:   "history [ID]",
		Short: "Show the history of one or all bullets",
		Long: `Shows journal entries, oldest first: what changed, who changed it and why. With --json,
each entry has the hashes of the bullet before and after the change. The history of a
bullet includes that of bullets merged into it.`,
		Example: `  brenner playbook history pb-00007
  brenner playbook history --limit 20
  brenner playbook history --session RS-20261115-cells --json

Exit codes: 0 shown; 1 the journal is damaged; 2 no such bullet.`,
		Args: someIDs(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if opt.Limit < 0 {
				return ui.Usage(c, "--limit: must not be negative", "")
			}
			if len(args) == 1 {
				opt.Bullet = args[0]
			}
			return show(a, c, lessons.Open, func(b *lessons.Book) (*keeper.History, error) { return b.History(c.Context(), opt) }, historyText)
		},
	})
	c.Flags().StringVar(&opt.Session, "session", "", "session whose entries to show")
	c.Flags().IntVar(&opt.Limit, "limit", 0, "number of latest entries to show; 0 means all")
	return c
}

func historyText(a *ui.App, h *keeper.History) string {
	if len(h.Entries) == 0 {
		a.Say("No entries yet.\n")
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
		Short: "Print the bullets that a prompt would contain",
		Long: `Prints the bullets that a session puts into a prompt, exactly as under Memory in its
messages: those in PROD, and for a share of the sessions (playbook.staging_share, by
session id) those in STAGING, most relevant first. Only bullets of the session's domain
are printed. Bullets that exceed the token limit are listed on standard error.`,
		Example: `  brenner playbook render --about "How does a cell know what to become?" --role test_designer
  brenner playbook render --tokens 200 --session RS-20261115-cells
  brenner playbook render --all

Exit codes: 0 printed, even if empty; 1 the playbook is damaged; 2 invalid flag;
75 the embeddings endpoint is unreachable.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if w.Tokens < 0 {
				return ui.Usage(c, "--tokens: must not be negative", "")
			}
			var bound *int
			if c.Flags().Changed("tokens") {
				bound = &w.Tokens
			}
			return playbookRender(a, c, w, bound)
		},
	})
	f := c.Flags()
	f.StringVar(&w.About, "about", "", "subject to order bullets by (default: oldest first)")
	f.StringVar(&w.Role, "role", "", "role of the prompt; omits bullets tagged with another role")
	f.StringVar(&w.Session, "session", "", "session of the prompt")
	f.StringVar(&w.Domain, "domain", "", "domain of the session (default: playbook.domain)")
	f.Var((*ui.Tokens)(&w.Tokens), "tokens", "token limit, such as 800 or 2k (default: playbook.tokens)")
	f.BoolVar(&w.All, "all", false, "include all stages except quarantine")
	return c
}

func playbookRender(a *ui.App, c *cobra.Command, w keeper.Selection, bound *int) error {
	note := ""
	err := show(a, c, lessons.Search, func(b *lessons.Book) (*lessons.Rendered, error) {
		return b.Render(c.Context(), w, bound)
	}, func(_ *ui.App, r *lessons.Rendered) string {
		switch {
		case len(r.Left) > 0:
			note = "Do not fit into " + text.Count(r.Budget, "token") + ": " + strings.Join(r.Left, ", ") + ".\n"
		case r.Text == "":
			note = "No bullets for this prompt (domain " + ui.Clean(r.Domain) + ").\n"
		}
		return r.Text
	})
	if err == nil && !a.Quiet {
		a.Say(note)
	}
	return err
}

func playbookImportCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var domain string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Import bullets from a text file",
		Long: `Imports bullets from a file with lines of the form "[id] helpful=N harmful=N :: text", all
or none; "-" is standard input. Blank lines and headings (#) are skipped.

Each line is taken as if it were added here: if it is equivalent to a bullet of the
domain, or to an earlier line (cosine of at least playbook.match), that bullet gets one
count, helpful or harmful, whichever the line has more of; see ` + "`playbook add`" + `. The other
lines become bullets with their own ids and counters, in SHADOW. What was imported before
is not counted again, so a second import changes nothing. The result says what happened
to each line.

A line is an error if it is malformed, if its id belongs to a bullet with another text, or
if its bullet is in another domain than --domain. Then nothing is imported, and all errors
are listed.

Computing the vectors takes 10 to 40 ms per bullet on one processor; all are used.
A snapshot of the playbook before the import is kept.`,
		Example: `  brenner playbook import playbook.txt
  brenner playbook export -C ../other | brenner playbook import -

Exit codes: 0 imported; 1 storing failed; 2 invalid file or line, nothing imported; 4 --as
is not an authority; 75 the store is busy, or the embeddings endpoint is unreachable.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error { return playbookImport(a, c, &opt, args[0], domain) },
	}
	opt.add(c, "reason for the journal")
	c.Flags().StringVar(&domain, "domain", "", "domain of the bullets (default: playbook.domain)")
	return c
}

func playbookImport(a *ui.App, c *cobra.Command, opt *actFlags, file, domain string) error {
	data, err := a.ReadFile("the bullets", file)
	if err != nil {
		return err
	}
	return act(a, c, opt, func(b *lessons.Book, act playbook.Act) (*lessons.Imported, error) {
		return b.ImportLines(c.Context(), act, file, string(data), domain)
	}, importText)
}

func importText(a *ui.App, r *lessons.Imported) string {
	if a.Quiet {
		return ""
	}
	var b strings.Builder
	for _, l := range r.Bullets {
		switch l.Did {
		case playbook.ImportCounted:
			fmt.Fprintf(&b, "line %d: %s counted for %s (cosine %.2f)\n", l.Line, l.ID, l.Bullet, l.Cosine)
		case playbook.ImportAlready:
			fmt.Fprintf(&b, "line %d: %s already present as %s\n", l.Line, l.ID, l.Bullet)
		default:
			fmt.Fprintf(&b, "line %d: %s added\n", l.Line, l.ID)
			writeNear(&b, l.Near)
		}
	}
	fmt.Fprintf(&b, "%s: %s added, %d counted for equivalent ones, %d already present (domain %s)\n",
		ui.Clean(r.File), text.Count(r.Added, "bullet"), r.Counted, r.Already, ui.Clean(r.Domain))
	if r.Snapshot != "" {
		fmt.Fprintf(&b, "The state before: %s.\n", r.Snapshot)
	}
	return b.String()
}

func playbookExportCommand(a *ui.App) *cobra.Command {
	var domain, out string
	var all, force bool
	c := ui.InProject(&cobra.Command{
		Use:   "export",
		Short: "Export bullets to a text file",
		Long: `Writes the bullets, oldest first, as lines of the form "[id] helpful=N harmful=N :: text".
Quarantined bullets are omitted unless --all is set; merged ones always, since their counts
are part of others. An export can be imported again and
yields the same lines. The format has no domains: if domains share a text, export each
with --domain.`,
		Example: `  brenner playbook export > playbook.txt
  brenner playbook export --all --out everything.txt

Exit codes: 0 written, even if empty; 1 writing failed, or the playbook is
damaged; 2 the file already exists.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				if err := ui.Unused(c, "requires --out", "force"); err != nil {
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
			return show(a, c, lessons.Open, func(b *lessons.Book) (*keeper.Lines, error) {
				x := b.Lines(domain, all)
				x.File = out
				return x, write(out, x.Bytes())
			}, linesText)
		},
	})
	f := c.Flags()
	f.StringVarP(&out, "out", "o", "", "output file (default: standard output)")
	f.StringVar(&domain, "domain", "", "domain to export")
	f.BoolVar(&all, "all", false, "include quarantined bullets")
	f.BoolVar(&force, "force", false, "overwrite an existing file")
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
