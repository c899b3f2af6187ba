// Package verifycmd implements `brenner verify`.
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
	"brenner/project/review"
	"brenner/session"
)

// Command returns the verify command.
func Command(a *ui.App) *cobra.Command {
	return ui.SessionArg(a, 0, ui.InProject(&cobra.Command{
		Use:   "verify [ID|FILE [HEAD]]",
		Short: "Verify a session, an export, or the entire store",
		Long: `Verifies a session against its journal: the hash chain, the hash of every message and
reply, and every version, which is rebuilt from the replies and compared byte for byte.

Without an argument, verifies the store file, all sessions, the project's records, the
playbook, and the results and costs of all loops. Verifying an export needs no project.

HEAD is a session's head or seal that you kept from a summary, a version or an export.
Without it, a truncated or completely rewritten journal cannot be detected.`,
		Example: `  brenner verify
  brenner verify RS-20261115-cell-fate
  brenner verify cell-fate.brenner.jsonl 1f2c1c61025f982236235a929f3cfc6b1755e9cd38ee35990e1119c9d5310e63

Exit codes: 0 everything verified; 1 something does not match what was written; 2 no such
session, or the file is unreadable or not an export.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return verify(a, c, args) },
	}))
}

func verify(a *ui.App, c *cobra.Command, args []string) error {
	head := ""
	if len(args) == 2 {
		head = strings.ToLower(args[1])
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(head) {
			return ui.Usage(c, "HEAD: "+ui.Clean(args[1])+" is not a head or a seal", "both are 64 hexadecimal digits; `brenner session status ID` prints them")
		}
	}
	v, err := runVerify(a, c, args, head)
	if err == nil && !v.OK {
		a.Exit = ui.ExitFailed
	}
	return ui.Show(a, v, err, verificationText)
}

// runVerify verifies what the arguments name, or everything.
func runVerify(a *ui.App, c *cobra.Command, args []string, head string) (*review.Verification, error) {
	if len(args) > 0 {
		if file, rest, ok := project.ExportFile(args[0]); ok {
			return verifyExport(a, c, file, rest, head)
		}
	}
	p, err := a.Open()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return review.Verify(c.Context(), p)
	}
	src, err := p.OpenSource(c.Context(), args[0])
	if err != nil {
		return review.DamagedStore(err)
	}
	defer a.CloseStore(src.Store)
	if err := ui.WholeSession(c, src.Address); err != nil {
		return nil, err
	}
	return review.VerifySession(c.Context(), src, head)
}

func verifyExport(a *ui.App, c *cobra.Command, file, rest, head string) (*review.Verification, error) {
	if rest != "" {
		return nil, ui.Usage(c, ui.Clean(file+rest)+": `brenner verify` requires an entire export", "pass "+ui.Clean(file))
	}
	data, err := a.ReadExact("the export", file)
	if err != nil {
		return nil, err
	}
	checked, _, err := project.VerifyExport(c.Context(), file, data, head)
	if err != nil {
		return nil, err
	}
	return review.Verified(checked), nil
}

func verificationText(a *ui.App, v *review.Verification) string {
	t := &verdicts{quiet: a.Quiet}
	if v.Store != nil {
		t.add("store", v.Store.Faults.Details(), "every page, blob and stream is intact")
	}
	if p := v.Records; p != nil {
		t.add("records", p.Faults.Details(), fmt.Sprintf("%s, %s, %s",
			text.Plural(p.Entries, "entry", "entries"), text.Count(p.Versions, "version"), text.Count(p.Marks, "mark")))
		t.mark("head", p.Head, "")
		for _, s := range p.Streams {
			if s.Name != govern.Changes {
				t.mark("head", s.Head, " of "+s.Name)
			}
		}
	}
	if p := v.Playbook; p != nil {
		t.add("playbook", p.Faults.Details(), playbookcmd.ProofSize(p.Proof))
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
			t.mark("lint", rules, ": findings not compared, this version has "+lint.Version)
		}
		if s.Reworded > 0 {
			t.mark("messages", text.Count(s.Reworded, "version"), " whose report is worded differently by this version of brenner")
		}
	}
	for _, l := range v.Loops {
		t.add("loop "+l.Name, l.Faults.Details(), text.Plural(l.Entries, "entry", "entries")+", session results match")
		t.mark("head", l.Head, "")
	}
	return t.b.String()
}

// verdicts collects the results as text.
type verdicts struct {
	b     strings.Builder
	quiet bool
}

// mark adds an indented line, such as the head of a journal.
func (t *verdicts) mark(label, value, suffix string) {
	if !t.quiet && value != "" {
		fmt.Fprintf(&t.b, "    %s %s%s\n", label, ui.Clean(value), suffix)
	}
}

// add adds one result: proven, or every fault on a line of its own.
func (t *verdicts) add(name string, faults []fault.Detail, summary string) {
	b, quiet := &t.b, t.quiet
	name = ui.Clean(name)
	if len(faults) == 0 {
		if !quiet {
			fmt.Fprintf(b, "%s: proven: %s\n", name, summary)
		}
		return
	}
	for _, f := range faults {
		fmt.Fprintf(b, "%s: %s: %s\n", name, f.Code, ui.Clean(f.Message))
		if f.Code == session.ReplayDiffers {
			b.WriteString(ui.HintLine(f))
		}
	}
	if !quiet {
		fmt.Fprintf(b, "%s: not proven: %s\n", name, text.Count(len(faults), "fault"))
	}
}
