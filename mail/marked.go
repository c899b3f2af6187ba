package mail

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"brenner/internal/fault"
)

var errNotThere = errors.New("no message with this marker was sent to this agent")

// Marked finds a sender's messages with a marker and the recipients they did not reach: in the thread, by a search or, if the server
// supports neither, in the inboxes of the recipients.
func (c *Client) Marked(ctx context.Context, d Draft, mark Marker) (Sent, error) {
	return c.marked(ctx, d, mark, false)
}

// marked is Marked. If a message may have been sent before, the inboxes are read whenever thread and search do not show it: lists may be
// incomplete.
func (c *Client) marked(ctx context.Context, d Draft, mark Marker, maybe bool) (Sent, error) {
	var all []Message
	listing := error(&fault.Error{Code: NotFound})
	if d.Thread != "" {
		all, listing = c.Thread(ctx, ThreadQuery{Project: d.Project, Thread: d.Thread})
	}
	if code := fault.CodeOf(listing); listing != nil && code != NotFound && !withheld(code) {
		return Sent{}, listing
	}
	s := sift(all, d, mark)
	if len(s.Missed) == 0 {
		return s, nil
	}
	got, searching := c.found(ctx, d.Project, mark)
	all = together(all, got)
	if s = sift(all, d, mark); len(s.Missed) == 0 || !maybe && (listing == nil || searching == nil) {
		return s, nil
	}
	got, receiving := c.received(ctx, d)
	s = sift(together(all, got), d, mark)
	switch {
	case receiving == nil, len(s.Missed) == 0:
	case !withheld(fault.CodeOf(receiving)):
		return Sent{}, receiving
	case MayPass(searching):
		return Sent{}, searching
	case listing != nil && searching != nil:
		s.unclear = "the server shows neither its thread nor the inbox of a recipient"
	}
	return s, nil
}

// withheld reports whether a server does not show something to this client.
func withheld(code fault.Code) bool { return code == Refused || code == NoAuth || code == NotYours }

// found searches for the messages with a marker.
func (c *Client) found(ctx context.Context, project string, mark Marker) ([]Message, error) {
	const tool = "search_messages"
	offered, err := c.arguments(ctx)
	if _, ok := offered[tool]; err != nil || !ok && len(offered) > 0 {
		return nil, cmp.Or(err, error(&fault.Error{Code: NotFound, Op: tool, Place: c.url}))
	}
	all, err := c.Search(ctx, project, mark.Hash, MaxPage)
	if err == nil {
		err = c.readBodies(ctx, project, all)
	}
	return addressed(all), err
}

// received returns the messages of a thread that the recipients of a draft received, and an error if an inbox is not shown.
func (c *Client) received(ctx context.Context, d Draft) (all []Message, hidden error) {
	for _, name := range d.Recipients() {
		got, err := c.Inbox(ctx, InboxQuery{Project: d.Project, Agent: name, Thread: d.Thread, Limit: MaxPage}, 0)
		switch code := fault.CodeOf(err); {
		case withheld(code):
			hidden = err
		case err != nil && code != NotFound: // an agent without a mailbox received nothing
			return nil, err
		}
		all = append(all, got...)
	}
	return all, hidden
}

// together returns the messages of two lists. What one list leaves out of a message, the other may have.
func together(all, more []Message) []Message {
	for _, m := range more {
		i := slices.IndexFunc(all, func(o Message) bool { return o.ID == m.ID && m.ID != "" })
		if i < 0 {
			all = append(all, m)
			continue
		}
		have := &all[i]
		have.From, have.Subject, have.Body = cmp.Or(have.From, m.From), cmp.Or(have.Subject, m.Subject), cmp.Or(have.Body, m.Body)
		have.addressFromMarker()
	}
	return all
}

// sift returns the messages with a marker, and notes if another may be one: lists may leave out senders, subjects and texts.
func sift(all []Message, d Draft, mark Marker) Sent {
	s := Sent{Before: true}
	for i := range all {
		m := &all[i]
		switch {
		case m.From != "" && !strings.EqualFold(m.From, d.From):
		case mark.Marks(m.Body):
			s.Messages = append(s.Messages, *m)
		case m.Body == "" && (m.Subject == "" || m.Subject == CutSubject(d.Subject)) && len(remaining(d.Recipients(), all[i:i+1])) < len(d.Recipients()):
			s.unclear = "the server does not show the text of message " + cmp.Or(string(m.ID), "(without an id)")
		}
	}
	for _, name := range remaining(d.Recipients(), s.Messages) {
		s.Missed = append(s.Missed, Missed{name, errNotThere})
	}
	return s
}
