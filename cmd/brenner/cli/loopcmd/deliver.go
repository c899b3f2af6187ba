package loopcmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/loop/runner"
	"brenner/project"
)

// sendReport sends the report of a loop that has ended to whom it has not reached.
func sendReport(a *ui.App, c *cobra.Command, p *project.Project, name string) error {
	if len(project.ReadersOf(p)) == 0 {
		return ui.Usage(c, "nothing says where reports go", "write report: {webhook: …} or {mail: true} into "+config.FileName)
	}
	if err := p.CheckDelivery(); err != nil {
		return err
	}
	st, err := p.OpenLoops(c.Context(), name)
	if err != nil {
		return err
	}
	defer a.CloseStore(st)
	state, err := runner.Load(c.Context(), st, name)
	if err != nil {
		return err
	}
	if state.Ended == "" {
		return ui.Usage(c, "the loop "+name+" has not ended; its report is sent then", "`brenner loop report "+name+"` prints it as it is now")
	}
	to := project.Unreached(p, state)
	r, err := p.WriteReport(c.Context(), st, state)
	if err == nil {
		err = p.Deliver(c.Context(), st, r, to)
	}
	if err != nil && fault.CodeOf(err) != project.NotDelivered {
		return err
	}
	if err != nil {
		a.Exit = ui.ExitFailed
		a.SayFaults(fault.Distinct(err))
	}
	if state, err = runner.Load(c.Context(), st, name); err != nil {
		return err
	}
	s := summarise(p, st, state)
	s.Exit = &a.Exit
	return a.Show(&sentReport{s, to})
}

// sentReport is where a report went.
type sentReport struct {
	*loopSummary
	to []string
}

func (r *sentReport) Print(a *ui.App) error {
	var b strings.Builder
	if len(r.to) == 0 {
		b.WriteString(ui.Clean(r.Loop) + ": the report has reached everybody already; nothing was sent\n")
	}
	for _, d := range r.Deliveries {
		if slices.Contains(r.to, d.To) && d.Code == "" {
			b.WriteString(ui.Clean(r.Loop) + ": the report was sent to " + ui.Clean(d.To) + "\n")
		}
	}
	return a.Write([]byte(b.String()))
}
