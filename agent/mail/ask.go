package mail

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
	post "brenner/mail"
)

// mailAgent is one agent with a mailbox.
type mailAgent struct {
	mailer *Mailer
	setup  agent.Setup
}

// Ask sends the last turn of a conversation, once per call id, and waits for the
// reply.
func (c *mailAgent) Ask(ctx context.Context, call agent.Call) (agent.Reply, error) {
	w := &wait{mailer: c.mailer, call: call}
	reply, err := w.run(ctx, c.setup)
	if err == nil {
		return reply, nil
	}
	f := failure(err)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && w.trouble != nil:
		f = failure(w.trouble) // it says more than that there is no reply
	case ctx.Err() != nil:
		f = agent.ContextFailure(ctx)
	}
	if w.sent.ID != "" || ctx.Err() != nil { // it may have been delivered
		f.Usage = agent.Usage{Input: w.input()}
	}
	return agent.Reply{}, f
}

// wait is a call that waits for its reply.
type wait struct {
	mailer   *Mailer
	call     agent.Call
	who      Mailbox
	sent     post.Message // the question
	asked    time.Time    // when it was sent, or found to be sent
	ours     []post.ID    // all messages sent for this call
	thread   post.Thread  // what the messages mean
	seen     map[string]bool
	quiet    int       // waits without mail
	acked    time.Time // when the acknowledgement was seen
	silent   bool      // the server reports no acknowledgements
	reminded bool      // the agent was reminded
	last     post.ID   // last seen in our inbox
	trouble  error     // why the last request failed; nil if it did not
}

func (w *wait) run(ctx context.Context, s agent.Setup) (agent.Reply, error) {
	err := w.begin(ctx, s)
	for post.MayPass(err) && w.awaitServer(ctx, err) {
		err = w.begin(ctx, s)
	}
	if err != nil {
		return agent.Reply{}, err
	}
	w.away(nil)
	waits := w.mailer.Client.Waits(ctx)
	answer, err := w.look(ctx, true)
	for answer == nil {
		switch {
		case err == nil:
			answer, err = w.turn(ctx, waits)
			continue
		case !post.MayPass(err) || ctx.Err() != nil:
			return agent.Reply{}, err
		}
		// The question is delivered. Wait for the server to return: the reply may have
		// arrived by then, or arrive later.
		w.away(err)
		if err = w.sleep(ctx, w.mailer.Poll); err == nil {
			answer, err = w.look(ctx, true)
		}
	}
	w.away(nil)
	reply := w.reply(answer)
	// What the mailbox says now: the agent may have registered itself since we asked.
	if a, err := w.mailer.Client.Whois(ctx, w.mailer.Project, w.who.Name); err == nil {
		reply.Program, reply.Model = w.mailer.author(&a, s.Entry)
	}
	return reply, nil
}

// begin ensures that the agent has a mailbox and the question.
func (w *wait) begin(ctx context.Context, s agent.Setup) (err error) {
	if w.who, err = w.mailer.Join(ctx, s.Entry); err != nil {
		return err
	}
	return w.send(ctx)
}

// awaitServer pauses while the server is away. It returns false if the session or the call ends.
func (w *wait) awaitServer(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	w.away(err)
	select {
	case <-w.call.Drain:
		return false
	default:
		return w.sleep(ctx, w.mailer.Poll) == nil
	}
}

// turn sends a due reminder, waits for mail and checks the thread.
func (w *wait) turn(ctx context.Context, waits bool) (*post.Message, error) {
	if err := w.remind(ctx); err != nil {
		return nil, err
	}
	answer, woken, err := w.pause(ctx, waits)
	// A server with long polling returns replies with the wait, so only the receipt
	// can be missing, and there is no need to look for it after new mail.
	if err == nil && answer == nil && !woken {
		// A message that is not addressed to us is found by reading the full thread.
		w.quiet++
		return w.look(ctx, !waits || w.quiet%lookAround == 0)
	}
	return answer, err
}

// lookAround is the number of waits without mail between reads of the full thread.
const lookAround = 5

// away reports that the server is unreachable or, with nil, that it responds.
func (w *wait) away(err error) {
	w.trouble = err
	w.mailer.away(err)
}

