package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
)

// attachments is the argument for files. Paths are not accepted: the server may read files that the caller may not.
func attachments() argument {
	return argument{
		name: "attachments", kind: "array", description: fmt.Sprintf("files, together at most %d MiB; recipients read them with fetch_attachment", mail.MaxAttached>>20),
		items: map[string]any{
			"type": "object", "required": []string{"name", "data_base64"}, "additionalProperties": false,
			"properties": map[string]any{
				"name":        map[string]any{"type": "string", "description": "file name without a directory, such as figure.png"},
				"media_type":  map[string]any{"type": "string", "description": "such as image/png", "default": octets},
				"data_base64": map[string]any{"type": "string", "description": "the content, in base64"},
			},
		},
	}
}

const octets = "application/octet-stream"

// files returns the attachments of a call.
func (a *arguments) files() []mail.File {
	raw, ok := a.values["attachments"]
	if !ok {
		return nil
	}
	var all []map[string]*string
	if json.Unmarshal(raw, &all) != nil {
		a.bad("attachments", "a list of objects with name, media_type and data_base64")
		return nil
	}
	files := make([]mail.File, len(all))
	for i, f := range all {
		files[i].MediaType = octets
		for key, value := range f {
			switch {
			case value == nil:
			case key == "name":
				files[i].Name = *value
			case key == "media_type":
				files[i].MediaType = *value
			case key == "data_base64":
				var err error
				if files[i].Data, err = base64.StdEncoding.DecodeString(*value); err != nil {
					a.bad(fmt.Sprintf("attachments[%d].data_base64", i), "base64")
				}
			default:
				a.wrong.Add(mail.Invalid, "", "an attachment has name, media_type and data_base64", "unknown key %s in attachments[%d]", fault.Shown(key), i)
			}
		}
		if f["data_base64"] == nil {
			a.wrong.Add(mail.Invalid, "", "see the tool's schema", "attachments[%d].data_base64 is missing", i)
		}
	}
	return files
}

func fetchAttachment(ctx context.Context, c *call) (any, error) {
	id, name := mail.ID(c.need("message_id")), c.need("name")
	project, err := c.authorizeRead()
	if err != nil {
		return nil, err
	}
	return c.server.box.Attachment(ctx, project, c.who.reader(), id, name)
}

func fetchOutbox(ctx context.Context, c *call) (any, error) {
	q := mail.InboxQuery{
		Sent: true, Limit: c.number("limit"), NoBodies: !c.flagOr("include_bodies", true), Since: c.instant("since_ts"), After: mail.ID(c.text("after_id")), Thread: c.text("thread_id"),
	}
	var err error
	if q.Project, q.Agent, err = c.authorize(ctx, "agent_name", "registration_token"); err != nil {
		return nil, err
	}
	all, err := c.server.box.Inbox(ctx, q)
	return nonNil(all), err
}

// overdueAfter is when a missing acknowledgement is overdue, unless the caller says otherwise.
const overdueAfter = 30 * time.Minute

// before returns the time before which messages are overdue.
func before(minutes int) time.Time { return time.Now().Add(-time.Duration(minutes) * time.Minute) }

func requestContact(ctx context.Context, c *call) (any, error) {
	r := mail.ContactRequest{To: c.need("to_agent"), Reason: c.text("reason")}
	var err error
	if r.Project, r.From, err = c.authorize(ctx, "from_agent", "registration_token"); err != nil {
		return nil, err
	}
	return c.server.box.RequestContact(ctx, r)
}

func respondContact(ctx context.Context, c *call) (any, error) {
	from, accept := c.need("from_agent"), c.flag("accept")
	if !c.has("accept") {
		c.wrong.Add(mail.Invalid, "", "see the tool's schema", "accept is missing")
	}
	project, agent, err := c.authorize(ctx, "to_agent", "registration_token")
	if err != nil {
		return nil, err
	}
	return c.server.box.AnswerContact(ctx, project, agent, from, accept)
}

func listContacts(ctx context.Context, c *call) (any, error) {
	project, agent, err := c.authorize(ctx, "agent_name", "registration_token")
	if err != nil {
		return nil, err
	}
	all, err := c.server.box.Contacts(ctx, project, agent)
	return nonNil(all), err
}

func listReservations(ctx context.Context, c *call) (any, error) {
	project, err := c.authorizeRead()
	if err != nil {
		return nil, err
	}
	all, err := c.server.box.Reserved(ctx, project)
	return nonNil(all), err
}

// idleHolder is how long an agent must have been inactive before others may release its reservations.
const idleHolder = 30 * time.Minute

// forceRelease releases the reservation of another agent: the operator any, an agent those of an inactive one.
func forceRelease(ctx context.Context, c *call) (any, error) {
	r := mail.Revocation{Claim: mail.ID(c.need("file_reservation_id")), Note: c.text("note")}
	var err error
	if r.Project, r.By, err = c.authorize(ctx, "agent_name", "registration_token"); err != nil {
		return nil, err
	}
	if !c.who.operator {
		err = c.checkIdle(ctx, &r)
	} else if _, missing := c.server.box.Agents(ctx, r.Project, r.By); fault.CodeOf(missing) == mail.NotFound { // the holder gets a message from it
		_, err = c.server.box.Register(ctx, mail.Registration{Project: r.Project, Name: r.By, Program: "brenner", Model: "none"})
	}
	if err != nil {
		return nil, err
	}
	return c.server.box.Revoke(ctx, r)
}

// checkIdle refuses to release the reservation of an agent that was active lately.
func (c *call) checkIdle(ctx context.Context, r *mail.Revocation) error {
	all, err := c.server.box.Reserved(ctx, r.Project)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].ID != r.Claim {
			continue
		}
		holder, err := c.server.box.Agents(ctx, r.Project, all[i].Agent)
		if err != nil {
			return err
		}
		if active := holder[0].Active.Time; all[i].Agent != r.By && time.Since(active) < idleHolder {
			return &fault.Error{
				Code: mail.NotYours, Detail: fmt.Sprintf("%s holds it and was active at %s", all[i].Agent, holder[0].Active),
				Hint: fmt.Sprintf("write to %s; after %d minutes without a sign of life you may release it", all[i].Agent, int(idleHolder.Minutes())),
			}
		}
	}
	return nil
}
