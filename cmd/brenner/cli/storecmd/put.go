package storecmd

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/govern/brief"
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
		Long: `Puts the content of a file as a new record or, with the --id of an existing record, as its next
version. Nothing is overwritten, and nothing becomes canonical.

Without --summary, the first sentences of the content are used and marked as extracted. A link
without a version refers to the canonical version, or else the latest. A version that depends on
an outdated one is marked needs_update. A version whose parent is not the latest starts a new
branch, which forks and status list. With --task it is the result of a task spec: if an input
of the task has changed since, its status is needs_rebase.

--batch reads drafts as JSON lines with the keys id, type, module, summary, content, change,
parent, tags, links (["cites=note-1"]), no_links and task, and puts all of them or none.`,
		Example: `  brenner store put lewis.md --type paper_note --module fate
  brenner store put memo.md --id memo-fate --type integrated_memo --module fate --link cites=lewis --link cites=ross@v2
  brenner store put memo.md --id memo-fate -m "adds the third paper" --summary "Cells wait, then decide."
  brenner store put notes.jsonl --batch

Exit codes: 0 put; 1 the store cannot be written; 2 invalid file, type, link or flag, nothing was
written; 4 the role may not write this type; 75 the store is busy.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error { return storePut(a, c, &opt, args[0]) },
	}
	opt.AddActor(c)
	f := c.Flags()
	f.StringVar(&opt.id, "id", "", "the record's id; defaults to the file name for a new record")
	f.StringVar(&opt.kind, "type", "", "the type; required for a new record")
	f.StringVar(&opt.module, "module", "", "the part of the project it belongs to")
	f.StringVar(&opt.summary, "summary", "", "a summary of one or two sentences, on one line")
	f.BoolVar(&opt.keep, "keep-summary", false, "keep the summary of the parent, even if it becomes stale")
	f.StringVarP(&opt.change, "message", "m", "", "what changed, and why")
	f.StringVar(&opt.parent, "parent", "", "the parent version, such as v2; defaults to the latest, or to the canonical one if the latest is on an abandoned branch")
	f.StringArrayVar(&opt.tags, "tag", nil, "a tag; repeatable")
	f.StringArrayVar(&opt.links, "link", nil, "a link to another record: RELATION=ADDRESS ("+strings.Join(record.Relations(), ", ")+"); repeatable")
	f.BoolVar(&opt.noLinks, "no-links", false, "put no links; by default a version without --link and --task has the links of its parent")
	f.StringVar(&opt.task, "task", "", "the task spec whose result it is")
	f.BoolVar(&opt.batch, "batch", false, "FILE holds drafts as JSON lines")
	return c
}

func storePut(a *ui.App, c *cobra.Command, opt *putOptions, file string) error {
	data, err := a.ReadFile("the record", file)
	if err != nil {
		return err
	}
	var drafts []govern.Draft
	if opt.batch {
		if err := ui.Unused(c, "cannot be used with --batch; set it on each line", "id", "type", "module", "summary", "keep-summary", "message", "parent", "tag", "link", "no-links", "task"); err != nil {
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
			if err := checkNew(ctx, r, &drafts[0], file); err != nil {
				return nil, err
			}
		}
		if !opt.batch && (opt.kind == "" || opt.parent != "") { // a new version: its id may be abbreviated
			h, err := r.Head(ctx, drafts[0].ID)
			if err != nil {
				return nil, err
			}
			drafts[0].ID = h.ID
		}
		put, err := r.Put(ctx, r.Actor, drafts...)
		return govern.NewWritten(put...), err
	})
}

func (opt *putOptions) draft(c *cobra.Command, file string, data []byte) (govern.Draft, error) {
	d := govern.Draft{
		ID: opt.id, Type: opt.kind, Module: opt.module, Summary: opt.summary, KeepSummary: opt.keep, Change: opt.change,
		Tags: opt.tags, Task: opt.task, NoLinks: opt.noLinks, Content: data,
	}
	if d.ID == "" {
		if c.Flags().Changed("id") { // a file name alone never means an existing record
			return d, ui.Usage(c, "--id has no value", "")
		}
		d.ID = idOf(file)
	}
	if opt.id == "" && opt.kind == "" {
		return d, ui.Usage(c, "--type is required for a new record, --id for a new version", "")
	}
	if opt.keep && opt.summary != "" {
		return d, ui.Usage(c, "--keep-summary and --summary are mutually exclusive", "")
	}
	if opt.noLinks && len(opt.links) > 0 {
		return d, ui.Usage(c, "--no-links and --link are mutually exclusive", "")
	}
	if opt.parent != "" {
		a, err := record.ParseAddress(d.ID + "@" + opt.parent)
		if err != nil || a.Version == 0 {
			return d, ui.Usage(c, "--parent: "+ui.Clean(opt.parent)+" is not a version", "write it like v2")
		}
		d.Parent = a.Version
	}
	var err error
	d.Links, err = govern.ParseLinks(opt.links)
	return d, err
}

// idOf derives an id from a file name.
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

// checkNew returns an error unless an id derived from a file name is that of a new record.
func checkNew(ctx context.Context, r *Records, d *govern.Draft, file string) error {
	if d.ID == "" {
		return &fault.Error{Code: govern.BadID, Detail: "the record has no id", Hint: "pass --id ID"}
	}
	if h, err := r.Head(ctx, d.ID); err == nil && h.ID == d.ID {
		return &fault.Error{
			Code: files.AlreadyExists, Op: "put " + ui.Clean(file), Detail: "record " + d.ID + " already exists", Hint: "pass --id " + d.ID + " for a new version, or another --id for a new record",
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
			fmt.Fprintf(&b, "  summary extracted from the text: %s\n", ui.Clean(ui.Clip(p.Summary)))
		}
		if len(p.NotShown) > 0 {
			fmt.Fprintf(&b, "  not shown to agents: %s\n", ui.Clean(strings.Join(p.NotShown, ", ")))
		}
		if p.Stale {
			b.WriteString("  stale summary: it must be replaced before a promotion\n")
		}
		for _, m := range p.Moved {
			if m.RestsOn != "" {
				fmt.Fprintf(&b, "  made from %s@v%d, which rests on %s, which is outdated: review it before other records depend on it\n", ui.Clean(m.ID), m.Version, ui.Clean(m.RestsOn))
				continue
			}
			if m.Now == m.Version {
				fmt.Fprintf(&b, "  made from %s@v%d, which no longer holds: review it before other records depend on it\n", ui.Clean(m.ID), m.Version)
				continue
			}
			fmt.Fprintf(&b, "  made from %s@v%d, but v%d is current: review it before other records depend on it\n", ui.Clean(m.ID), m.Version, m.Now)
		}
		if len(p.LeftOut) > 0 {
			fmt.Fprintf(&b, "  no room for %s: `brenner store consolidate --module %s` continues with them\n", ui.Some(p.LeftOut), ui.Clean(p.Module))
		}
		if len(p.Fork) > 0 {
			fmt.Fprintf(&b, "  unmerged branches: %s; `brenner store merge %s` merges them\n", govern.Versions(p.Fork), ui.Clean(p.ID))
		}
		if supersedesAll(p) {
			fmt.Fprintf(&b, "  a fork with %s, which ends when this version is promoted\n", ui.Some(p.Rivals))
		} else if len(p.Rivals) > 0 {
			other, _, _ := strings.Cut(p.Rivals[0], "@")
			fmt.Fprintf(&b, "  a fork: %s has another %s: %s; merge them with `brenner store merge %s %s`, or deprecate one\n",
				ui.Clean(p.Module), p.Type, ui.Some(p.Rivals), ui.Clean(p.ID), ui.Clean(other))
		}
	}
	for _, one := range r.NotMended {
		fmt.Fprintf(&b, "not replaced: %s\n", ui.Clean(one))
	}
	return b.String()
}

// supersedesAll reports whether a version supersedes all records that compete with it, if any.
func supersedesAll(p *govern.PutRow) bool {
	superseded := func(name string) bool {
		return slices.ContainsFunc(p.Links, func(l record.Link) bool { return l.Relation == record.Supersedes && l.Ref().String() == name })
	}
	return len(p.Rivals) > 0 && !slices.ContainsFunc(p.Rivals, func(name string) bool { return !superseded(name) })
}

// ProjectCommand returns the project commands.
func ProjectCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "project",
		Short: "Manage the project's brief, and report its state",
	}, projectInitCommand(a), projectBriefCommand(a), snapshotCommand(a, "brenner project snapshot > state.md"))
}

func projectInitCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var question, file string
	c := &cobra.Command{
		Use:   "init --question QUESTION|--file FILE",
		Short: "Create a project: brenner.yaml, unless it exists, and the first draft of the brief",
		Long: `Creates brenner.yaml unless it exists, and puts the first draft of the project's brief: from a
