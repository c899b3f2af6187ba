package server

import (
	"context"
	"strings"

	"brenner/internal/text"
	"brenner/mail"
)

const (
	summaryMessages = 200 // messages, the newest
	summaryLines    = 20
	summaryWidth    = 200
	summaryExamples = 3
)

// summarize returns the senders of a thread and its open items, all taken from the messages.
func summarize(ctx context.Context, c *call) (any, error) {
	q := mail.ThreadQuery{Thread: c.need("thread_id"), Reader: c.who.reader(), Last: true, Limit: summaryMessages, Receipts: true}
	examples := c.flag("include_examples")
	var err error
	if q.Project, err = c.authorizeRead(); err != nil {
		return nil, err
	}
	page, err := c.server.box.Thread(ctx, q)
	if err != nil {
		return nil, err
	}
	s := mail.Summary{Thread: q.Thread, Total: max(page.Total, len(page.Messages)), Participants: nonNil(page.People), KeyPoints: []string{}, ActionItems: []string{}}
	for i := range page.Messages {
		s.KeyPoints = append(s.KeyPoints, keyPoint(&page.Messages[i]))
		s.ActionItems = append(s.ActionItems, openItems(&page.Messages[i])...)
	}
	s.KeyPoints, s.ActionItems = last(s.KeyPoints, summaryLines), last(s.ActionItems, summaryLines)
	if examples {
		s.Examples = last(page.Messages, summaryExamples)
	}
	return s, nil
}

func last[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

func keyPoint(m *mail.Message) string {
	return text.Clip(m.From+": "+m.Subject, summaryWidth)
}

// openItems returns a message's open items: unticked boxes and missing acknowledgements.
func openItems(m *mail.Message) []string {
	var items []string
	for line := range strings.Lines(m.Body) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"- [ ] ", "* [ ] ", "todo: ", "action: "} {
			if n := len(mark); len(line) > n && strings.EqualFold(line[:n], mark) {
				items = append(items, text.Clip(line[n:], summaryWidth))
			}
		}
	}
	for _, r := range m.Receipts {
		if m.AckRequired && r.Acked.IsZero() {
			items = append(items, text.Clip(r.Agent+" has not acknowledged: "+m.Subject, summaryWidth))
		}
	}
	return items
}
