// Package verifycmd holds the command `brenner verify`.
package verifycmd

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact/lint"
	"brenner/cmd/brenner/cli/playbookcmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session/audit"
)

// Command returns the verify command.
func Command(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
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
		RunE: func(c *cobra.Command, args []string) error { return verify(a, c, args) },
	})
}

func verify(a *ui.App, c *cobra.Command, args []string) error {
	head := ""
	if len(args) == 2 {
		head = strings.ToLower(args[1])
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(head) {
			return ui.Usage(c, ui.Clean(args[1])+" is no head and no seal", "both are 64 hexadecimal digits; the summary of a session prints them")
		}
	}
	v, err := proof(a, c, args, head)
	if err == nil && !v.OK {
		a.Exit = ui.ExitFailed
	}
	return ui.Show(a, v, err, verificationText)
}

// proof proves what the arguments name, or everything.
func proof(a *ui.App, c *cobra.Command, args []string, head string) (*project.Verification, error) {
	if len(args) > 0 {
		if file, rest, ok := project.ExportFile(args[0]); ok {
			return exportProof(a, c, file, rest, head)
		}
	}
	p, err := a.Open()
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

func verificationText(a *ui.App, v *project.Verification) string {
	t := &verdicts{quiet: a.Quiet}
	if v.Store != nil {
		t.add("the store", v.Store.Faults.Details(), "every page, blob and stream is whole")
	}
	if p := v.Records; p != nil {
		t.add("the records", p.Faults.Details(), fmt.Sprintf("%s, %s, %s",
			text.Plural(p.Entries, "entry", "entries"), text.Count(p.Versions, "version"), text.Count(p.Marks, "mark")))
		t.mark("head", p.Head, "")
		for _, s := range p.Streams {
			if s.Name != govern.Changes {
				t.mark("head", s.Head, " of "+s.Name)
			}
		}
	}
	if p := v.Playbook; p != nil {
		t.add("the playbook", p.Faults.Details(), playbookcmd.ProofSize(p.Proof))
		t.mark("head", p.Head, "")
	}
	for _, s := range v.Sessions {
		t.add(cmp.Or(s.File, s.Thread), s.Faults.Details(), fmt.Sprintf("%s, %s, %s",
			text.Plural(s.Entries, "entry", "entries"), text.Count(s.Blobs, "blob"), text.Count(s.Versions, "version")))
		if s.Head != "" {
			t.mark("head", s.Head, "")
			t.mark("seal", s.Seal, "")
		}
		for _, rules := range s.Lint {
			t.mark("lint", rules, ", whose findings were not compared: this program has "+lint.Version)
		}
		if s.Reworded > 0 {
			t.mark("words", text.Count(s.Reworded, "version"), " with a report that says the same in other words than this program's")
		}
	}
	for _, l := range v.Loops {
		t.add("the loop "+l.Name, l.Faults.Details(), text.Plural(l.Entries, "entry", "entries")+", and its sessions came to what it says")
		t.mark("head", l.Head, "")
	}
	return t.b.String()
}

// verdicts is what was found of one thing after the other.
type verdicts struct {
	b     strings.Builder
	quiet bool
}

// mark names the end of a journal, for those who keep it.
func (t *verdicts) mark(what, hash, of string) {
	if !t.quiet && hash != "" {
		fmt.Fprintf(&t.b, "    %s %s%s\n", what, ui.Clean(hash), of)
	}
}

// add says of one thing that it is proven, or every fault on its own line.
func (t *verdicts) add(name string, faults []fault.Detail, whole string) {
	b, quiet := &t.b, t.quiet
	name = ui.Clean(name)
	if len(faults) == 0 {
		if !quiet {
			fmt.Fprintf(b, "%s: proven: %s\n", name, whole)
		}
		return
	}
	for _, f := range faults {
		fmt.Fprintf(b, "%s: %s: %s\n", name, f.Code, ui.Clean(f.Message))
	}
	if !quiet {
		fmt.Fprintf(b, "%s: not proven: %s\n", name, text.Count(len(faults), "fault"))
	}
}