file, or from a question, which becomes the goal, with headings for the other fields to fill in
(see ` + "`brenner project brief --help`" + `). The draft is not canonical until it is promoted.`,
		Example: `  brenner project init --question "How does a cell know what to become?"
  brenner project init --file brief.md

Exit codes: 0 created; 1 the directory cannot be written; 2 the brief already exists, or neither
--question nor --file was given.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if (question == "") == (file == "") {
				return ui.Usage(c, "either --question or --file is required", "")
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
	f.AddActor(c)
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
		Long: `Without a file, prints the canonical brief, or else the latest draft. With a file, puts a new
version, which takes effect when it is promoted.

A brief has fields, which are found by their headings: goal (or objective, aim, research
question), scope, non-goals (or out of scope, exclusions), constraints (or limits, requirements),
audience (or readers) and glossary (or terms). Lines such as "**Goal:** …" and "Goal: …" work,
too. The goal is required, has at most 400 characters, and is the summary of the brief; it ends at
the next heading. Agents are shown the fields under these names; text under other headings is only
kept, and these headings are listed when the brief is put. For example:

` + strings.TrimRight(ui.CleanLines(brief.Example, "  "), "\n"),
		Example: `  brenner project brief
  brenner project brief brief.md -m "plant cells are out of scope"
  brenner store promote project-brief -m "agreed by all"

Exit codes: 0 printed or put; 2 no brief yet, or an invalid file; 75 the store is busy.`,
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
	f.AddActor(c)
	c.Flags().StringVarP(&message, "message", "m", "", "what changed, and why")
	c.Flags().StringVar(&summary, "summary", "", "the goal, which is the summary; anything else is refused")
	return c
}

func briefText(a *ui.App, b *govern.RecordText) string {
	if b.Record.Status != record.Canonical && !a.Quiet {
		a.Say(fmt.Sprintf("%s@v%d is %s: it has not been promoted\n", b.Record.ID, b.Record.Version, b.Record.Status))
	}
	return ui.CleanLines(b.Text, "")
}
