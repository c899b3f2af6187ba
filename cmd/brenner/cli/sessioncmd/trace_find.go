package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

func traceFindCommand(a *ui.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
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
				return findEverywhere(a, c, dir, args[0])
			}
			return a.WithSession(c, dir, args[1], func(ctx context.Context, src *project.Source, h *session.History) error {
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
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

// findEverywhere looks through all sessions of the project, and its records.
func findEverywhere(a *ui.App, c *cobra.Command, dir, what string) error {
	p, err := a.Open(dir, "", nil)
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
	return a.Show(textFound{res})
}

// textFound is where a text came from, for people.
type textFound struct{ *project.TextFound }

func (r textFound) Print(a *ui.App) error {
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
	return a.Write([]byte(b.String()))
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
	case f.Fate == session.Noted:
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
	case session.InConflict:
		return "in conflict"
	case session.Replaced:
		if f.By != "" {
			return "does not stand any more: replaced by " + ui.Clean(f.ByAgent) + " (" + ui.Clean(f.By) + ")"
		}
		return "does not stand any more"
	case session.NotTaken:
		why := f.Outcome
		if f.Code != "" {
			why += " " + string(f.Code)
		}
		if f.Message != "" {
			why += ": " + ui.Clean(f.Message)
		}
		return "does not stand: " + why
	case session.Said:
		if f.Delta != "" {
			return "said in a rationale"
		}
		return "said by " + ui.Clean(f.Agent) + ", in no delta"
	case session.Noted:
		return "said by " + ui.Clean(f.Agent) + ", in a note to the agents"
	}
	return "stands"
}
