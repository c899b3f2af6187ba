package sessioncmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
	"brenner/project/review"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

func traceFindCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "find TEXT [ID|FILE]",
		Short: "Trace a sentence back to its delta, reply, kickoff and inputs",
		Long: `Searches for text and shows where it came from: the delta that wrote it, the line of the
reply, the message that the agent was answering, and what that message showed (version,
items, template, evidence). Case and line breaks are ignored.

Current text is listed first, then text that was replaced, rejected proposals with their
code, text outside deltas, and notes. Without a session, searches all sessions of the
project, newest first, and then its records.`,
		Example: `  brenner trace find "a fate is held by about 100 neighbours"
  brenner trace find "keeps the fate of its old place" RS-20261115-cell-fate
  brenner trace find "gradient" RS-20261115-cell-fate@v2
  brenner trace find "diffusion" cell-fate.jsonl --json

Exit codes: 0 found; 1 not found, or the store is damaged; 2 no such session, or the file
is unreadable.`,
		Args: ui.OneOrTwo,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return findEverywhere(a, c, args[0])
			}
			return a.WithSession(c, args[1], func(ctx context.Context, src *project.Source, h *session.History) error {
				if src.Address.Item != "" {
					return ui.Usage(c, "cannot search in a single item: "+ui.Clean(src.Address.Item), "")
				}
				res, err := review.FindIn(ctx, h, src.Address.Version, args[0])
				if err != nil {
					return err
				}
				return showFound(a, res, h.Thread)
			})
		},
	})
}

// findEverywhere searches all sessions and records of the project.
func findEverywhere(a *ui.App, c *cobra.Command, what string) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	res, err := review.FindText(c.Context(), p, what)
	if err != nil {
		return err
	}
	return showFound(a, res, "the project's sessions ("+text.Count(res.Searched, "session")+") and records")
}

func showFound(a *ui.App, res *review.TextFound, where string) error {
	if res.Empty() {
		return ui.NothingFound(&fault.Error{
			Code: audit.NotFound, Detail: ui.Quoted(res.Text) + " not found in " + where,
			Hint: "search for a shorter phrase; the words must be adjacent",
		})
	}
	return ui.Show(a, res, nil, textFoundText)
}

func textFoundText(a *ui.App, r *review.TextFound) string {
	const most = 20
	var b strings.Builder
	for i := range r.Found {
		if i == most {
			if !a.Quiet {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "and %d more; --json lists all\n", len(r.Found)-most)
			break
		}
		if i > 0 && !a.Quiet {
			b.WriteByte('\n')
		}
		writeFound(&b, &r.Found[i], a.Quiet)
	}
	for i := range r.Records {
		if (i > 0 || len(r.Found) > 0) && !a.Quiet {
			b.WriteByte('\n')
		}
		writeFoundRecord(&b, &r.Records[i], a.Quiet)
	}
	return b.String()
}

func writeFound(b *strings.Builder, f *audit.FoundText, quiet bool) {
	fmt.Fprintf(b, "%s: %s\n", ui.Clean(f.Address.String()), fate(f))
	if quiet {
		return
	}
	rows := [][]string{{"  Text", ui.Quoted(f.Text)}}
	if f.Delta != "" {
		rows = append(rows, []string{"  Delta", author(&f.Origin)})
		if f.Rationale != "" && f.Field != "rationale" {
			rows = append(rows, []string{"  Why", ui.Clip(f.Rationale)})
		}
		if len(f.Renumbered) > 0 {
			rows = append(rows, []string{"  Renumbered", strings.Join(f.Renumbered, ", ")})
		}
	}
	switch {
	case f.Fate == audit.FateNoted:
		rows = append(rows, []string{"  Note", f.Agent + ", " + f.At})
	case f.Call == "" && f.Deltas != "":
		place := fmt.Sprintf("delta %d", f.Block)
		if f.Line > 0 {
			place = fmt.Sprintf("line %d", f.Line)
		}
		rows = append(rows, []string{"  Source", sourceName(f) + ", " + place + ", sha256 " + f.Deltas})
	case f.Source == flow.ByThread:
		rows = append(rows,
			[]string{"  Message", sourceName(f) + fmt.Sprintf(", line %d, sha256 %s", f.Line, f.Reply)},
			[]string{"  Shown", fmt.Sprintf("version %d", f.Base)})
	case f.Call != "":
		shown := fmt.Sprintf("version %d, no items: only the brief", f.Base)
		if len(f.Saw) > 0 {
			shown = fmt.Sprintf("version %d: %s", f.Base, ui.Clean(strings.Join(f.Saw, ", ")))
		}
		rows = append(rows,
			[]string{"  Reply", fmt.Sprintf("line %d, sha256 %s", f.Line, f.Reply)},
			[]string{"  Kickoff", "sha256 " + f.Kickoff},
			[]string{"  Template", f.Template + ", sha256 " + f.TemplateHash},
			[]string{"  Shown", shown},
		)
		for _, ev := range f.Evidence {
			rows = append(rows, []string{"  Evidence", ev.ID + " " + ev.Name + ", sha256 " + ev.Hash})
		}
		rows = append(rows, []string{"  Call", "brenner trace show " + f.Call})
	}
	if f.Rehearsal {
		rows = append(rows, []string{"  Rehearsal", "scripted output, not real findings"})
	}
	b.WriteString(ui.Columns(rows))
}

