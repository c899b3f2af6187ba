package mail

import (
	"context"
	"slices"
	"strings"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
	post "brenner/mail"
)

// correspondent is one agent with a mailbox.
type correspondent struct {
	desk  *Desk
	setup agent.Setup
}

// Ask sends the last turn of a conversation, once for its call id, and waits for
// the message that answers it.
func (c *correspondent) Ask(ctx context.Context, call agent.Call) (agent.Reply, error) {
	w := &wait{desk: c.desk, call: call}
	reply, err := w.run(ctx, c.setup)
	if err == nil {
		return reply, nil
	}
	f := failure(err)
	if ctx.Err() != nil {
		f = agent.Ended(ctx)
	}
	if w.sent.ID != "" && c.desk.charge(call.ID) {
		f.Usage = agent.Usage{Input: w.input()} // one mail, however often it is waited for
	}
	return agent.Reply{}, f
}

// wait is one call that waits for its answer.
type wait struct {
	desk  *Desk
	call  agent.Call
	who   Joined
	sent  post.Message // the question
	ours  []post.ID    // everything that we sent for this call
	older bool         // some of that may stand before the question
	quiet int          // turns in which nothing came
	acked time.Time    // when we saw that it was acknowledged
	nudge bool         // it was reminded
	last  post.ID      // of our inbox, for waiting
}

func (w *wait) run(ctx context.Context, s agent.Setup) (agent.Reply, error) {
	var err error
	if w.who, err = w.desk.Join(ctx, s.Entry); err != nil {
		return agent.Reply{}, err
	}
	if err := w.send(ctx); err != nil {
		return agent.Reply{}, err
	}
	waits := w.desk.Client.Waits(ctx)
	answer, err := w.look(ctx, true)
	for answer == nil {
		switch {
		case err == nil:
			answer, err = w.turn(ctx, waits)
			continue
		case !gone(err) || ctx.Err() != nil:
			return agent.Reply{}, err
		}
		// The question is in its box. A server that was killed comes back, and the
		// answer is there then, or will be.
		w.desk.trouble(w.call.Agent, err)
		if err = w.rest(ctx, w.desk.Poll); err == nil {
			answer, err = w.look(ctx, true)
		}
	}
	return w.reply(answer), nil
}

// turn reminds, waits for mail, and looks around.
func (w *wait) turn(ctx context.Context, waits bool) (*post.Message, error) {
	if err := w.remind(ctx); err != nil {
		return nil, err
	}
	answer, woken, err := w.pause(ctx, waits)
	// A server that waits gives answers with the wait; of the thread only the receipt
	// is new then, and whoever was woken by mail has no need to look for it.
	if err == nil && answer == nil && !woken {
		// Who answers in the thread, but not to us, is heard a little later.
		w.quiet++
		return w.look(ctx, !waits || w.quiet%lookAround == 0)
	}
	return answer, err
}

// lookAround is after how many quiet turns the whole thread is looked at.
const lookAround = 5

// gone tells whether it is the server that is missing, for now.
func gone(err error) bool {
	code := fault.CodeOf(err)
	return code == post.Unreachable || code == post.Unsure
}

// send puts the question: a kickoff, or for a conversation that goes on a repair.
func (w *wait) send(ctx context.Context) error {
	turn := w.call.Turns[len(w.call.Turns)-1]
	subject := w.call.Subject
	if len(w.call.Turns) > 1 {
		subject = "QUESTION: please mend your reply: " + strings.TrimPrefix(w.call.Subject, "KICKOFF: ")
	}
	s, err := w.desk.Client.SendOnce(ctx, post.Draft{
		Project: w.desk.Project, From: w.desk.from(), To: []string{w.who.Name}, Subject: subject, Body: turn.Text, Thread: w.call.Thread, AckRequired: true,
	}, w.marker("ask"))
	if err != nil {
		return err
	}
	w.sent = s.Messages[0]
	w.ours = append(w.ours, w.sent.ID)
	w.older = len(w.call.Turns) > 1 // a repair may also be the answer to the kickoff
	w.last = w.sent.ID
	w.call.Alive()
	w.desk.note(w.call.ID, w.call.Agent, w.who, func(s *Standing) { s.Sent = w.sent.Created.Time })
	return nil
}

func (d *Desk) from() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sender
}

func (w *wait) marker(what string) post.Marker {
	return post.MarkerOf(w.call.Thread, w.call.Round, w.who.Name, w.call.ID+"/"+what)
}

// look reads the thread from the question on: the answer, or signs of life. Without
// texts it looks for the receipt only.
func (w *wait) look(ctx context.Context, texts bool) (*post.Message, error) {
	q := post.ThreadQuery{Project: w.desk.Project, Thread: w.call.Thread, Reader: w.desk.from(), Receipts: true, NoBodies: !texts}
	if n, ok := w.sent.ID.Number(); ok && n > 1 && !w.older {
		q.After = post.Numbered(n - 1)
	}
	if !texts {
		q.Limit = 1 // the question itself
	}
	all, err := w.desk.Client.Thread(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].ID == w.sent.ID && all[i].Acked(w.who.Name) {
			w.ack()
		}
	}
	if !texts {
		return nil, nil
	}
	w.recognise(all)
	return w.find(all), nil
}

// recognise finds what an earlier try, or an earlier process, has sent for this
// round: reminders, and for a repair the kickoff. An answer to any of them counts.
func (w *wait) recognise(all []post.Message) {
	w.older = false
	mark := w.marker("")
	for i := range all {
		if m := &all[i]; strings.EqualFold(m.From, w.desk.from()) && !slices.Contains(w.ours, m.ID) && mark.Kin(m.Body) {
			w.ours = append(w.ours, m.ID)
		}
	}
}

