package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

func sessionDiffCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "diff [A [B]]",
		Short: "Compare two versions of a session, or two sessions",
		Long: `Shows what is new, gone and changed from A to B. Each is a session, a version of it (ID@v3) or
an export. B may also be a version of A's session (@v3). Without B, A@v3 is compared with
the newest version, and A with the version before its newest; without A, the newest
session is.

Versions of one session have the same item under the same id. Items of two sessions are
matched by id, where the texts are the same too, then by text, then by id alone.`,
		Example: `  brenner session diff
  brenner session diff RS-20261115-cell-fate@v2 @v4
  brenner session diff RS-20261115-cell-fate RS-20261116-cell-fate
  brenner session diff cell-fate.brenner.jsonl RS-20261115-cell-fate --json

Exit codes: 0 compared; 1 the store or an export is damaged; 2 no such session or version.`,
		Args: diffArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return a.WithSession(c, args[0], func(ctx context.Context, src *project.Source, h *session.History) error {
				from := audit.Side{History: h, Version: src.Address.Version}
				if err := wholeVersion(c, src.Address); err != nil {
					return err
				}
				to := audit.Side{History: h}
				if len(args) < 2 {
					return showDiff(ctx, a, from, to)
				}
				if version, ok := strings.CutPrefix(args[1], "@"); ok {
					at, err := session.ParseAddress(h.Thread + "@" + version)
					if err != nil {
						return err
					}
					to.Version = at.Version
					return showDiff(ctx, a, from, to)
				}
				other, err := a.Latest(c, args[1])
				if err != nil {
					return err
				}
				return a.WithSession(c, other, func(ctx context.Context, src *project.Source, h *session.History) error {
					if err := wholeVersion(c, src.Address); err != nil {
						return err
					}
					return showDiff(ctx, a, from, audit.Side{History: h, Version: src.Address.Version})
				})
			})
		},
	})
}

// diffArgs says how a version is named if a number is passed.
func diffArgs(c *cobra.Command, args []string) error {
	number := func(arg string) string {
		if n := strings.TrimPrefix(arg, "v"); strings.Trim(n, "0123456789") == "" {
			return n
		}
		return ""
	}
	if len(args) > 1 && number(args[1]) != "" {
		command := "brenner session diff " + args[0] + "@v" + number(args[1])
		if len(args) > 2 && number(args[2]) != "" {
			command += " @v" + number(args[2])
		}
		return ui.Usage(c, "not a session: "+args[1], "a version is written @v"+number(args[1])+": "+ui.Clean(command))
	}
	return ui.OneOrTwo(c, args)
}

// wholeVersion rejects the address of an item.
func wholeVersion(c *cobra.Command, at session.Address) error {
	at.Version = 0
	return ui.WholeSession(c, at)
}

func showDiff(ctx context.Context, a *ui.App, from, to audit.Side) error {
	d, err := audit.Compare(ctx, from, to)
	if err == nil && (from.State.Opened.Rehearsal != "" || to.State.Opened.Rehearsal != "") && !a.JSON && !a.Quiet {
		a.Say(ui.RehearsalNote + "\n")
	}
	return ui.Show(a, d, err, diffText)
}

func diffText(_ *ui.App, d *audit.Diff) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s: %d new, %d gone, %d changed, %d the same\n", ui.Clean(d.From.String()), ui.Clean(d.To.String()), d.New, d.Gone, d.Edited, d.Same)
	for i := range d.Items {
		it := &d.Items[i]
		fmt.Fprintf(&b, "\n%s %s%s: %s\n", it.State, it.Names(), matchWords(it), ui.Cut(ui.Clean(it.Title)))
		for _, f := range it.Fields {
			side := func(mark string, value artifact.Value) {
				if value != nil && value != artifact.Bool(false) {
					fmt.Fprintf(&b, "    %s %s\n", mark, strings.ReplaceAll(ui.CleanText(audit.ValueWords(value)), "\n", "\n      "))
				}
			}
			fmt.Fprintf(&b, "  %s\n", ui.Clean(strings.ReplaceAll(f.Field, "_", " ")))
			side("-", f.Was)
			side("+", f.Now)
		}
	}
	return b.String()
}

func matchWords(it *audit.ItemDiff) string {
	if it.Match == "text" {
		return " (same text)"
	}
	return ""
}
