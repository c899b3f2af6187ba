package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/roster"
)

// The states of a thing that was checked.
const (
	CheckFine   = "ok"
	CheckNote   = "note"
	CheckBroken = "broken"
)

// Check is what was found about one thing.
type Check struct {
	What   string `json:"what"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Fix    string `json:"fix"`
}

// Diagnosis is all that was found about a project.
type Diagnosis struct {
	Schema string  `json:"schema"`
	Checks []Check `json:"checks"`
}

// Broken reports whether anything is broken.
func (d *Diagnosis) Broken() bool {
	return slices.ContainsFunc(d.Checks, func(c Check) bool { return c.Status == CheckBroken })
}

// Diagnose checks the configuration, the store, the roster, the mail server, the models
// and the programs of a project. It spends nothing and sends no mail. The roster is
// resolved by the caller.
func Diagnose(ctx context.Context, h *Host, o config.Options, resolve func() (roster.Roster, error)) *Diagnosis {
	d := &Diagnosis{Schema: "brenner.doctor/v1"}
	add := func(checks ...Check) { d.Checks = append(d.Checks, checks...) }
	p, err := Open(h, o)
	if err != nil {
		add(brokenBy("configuration", err)...)
		return d
	}
	add(checkProject(p))
	add(checkStore(ctx, p)...)
	if p.Config.Question == "" {
		add(Check{"question", CheckNote, "none in the configuration", "give one with --question, or set question: in " + config.FileName})
	}
	r, err := resolve()
	if err != nil {
		add(brokenBy("roster", err)...)
		return d
	}
	add(Check{What: "roster", Status: CheckFine, Found: fmt.Sprintf("%d agents: %s", len(r.Entries), strings.Join(r.Agents(), ", "))})
	for _, e := range r.Entries {
		add(checkAgent(p, e))
	}
	add(checkMail(ctx, p, r)...)
	add(checkModels(ctx, p, r)...)
	add(checkPrograms(ctx, p, r)...)
	return d
}

func brokenBy(what string, err error) []Check {
	var d []Check
	for _, f := range fault.Distinct(err) {
		d = append(d, Check{What: what, Status: CheckBroken, Found: f.Error(), Fix: f.Hint})
	}
	return d
}

func checkProject(p *Project) Check {
	if p.Config.Project.File == "" {
		return Check{"configuration", CheckNote, "no " + config.FileName + "; the built-in defaults hold", "`brenner init` writes one"}
	}
	c := Check{What: "configuration", Status: CheckFine, Found: filepath.Join(p.Config.Project.Dir, p.Config.Project.File)}
	if err := writable(p.Config.Project.Dir); err != nil {
		c.Status, c.Found, c.Fix = CheckBroken, p.Config.Project.Dir+": "+files.Reason(err), "make the folder writable: sessions are stored in "+stateDir
	}
	return c
}

// writable tries to write a file in a folder, which is the only sure way to know: a disk
// that is full lets one be made, and takes no byte of it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".brenner-doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 1<<16))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// checkAgent says how an agent would be reached.
func checkAgent(p *Project, e roster.Entry) Check {
	m := p.Config.Reach(e.Model)
	c := Check{What: "agent " + e.Agent, Status: CheckFine, Found: "via " + m.Via}
	switch {
	case m.Via == "":
		c.Status, c.Found = CheckNote, "nothing says how it is reached"
		c.Fix = "set via: in " + config.FileName + ", or list its model under agents.models"
	case m.Via == config.ViaOpenAI && m.ID == "":
		c.Status, c.Found = CheckNote, fmt.Sprintf("via openai, but nothing says which model %q is", e.Model)
		c.Fix = "list it under agents.models with its id and base_url"
	case m.Via == config.ViaOpenAI:
		c.Found = strings.TrimSpace("via openai, model " + m.ID + " " + m.BaseURL)
	}
	return c
}
