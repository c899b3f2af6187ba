package verifycmd

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session/audit"
)

// Command returns the verify command.
func Command(a *ui.App) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:     "verify [ID|FILE [HEAD]]",
		GroupID: ui.Other,
		Short:   "Prove a session, an export, or everything in the store",
		Long: `Proves a session from what is stored: the chain of its journal, every message and reply
by its hash, and every version by settling the replies once more, byte by byte. Without
an argument it proves the file of the store, all sessions in it, the project's records,
the playbook, and the loops that ran sessions, with what each of those came to and spent. For
the file of an export it needs no project.

HEAD is the head or the seal of a session as somebody kept it: from a summary, a version
or an export. Without it, a journal whose end was cut off, or that was made anew from
its beginning, looks whole.`,
		Example: `  brenner verify
  brenner verify RS-20261115-cell-fate
  brenner verify cell-fate.brenner.jsonl 1f2c1c61025f982236235a929f3cfc6b1755e9cd38ee35990e1119c9d5310e63

Exit codes: 0 everything is proven; 1 something is not as it was written; 2 there is no
such session, or the file cannot be read or is no export.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return verify(a, c, dir, args) },
	}
	ui.AddProjectFlag(c, &dir)
	return c
}

func verify(a *ui.App, c *cobra.Command, dir string, args []string) error {
	head := ""
	if len(args) == 2 {
		head = strings.ToLower(args[1])
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(head) {
			return ui.Usage(c, ui.Clean(args[1])+" is no head and no seal", "both are 64 hexadecimal digits; the summary of a session prints them")
		}
	}
	v, err := proof(a, c, dir, args, head)
	if err != nil {
		return err
	}
	if !v.OK {
		a.Exit = ui.ExitFailed
	}
	return a.Show(verification{v})
}

// proof proves what the arguments name, or everything.
func proof(a *ui.App, c *cobra.Command, dir string, args []string, head string) (*project.Verification, error) {
	if len(args) > 0 {
		if file, rest, ok := project.ExportFile(args[0]); ok {
			return exportProof(a, c, file, rest, head)
		}
	}
	p, err := a.Open(dir, "", nil)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return p.Verify(c.Context())
	}
	src, err := p.OpenSource(c.Context(), args[0])
	if err != nil {
		return project.DamagedStore(err)
	}
	defer a.CloseStore(src.Store)
	if err := ui.WholeSession(c, src.Address); err != nil {
		return nil, err
	}
	checked, err := audit.Verify(c.Context(), src.Store, src.Address.Thread, head)
	if err != nil {
		return nil, err
	}
	return project.Verified(checked), nil
}

func exportProof(a *ui.App, c *cobra.Command, file, rest, head string) (*project.Verification, error) {
	if rest != "" {
		return nil, ui.Usage(c, "verify takes a whole export, not "+ui.Clean(file+rest), "leave out "+ui.Clean(rest))
	}
	data, err := a.ReadExact("the export", file)
	if err != nil {
		return nil, err
	}
	checked, _, err := project.VerifyExport(c.Context(), file, data, head)
	if err != nil {
		return nil, err
	}
	return project.Verified(checked), nil
}
