package sessioncmd

import (
	"context"
	"errors"
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
	"brenner/session/letters"
	"brenner/store"
)

// ForeignKickoff is the code for a thread whose kickoff lacks what merging its replies
// requires.
const ForeignKickoff fault.Code = "KICKOFF_UNREADABLE" // The kickoff of a thread started by another tool does not name its participants.

type compileOptions struct {
	roster RosterFlags
	brief  briefFlags
	url    string
}

func sessionCompileCommand(a *ui.App) *cobra.Command {
	var opt compileOptions
	c := &cobra.Command{
		Use: "compile ID", Short: "Merge a session's mail thread into the next version",
		Long: `Merges messages in a session's mail thread that no round has merged yet: critiques of a
published version and late replies. A message counts by its sender and thread, whatever its
subject says. The output lists every message of the thread and what became of it. Nothing
is merged twice, and nothing is sent: ` + "`brenner session publish`" + ` mails the new version.

A thread started by another tool becomes a session. Its kickoff, or flags, define the
question and the roster, and each round of the thread becomes a version.`,
		Example: `  brenner session compile RS-20261115-cell-fate
  brenner session compile RS-20261115-theirs --to BlueLake --role hypothesis_generator --question "Why do cells age?"

Exit codes: 0 merged; 1 no new message contributed or wrote NO CHANGES, or the store is
damaged; 2 nothing to merge, or no roster in the kickoff; 3 some agent's new messages did
neither; 4 the token is missing or may not read the thread; 5 merged with an open conflict,
or the session is running or has an open round; 75 the mail server is unreachable. If
several apply, the first of: 1, 5, 3.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return compile(a, c, &opt, args[0]) },
	}
	opt.roster.Add(c)
	f := c.Flags()
	f.StringVar(&opt.brief.question, "question", "", "research question, or @FILE, if the thread has none")
	f.StringVar(&opt.brief.context, "context", "", "background for all agents, or @FILE")
	f.StringVar(&opt.url, "url", "", "mail server URL ["+mail.EnvBaseURL+"]")
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
	known, err := hasSession(c.Context(), p, thread)
	if err != nil {
		return err
	}
	var b session.Brief
	if !known {
		if b, err = foreignBrief(a, c, opt, p, thread); err != nil {
			return err
		}
	}
	r, end, err := p.MailRunner(c.Context(), ui.Doing(c), thread, opt.url)
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
	if fault.CodeOf(err) == session.NoLetters {
		doc := &threadLetters{Schema: "brenner.session.letters/v1", Thread: thread, Letters: res.Letters}
		return errors.Join(ui.Show(a, doc, nil, unchangedText), err)
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
	s.Letters = res.Letters
	s.NextOfMail(false, true)
	a.Exit = compileExit(res.Letters, len(s.Conflicts) > 0)
	s.Exit = &a.Exit
	a.Say(compiledLine(res.Letters, a.Exit))
	return ui.Show(a, s, nil, summaryText)
}

// threadLetters are the messages of a thread in which nothing is new.
type threadLetters struct {
	Schema  string        `json:"schema"`
	Thread  string        `json:"thread_id"`
	Letters []letters.Row `json:"letters"`
}

// hasSession reports whether the store has a session, without creating a store.
func hasSession(ctx context.Context, p *project.Project, thread string) (bool, error) {
	_, err := p.Find(ctx, thread)
	if unknownHere(err) {
		return false, nil
	}
	return err == nil, err
}

// unknownHere reports whether an error says that the project has no such session or no store.
func unknownHere(err error) bool {
	code := fault.CodeOf(err)
	return code == session.NoSession || code == store.NoStore
}

// foreignBrief builds the brief of a thread started by another tool from its first
// kickoff and, where that is incomplete, from flags.
func foreignBrief(a *ui.App, c *cobra.Command, opt *compileOptions, p *project.Project, thread string) (session.Brief, error) {
	first, err := firstKickoff(c.Context(), p, opt.url, thread)
	if err != nil {
		return session.Brief{}, err
	}
	a.Say("brenner: the session starts with message " + ui.Clean(string(first.ID)) + ", a kickoff from " + ui.Clean(first.From) + "\n")
	opt.brief.threadID = thread
	var keys []config.Flag
	if opt.url != "" {
		keys = append(keys, config.Flag{Key: "mail.base_url", Name: "--url", Values: []string{opt.url}})
	}
	if question := kickoff.QuestionOf(first.Body); !c.Flags().Changed("question") {
		if question == "" {
			_, question, _ = strings.Cut(first.Subject, ":")
		}
		if len(question) > maxForeignQuestion {
			return session.Brief{}, foreignKickoff(&first, fmt.Sprintf("its question has %d bytes", len(question)), nil, "pass a shorter one with --question")
		}
		keys = append(keys, config.Flag{Key: "question", Name: "the kickoff", Values: []string{strings.TrimSpace(question)}})
		if !c.Flags().Changed("context") { // the project's context belongs to the project's question
			keys = append(keys, config.Flag{Key: "context", Name: "the kickoff", Values: []string{""}})
		}
	}
	if !opt.roster.namesAgents() {
		block, err := roster.ReadBlock(first.Body)
		if err != nil {
			return session.Brief{}, foreignKickoff(&first, "it has no roster", err, "pass --to NAME --role ROLE for each agent, --roster or --preset")
		}
		if n := len(block.Roster.Entries); n > maxForeignAgents {
			return session.Brief{}, foreignKickoff(&first, fmt.Sprintf("its roster has %d agents", n), nil, "pass --to NAME --role ROLE for each agent")
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

// Limits for a kickoff from an untrusted source.
const (
	maxForeignQuestion = 20_000
	maxForeignAgents   = 100
)

func foreignKickoff(m *mail.Message, detail string, cause error, hint string) error {
	return &fault.Error{Code: ForeignKickoff, Op: "read the kickoff", Place: m.Thread + ", message " + string(m.ID), Detail: detail, Cause: cause, Hint: hint}
}

// allByMail returns --via values that reach all agents of a roster by mail.
func allByMail(r roster.Roster) []string {
	var via []string
	for _, name := range r.Agents() {
		via = append(via, name+"="+flow.ViaMail)
	}
	return via
}

// firstKickoff returns the message that started a thread.
func firstKickoff(ctx context.Context, p *project.Project, url, thread string) (mail.Message, error) {
	all, _, err := p.ReadThread(ctx, url, thread, true, "--url URL")
	if err != nil {
		return mail.Message{}, err
	}
	for _, m := range all {
		if mail.PrefixOf(m.Subject) == "KICKOFF" {
			return m, nil
		}
	}
	return mail.Message{}, &fault.Error{
		Code: session.NoSession, Detail: "no session " + fault.Shown(thread) + ", and no such mail thread with a KICKOFF",
		Hint: "`brenner session list` lists the sessions",
	}
}

func sessionPublishCommand(a *ui.App) *cobra.Command {
	var flags mailcmd.MailFlags
	c := &cobra.Command{
		Use: "publish ID", Short: "Mail the newest version of a session's artifact",
		Long: `Sends a COMPILED message to the session's thread: version, changes, contributors, counts
per section, lint result, journal head, and the artifact. Each agent with a mailbox
receives what its role may see; your own mailbox receives everything.

Each version is sent only once. A session whose agents have mailboxes publishes by itself.`,
		Example: `  brenner session publish RS-20261115-cell-fate

Exit codes: 0 sent, or sent before; 2 no such session, or it has no version yet; 3 some
recipients were not reached; 4 the token is missing or not permitted; 5 the session is
running and publishes by itself; 75 the mail server is unreachable.`,
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
	if _, err := p.Find(c.Context(), thread); err != nil {
		return err
	}
	r, end, err := p.MailRunner(c.Context(), ui.Doing(c), thread, flags.URL)
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

// publishedVersion is the result of mailing a version.
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
