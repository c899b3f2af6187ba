package loopcmd

import (
	"context"
	"slices"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/project"
)

// sendReport sends the report of a loop that has ended to the readers whom it has not
// reached.
func sendReport(ctx context.Context, a *ui.App, p *project.Project, name string) error {
	sent, err := p.SendReport(ctx, name)
	if err != nil {
		return err
	}
	if sent.Undelivered != nil {
		a.Exit = ui.ExitFailed
		a.SayFaults(fault.Distinct(sent.Undelivered))
	}
	sent.Exit = &a.Exit
	return a.Show(sentView{sent})
}

type sentView struct{ *project.SentReport }

func (r sentView) Print(a *ui.App) error {
	var b strings.Builder
	if len(r.To) == 0 {
		b.WriteString(ui.Clean(r.Loop) + ": the report has reached everybody already; nothing was sent\n")
	}
	for _, d := range r.Deliveries {
		if slices.Contains(r.To, d.To) && d.Code == "" {
			b.WriteString(ui.Clean(r.Loop) + ": the report was sent to " + ui.Clean(d.To) + "\n")
		}
	}
	return a.Write([]byte(b.String()))
}
