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
	"brenner/store"
)

// Post is the mail of a session's thread: where agents have mailboxes, and people
// read along. The calls themselves go through the agents.
type Post interface {
	// Recall tells what is known from the journal: the names of agents on the server,
	// and the messages that were taken before.
	Recall(boxes []flow.Mailbox, taken map[string]bool)
	// Join sees to it that agents have mailboxes, and says under which names. It gives
	// those that it could see to, also with an error.
	Join(ctx context.Context, agents []flow.Party) ([]flow.Mailbox, error)
	// Letters gives all that the session's agents wrote in a thread, oldest first,
	// but for signs of life.
	Letters(ctx context.Context, thread string, agents []flow.Party) ([]Letter, error)
	// Publish mails a version, once for each of its recipients, however often it is
	// tried. It says which messages it is in, and who was not reached.
	Publish(ctx context.Context, p Publication) (letters, missed []string, err error)
}

// Letter is a message in a session's thread.
type Letter struct {
	flow.Letter
	Text  string
	Round int // of the thread, by its kickoffs, from 1
}

// Publication is a version as everybody with a mailbox is sent it.
type Publication struct {
	Thread  string
	Version int
	Subject string
	Bodies  map[string]string // by agent: what its role may see
	Whole   string            // for people: all of it
}

// recall tells the post what the journal knows.
func (s *run) recall() {
	if s.Post != nil {
		s.Post.Recall(s.state.Mailboxes(), s.state.Taken())
	}
}

// join gives the agents of a leg their mailboxes before they are written to. A
// server that cannot be reached now may be there when the calls are made: they say
// what went wrong.
func (s *run) join(ctx context.Context, agents []string) []flow.Mailbox {
	var parties []flow.Party
	for _, p := range s.state.ByMail() {
		if slices.Contains(agents, p.Name) {
			parties = append(parties, p)
		}
	}
	if s.Post == nil || len(parties) == 0 {
		return nil
	}
	boxes, err := s.Post.Join(ctx, parties)
	if err != nil {
		s.Log.Warn().Err(err).Msg("not every agent could be given a mailbox")
	}
	return boxes
}

// collect merges what agents wrote outside of any call: critiques of what was
// published, and answers to rounds that were settled without them. It stands
// between rounds, when no call is under way that could be meant.
func (s *run) collect(ctx context.Context) error {
	if s.Post == nil || len(s.state.Legs) == 0 {
		return nil
	}
	all, err := s.Post.Letters(ctx, s.state.Opened.Thread, s.state.ByMail())
	if err != nil {
		s.Log.Warn().Err(err).Msg("the thread could not be read; its letters wait for the next round")
		return nil
	}
	fresh := untaken(s.state, all)
	if len(fresh) == 0 {
		return nil
	}
	defer s.recall()
	return s.commit(ctx, func(state *flow.State) (flow.Committed, [][]byte) {
		return letterCommit(state, fresh, state.NextAt(s.Now()))
	})
}

// untaken gives the letters that the journal does not have yet. Who sends the same
// text twice has said it once.
func untaken(state *flow.State, all []Letter) []Letter {
	taken, said := state.Taken(), state.Said()
	return slices.DeleteFunc(all, func(l Letter) bool {
		text := flow.Words{Agent: l.Agent, Hash: store.Hash([]byte(l.Text))}
		if taken[l.ID] || said[text] {
			return true
		}
		taken[l.ID], said[text] = true, true
		return false
	})
}

// letterCommit is the commit of letters, with their texts. What was published
// after a letter was written its author cannot have seen; a version that is not
// there nobody can.
func letterCommit(state *flow.State, letters []Letter, at string) (flow.Committed, [][]byte) {
	c := flow.Committed{Source: flow.ByThread, At: at}
	var texts [][]byte
	for _, l := range untaken(state, slices.Clone(letters)) {
		if l.Shown <= 0 || l.Shown > state.Version() {
			l.Shown = state.Version()
		}
		c.Letters = append(c.Letters, l.Letter)
		texts = append(texts, []byte(l.Text))
	}
	return c, texts
}

// Sent is a version that was mailed.
type Sent struct {
	flow.Published
	Subject string
}

