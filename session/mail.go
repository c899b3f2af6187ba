package session

import (
	"context"
	"maps"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/session/flow"
	"brenner/session/letters"
	"brenner/session/view"
)

// Mailer is the mail of a session's thread, in which agents have mailboxes and people read along.
// Calls do not go through it but through the agents.
type Mailer interface {
	// Restore passes the journaled mailboxes of agents and the ids of messages already consumed.
	Restore(boxes []flow.Mailbox, taken map[string]bool)
	// Join ensures that agents have mailboxes and returns their names. On an error it still
	// returns the mailboxes that exist.
	Join(ctx context.Context, agents []flow.Party) ([]flow.Mailbox, error)
	// Letters returns all messages of a thread, oldest first.
	Letters(ctx context.Context, thread string, agents []flow.Party) ([]letters.Letter, error)
	// Publish mails a version. Repeated calls send it only once to each recipient. It returns
	// the ids of the messages, and the recipients not reached.
	Publish(ctx context.Context, p Publication) (letters, missed []string, err error)
}

// Publication is a version as mailed to each mailbox.
type Publication struct {
	Thread  string
	Version int
	Subject string
	Bodies  map[string]string // by agent: what its role may see
	Whole   string            // for people: everything
	Again   bool              // its mailing began before
}

func (s *run) restoreMail() {
	if s.Mail != nil {
		s.Mail.Restore(s.state.Mailboxes(), s.state.TakenMessages())
	}
}

// join ensures mailboxes for the agents of a leg before messages are sent. Errors are only
// logged: if the server stays unreachable, the calls report it.
func (s *run) join(ctx context.Context, agents []string) []flow.Mailbox {
	var parties []flow.Party
	for _, p := range s.state.ByMail() {
		if slices.Contains(agents, p.Name) {
			parties = append(parties, p)
		}
	}
	if s.Mail == nil || len(parties) == 0 {
		return nil
	}
	boxes, err := s.Mail.Join(ctx, parties)
	if err != nil {
		s.Log.Warn().Err(err).Msg("cannot create all mailboxes")
	}
	return boxes
}

// collect merges what agents wrote outside of any call: critiques of published versions, and
// late answers to settled rounds. It runs between rounds, when a letter cannot belong to a call
// in flight.
func (s *run) collect(ctx context.Context) error {
	if s.Mail == nil || len(s.state.Legs) == 0 {
		return nil
	}
	all, err := s.Mail.Letters(ctx, s.state.Opened.Thread, s.state.ByMail())
	if err != nil {
		s.Log.Warn().Err(err).Msg("cannot read the thread; its messages wait for the next round")
		return nil
	}
	rows, fresh := letters.AccountFor(s.state, letters.WithAuthorities(all, s.state.LetterAuthorities()))
	if len(fresh) == 0 {
		return nil
	}
	defer s.restoreMail()
	if err := s.mergeLetters(ctx, fresh, rows); err != nil {
		return err
	}
	for i := range rows {
		if r := &rows[i]; r.CameToNothing() {
			s.Log.Warn().Str("agent", r.Agent).Str("message", r.ID).Str("outcome", r.Outcome).Msg("a message of the thread came to nothing")
		}
	}
	return nil
}

// followUps returns the letters that agents sent after their replies in the open leg.
// If the thread cannot be read, they wait for the next round or for `session compile`.
func (s *run) followUps(ctx context.Context) ([]letters.Letter, error) {
	if s.Mail == nil || !letters.FollowUpsCount(s.state) {
		return nil, nil
	}
	all, err := s.Mail.Letters(ctx, s.state.Opened.Thread, s.state.ByMail())
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		s.Log.Warn().Err(err).Msg("cannot read the thread; the round is settled without letters that follow its replies")
		return nil, nil
	}
	return letters.FollowUps(s.state, all), nil
}

// MailedVersion is a version that was mailed.
type MailedVersion struct {
	flow.Published
	Subject string
}

// Publish mails the newest version of a session that is not running.
func (r *Runner) Publish(ctx context.Context, thread string) (*MailedVersion, error) {
	lease, err := r.hold(thread)
	if err != nil {
		return nil, err
	}
	defer r.release(thread, lease)
	l, err := r.reopen(ctx, thread)
	switch {
	case err != nil:
		return nil, err
	case l.state.Head.Seq == 0:
		return nil, noSession(thread)
	case l.state.Version() == 0:
		return nil, &fault.Error{Code: NoVersion, Detail: thread + " has no version yet", Hint: "`brenner session resume " + thread + "` continues it"}
	}
	s := &run{Runner: r, ledger: l, began: r.Now()}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	p, done, err := s.mail(ctx)
	return &MailedVersion{Published: done, Subject: p.Subject}, err
}

