package cli

import (
	"github.com/spf13/cobra"

	"brenner/session/flow"
)

func (a *app) sessionPublishCommand() *cobra.Command {
	var flags mailFlags
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
		Args: oneSession,
		RunE: func(c *cobra.Command, args []string) error { return a.publishByMail(c, flags, args[0]) },
	}
	flags.add(c)
	return c
}

func (a *app) publishByMail(c *cobra.Command, flags mailFlags, arg string) error {
	thread, err := storedSession(c, arg)
	if err != nil {
		return err
	}
	cfg, err := a.open(flags.project, "", nil)
	if err != nil {
		return err
	}
	if err := cfg.mustHave(c.Context(), thread); err != nil {
		return err
	}
	r, end, err := cfg.postRunner(c.Context(), doing(c), flags.url)
	if err != nil {
		return err
	}
	defer end()
	done, err := r.Publish(c.Context(), thread)
	if err != nil {
		return err
	}
	if len(done.Missed) > 0 {
		a.exit = exitPartial
	}
	return a.show(&publishedVersion{Schema: "brenner.session.published/v1", Thread: thread, Subject: done.Subject, Published: done.Published})
}

// publishedVersion is a version that was mailed.
type publishedVersion struct {
	Schema  string `json:"schema"`
	Thread  string `json:"thread_id"`
	Subject string `json:"subject"`
	flow.Published
}

func (p *publishedVersion) document() any { return p }

func (p *publishedVersion) text(a *app) error {
	lines := clean(p.Thread+": "+p.Subject) + ", in " + count(len(p.Letters), "message") + "\n"
	for _, name := range p.Missed {
		lines += "not reached: " + clean(name) + "\n"
	}
	return a.write([]byte(lines))
}