// Publish mails the newest version of a session that no run has in its hands.
func (r *Runner) Publish(ctx context.Context, thread string) (*Sent, error) {
	release, err := r.hold(thread)
	if err != nil {
		return nil, err
	}
	defer r.release(thread, release)
	l, err := r.reopen(ctx, thread)
	switch {
	case err != nil:
		return nil, err
	case l.state.Head.Seq == 0:
		return nil, noSession(thread)
	case l.state.Version() == 0:
		return nil, &fault.Error{Code: NoVersion, Detail: thread + " has no version yet", Hint: "`brenner session resume " + thread + "` goes on with it"}
	}
	s := &run{Runner: r, ledger: l, began: r.Now()}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	p, done, err := s.mail(ctx)
	return &Sent{Published: done, Subject: p.Subject}, err
}

// publish mails the artifact as it stands. What goes wrong with that is journaled,
// and the session goes on.
func (s *run) publish(ctx context.Context) error {
	_, done, err := s.mail(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the next run publishes it
	case err != nil && done.Code == "": // it could not even be composed or journaled
		return err
	case err != nil:
		s.Log.Warn().Err(err).Int("version", done.Version).Msg("the version could not be mailed")
	}
	return nil
}

// mail sends the artifact as it stands to everybody who has a mailbox, and journals
// before and after that. An error of the mail itself is in the journal, too.
func (s *run) mail(ctx context.Context) (Publication, flow.Published, error) {
	done := flow.Published{Version: s.state.Version()}
	p, err := s.publication(ctx)
	if err != nil {
		return p, done, err
	}
	begin := flow.Publishing{Version: done.Version, To: slices.Sorted(maps.Keys(p.Bodies))}
	if err := s.note(ctx, flow.KindPublishing, begin); err != nil {
		return p, done, err
	}
	var failed error
	done.Letters, done.Missed, failed = s.Post.Publish(ctx, p)
	if ctx.Err() != nil {
		return p, done, ctx.Err()
	}
	if failed != nil {
		done.Code, done.Detail = fault.CodeOf(failed), strings.ToValidUTF8(failed.Error(), "\ufffd")
	}
	if err := s.note(ctx, flow.KindPublished, done); err != nil {
		return p, done, err
	}
	return p, done, failed
}

// note journals one event that depends on nothing.
func (s *run) note(ctx context.Context, kind string, body any) error {
	return s.write(context.WithoutCancel(ctx), func(*flow.State) (*draft, error) {
		return drafted(kind, body), nil
	})
}

// publication puts together what everybody is sent.
func (s *run) publication(ctx context.Context) (Publication, error) {
	if err := s.catchUp(ctx); err != nil {
		return Publication{}, err
	}
	h := s.history()
	return h.publication(&s.current, func(agent string) (string, error) {
		v, err := s.view(ctx, s.state, agent)
		return v.Text, err
	})
}

// publication composes the COMPILED messages of a version.
func (h *History) publication(a *artifact.Artifact, view func(agent string) (string, error)) (Publication, error) {
	last := &h.State.Commits[len(h.State.Commits)-1]
	c := kickoff.Compiled{
		ThreadID: h.Thread, Version: a.Metadata.Version, Question: h.State.Opened.Question, Head: last.Hash,
		Changes: changes(&last.Committed), Lint: verdict(&last.Outcome), Contributors: contributors(a),
	}
	for _, section := range artifact.Sections() {
		c.Counts = append(c.Counts, kickoff.Count{Section: section.String(), Items: len(a.Active(section))})
	}
	p := Publication{Thread: h.Thread, Version: c.Version, Subject: c.Subject(), Bodies: make(map[string]string)}
	for _, party := range h.State.ByMail() {
		text, err := view(party.Name)
		if err != nil {
			return p, err
		}
		c.Artifact = text
		p.Bodies[party.Name] = c.Body(true)
	}
	c.Artifact = string(a.Markdown())
	p.Whole = c.Body(false)
	return p, nil
}

// contributors are those whose deltas were applied, as the metadata has them: the
// provenance also names those of whom nothing stands.
func contributors(a *artifact.Artifact) []string {
	names := make([]string, len(a.Metadata.Contributors))
	for i, c := range a.Metadata.Contributors {
		names[i] = c.Agent
	}
	return names
}

func verdict(o *flow.Outcome) string {
	switch {
	case o.Errors > 0:
		return itoa(o.Errors) + " errors, " + itoa(o.Warnings) + " warnings"
	case o.Warnings > 0:
		return "valid, " + itoa(o.Warnings) + " warnings"
	}
	return "valid"
}
