package sessioncmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/mailcmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/mail"
	"brenner/project"
	"brenner/roster"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
	"brenner/store"
)

// ForeignKickoff is the code of a thread whose kickoff does not say enough to merge
// what was answered to it.
const ForeignKickoff fault.Code = "KICKOFF_UNREADABLE" // The kickoff of a thread started by another tool does not name its participants.

type compileOptions struct {
	roster RosterFlags
	brief  briefFlags
	url    string
}

func sessionCompileCommand(a *ui.App) *cobra.Command {
	var opt compileOptions
	c := &cobra.Command{
		Use: "compile ID", Short: "Merge what a thread of mail holds into the next version",
		Long: `Merges what the agents wrote in a session's thread and no round has taken: critiques of
what was published, answers that came late. A thread that another tool began becomes a
session: its kickoff says the question and the roster, or flags do; every round of the
thread makes a version. What was merged is not merged again. Nothing is sent:
` + "`brenner session publish`" + ` mails the new version.`,
		Example: `  brenner session compile RS-20261115-cell-fate
  brenner session compile RS-20261115-theirs --to BlueLake --role hypothesis_generator --question "Why do cells age?"

Exit codes: 0 merged; 1 the store is damaged; 2 there is nothing to merge, or the kickoff
does not say who takes part; 4 the token is missing or not allowed to read the thread;
5 merged with an open conflict, or the session runs or has an open round; 75 the mail
server cannot be reached.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return compile(a, c, &opt, args[0]) },
	}
	opt.roster.Add(c)
	f := c.Flags()
	f.StringVar(&opt.brief.question, "question", "", "the research question, or @FILE, where the thread does not say it")
	f.StringVar(&opt.brief.context, "context", "", "what everybody should know about it, or @FILE")
	f.StringVar(&opt.url, "url", "", "the mail server's address ["+mail.EnvBaseURL+"]")
	return c
}

func compile(a *ui.App, c *cobra.Command, opt *compileOptions, arg string) error {
	thread, err := ui.StoredSession(c, arg)
	if err != nil {
		return err
	}
	p, err := a.OpenWith(opt.roster.SessionConfig)
	if err != nil {
		return err
	}
	known, err := knows(c.Context(), p, thread)
	if err != nil {
		return err
	}
	var b session.Brief
	if !known {
		if b, err = foreignBrief(a, c, opt, p, thread); err != nil {
			return err
		}
	}
	r, end, err := p.PostRunner(c.Context(), ui.Doing(c), opt.url)
	if err != nil {
		return err
	}
	defer end()
	var res *session.Result
	if known {
		res, err = r.Compile(c.Context(), thread)
	} else {
		res, err = r.Adopt(c.Context(), b)
	}
	if err != nil {
		return err
	}
	h, err := session.Load(c.Context(), r.Store, thread)
	if err != nil {
		return err
	}
	s, err := audit.Summarise(c.Context(), h, r.Locks, "")
	if err != nil {
		return err
	}
	if s.Artifact, err = p.Publish(c.Context(), h); err != nil {
		return err
	}
	if len(s.Conflicts) > 0 {
		a.Exit = ui.ExitPerson
	}
	s.Exit = &a.Exit
	a.Say(compiledLine(res))
	return ui.Show(a, s, nil, summaryText)
}

func compiledLine(res *session.Result) string {
	n := 0
	for i := range res.Settled {
		n += len(res.Settled[i].Letters)
	}
	return "brenner: merged " + text.Count(n, "letter") + " of the thread\n"
}

// knows reports whether the store has a session, without making a store.
func knows(ctx context.Context, p *project.Project, thread string) (bool, error) {
	err := p.MustHave(ctx, thread)
	if unknownHere(err) {
		return false, nil
	}
	return err == nil, err
}

// unknownHere reports whether this project has no such session, or no store.
func unknownHere(err error) bool {
	code := fault.CodeOf(err)
	return code == session.NoSession || code == store.NoStore
}

// foreignBrief makes the brief of a thread that another tool began: what its first
// kickoff says, and flags where it does not.
func foreignBrief(a *ui.App, c *cobra.Command, opt *compileOptions, p *project.Project, thread string) (session.Brief, error) {
	first, err := firstKickoff(c.Context(), p, opt.url, thread)
	if err != nil {
		return session.Brief{}, err
	}
	a.Say("brenner: the session begins with message " + ui.Clean(string(first.ID)) + ", a kickoff of " + ui.Clean(first.From) + "\n")
	opt.brief.threadID = thread
	var keys []config.Flag
	if question := kickoff.QuestionOf(first.Body); !c.Flags().Changed("question") {
		if question == "" {
			_, question, _ = strings.Cut(first.Subject, ":")
		}
		if len(question) > longestForeign {
			return session.Brief{}, foreignKickoff(&first, fmt.Sprintf("its question has %d bytes", len(question)), nil, "give a shorter one with --question")
		}
		keys = append(keys, config.Flag{Key: "question", Name: "the kickoff", Values: []string{strings.TrimSpace(question)}})
		if !c.Flags().Changed("context") { // the project's belongs to the project's question
			keys = append(keys, config.Flag{Key: "context", Name: "the kickoff", Values: []string{""}})
		}
	}
	if !opt.roster.given() {
		block, err := roster.ReadBlock(first.Body)
		if err != nil {
			return session.Brief{}, foreignKickoff(&first, "it does not say who takes part", err, "say it: --to NAME --role ROLE for each agent (or --roster, --preset)")
		}
		if n := len(block.Roster.Entries); n > mostForeign {
			return session.Brief{}, foreignKickoff(&first, fmt.Sprintf("its roster has %d agents", n), nil, "say who takes part: --to NAME --role ROLE for each agent")
		}
		opt.roster.roster = string(artifact.Canonical(block.Roster.Value()))
	}
	k, err := compose(a, c, &opt.roster, &opt.brief, keys...)
	if err != nil {
		return session.Brief{}, err
	}
	parties, err := k.Project.Parties(&project.AgentOptions{Via: allByMail(k.Roster.Roster)}, k.Roster.Roster)
	if err == nil {
		err = project.CheckMailboxes(parties)
	}
	if err != nil {
		return session.Brief{}, err
	}
	return k.Brief("", nil, parties, nil)
}

// What a kickoff that anybody may have written is read up to.
const (
	longestForeign = 20_000
	mostForeign    = 100
)

func foreignKickoff(m *mail.Message, detail string, cause error, hint string) error {
	return &fault.Error{Code: ForeignKickoff, Op: "read the kickoff", Place: m.Thread + ", message " + string(m.ID), Detail: detail, Cause: cause, Hint: hint}
}

// allByMail says that everybody in a roster has a mailbox.
func allByMail(r roster.Roster) []string {
	var via []string
	for _, name := range r.Agents() {
		via = append(via, name+"="+flow.ViaMail)
	}
	return via
}

// firstKickoff finds the message that began a thread.
func firstKickoff(ctx context.Context, p *project.Project, url, thread string) (mail.Message, error) {
	all, _, err := p.ReadThread(ctx, url, thread, true)
	if err != nil {
		return mail.Message{}, err
	}
	for _, m := range all {
		if mail.PrefixOf(m.Subject) == "KICKOFF" {
			return m, nil
		}
	}
	return mail.Message{}, &fault.Error{
		Code: session.NoSession, Detail: "there is no session " + fault.Shown(thread) + ", and the mail server has no thread of that name with a KICKOFF",
		Hint: "`brenner session list` shows the sessions there are",
	}
}

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
	p, err := a.Open()
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
	doc := &publishedVersion{Schema: "brenner.session.published/v1", Thread: thread, Subject: done.Subject, Published: done.Published}
	return ui.Show(a, doc, nil, publishedText)
}

// publishedVersion is a version that was mailed.
type publishedVersion struct {
	Schema  string `json:"schema"`
	Thread  string `json:"thread_id"`
	Subject string `json:"subject"`
	flow.Published
}

func publishedText(_ *ui.App, p *publishedVersion) string {
	return ui.Clean(p.Thread+": "+p.Subject) + ", in " + text.Count(len(p.Letters), "message") + "\n" +
		ui.EachLine(p.Missed, func(name *string) string { return "not reached: " + *name })
}
