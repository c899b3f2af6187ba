package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/agent"
	agentmail "brenner/agent/mail"
	"brenner/artifact"
	"brenner/lint"
	"brenner/session"
)

func (a *app) sessionPublishCommand() *cobra.Command {
	var flags mailFlags
	c := &cobra.Command{
		Use: "publish ID", Short: "Send the newest version of a session's artifact to all its agents by mail",
		Long: `Sends COMPILED into the session's thread: version, contributors, counts for each section, the
linter's result, the head of the journal, and the artifact. A version is sent once, however
often it is published.`,
		Example: `  brenner session publish RS-20261115-cell-fate

Exit codes: 0 sent, or sent before; 2 there is no such session, or it has no version yet;
3 not everybody was reached; 4 the token is missing or not allowed to do this; 75 the mail
server cannot be reached.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withSession(c, flags.project, args[0], func(ctx context.Context, src *source, h *session.History) error {
				return a.publishByMail(ctx, flags, src, h)
			})
		},
	}
	flags.add(c)
	return c
}

func (a *app) publishByMail(ctx context.Context, flags mailFlags, src *source, h *session.History) error {
	doc, err := h.Artifact(ctx, h.State.Version())
	if err != nil {
		return err
	}
	m, err := a.mailboxOf(src.config, flags.url)
	if err != nil {
		return err
	}
	desk := agentmail.New(agentmail.Options{Client: m.client, Project: m.key, Sender: operatorName})
	compiled := agentmail.Compiled{Thread: h.Thread, Version: h.State.Version(), Title: h.State.Opened.Question, Body: compiledBody(h, &doc)}
	for _, p := range h.State.Opened.Agents {
		if _, err := desk.Join(ctx, agent.Setup{Agent: p.Name, Role: p.Role, Program: p.Program, Model: p.Model}); err != nil {
			return err
		}
		compiled.To = append(compiled.To, p.Name)
	}
	s, err := desk.Publish(ctx, compiled)
	if err != nil {
		return err
	}
	out := mailDocument{Schema: "brenner.mail.sent/v1", Server: m.client.URL(), Messages: s.Messages}
	for _, o := range s.Missed {
		out.Missed = append(out.Missed, o.Agent)
		a.say("brenner: not reached: " + clean(o.Agent) + "\n")
		a.exit = exitPartial
	}
	return a.show(&mailList{doc: out, rows: messageRows(s.Messages)})
}

// compiledBody is what a COMPILED message says.
func compiledBody(h *session.History, doc *artifact.Artifact) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# COMPILED: %s v%d\n\n", h.Thread, h.State.Version())
	var people []string
	for _, p := range h.State.Opened.Agents {
		people = append(people, p.Name)
	}
	fmt.Fprintf(&b, "- Contributors: %s\n- Journal head: %s\n", strings.Join(people, ", "), h.State.Head.Hash)
	for _, s := range artifact.Sections() {
		fmt.Fprintf(&b, "- %s: %d\n", s, len(doc.Active(s)))
	}
	found := lint.Check(artifact.Document{Artifact: *doc})
	verdict := "valid"
	if !found.Valid() {
		verdict = "not valid yet"
	}
	fmt.Fprintf(&b, "- Lint: %s, %s\n\n%s", verdict, count(len(found.Findings), "finding"), doc.Markdown())
	return b.String()
}