// publish mails the current version. Mail errors are journaled and do not stop the session.
func (s *run) publish(ctx context.Context) error {
	_, done, err := s.mail(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the next run publishes it
	case err != nil && done.Code == "": // it could not be composed or journaled
		return err
	case err != nil:
		s.Log.Warn().Err(err).Int("version", done.Version).Msg("cannot mail the version")
	}
	return nil
}

// mail sends the current version to all mailboxes and journals that before and after. An error
// of the mail itself is journaled, too.
func (s *run) mail(ctx context.Context) (Publication, flow.Published, error) {
	done := flow.Published{Version: s.state.Version()}
	p, err := s.publication(ctx)
	if err != nil {
		return p, done, err
	}
	p.Again = s.state.Publishing >= done.Version
	begin := flow.Publishing{Version: done.Version, To: slices.Sorted(maps.Keys(p.Bodies))}
	if err := s.writeEvent(ctx, flow.KindPublishing, begin); err != nil {
		return p, done, err
	}
	var failed error
	done.Letters, done.Missed, failed = s.Mail.Publish(ctx, p)
	if ctx.Err() != nil {
		return p, done, ctx.Err()
	}
	if failed != nil {
		done.Code, done.Detail = fault.CodeOf(failed), strings.ToValidUTF8(failed.Error(), "\ufffd")
	}
	if err := s.writeEvent(ctx, flow.KindPublished, done); err != nil {
		return p, done, err
	}
	return p, done, failed
}

func (s *run) writeEvent(ctx context.Context, kind string, body any) error {
	return s.write(context.WithoutCancel(ctx), func(*flow.State) (*draft, error) {
		return newDraft(kind, body), nil
	})
}

func (s *run) publication(ctx context.Context) (Publication, error) {
	if err := s.catchUp(ctx); err != nil {
		return Publication{}, err
	}
	h := s.history()
	return h.publication(&s.current, func(agent, rest string) (string, error) {
		in, err := s.view(ctx, s.state, agent)
		if err != nil {
			return "", err
		}
		in.Spec.MaxTokens = max(1, min(in.Spec.Bound(), s.callBound(agent).tokens-s.Tokens.Count(rest)))
		v, err := view.Build(*in)
		return v.Text, err
	})
}

// publication composes the COMPILED messages of a version. View returns the artifact for an agent, beside
// the rest of its message.
func (h *History) publication(a *artifact.Artifact, view func(agent, rest string) (string, error)) (Publication, error) {
	last := &h.State.Commits[len(h.State.Commits)-1]
	c := kickoff.CompiledMessage{
		ThreadID: h.Thread, Version: a.Metadata.Version, Question: h.State.Opened.Question, Head: last.Hash,
		Changes: changes(&last.Committed), Lint: lintSummary(&last.Outcome), Contributors: contributors(a),
	}
	for _, section := range artifact.Sections() {
		c.Counts = append(c.Counts, kickoff.Count{Section: section.String(), Items: len(a.Active(section))})
	}
	p := Publication{Thread: h.Thread, Version: c.Version, Subject: c.Subject(), Bodies: make(map[string]string)}
	for _, party := range h.State.ByMail() {
		c.Artifact = ""
		text, err := view(party.Name, c.Body(true))
		if err != nil {
			return p, err
		}
		c.Artifact = text
		p.Bodies[party.Name] = c.Body(true)
	}
	whole := h.withoutHosts(a)
	c.Artifact = string(whole.Markdown())
	p.Whole = c.Body(false)
	return p, nil
}

// contributors returns the agents whose deltas were applied according to the metadata. The
// provenance also names agents without any surviving text.
func contributors(a *artifact.Artifact) []string {
	names := make([]string, len(a.Metadata.Contributors))
	for i, c := range a.Metadata.Contributors {
		names[i] = c.Agent
	}
	return names
}

func lintSummary(o *flow.Outcome) string {
	switch {
	case o.Errors > 0:
		return itoa(o.Errors) + " errors, " + itoa(o.Warnings) + " warnings"
	case o.Warnings > 0:
		return "valid, " + itoa(o.Warnings) + " warnings"
	}
	return "valid"
}

// withoutHosts returns an artifact that does not name the endpoints of models: mail is read by
// agents.
func (h *History) withoutHosts(a *artifact.Artifact) artifact.Artifact {
	out := *a
	out.Metadata.Contributors = slices.Clone(a.Metadata.Contributors)
	for i := range out.Metadata.Contributors {
		out.Metadata.Contributors[i].Asked = ""
	}
	if v, err := artifact.ParseValue(h.State.Opened.Roster, artifact.MaxDepth); err == nil && h.State.NamesAuthors() {
		out.Metadata.Roster = v
	}
	return out
}
