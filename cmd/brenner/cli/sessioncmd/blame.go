package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

// BlameCommand returns the blame command.
func BlameCommand(a *ui.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
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
			return a.WithSession(c, dir, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
				if src.Address.Item == "" {
					return ui.Usage(c, "an item is missing: which one?", "such as `brenner blame "+ui.Clean(args[0])+" H1`")
				}
				found, err := audit.BlameItem(ctx, h, src.Address)
				if err != nil {
					return err
				}
				return a.Show(blameView{found})
			})
		},
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

// blameView is who wrote an item, for people.
type blameView struct{ *audit.Blame }

func (r blameView) Print(a *ui.App) error {
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
		case o.Fate == session.InConflict:
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
	return a.Write([]byte(b.String()))
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
