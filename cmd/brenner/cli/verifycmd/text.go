package verifycmd

import (
	"cmp"
	"fmt"
	"strings"

	"brenner/artifact/lint"
	"brenner/cmd/brenner/cli/playbookcmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
)

// verification is what was proven, and what could not be, for people.
type verification struct{ *project.Verification }

func (v verification) Print(a *ui.App) error {
	t := &verdicts{quiet: a.Quiet}
	if v.Store != nil {
		t.add("the store", v.Store.Faults, "every page, blob and stream is whole")
	}
	if p := v.Records; p != nil {
		t.add("the records", p.Faults, fmt.Sprintf("%s, %s, %s",
			text.Plural(p.Entries, "entry", "entries"), text.Count(p.Versions, "version"), text.Count(p.Marks, "mark")))
		t.mark("head", p.Head, "")
		for _, s := range p.Streams {
			if s.Name != govern.Changes {
				t.mark("head", s.Head, " of "+s.Name)
			}
		}
	}
	if p := v.Playbook; p != nil {
		t.add("the playbook", p.Faults, playbookcmd.ProofSize(p.Proof))
		t.mark("head", p.Head, "")
	}
	for _, s := range v.Sessions {
		t.add(cmp.Or(s.File, s.Thread), s.Faults, fmt.Sprintf("%s, %s, %s",
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
		t.add("the loop "+l.Name, l.Faults, text.Plural(l.Entries, "entry", "entries")+", and its sessions came to what it says")
		t.mark("head", l.Head, "")
	}
	return a.Write([]byte(t.b.String()))
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
