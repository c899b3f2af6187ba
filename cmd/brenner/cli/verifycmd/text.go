package verifycmd

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"brenner/artifact/lint"
	"brenner/cmd/brenner/cli/playbookcmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/text"
)

func (v *verification) Print(a *ui.App) error {
	t := &verdicts{quiet: a.Quiet}
	if v.store != nil {
		t.add("the store", v.store.found, "every page, blob and stream is whole")
	}
	if p := v.records; p != nil {
		t.add("the records", p.Faults, fmt.Sprintf("%s, %s, %s",
			text.Plural(p.Entries, "entry", "entries"), text.Count(p.Versions, "version"), text.Count(p.Marks, "mark")))
		t.mark("head", p.Head, "")
		for _, s := range p.Streams {
			if s.Name != govern.Changes {
				t.mark("head", s.Head, " of "+s.Name)
			}
		}
	}
	if p := v.playbook; p != nil {
		t.add("the playbook", p.Found, p.Size())
		t.mark("head", p.Head, "")
	}
	for _, s := range v.sessions {
		t.add(cmp.Or(s.File, s.Thread), s.Found, fmt.Sprintf("%s, %s, %s",
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
	for _, l := range v.loops {
		t.add("the loop "+l.Name, l.Found, text.Plural(l.Entries, "entry", "entries")+", and its sessions came to what it says")
		t.mark("head", l.Head, "")
	}
	return a.Write([]byte(t.b.String()))
}

// verdicts is what was found of one thing after the other.
type verdicts struct {
	b     strings.Builder
	quiet bool
}

// mark gives the end of a journal, for those who keep it.
func (t *verdicts) mark(what, hash, of string) {
	if !t.quiet && hash != "" {
		fmt.Fprintf(&t.b, "    %s %s%s\n", what, ui.Clean(hash), of)
	}
}

// add says of one thing that it is proven, or every fault on its own line.
func (t *verdicts) add(name string, found []error, whole string) {
	b, quiet := &t.b, t.quiet
	name = ui.Clean(name)
	if len(found) == 0 {
		if !quiet {
			fmt.Fprintf(b, "%s: proven: %s\n", name, whole)
		}
		return
	}
	all := fault.Distinct(errors.Join(found...))
	for _, f := range all {
		fmt.Fprintf(b, "%s: %s: %s\n", name, f.Code, ui.Clean(f.Error()))
	}
	if !quiet {
		fmt.Fprintf(b, "%s: not proven: %s\n", name, text.Count(len(all), "fault"))
	}
}

func (v *verification) Document() any {
	type checked struct {
		*checkedSession
		Faults []fault.Detail `json:"faults"`
	}
	type checkedNight struct {
		*checkedLoop
		Faults []fault.Detail `json:"faults"`
	}
	type checkedFile struct {
		Faults []fault.Detail `json:"faults"`
	}
	type checkedStream struct {
		Name    string `json:"name"`
		Entries int    `json:"entries"`
		Head    string `json:"head"`
	}
	type checkedOnes struct {
		Entries  int             `json:"entries"`
		Versions int             `json:"versions"`
		Marks    int             `json:"marks"`
		Head     string          `json:"head"`
		Streams  []checkedStream `json:"streams"`
		Faults   []fault.Detail  `json:"faults"`
	}
	type checkedBook struct {
		*playbookcmd.CheckedPlaybook
		Faults []fault.Detail `json:"faults"`
	}
	doc := struct {
		Schema   string         `json:"schema"`
		OK       bool           `json:"ok"`
		Store    *checkedFile   `json:"store,omitempty"`
		Records  *checkedOnes   `json:"records,omitempty"`
		Playbook *checkedBook   `json:"playbook,omitempty"`
		Sessions []checked      `json:"sessions"`
		Loops    []checkedNight `json:"loops,omitempty"`
	}{Schema: "brenner.verify/v1", OK: v.ok(), Sessions: []checked{}}
	if v.store != nil {
		doc.Store = &checkedFile{fault.Details(v.store.found...)}
	}
	if p := v.records; p != nil {
		doc.Records = &checkedOnes{p.Entries, p.Versions, p.Marks, p.Head, []checkedStream{}, fault.Details(p.Faults...)}
		for _, s := range p.Streams {
			doc.Records.Streams = append(doc.Records.Streams, checkedStream(s))
		}
	}
	if p := v.playbook; p != nil {
		doc.Playbook = &checkedBook{p, fault.Details(p.Found...)}
	}
	for _, s := range v.sessions {
		doc.Sessions = append(doc.Sessions, checked{s, fault.Details(s.Found...)})
	}
	for _, l := range v.loops {
		doc.Loops = append(doc.Loops, checkedNight{l, fault.Details(l.Found...)})
	}
	return doc
}