func sourceName(f *audit.FoundText) string {
	switch f.Source {
	case flow.ByBrief:
		return "the brief"
	case flow.ByThread:
		return "message " + ui.Clean(messageID(f.Letter)) + " from " + ui.Clean(f.Agent)
	}
	return "deltas by " + ui.Clean(f.Agent)
}

// fate describes what became of the text that was found.
func fate(f *audit.FoundText) string {
	switch f.Fate {
	case audit.FateInConflict:
		return "in conflict"
	case audit.FateReplaced:
		if f.By != "" {
			return "replaced by " + ui.Clean(f.ByAgent) + " (" + ui.Clean(f.By) + ")"
		}
		return "no longer present"
	case audit.FateNotTaken:
		if f.Delta == "" {
			return "in a delta from " + ui.Clean(f.Agent) + " that is not merged yet"
		}
		why := f.Outcome
		if f.Code != "" {
			why += " " + string(f.Code)
		}
		if f.Message != "" {
			why += ": " + ui.Clean(f.Message)
		}
		return "not merged: " + why
	case audit.FateSaid:
		if f.Delta != "" {
			return "in a rationale"
		}
		return "in a reply from " + ui.Clean(f.Agent) + ", outside any delta"
	case audit.FateNoted:
		return "in a note by " + ui.Clean(f.Agent)
	}
	return "current"
}

func writeFoundRecord(b *strings.Builder, f *review.FoundRecord, quiet bool) {
	state := "current"
	if !f.Stands {
		state = "in a draft"
	}
	fmt.Fprintf(b, "%s@v%d: %s, %s\n", ui.Clean(f.ID), f.Version, state, f.Status)
	if quiet {
		return
	}
	rows := [][]string{{"  Text", ui.Quoted(f.Text)}, {"  First", fmt.Sprintf("v%d, %s, %s", f.First, ui.Author(f.Author, f.Asked), f.At)}}
	if f.Change != "" {
		rows = append(rows, []string{"  Why", ui.Clip(f.Change)})
	}
	for _, l := range f.Links {
		rows = append(rows, []string{"  Link", fmt.Sprintf("%s %s@v%d", l.Relation, l.ID, l.Version)})
	}
	if f.Call != "" {
		show := " (brenner store log --calls)"
		if thread, _, _ := strings.Cut(f.Call, "/"); artifact.IsThreadID(thread) {
			show = " (brenner trace show " + f.Call + ")"
		}
		rows = append(rows, []string{"  Call", f.Call + show})
	}
	rows = append(rows, []string{"  Lineage", fmt.Sprintf("brenner store lineage %s@v%d", f.ID, f.First)})
	b.WriteString(ui.Columns(rows))
}

