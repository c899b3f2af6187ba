package mail

import (
	"context"
	"strconv"
	"strings"

	post "brenner/mail"
)

// Compiled is a version of an artifact that everybody is to see.
type Compiled struct {
	Thread  string
	Version int
	Title   string   // behind the prefix of the subject
	Body    string   // Markdown
	To      []string // agents of the roster; those without a mailbox are left out
}

// Publish sends COMPILED, once for each version of a thread. It says who was not
// reached.
func (d *Desk) Publish(ctx context.Context, c Compiled) (post.Sent, error) {
	d.joining.Lock()
	err := d.open(ctx)
	d.joining.Unlock()
	if err != nil {
		return post.Sent{}, err
	}
	to := make([]string, len(c.To))
	for i, name := range c.To {
		d.mu.Lock()
		j, ok := d.joined[name]
		d.mu.Unlock()
		if to[i] = name; ok {
			to[i] = j.Name
		}
	}
	return d.Client.SendOnce(ctx, post.Draft{
		Project: d.Project, From: d.from(), To: to, Thread: c.Thread, Subject: cut("COMPILED: v" + strconv.Itoa(c.Version) + " " + c.Title), Body: c.Body,
	}, post.MarkerOf(c.Thread, 0, "everybody", "compiled/"+strconv.Itoa(c.Version)))
}

// longestSubject is how long our own subjects are.
const longestSubject = 120

func cut(subject string) string {
	r := []rune(strings.Join(strings.Fields(subject), " "))
	if len(r) > longestSubject {
		r = append(r[:longestSubject-1], '…')
	}
	return string(r)
}

// Critiques gives what was said against a version after it was published.
func (d *Desk) Critiques(ctx context.Context, compiled post.Message) ([]post.Message, error) {
	all, err := d.Client.Thread(ctx, post.ThreadQuery{Project: d.Project, Thread: compiled.Thread, Reader: d.from(), After: compiled.ID})
	if err != nil {
		return nil, err
	}
	var found []post.Message
	for _, m := range all {
		if m.ID != compiled.ID && !m.Created.Before(compiled.Created.Time) && strings.HasPrefix(strings.ToUpper(strings.TrimSpace(m.Subject)), "CRITIQUE") {
			found = append(found, m)
		}
	}
	return found, nil
}
