package sessioncmd

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
)

// Command returns the session commands.
func Command(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "session",
		GroupID: ui.Everyday,
		Short:   "Run research sessions, and look at what they came to",
	}
	c.AddCommand(
		sessionStartCommand(a),
		sessionResumeCommand(a), sessionStatusCommand(a), sessionListCommand(a), sessionShowCommand(a),
		sessionWatchCommand(a), sessionExportCommand(a), sessionImportCommand(a), sessionReplayCommand(a),
		sessionApplyCommand(a), sessionResolveCommand(a), sessionNoteCommand(a), sessionCompileCommand(a), sessionPublishCommand(a),
	)
	ui.Group(c)
	return c
}

// dryRunResult is what a session would do.
type dryRunResult project.Composed

func (d dryRunResult) Print(a *ui.App) error {
	rows := [][]string{{"AGENT", "ROLE", "PROGRAM", "MODEL", "REACHED VIA", "TEMPLATE"}}
	for i, e := range d.Roster.Roster.Entries {
		rows = append(rows, []string{
			ui.Clean(e.Agent), ui.Clean(string(e.Role)), ui.OrDash(e.Program), ui.OrDash(e.Model),
			ui.OrDash(d.Project.Config.Reach(e.Model).Via), d.Messages[i].Template,
		})
	}
	head := fmt.Sprintf("Dry run of %s: nothing is sent, nothing is written.\nQuestion: %s\n\n%s\n",
		d.ThreadID, ui.Clean(strings.TrimSpace(d.Question)), ui.Columns(rows))
	return a.Write([]byte(head + between + "\n\n" + messagesText(d.Messages)))
}

func (d dryRunResult) Document() any {
	return struct {
		Schema   string            `json:"schema"`
		DryRun   bool              `json:"dry_run"`
		ThreadID string            `json:"thread_id"`
		Question string            `json:"question"`
		Roster   jsontext.Value    `json:"roster"`
		Messages []messageDocument `json:"messages"`
	}{
		"brenner.session.plan/v1", true, d.ThreadID, d.Question,
		jsontext.Value(artifact.Canonical(d.Roster.Value())), messageDocuments(d.Messages),
	}
}