// send sends the question: a kickoff, or a repair in a longer conversation.
func (w *wait) send(ctx context.Context) error {
	turn := w.call.Turns[len(w.call.Turns)-1]
	subject := w.call.Subject
	if len(w.call.Turns) > 1 {
		subject = "QUESTION: please mend your reply: " + strings.TrimPrefix(w.call.Subject, "KICKOFF: ")
	}
	s, err := w.mailer.Client.SendOnce(ctx, post.Draft{
		Project: w.mailer.Project, From: w.mailer.from(), To: []string{w.who.Name}, Subject: subject, Body: turn.Text, Thread: w.call.Thread, AckRequired: true,
		Again: w.call.Before > 0,
	}, w.marker("ask"))
	if err != nil {
		return err
	}
	w.sent = s.Messages[0]
	w.ours, w.asked, w.last = append(w.ours, w.sent.ID), time.Now(), w.sent.ID
	w.seen, w.thread = make(map[string]bool), post.Thread{Lead: w.mailer.from(), Roster: []string{w.who.Name}, Holds: w.mailer.Holds}
	w.call.Alive()
	w.mailer.note(w.call.ID, w.call.Agent, w.who, func(s *Progress) { s.Sent = w.sent.Created.Time })
	return nil
}

func (m *Mailer) from() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sender
}

func (w *wait) marker(what string) post.Marker {
	return post.MarkerOf(w.call.Thread, w.call.Round, w.who.Name, w.call.ID+"/"+what)
}

// look reads the thread, first all of it and then from the question on, and returns the reply, if any.
// Without texts it only checks the receipt.
func (w *wait) look(ctx context.Context, texts bool) (*post.Message, error) {
	q := post.ThreadQuery{Project: w.mailer.Project, Thread: w.call.Thread, Reader: w.mailer.from(), Receipts: true, NoBodies: !texts}
	if n, ok := w.sent.ID.Number(); ok && n > 1 && len(w.seen) > 0 {
		q.After = post.Numbered(n - 1)
	}
	if !texts {
		q.Limit = 1 // the question itself
	}
	all, err := w.mailer.Client.Thread(ctx, q)
	if err != nil {
		return nil, err
	}
	w.away(nil)
	if err := w.checkReceipt(ctx, all); err != nil || !texts {
		return nil, err
	}
	w.collectSent(all)
	return w.find(all), nil
}

// checkReceipt looks for the acknowledgement of the question, in the list of the thread or, on a server whose
// lists have no receipts, among what the agent has not acknowledged. It returns an error if another project has the agent's name by
// now.
func (w *wait) checkReceipt(ctx context.Context, all []post.Message) error {
	if !w.acked.IsZero() {
		return nil
	}
	receipts := false
	for i := range all {
		receipts = receipts || len(all[i].Receipts) > 0
		if all[i].ID == w.sent.ID && all[i].Acked(w.who.Name) {
			w.ack()
		}
	}
	if receipts || w.silent || w.mailer.Client.Waits(ctx) {
		return nil
	}
	waiting, err := w.mailer.Client.Unacknowledged(ctx, w.mailer.Project, w.who.Name)
	if fault.CodeOf(err) == post.OtherProject {
		return err
	}
	w.silent = err != nil && !post.MayPass(err) && ctx.Err() == nil
	if acked, _ := waiting.Acked(w.sent.ID); acked && err == nil {
		w.ack()
	}
	return nil
}

// collectSent finds messages that an earlier attempt or process sent for this call: reminders, and for a repair
// whatever was sent in this round, such as the kickoff. A reply to any of them counts.
func (w *wait) collectSent(all []post.Message) {
	isRepair, ask, reminder := len(w.call.Turns) > 1, w.marker("ask"), w.marker("remind")
	for i := range all {
		m := &all[i]
		isOurs := isRepair && ask.SameRecipient(m.Body) || ask.Marks(m.Body) || reminder.Marks(m.Body)
		if strings.EqualFold(m.From, w.mailer.from()) && !slices.Contains(w.ours, m.ID) && isOurs {
			w.ours = append(w.ours, m.ID)
		}
	}
}

// find searches messages for the reply and for signs of life.
func (w *wait) find(all []post.Message) *post.Message {
	if len(w.seen) == 0 && !slices.ContainsFunc(all, func(m post.Message) bool { return m.ID == w.sent.ID }) {
		w.meaning(&w.sent) // the server lists only what we received
	}
	var answer *post.Message
	for i := range all {
		m := &all[i]
		if n, ok := m.ID.Number(); ok {
			if have, _ := w.last.Number(); n > have {
				w.last = m.ID
			}
		}
		if m.ID == "" || w.seen[m.Key()] { // some servers list a message once for each recipient
			continue
		}
		what := w.meaning(m)
		switch {
		case !strings.EqualFold(m.From, w.who.Name):
		case answer == nil && w.answers(m, what) && w.mailer.take(m.Key(), w.call.ID):
			answer = m
		case post.IsSign(m.Subject) && !w.mailer.holds(m) && (m.ReplyTo == "" || slices.Contains(w.ours, m.ReplyTo)):
			w.ack()
		}
	}
	return answer
}

// meaning returns what a message means, each once.
func (w *wait) meaning(m *post.Message) post.Meaning {
	w.seen[m.Key()] = true
	what, _ := w.thread.Next(m)
	return what
}

