package setupcmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/project"
	"brenner/roster"
)

// DoctorCommand returns the doctor command.
func DoctorCommand(a *ui.App) *cobra.Command {
	var flags sessioncmd.RosterFlags
	c := &cobra.Command{
		Use:     "doctor",
		GroupID: ui.Everyday,
		Short:   "Check configuration, store, roster, mail, models and programs; say how to fix each",
		Example: `  brenner doctor
  brenner doctor --preset default-3-agent --json

Exit codes: 0 nothing is broken; 1 something is.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			d := examine(a, c, &flags)
			if slices.ContainsFunc(d, func(f check) bool { return f.Status == broken }) {
				a.Exit = ui.ExitFailed
			}
			return a.Show(d)
		},
	}
	flags.Add(c)
	return c
}

// The states of a thing that was checked.
const (
	fine   = "ok"
	note   = "note"
	broken = "broken"
)

// check is what the doctor found about one thing.
type check struct {
	What   string `json:"what"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Fix    string `json:"fix"`
}

// diagnosis is all that the doctor found.
type diagnosis []check

func examine(a *ui.App, c *cobra.Command, flags *sessioncmd.RosterFlags) diagnosis {
	p, err := a.Open(flags.Project, flags.SessionConfig, nil)
	if err != nil {
		return brokenBy("configuration", err)
	}
	d := append(diagnosis{checkProject(p)}, checkStore(c.Context(), a, p)...)
	if p.Config.Question == "" {
		d = append(d, check{"question", note, "none in the configuration", "give one with --question, or set question: in " + config.FileName})
	}
	_, res, err := sessioncmd.Resolve(a, c, flags)
	if err != nil {
		return append(d, brokenBy("roster", err)...)
	}
	d = append(d, check{What: "roster", Status: fine, Found: fmt.Sprintf("%d agents: %s", len(res.Roster.Entries), strings.Join(res.Roster.Agents(), ", "))})
	for _, e := range res.Roster.Entries {
		d = append(d, checkAgent(p, e))
	}
	d = append(d, checkMail(c.Context(), a, p, res.Roster)...)
	d = append(d, checkModels(c.Context(), a, p, res.Roster)...)
	return append(d, doctorPrograms(c.Context(), a, p, res.Roster)...)
}

func brokenBy(what string, err error) diagnosis {
	var d diagnosis
	for _, f := range fault.Distinct(err) {
		d = append(d, check{What: what, Status: broken, Found: f.Error(), Fix: f.Hint})
	}
	return d
}

func checkProject(p *project.Project) check {
	if p.Config.Project.File == "" {
		return check{"configuration", note, "no " + config.FileName + "; the built-in defaults hold", "`brenner init` writes one"}
	}
	c := check{What: "configuration", Status: fine, Found: filepath.Join(p.Config.Project.Dir, p.Config.Project.File)}
	if err := writable(p.Config.Project.Dir); err != nil {
		c.Status, c.Found, c.Fix = broken, p.Config.Project.Dir+": "+files.Reason(err), "make the folder writable: sessions are stored in "+project.StateDir
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
func checkAgent(p *project.Project, e roster.Entry) check {
	m := p.Config.Reach(e.Model)
	c := check{What: "agent " + e.Agent, Status: fine, Found: "via " + m.Via}
	switch {
	case m.Via == "":
		c.Status, c.Found = note, "nothing says how it is reached"
		c.Fix = "set via: in " + config.FileName + ", or list its model under agents.models"
	case m.Via == config.ViaOpenAI && m.ID == "":
		c.Status, c.Found = note, fmt.Sprintf("via openai, but nothing says which model %q is", e.Model)
		c.Fix = "list it under agents.models with its id and base_url"
	case m.Via == config.ViaOpenAI:
		c.Found = strings.TrimSpace("via openai, model " + m.ID + " " + m.BaseURL)
	}
	return c
}

func (d diagnosis) Print(a *ui.App) error {
	rows := make([][]string, 0, 2*len(d))
	for _, c := range d {
		rows = append(rows, []string{c.Status, c.What, c.Found})
		if c.Fix != "" && !a.Quiet {
			rows = append(rows, []string{"", "", "fix: " + c.Fix})
		}
	}
	return a.Write([]byte(ui.Columns(rows)))
}

func (d diagnosis) Document() any {
	return struct {
		Schema string  `json:"schema"`
		Checks []check `json:"checks"`
	}{"brenner.doctor/v1", d}
}