// find looks for the answer among messages, and for signs of life.
func (w *wait) find(all []post.Message) *post.Message {
	for i := range all {
		m := &all[i]
		if n, ok := m.ID.Number(); ok {
			if have, _ := w.last.Number(); n > have {
				w.last = m.ID
			}
		}
		switch {
		case !strings.EqualFold(m.From, w.who.Name) || m.ID == "" || m.ID == w.sent.ID:
		case w.answers(m) && w.desk.take(m.Key(), w.call.ID):
			return m
		case post.IsSign(m.Subject) && (m.ReplyTo == "" || slices.Contains(w.ours, m.ReplyTo)):
			w.ack()
		}
	}
	return nil
}

// answers tells whether a message of the agent's answers this call. One that says
// what it replies to is taken at its word; one that does not belongs to the first
// call that sees it, if it is no older than that and means to be none of the other
// things that are said in a thread.
func (w *wait) answers(m *post.Message) bool {
	if post.IsSign(m.Subject) {
		return false
	}
	if m.ReplyTo != "" {
		return slices.Contains(w.ours, m.ReplyTo)
	}
	switch post.PrefixOf(m.Subject) {
	case "CRITIQUE", "KICKOFF", "COMPILED":
		return false
	}
	return !m.Created.Before(w.sent.Created.Time)
}

func (w *wait) ack() {
	if !w.acked.IsZero() {
		return
	}
	w.acked = time.Now()
	w.call.Alive()
	w.desk.note(w.call.ID, w.call.Agent, w.who, func(s *Standing) { s.Acked = w.acked })
}

// remind writes once to an agent that acknowledged and does not answer.
func (w *wait) remind(ctx context.Context) error {
	if w.call.Nudge == "" || w.acked.IsZero() || w.nudge || time.Since(w.acked) < w.patience(ctx) {
		return nil
	}
	s, err := w.desk.Client.SendOnce(ctx, post.Draft{
		Project: w.desk.Project, From: w.desk.from(), To: []string{w.who.Name}, Thread: w.call.Thread,
		Subject: "INFO: still waiting for your answer: " + w.call.Subject,
		Body:    w.call.Nudge,
	}, w.marker("remind"))
	if err != nil {
		return err
	}
	w.nudge = true
	w.ours = append(w.ours, s.Messages[0].ID)
	w.desk.note(w.call.ID, w.call.Agent, w.who, func(s *Standing) { s.Reminded = time.Now() })
	return nil
}

// patience is how long an agent may work before it is reminded.
func (w *wait) patience(ctx context.Context) time.Duration {
	if w.desk.Nudge > 0 {
		return w.desk.Nudge
	}
	if deadline, ok := ctx.Deadline(); ok {
		return deadline.Sub(w.acked) / 2
	}
	return time.Hour
}

// pause waits for mail, or for a while: acknowledgements are no mail. A server that
// says it waits, and gives at once nothing that is new, has left the waiting to us.
func (w *wait) pause(ctx context.Context, waits bool) (answer *post.Message, woken bool, err error) {
	if !waits {
		return nil, false, w.rest(ctx, w.desk.Poll)
	}
	began, last := time.Now(), w.last
	all, err := w.desk.Client.Inbox(ctx, post.InboxQuery{Project: w.desk.Project, Agent: w.desk.from(), Thread: w.call.Thread, After: w.last}, w.desk.Poll)
	if err != nil {
		return nil, false, err
	}
	answer = w.find(all)
	if answer != nil || w.last != last {
		return answer, true, nil
	}
	return nil, false, w.rest(ctx, w.desk.Poll-time.Since(began))
}

// rest lets some time pass.
func (w *wait) rest(ctx context.Context, long time.Duration) error {
	if long <= 0 {
		return nil
	}
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *wait) reply(m *post.Message) agent.Reply {
	w.call.Alive()
	w.desk.note(w.call.ID, w.call.Agent, w.who, func(s *Standing) { s.Answered = m.Created.Time })
	u := agent.Usage{Input: w.input(), Output: w.desk.Count(m.Body), Guessed: true}
	if w.call.MaxReply > 0 { // its author pays for it: what a budget has set aside is enough
		u.Output = min(u.Output, w.call.MaxReply)
	}
	return agent.Reply{Text: m.Body, Model: w.who.Model, Usage: u, Attempts: 1, Letter: m.Key()}
}

// input counts what was sent.
func (w *wait) input() int {
	n := 0
	for _, t := range w.call.Turns {
		n += w.desk.Count(t.Text)
	}
	return n
}

// failure makes a failure of what went wrong with the mail.
func failure(err error) *agent.Failure {
	f := &agent.Failure{Code: agent.Refused, Detail: "the mail could not be sent or read", Hint: fault.HintOf(err), Attempts: 1, Cause: err}
	switch fault.CodeOf(err) {
	case post.Unreachable, post.Unsure:
		f.Code, f.Retry = agent.Unavailable, true
	case post.Garbled:
		f.Code = agent.Malformed
	case post.NoAuth:
		f.Code = agent.NoAuth
	case post.NotYours:
		f.Code = agent.Forbidden
	case post.Blocked:
		f.Hint = "the agent has to let our mail in: set_contact_policy with open, on its side"
	case post.TooLarge:
		f.Code = agent.TooLong
	}
	return f
}