// BlameCommand returns the blame command.
func BlameCommand(a *ui.App) *cobra.Command {
	return ui.SessionOrNewest(a, ui.InProject(&cobra.Command{
		Use:   "blame [ID|FILE] ITEM[.FIELD]",
		Short: "Show who wrote each field of an item, when and why",
		Long: `Shows who added an item, who wrote each of its fields and who killed it, with delta,
round, version and rationale. Each candidate of a CONFLICT has a line of its own. The
session is replayed, so the result is verified. Without ID, it is the newest session.

The item is a separate argument or part of the address (RS-…@v5#H2.claim). FILE is an
export.`,
		Example: `  brenner blame RS-20261115-cell-fate H2
  brenner blame RS-20261115-cell-fate@v3 P1.predictions.H2
  brenner blame RS-20261115-cell-fate@v5#H2.claim
  brenner blame cell-fate.jsonl RT --json

Exit codes: 0 found; 1 the store is damaged; 2 no such session, version, item or field,
or the file is unreadable.`,
		Args: ui.OneOrTwo,
		RunE: func(c *cobra.Command, args []string) error {
			arg, err := withItem(c, args)
			if err != nil {
				return err
			}
			return a.WithSession(c, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
				if src.Address.Item == "" {
					return ui.Usage(c, "missing argument: ITEM", "for example: brenner blame "+ui.Clean(args[0])+" H1")
				}
				found, err := audit.BlameItem(ctx, h, src.Address)
				return ui.Show(a, found, err, blameText)
			})
		},
	}))
}

func blameText(a *ui.App, r *audit.Blame) string {
	var b strings.Builder
	if r.Rehearsal && !a.Quiet {
		b.WriteString(ui.RehearsalNote + "\n")
	}
	fmt.Fprintf(&b, "%s\n", session.Address{Thread: r.Thread, Version: r.Version, Item: r.Item, Field: ui.Clean(r.Field)})
	for i := range r.Origins {
		o := &r.Origins[i]
		name, text := o.Field, ui.Quoted(o.Text)
		switch {
		case name == "":
			name, text = createdBy(o), ""
		case o.Fate == audit.FateInConflict:
			text = "CONFLICT " + text
		}
		if i == 0 || r.Origins[i-1].Delta != o.Delta {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimSpace(ui.Clean(name)+"  "+text) + "\n")
		if i+1 < len(r.Origins) && r.Origins[i+1].Delta == o.Delta {
			continue // printed once for all fields of one delta
		}
		b.WriteString("  " + author(o) + "\n")
		if o.Rationale != "" && !a.Quiet {
			fmt.Fprintf(&b, "  why: %s\n", ui.Clean(ui.Clip(o.Rationale)))
		}
		if notes := renumbered(r.Origins[:i+1]); notes != "" && !a.Quiet {
			fmt.Fprintf(&b, "  renumbered: %s\n", ui.Clean(notes))
		}
		if o.TakenFrom != "" && !a.Quiet {
			fmt.Fprintf(&b, "  takes the value of %s:\n", ui.Clean(o.TakenFrom))
		}
	}
	return b.String()
}

// renumbered lists the ids behind those that the author of the last delta assumed.
func renumbered(origins []audit.Origin) string {
	var notes []string
	for i := len(origins) - 1; i >= 0 && origins[i].Delta == origins[len(origins)-1].Delta; i-- {
		notes = append(notes, origins[i].Renumbered...)
	}
	slices.Sort(notes)
	notes = slices.Compact(notes)
	all := slices.DeleteFunc(slices.Clone(notes), func(note string) bool { // of two items with one name, only one
		name, _, _ := strings.Cut(note, " is ")
		return slices.ContainsFunc(notes, func(other string) bool { return strings.HasPrefix(other, name+" is ") && len(other) > len(note) })
	})
	return strings.Join(all, ", ")
}

// createdBy labels the delta that created an item. The research thread is never added;
// it is created by its first EDIT.
func createdBy(o *audit.Origin) string {
	if o.Operation == delta.Edit {
		return "first written"
	}
	return "added"
}

// author formats in one line who wrote something, how and when.
func author(o *audit.Origin) string {
	parts := []string{ui.Author(o.Agent, o.Asked)}
	switch {
	case o.Ruling != "":
		parts = []string{"ruled by " + parts[0], "in " + ui.Clean(o.Ruling)}
	case o.Source == "brief":
		parts = append(parts, "in the brief")
	case o.Source == "thread":
		parts = append(parts, "in message "+ui.Clean(messageID(o.Letter)))
	case o.Round > 0:
		parts = append(parts, fmt.Sprintf("round %d", o.Round))
	case o.Source == "person":
		parts = append(parts, "by hand")
	}
	if o.Delta != "" {
		parts = append(parts, fmt.Sprintf("version %d", o.Version), ui.Clean(strings.TrimSpace(o.Operation+" "+o.Delta)))
	}
	return strings.Join(append(parts, o.At), ", ")
}

// messageID returns a message's id on its server: its name without the time.
func messageID(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	return name
}
