package storecmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/project"
	"brenner/store/record"
)

type putOptions struct {
	RecordFlags
	id, kind, module, summary, change, task string
	parent                                  string
	keep, batch, noLinks                    bool
	tags, links                             []string
}

func storePutCommand(a *ui.App) *cobra.Command {
	var opt putOptions
	c := &cobra.Command{
		Use:   "put FILE|-",
		Short: "Put a new record, or a new version of one",
		Long: `Puts what a file says as a new record or, with the --id of one that is there, as its next
version. Nothing is overwritten, and nothing becomes canonical by it.

Without --summary the program takes the first sentences of the content, and says so. A
link points at the version that stands now, unless it names one; what rests on a version
that does not hold any more is marked needs_update. A version that goes on
from an older one than the latest is a fork: it is kept, and listed by forks and status.
With --task it is the result of a task spec: if the task's inputs have moved since, its
status is needs_rebase.

--batch reads drafts as lines of JSON with the keys id, type, module, summary, content,
change, parent, tags, links (["cites=note-1"]), no_links and task, and puts all of them or none.`,
		Example: `  brenner store put lewis.md --type paper_note --module fate
  brenner store put memo.md --id memo-fate --type integrated_memo --module fate --link cites=lewis --link cites=ross@v2
  brenner store put memo.md --id memo-fate -m "takes up the third paper" --summary "Cells wait, then decide."
  brenner store put notes.jsonl --batch

Exit codes: 0 put; 1 the store cannot be written; 2 the file, the type, a link or a flag cannot
be used, and nothing is written; 4 the role may not write this type; 75 the store is busy.`,
		Args: oneOf("a file"),
		RunE: func(c *cobra.Command, args []string) error { return storePut(a, c, &opt, args[0]) },
	}
	opt.AddWho(c)
	f := c.Flags()
	f.StringVar(&opt.id, "id", "", "the record's id; for a new one the name of the file, if not given")
	f.StringVar(&opt.kind, "type", "", "its type; needed for a new record")
	f.StringVar(&opt.module, "module", "", "the part of the project that it belongs to")
	f.StringVar(&opt.summary, "summary", "", "what it says, in a sentence or two on one line")
	f.BoolVar(&opt.keep, "keep-summary", false, "keep the summary of the version before, though it is stale then")
	f.StringVarP(&opt.change, "message", "m", "", "what changed, and why")
	f.StringVar(&opt.parent, "parent", "", "the version that it goes on from, such as v2; if not given the latest, or the canonical one where the latest is on a way that was not taken")
	f.StringArrayVar(&opt.tags, "tag", nil, "a tag; repeatable")
	f.StringArrayVar(&opt.links, "link", nil, "what it rests on: RELATION=ADDRESS ("+strings.Join(record.Relations(), ", ")+"); repeatable")
	f.BoolVar(&opt.noLinks, "no-links", false, "it rests on nothing; without it a new version without --link and --task has the links of the version before")
	f.StringVar(&opt.task, "task", "", "the task spec whose result it is")
	f.BoolVar(&opt.batch, "batch", false, "FILE holds drafts as lines of JSON")
	return c
}

func storePut(a *ui.App, c *cobra.Command, opt *putOptions, file string) error {
	data, err := a.ReadFile("the record", file)
	if err != nil {
		return err
	}
	var drafts []govern.Draft
	if opt.batch {
		if err := ui.Unused(c, "does not go with --batch: each line says it", "id", "type", "module", "summary", "keep-summary", "message", "parent", "tag", "link", "no-links", "task"); err != nil {
			return err
		}
		if drafts, err = govern.ReadDrafts(file, data); err != nil {
			return err
		}
	} else {
		d, err := opt.draft(c, file, data)
		if err != nil {
			return err
		}
		drafts = []govern.Draft{d}
	}
	return showRecords(a, c, &opt.RecordFlags, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
		if !opt.batch && !c.Flags().Changed("id") {
			if err := opt.free(ctx, r, &drafts[0], file); err != nil {
				return nil, err
			}
		}
		if !opt.batch && (opt.kind == "" || opt.parent != "") { // a new version is meant: its id may be shortened
			h, err := r.Head(ctx, drafts[0].ID)
			if err != nil {
				return nil, err
			}
			drafts[0].ID = h.ID
		}
		put, err := r.Put(ctx, r.Who, drafts...)
		return govern.NewWritten(put...), err
	})
}

func (opt *putOptions) draft(c *cobra.Command, file string, data []byte) (govern.Draft, error) {
	d := govern.Draft{
		ID: opt.id, Type: opt.kind, Module: opt.module, Summary: opt.summary, KeepSummary: opt.keep, Change: opt.change,
		Tags: opt.tags, Task: opt.task, NoLinks: opt.noLinks, Content: data,
	}
	if d.ID == "" {
		d.ID = idOf(file)
	}
	if opt.id == "" && opt.kind == "" {
		return d, ui.Usage(c, "--type is needed for a new record, and --id for a new version of one", "")
	}
	if opt.keep && opt.summary != "" {
		return d, ui.Usage(c, "--keep-summary and --summary contradict each other", "")
	}
	if opt.noLinks && len(opt.links) > 0 {
		return d, ui.Usage(c, "--no-links and --link contradict each other", "")
	}
	if opt.parent != "" {
		a, err := record.ParseAddress(d.ID + "@" + opt.parent)
		if err != nil || a.Version == 0 {
			return d, ui.Usage(c, "--parent "+ui.Clean(opt.parent)+" is no version", "write it like v2")
		}
		d.Parent = a.Version
	}
	var err error
	d.Links, err = govern.ParseLinks(opt.links)
	return d, err
}

