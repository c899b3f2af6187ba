package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

func traceFindCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "find TEXT [ID|FILE]",
		Short: "Follow a sentence back: to the delta, the reply, the kickoff and the inputs behind it",
		Long: `Looks for a text and says where it came from: the delta that wrote it, the line of the
reply in which that stood, the message that it answers, and what that message showed: the
version, the items of it, the template, the evidence. Case and line breaks do not count.

What stands is found first; then what stood once and was replaced, what was proposed and
not taken (with the code that says why), what an agent only said, and the notes of people.
Without a session all sessions of the project are searched, the newest first, and then its
records: who wrote it first there, and what that rests on.`,
		Example: `  brenner trace find "a fate is held by about 100 neighbours"
  brenner trace find "keeps the fate of its old place" RS-20261115-cell-fate
  brenner trace find "gradient" RS-20261115-cell-fate@v2
  brenner trace find "diffusion" cell-fate.jsonl --json

Exit codes: 0 found; 1 it is nowhere, or the store is damaged; 2 there is no such session,
or the file cannot be read.`,
		Args: ui.OneOrTwo("a text is needed"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return findEverywhere(a, c, args[0])
			}
			return a.WithSession(c, args[1], func(ctx context.Context, src *project.Source, h *session.History) error {
				if src.Address.Item != "" {
					return ui.Usage(c, "a text is looked for in a whole artifact, not in "+ui.Clean(src.Address.Item), "")
				}
				res, err := project.FindIn(ctx, h, src.Address.Version, args[0])
				if err != nil {
					return err
				}
				return showFound(a, res, h.Thread)
			})
		},
	})
}

// findEverywhere looks through all sessions of the project, and its records.
func findEverywhere(a *ui.App, c *cobra.Command, what string) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	res, err := p.FindText(c.Context(), what)
	if err != nil {
		return err
	}
	return showFound(a, res, "the sessions of this project ("+text.Count(res.Searched, "session")+") and its records")
}

func showFound(a *ui.App, res *project.TextFound, where string) error {
	if res.Empty() {
		return ui.NothingFound(&fault.Error{
			Code: session.NotFound, Detail: ui.Quoted(res.Text) + " is nowhere in " + where,
			Hint: "give fewer words of it: what is looked for must stand together",
		})
	}
	return ui.Show(a, res, nil, textFoundText)
}

