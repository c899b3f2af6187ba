package mail

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"brenner/internal/fault"
)

// resource reads a resource, and what it holds.
func (c *Client) resource(ctx context.Context, uri string, into any) error {
	var r struct {
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
	}
	if err := c.rpc(ctx, 0, "resources/read", map[string]any{"uri": uri}, &r); err != nil {
		return err
	}
	var payload json.RawMessage
	if len(r.Contents) > 0 {
		payload = json.RawMessage(r.Contents[0].Text)
	}
	if said := saidIn(payload, false); said != nil {
		return c.refused(uri, said)
	}
	return c.decode(uri, payload, nil, into)
}

// Agents gives the agents of a project, which is named by its slug.
func (c *Client) Agents(ctx context.Context, slug string) ([]Agent, error) {
	var raw json.RawMessage
	uri := "resource://agents/" + url.PathEscape(slug)
	if err := c.resource(ctx, uri, &raw); err != nil {
		return nil, err
	}
	var object struct {
		Agents []Agent `json:"agents"`
	}
	if json.Unmarshal(raw, &object) == nil {
		return object.Agents, nil
	}
	var bare []Agent
	if err := json.Unmarshal(raw, &bare); err != nil {
		return nil, c.garbled(uri, "its list has another form than it should", raw)
	}
	return bare, nil
}

// Thread gives a thread, oldest first: as a resource, or where the server has none
// what was sent to the reader in it.
func (c *Client) Thread(ctx context.Context, q ThreadQuery) ([]Message, error) {
	v := url.Values{"project": {q.Project}, "include_bodies": {strconv.FormatBool(!q.NoBodies)}}
	if c.pages(ctx) {
		return c.paged(ctx, q, v)
	}
	var all []Message
	err := c.resource(ctx, "resource://thread/"+url.PathEscape(q.Thread)+"?"+v.Encode(), &all)
	switch fault.CodeOf(err) {
	case NotFound, Refused:
		if q.Reader == "" {
			return nil, err
		}
		all, err = c.Inbox(ctx, InboxQuery{Project: q.Project, Agent: q.Reader, Thread: q.Thread, Limit: MaxPage, NoBodies: q.NoBodies}, 0)
	}
	if err != nil {
		return nil, err
	}
	inOrder(all)
	return all, nil
}

// pages tells whether threads come in pages: a server that counts on with after_id
// does so in threads as well.
func (c *Client) pages(ctx context.Context) bool { return c.takes(ctx, "fetch_inbox", "after_id") }

// How much of a thread is read, whatever a server says.
const (
	mostPages   = 1000
	mostLetters = 256 << 20 // bytes
)

// paged reads a thread page by page, from where the query says: to its end, or as
// much as the query wants. A page with nothing on it is the end.
func (c *Client) paged(ctx context.Context, q ThreadQuery, v url.Values) ([]Message, error) {
	var all []Message
	seen, size := make(map[ID]bool), 0
	v.Set("receipts", strconv.FormatBool(q.Receipts))
	v.Set("limit", strconv.Itoa(limitOr(q.Limit, MaxPage)))
	after := q.After
	for range mostPages {
		v.Set("after", string(after))
		var page struct {
			Messages []Message `json:"messages"`
			Next     ID        `json:"next"`
		}
		if err := c.resource(ctx, "resource://thread/"+url.PathEscape(q.Thread)+"?"+v.Encode(), &page); err != nil {
			return nil, err
		}
		before := len(all)
		for _, m := range page.Messages {
			if seen[m.ID] {
				continue
			}
			seen[m.ID] = true
			all = append(all, m)
			size += len(m.Body)
		}
		switch after = page.Next; {
		case after == "" || q.Limit > 0 || len(page.Messages) == 0:
			return all, nil
		case len(all) == before:
			return nil, c.garbled("read the thread", "its pages go round in circles", nil)
		case size > c.most:
			return nil, &fault.Error{
				Code: TooLarge, Op: "read the thread", Place: c.url, Detail: fmt.Sprintf("the thread has more than %d bytes", c.most),
				Hint: "go on in a new thread",
			}
		}
	}
	return nil, c.garbled("read the thread", "its pages do not end", nil)
}

func limitOr(n, usual int) int {
	if n <= 0 {
		return usual
	}
	return n
}

// inOrder sorts messages by their time; those of one moment stay as they came.
func inOrder(all []Message) {
	if len(all) > 1 && all[0].Created.After(all[len(all)-1].Created.Time) {
		slices.Reverse(all)
	}
	sortStable(all)
}