// answers reports whether a message of the agent answers this call: it replies to one of the call's
// messages, or its subject names the round. Without either it answers the oldest question that the agent
// has not answered: a reply that may be to an earlier round is late, and no answer to this one. A sign of
// life answers nothing, unless it contains changes.
func (w *wait) answers(m *post.Message, what post.Meaning) bool {
	if what != post.Answers {
		return false
	}
	if m.ReplyTo != "" {
		return slices.Contains(w.ours, m.ReplyTo)
	}
	return slices.Contains(w.ours, w.thread.Replied().To) && !m.Created.Before(w.sent.Created.Time)
}

func (w *wait) ack() {
	if !w.acked.IsZero() {
		return
	}
	w.acked = time.Now()
	w.call.Alive()
	w.mailer.note(w.call.ID, w.call.Agent, w.who, func(s *Progress) { s.Acked = w.acked })
}

// remind sends one reminder to an agent that acknowledged but did not answer. On a server that reports no
// acknowledgements the question itself counts.
func (w *wait) remind(ctx context.Context) error {
	since := w.acked
	if since.IsZero() && w.silent {
		since = w.asked
	}
	if w.call.Nudge == "" || since.IsZero() || w.reminded || time.Since(since) < w.patience(ctx, since) {
		return nil
	}
	s, err := w.mailer.Client.SendOnce(ctx, post.Draft{
		Project: w.mailer.Project, From: w.mailer.from(), To: []string{w.who.Name}, Thread: w.call.Thread,
		Subject: "INFO: still waiting for your answer: " + w.call.Subject,
		Body:    w.call.Nudge, Again: w.call.Before > 0,
	}, w.marker("remind"))
	if err != nil {
		return err
	}
	w.reminded = true
	w.ours = append(w.ours, s.Messages[0].ID)
	w.mailer.note(w.call.ID, w.call.Agent, w.who, func(s *Progress) { s.Reminded = time.Now() })
	return nil
}

// patience returns how long an agent may work before it is reminded.
func (w *wait) patience(ctx context.Context, since time.Time) time.Duration {
	if w.mailer.Nudge > 0 {
		return w.mailer.Nudge
	}
	if deadline, ok := ctx.Deadline(); ok {
		return deadline.Sub(since) / 2
	}
	return time.Hour
}

// pause waits for mail or for the poll interval. A server that claims to wait but
// returns immediately without new mail is not polled faster.
func (w *wait) pause(ctx context.Context, waits bool) (answer *post.Message, woken bool, err error) {
	if !waits {
		return nil, false, w.sleep(ctx, w.mailer.Poll)
	}
	began, last := time.Now(), w.last
	all, err := w.mailer.Client.Inbox(ctx, post.InboxQuery{Project: w.mailer.Project, Agent: w.mailer.from(), Thread: w.call.Thread, After: w.last}, w.mailer.Poll)
	if err != nil {
		return nil, false, err
	}
	answer = w.find(all)
	if answer != nil || w.last != last {
		return answer, true, nil
	}
	return nil, false, w.sleep(ctx, w.mailer.Poll-time.Since(began))
}

// sleep pauses for d, or until ctx is done.
func (w *wait) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
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
	w.mailer.note(w.call.ID, w.call.Agent, w.who, func(s *Progress) { s.Answered = m.Created.Time })
	u := agent.Usage{Input: w.input(), Output: w.mailer.Count(m.Body), Guessed: true}
	if w.call.MaxReply > 0 { // never more than was reserved: the agent pays for its own tokens
		u.Output = min(u.Output, w.call.MaxReply)
	}
	return agent.Reply{Text: m.Body, Usage: u, Attempts: 1, Letter: m.Key()}
}

// input counts the tokens sent, once, however many attempts wait for the reply. When the call begins again, what
// it was taken to cost before is no longer counted.
func (w *wait) input() int {
	n := 0
	if !w.mailer.charge(w.call.ID + "/" + strconv.Itoa(w.call.Before)) {
		return n
	}
	for _, t := range w.call.Turns {
		n += w.mailer.Count(t.Text)
	}
	return n
}

// failure converts a mail error to a Failure.
func failure(err error) *agent.Failure {
	f := &agent.Failure{Code: agent.Refused, Detail: "cannot send or read mail", Hint: fault.HintOf(err), Attempts: 1, Cause: err}
	switch code := fault.CodeOf(err); {
	case post.MayPass(err):
		f.Code, f.Retry = agent.Unavailable, true
	case code == post.Garbled:
		f.Code = agent.Malformed
	case code == post.NoAuth:
		f.Code = agent.NoAuth
	case code == post.NotYours:
		f.Code = agent.Forbidden
	case code == post.Blocked:
		f.Hint = "the agent blocks our mail; have it call set_contact_policy with open"
	case code == post.TooLarge:
		f.Code = agent.TooLong
	}
	return f
}