func textFoundText(a *ui.App, r *project.TextFound) string {
	const most = 20
	var b strings.Builder
	for i := range r.Found {
		if i == most {
			if !a.Quiet {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "and %d more: --json has all of them\n", len(r.Found)-most)
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

func writeFound(b *strings.Builder, f *audit.Found, quiet bool) {
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
	}
	switch {
	case f.Fate == session.FateNoted:
		rows = append(rows, []string{"  Note", f.Agent + ", " + f.At})
	case f.Call == "" && f.Deltas != "":
		place := fmt.Sprintf("delta %d", f.Block)
		if f.Line > 0 {
			place = fmt.Sprintf("line %d", f.Line)
		}
		rows = append(rows, []string{"  Source", sourceName(f) + ", " + place + ", sha256 " + f.Deltas})
	case f.Source == flow.ByThread:
		rows = append(rows,
			[]string{"  Letter", sourceName(f) + fmt.Sprintf(", line %d, sha256 %s", f.Line, f.Reply)},
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
		rows = append(rows, []string{"  Rehearsal", "scripted agents played this session"})
	}
	b.WriteString(ui.Columns(rows))
}

func sourceName(f *audit.Found) string {
	switch f.Source {
	case flow.ByBrief:
		return "the brief"
	case flow.ByThread:
		return "message " + ui.Clean(letterNumber(f.Letter)) + " of " + ui.Clean(f.Agent)
	}
	return "deltas of " + ui.Clean(f.Agent)
}

// fate says what became of a text.
func fate(f *audit.Found) string {
	switch f.Fate {
	case session.FateInConflict:
		return "in conflict"
	case session.FateReplaced:
		if f.By != "" {
			return "does not stand any more: replaced by " + ui.Clean(f.ByAgent) + " (" + ui.Clean(f.By) + ")"
		}
		return "does not stand any more"
	case session.FateNotTaken:
		why := f.Outcome
		if f.Code != "" {
			why += " " + string(f.Code)
		}
		if f.Message != "" {
			why += ": " + ui.Clean(f.Message)
		}
		return "does not stand: " + why
	case session.FateSaid:
		if f.Delta != "" {
			return "said in a rationale"
		}
		return "said by " + ui.Clean(f.Agent) + ", in no delta"
	case session.FateNoted:
		return "said by " + ui.Clean(f.Agent) + ", in a note to the agents"
	}
	return "stands"
}

func writeFoundRecord(b *strings.Builder, f *project.FoundRecord, quiet bool) {
	stands := "stands"
	if !f.Stands {
		stands = "in a draft"
	}
	fmt.Fprintf(b, "%s@v%d: %s, %s\n", ui.Clean(f.ID), f.Version, stands, f.Status)
	if quiet {
		return
	}
	rows := [][]string{{"  Text", ui.Quoted(f.Text)}, {"  First", fmt.Sprintf("v%d, %s, %s", f.First, f.Author, f.At)}}
	if f.Change != "" {
		rows = append(rows, []string{"  Why", ui.Clip(f.Change)})
	}
	for _, l := range f.Links {
		rows = append(rows, []string{"  Link", fmt.Sprintf("%s %s@v%d", l.Relation, l.ID, l.Version)})
	}
	if f.Call != "" {
		rows = append(rows, []string{"  Call", f.Call + " (brenner store log --calls)"})
	}
	rows = append(rows, []string{"  Lineage", fmt.Sprintf("brenner store lineage %s@v%d", f.ID, f.First)})
	b.WriteString(ui.Columns(rows))
}

// BlameCommand returns the blame command.
func BlameCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:     "blame ID|FILE [ITEM[.FIELD]]",
		GroupID: ui.Other,
		Short:   "Say who wrote an item of an artifact, field by field, when and why",
		Long: `Says of an item who added it, who wrote each of its fields, and who struck it out: the
delta, the round, the version and the rationale. Each candidate of a CONFLICT has its own
line. The session is replayed for it: what is said is proved.

The item stands behind the session, or in its address: RS-…@v5#H2.claim. The file of an
export does as well as a session.`,
		Example: `  brenner blame RS-20261115-cell-fate H2
  brenner blame RS-20261115-cell-fate@v3 P1.predictions.H2
  brenner blame RS-20261115-cell-fate@v5#H2.claim
  brenner blame cell-fate.jsonl RT --json

Exit codes: 0 found; 1 the store is damaged; 2 there is no such session, version, item or
field, or the file cannot be read.`,
		Args: ui.OneOrTwo("a session, or the file of an export, is needed"),
		RunE: func(c *cobra.Command, args []string) error {
			arg := args[0]
			if len(args) > 1 {
				if strings.Contains(arg, "#") {
					return ui.Usage(c, "the item is named twice: "+ui.Clean(arg)+" and "+ui.Clean(args[1]), "")
				}
				arg += "#" + args[1]
			}
			return a.WithSession(c, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
				if src.Address.Item == "" {
					return ui.Usage(c, "an item is missing: which one?", "such as `brenner blame "+ui.Clean(args[0])+" H1`")
				}
				found, err := audit.BlameItem(ctx, h, src.Address)
				return ui.Show(a, found, err, blameText)
			})
		},
	})
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
			name, text = beginning(o), ""
		case o.Fate == session.FateInConflict:
			text = "CONFLICT " + text
		}
		if i == 0 || r.Origins[i-1].Delta != o.Delta {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimSpace(ui.Clean(name)+"  "+text) + "\n")
		if i+1 < len(r.Origins) && r.Origins[i+1].Delta == o.Delta {
			continue // said once for all that one delta wrote
		}
		b.WriteString("  " + author(o) + "\n")
		if o.Rationale != "" && !a.Quiet {
			fmt.Fprintf(&b, "  why: %s\n", ui.Clean(ui.Clip(o.Rationale)))
		}
	}
	return b.String()
}

// beginning says how an item came to be. The research thread is never added: its
// first EDIT is where it begins.
func beginning(o *session.Origin) string {
	if o.Operation == delta.Edit {
		return "first written"
	}
	return "added"
}

// author says in one line who wrote something, how and when.
func author(o *session.Origin) string {
	parts := []string{ui.Clean(o.Agent)}
	switch {
	case o.Ruling != "":
		parts = []string{"ruled by " + ui.Clean(o.Agent), "in " + ui.Clean(o.Ruling)}
	case o.Source == "brief":
		parts = append(parts, "in the brief")
	case o.Round > 0:
		parts = append(parts, fmt.Sprintf("round %d", o.Round))
	case o.Source == "person":
		parts = append(parts, "by hand")
	case o.Source == "thread":
		parts = append(parts, "in message "+ui.Clean(letterNumber(o.Letter)))
	}
	if o.Delta != "" {
		parts = append(parts, fmt.Sprintf("version %d", o.Version), ui.Clean(strings.TrimSpace(o.Operation+" "+o.Delta)))
	}
	return strings.Join(append(parts, o.At), ", ")
}

// letterNumber is what a message is called on its server: its name without the time.
func letterNumber(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	return name
}
