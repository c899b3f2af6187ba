package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"brenner/artifact/lint"
	"brenner/govern"
)

func (v *verification) text(a *app) error {
	t := &verdicts{quiet: a.quiet}
	if v.store != nil {
		t.add("the store", v.store.found, "every page, blob and stream is whole")
	}
	if p := v.records; p != nil {
		t.add("the records", p.Faults, fmt.Sprintf("%s, %s, %s",
			plural(p.Entries, "entry", "entries"), count(p.Versions, "version"), count(p.Marks, "mark")))
		t.mark("head", p.Head, "")
		for _, s := range p.Streams {
			if s.Name != govern.Changes {
				t.mark("head", s.Head, " of "+s.Name)
			}
		}
	}
	if p := v.playbook; p != nil {
		t.add("the playbook", p.found, p.whole())
		t.mark("head", p.Head, "")
	}
	for _, s := range v.sessions {
		t.add(cmp.Or(s.File, s.Thread), s.found, fmt.Sprintf("%s, %s, %s",
			plural(s.Entries, "entry", "entries"), count(s.Blobs, "blob"), count(s.Versions, "version")))
		if s.Head != "" {
			t.mark("head", s.Head, "")
			t.mark("seal", s.Seal, "")
		}
		for _, rules := range s.Lint {
			t.mark("lint", rules, ", whose findings were not compared: this program has "+lint.Version)
		}
		if s.Reworded > 0 {
			t.mark("words", count(s.Reworded, "version"), " with a report that says the same in other words than this program's")
		}
	}
	for _, l := range v.loops {
		t.add("the loop "+l.Name, l.found, plural(l.Entries, "entry", "entries")+", and its sessions came to what it says")
		t.mark("head", l.Head, "")
	}
	return a.write([]byte(t.b.String()))
}

// verdicts is what was found of one thing after the other.
type verdicts struct {
	b     strings.Builder
	quiet bool
}

// mark gives the end of a journal, for those who keep it.
func (t *verdicts) mark(what, hash, of string) {
	if !t.quiet && hash != "" {
		fmt.Fprintf(&t.b, "    %s %s%s\n", what, clean(hash), of)
	}
}

// add says of one thing that it is proven, or every fault on its own line.
func (t *verdicts) add(name string, found []error, whole string) {
	b, quiet := &t.b, t.quiet
	name = clean(name)
	if len(found) == 0 {
		if !quiet {
			fmt.Fprintf(b, "%s: proven: %s\n", name, whole)
		}
		return
	}
	all := faultsOf(errors.Join(found...))
	for _, f := range all {
		fmt.Fprintf(b, "%s: %s: %s\n", name, f.Code, clean(f.Error()))
	}
	if !quiet {
		fmt.Fprintf(b, "%s: not proven: %s\n", name, count(len(all), "fault"))
	}
}

func (v *verification) document() any {
	type checked struct {
		*checkedSession
		Faults []failureDetail `json:"faults"`
	}
	type checkedNight struct {
		*checkedLoop
		Faults []failureDetail `json:"faults"`
	}
	type checkedFile struct {
		Faults []failureDetail `json:"faults"`
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
		Faults   []failureDetail `json:"faults"`
	}
	type checkedBook struct {
		*checkedPlaybook
		Faults []failureDetail `json:"faults"`
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
		doc.Store = &checkedFile{details(v.store.found)}
	}
	if p := v.records; p != nil {
		doc.Records = &checkedOnes{p.Entries, p.Versions, p.Marks, p.Head, []checkedStream{}, details(p.Faults)}
		for _, s := range p.Streams {
			doc.Records.Streams = append(doc.Records.Streams, checkedStream(s))
		}
	}
	if p := v.playbook; p != nil {
		doc.Playbook = &checkedBook{p, details(p.found)}
	}
	for _, s := range v.sessions {
		doc.Sessions = append(doc.Sessions, checked{s, details(s.found)})
	}
	for _, l := range v.loops {
		doc.Loops = append(doc.Loops, checkedNight{l, details(l.found)})
	}
	return doc
}

func details(found []error) []failureDetail {
	all := []failureDetail{}
	if len(found) == 0 {
		return all
	}
	for _, f := range faultsOf(errors.Join(found...)) {
		all = append(all, detail(f))
	}
	return all
}

// missingFile tells whether an argument was meant as a file that is not there.
func missingFile(arg string) bool {
	if !strings.ContainsAny(arg, `/\`) && !strings.HasSuffix(arg, ".jsonl") {
		return false
	}
	_, err := os.Stat(arg)
	return errors.Is(err, fs.ErrNotExist)
}
