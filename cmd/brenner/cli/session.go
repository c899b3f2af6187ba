package cli

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
)

func (a *app) sessionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "session",
		GroupID: everyday,
		Short:   "Run research sessions, and look at what they came to",
	}
	c.AddCommand(
		a.sessionStartCommand(),
		a.sessionResumeCommand(), a.sessionStatusCommand(), a.sessionListCommand(), a.sessionShowCommand(),
		a.sessionWatchCommand(), a.sessionExportCommand(), a.sessionImportCommand(), a.sessionReplayCommand(),
		a.sessionApplyCommand(), a.sessionResolveCommand(), a.sessionNoteCommand(), a.sessionCompileCommand(), a.sessionPublishCommand(),
	)
	group(c)
	return c
}

// dryRunResult is what a session would do.
type dryRunResult composed

func (d dryRunResult) text(a *app) error {
	rows := [][]string{{"AGENT", "ROLE", "PROGRAM", "MODEL", "REACHED VIA", "TEMPLATE"}}
	for i, e := range d.roster.Roster.Entries {
		rows = append(rows, []string{
			clean(e.Agent), clean(string(e.Role)), orDash(e.Program), orDash(e.Model),
			orDash(d.config.Reach(e.Model).Via), d.messages[i].Template,
		})
	}
	head := fmt.Sprintf("Dry run of %s: nothing is sent, nothing is written.\nQuestion: %s\n\n%s\n",
		d.threadID, clean(strings.TrimSpace(d.question)), columns(rows))
	return a.write([]byte(head + between + "\n\n" + messagesText(d.messages)))
}

func (d dryRunResult) document() any {
	return struct {
		Schema   string            `json:"schema"`
		DryRun   bool              `json:"dry_run"`
		ThreadID string            `json:"thread_id"`
		Question string            `json:"question"`
		Roster   jsontext.Value    `json:"roster"`
		Messages []messageDocument `json:"messages"`
	}{
		"brenner.session.plan/v1", true, d.threadID, d.question,
		jsontext.Value(artifact.Canonical(d.roster.Value())), messageDocuments(d.messages),
	}
}
