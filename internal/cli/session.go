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
		Short:   "Start a research session",
	}
	c.AddCommand(a.sessionStartCommand())
	group(c)
	return c
}

func (a *app) sessionStartCommand() *cobra.Command {
	var flags rosterFlags
	var brief briefFlags
	var dryRun bool
	c := &cobra.Command{
		Use:   "start --dry-run",
		Short: "Resolve the roster and compose every kickoff; send nothing",
		Long: `Resolves the roster and composes the kickoff of each agent, as a session would, and
prints all of it. Nothing is sent and no file is written. This version cannot run
sessions yet: --dry-run is required.`,
		Example: `  brenner session start --preset default-3-agent --dry-run
  brenner session start --preset hypothesis-critique --to BlueLake,RedSky --question "Why do cells age?" --dry-run

Exit codes: 0 printed; 2 the roster, the brief or the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !dryRun {
				return usage(c, "this version cannot run sessions yet", "--dry-run composes everything and sends nothing")
			}
			k, err := a.compose(c, &flags, &brief)
			if err != nil {
				return err
			}
			return a.show(dryRunResult(k))
		},
	}
	flags.add(c)
	brief.add(c)
	c.Flags().BoolVar(&dryRun, "dry-run", false, "compose and print everything; send nothing, write nothing")
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
