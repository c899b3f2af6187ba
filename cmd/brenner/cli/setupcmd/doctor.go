package setupcmd

import (
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
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
			d := project.Diagnose(c.Context(), a.Host(), config.Options{Dir: flags.Project, SessionConfig: flags.SessionConfig}, func() (roster.Roster, error) {
				_, res, err := sessioncmd.Resolve(a, c, &flags)
				return res.Roster, err
			})
			if d.Broken() {
				a.Exit = ui.ExitFailed
			}
			return a.Show(diagnosisView{d})
		},
	}
	flags.Add(c)
	return c
}

// diagnosisView is all that the doctor found.
type diagnosisView struct{ *project.Diagnosis }

func (d diagnosisView) Print(a *ui.App) error {
	rows := make([][]string, 0, 2*len(d.Checks))
	for _, c := range d.Checks {
		rows = append(rows, []string{c.Status, c.What, c.Found})
		if c.Fix != "" && !a.Quiet {
			rows = append(rows, []string{"", "", "fix: " + c.Fix})
		}
	}
	return a.Write([]byte(ui.Columns(rows)))
}