// idOf makes an id of a file's name.
func idOf(file string) string {
	if file == "-" {
		return ""
	}
	name := filepath.Base(file)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r < 0x80 && (r == '.' || r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'):
			return r
		}
		return -1
	}, name), "._-")
}

// free makes sure that an id that nobody chose means a new record.
func (opt *putOptions) free(ctx context.Context, r *Records, d *govern.Draft, file string) error {
	if d.ID == "" {
		return &fault.Error{Code: govern.BadID, Detail: "nothing says what the record is called", Hint: "give --id"}
	}
	if h, err := r.Head(ctx, d.ID); err == nil && h.ID == d.ID {
		return &fault.Error{
			Code: files.AlreadyExists, Op: "put " + ui.Clean(file), Detail: "there is a record " + d.ID + " already", Hint: "--id " + d.ID + " puts a new version of it; another --id a new record",
		}
	}
	return nil
}

func writtenText(a *ui.App, r *govern.Written) string {
	var b strings.Builder
	for i := range r.Records {
		p := &r.Records[i]
		if a.Quiet {
			b.WriteString(nameOf(&p.VersionRow) + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s: %s, %s\n", nameOf(&p.VersionRow), p.Type, p.Status)
		if p.SummaryBy == record.Extracted {
			fmt.Fprintf(&b, "  its summary was taken from its text by the program: %s\n", ui.Clean(ui.Clip(p.Summary)))
		}
		if p.Stale {
			b.WriteString("  its summary is that of an earlier version: it cannot be promoted like this\n")
		}
		for _, m := range p.Moved {
			if m.Now == m.Version {
				fmt.Fprintf(&b, "  made from %s@v%d, which is not in use any more: look at it again before anything rests on it\n", ui.Clean(m.ID), m.Version)
				continue
			}
			fmt.Fprintf(&b, "  made from %s@v%d, and v%d stands now: look at it again before anything rests on it\n", ui.Clean(m.ID), m.Version, m.Now)
		}
		if len(p.LeftOut) > 0 {
			fmt.Fprintf(&b, "  it has no room for %s: the next `brenner store consolidate --module %s` goes on with them\n", ui.Some(p.LeftOut), ui.Clean(p.Module))
		}
		if len(p.Fork) > 0 {
			fmt.Fprintf(&b, "  this is a fork: %s go different ways; `brenner store merge %s` joins them\n", govern.Versions(p.Fork), ui.Clean(p.ID))
		}
	}
	return b.String()
}

// ProjectCommand returns the project commands.
func ProjectCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "project",
		GroupID: ui.Other,
		Short:   "The project's brief, and its state for people",
	}, projectInitCommand(a), projectBriefCommand(a), snapshotCommand(a, "brenner project snapshot > state.md"))
}

func projectInitCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var question, file string
	c := &cobra.Command{
		Use:   "init --question QUESTION|--file FILE",
		Short: "Make a project: its brenner.yaml if there is none, and the first draft of its brief",
		Long: `Makes brenner.yaml where there is none, and puts the first draft of the project's brief: from a
file, or from a question, with headings for goals, constraints, scope and open questions to fill
in. Nothing is canonical before somebody promotes it.`,
		Example: `  brenner project init --question "How does a cell know what to become?"
  brenner project init --file brief.md

Exit codes: 0 made; 1 the folder cannot be written to; 2 there is a brief already, or nothing
says what it is about.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if (question == "") == (file == "") {
				return ui.Usage(c, "either --question or --file is needed", "")
			}
			b := project.NewBrief{Question: question}
			if file != "" {
				data, err := a.ReadFile("the brief", file)
				if err != nil {
					return err
				}
				b.Text = data
			}
			return showRecords(a, c, &f, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
				return r.InitBrief(ctx, &b)
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVar(&question, "question", "", "what the project is about")
	c.Flags().StringVar(&file, "file", "", "a file with the brief")
	return c
}

func projectBriefCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var message, summary string
	c := &cobra.Command{
		Use:   "brief [FILE|-]",
		Short: "Show the project's brief, or put a new version of it",
		Long: `Without a file it prints the canonical brief, or else the latest draft. With one it puts a new
version, which holds once it is promoted.`,
		Example: `  brenner project brief
  brenner project brief brief.md -m "plant cells are out of scope"
  brenner store promote project-brief -m "agreed by all"

Exit codes: 0 printed or put; 2 there is no brief yet, or the file cannot be used; 75 the store is
busy.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showRecords(a, c, &f, false, briefText, func(ctx context.Context, r *Records) (*govern.RecordText, error) { return r.ShowBrief(ctx) })
			}
			data, err := a.ReadFile("the brief", args[0])
			if err != nil {
				return err
			}
			return showRecords(a, c, &f, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
				return r.PutBrief(ctx, govern.Draft{Content: data, Change: message, Summary: summary})
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVarP(&message, "message", "m", "", "what changed, and why")
	c.Flags().StringVar(&summary, "summary", "", "what it says, in a sentence or two")
	return c
}

func briefText(a *ui.App, b *govern.RecordText) string {
	if b.Record.Status != record.Canonical && !a.Quiet {
		a.Say(fmt.Sprintf("%s@v%d is %s: nobody has promoted it as it is\n", b.Record.ID, b.Record.Version, b.Record.Status))
	}
	return ui.CleanLines(b.Text, "")
}
