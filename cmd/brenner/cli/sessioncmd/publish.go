package sessioncmd

import (
	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/mailcmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/session/flow"
)

func sessionPublishCommand(a *ui.App) *cobra.Command {
	var flags mailcmd.MailFlags
	c := &cobra.Command{
		Use: "publish ID", Short: "Mail the newest version of a session's artifact",
		Long: `Sends COMPILED into the session's thread: version, changes, contributors, counts for each
section, the linter's result, the head of the journal, and the artifact: to each agent with
a mailbox what its role may see, to your own mailbox all of it. A version is sent once,
however often it is published. A session whose agents have mailboxes publishes by itself.`,
		Example: `  brenner session publish RS-20261115-cell-fate

Exit codes: 0 sent, or sent before; 2 there is no such session, or it has no version yet;
3 not everybody was reached; 4 the token is missing or not allowed to do this; 5 the session
runs, and publishes by itself; 75 the mail server cannot be reached.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return publishByMail(a, c, flags, args[0]) },
	}
	flags.Add(c)
	return c
}

func publishByMail(a *ui.App, c *cobra.Command, flags mailcmd.MailFlags, arg string) error {
	thread, err := ui.StoredSession(c, arg)
	if err != nil {
		return err
	}
	p, err := a.Open(flags.Project, "", nil)
	if err != nil {
		return err
	}
	if err := p.MustHave(c.Context(), thread); err != nil {
		return err
	}
	r, end, err := p.PostRunner(c.Context(), ui.Doing(c), flags.URL)
	if err != nil {
		return err
	}
	defer end()
	done, err := r.Publish(c.Context(), thread)
	if err != nil {
		return err
	}
	if len(done.Missed) > 0 {
		a.Exit = ui.ExitPartial
	}
	return a.Show(&publishedVersion{Schema: "brenner.session.published/v1", Thread: thread, Subject: done.Subject, Published: done.Published})
}

// publishedVersion is a version that was mailed.
type publishedVersion struct {
	Schema  string `json:"schema"`
	Thread  string `json:"thread_id"`
	Subject string `json:"subject"`
	flow.Published
}

func (p *publishedVersion) Print(a *ui.App) error {
	lines := ui.Clean(p.Thread+": "+p.Subject) + ", in " + text.Count(len(p.Letters), "message") + "\n"
	for _, name := range p.Missed {
		lines += "not reached: " + ui.Clean(name) + "\n"
	}
	return a.Write([]byte(lines))
}
