package server

import (
	"context"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
	"brenner/mail"
)

func health(_ context.Context, c *call) (any, error) {
	return map[string]any{"status": "ready", "environment": "embedded", "server": "brenner-mail", "version": c.server.version}, nil
}

func ensureProject(ctx context.Context, c *call) (any, error) {
	key := c.need("human_key")
	if err := c.wrong.Err(); err != nil {
		return nil, err
	}
	return c.project(ctx, key)
}

// project makes a project for the operator, and shows an agent its own.
func (c *call) project(ctx context.Context, key string) (mail.Project, error) {
	if !c.who.operator {
		if !c.who.in(key) {
			return mail.Project{}, notYours(c.who, "open the project "+fault.Shown(key))
		}
		return c.who.project, nil
	}
	if !absolute(key) {
		return mail.Project{}, &fault.Error{Code: mail.Invalid, Detail: "not an absolute path: " + fault.Shown(key), Hint: "human_key is the absolute path of the project's folder"}
	}
	return c.server.box.EnsureProject(ctx, key)
}

// absolute takes paths of either kind of system: the folder need not be here.
func absolute(key string) bool {
	return strings.HasPrefix(key, "/") || filepath.IsAbs(key) || len(key) > 2 && key[1] == ':' && (key[2] == '\\' || key[2] == '/')
}

func register(ctx context.Context, c *call) (any, error) {
	r := mail.Registration{
		Project: c.need("project_key"), Name: c.text("name"), Program: c.text("program"), Model: c.text("model"), Task: c.text("task_description"),
	}
	token := c.text("registration_token")
	if err := c.wrong.Err(); err != nil {
		return nil, err
	}
	return c.register(ctx, r, token)
}

// register gives a new agent a token of its own. Who has an agent's token, as the
// bearer or as an argument, may register that agent again, and nobody else may: to
// the operator a token that is not the agent's is none.
func (c *call) register(ctx context.Context, r mail.Registration, token string) (mail.Agent, error) {
	if r.Name == "" {
		if r.Name = c.who.agent.Name; r.Name == "" {
			return c.christen(ctx, r)
		}
	}
	proven := c.who.is(r.Project, r.Name)
	if token != "" {
		owner, err := c.server.whose(ctx, token)
		if err != nil && fault.CodeOf(err) != mail.NoAuth {
			return mail.Agent{}, err
		}
		if proven = err == nil && owner.is(r.Project, r.Name); !proven && !c.who.operator {
			return mail.Agent{}, notTheirs(r.Name)
		}
	}
	if proven {
		r.Renew = true
		return c.server.box.Register(ctx, r)
	}
	if !c.who.operator {
		return mail.Agent{}, notYours(c.who, "register "+fault.Shown(r.Name))
	}
	return c.create(ctx, r)
}

func (c *call) create(ctx context.Context, r mail.Registration) (mail.Agent, error) {
	token := NewToken()
	r.TokenHash = Hash(token)
	a, err := c.server.box.Register(ctx, r)
	if err == nil {
		a.Token = token
	}
	return a, err
}

// christen makes up a name that nobody has yet.
func (c *call) christen(ctx context.Context, r mail.Registration) (a mail.Agent, err error) {
	for range 50 {
		r.Name = c.server.name()
		if a, err = c.create(ctx, r); fault.CodeOf(err) != mail.NameTaken {
			return a, err
		}
	}
	return a, err
}

func whois(ctx context.Context, c *call) (any, error) {
	name := c.need("agent_name")
	project, err := c.reads()
	if err != nil {
		return nil, err
	}
	all, err := c.server.box.Agents(ctx, project, name)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func setPolicy(ctx context.Context, c *call) (any, error) {
	r := mail.Registration{Policy: strings.ToLower(c.need("policy")), Renew: true}
	var err error
	if r.Project, r.Name, err = c.acts(ctx, "agent_name", "registration_token"); err != nil {
		return nil, err
	}
	all, err := c.server.box.Agents(ctx, r.Project, r.Name) // who is not there is not made by this
	if err != nil {
		return nil, err
	}
	r.Name = all[0].Name
	a, err := c.server.box.Register(ctx, r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"agent": a.Name, "policy": a.Policy}, nil
}

func startSession(ctx context.Context, c *call) (any, error) {
	r := mail.Registration{
		Project: c.need("human_key"), Name: c.text("agent_name"), Program: c.text("program"), Model: c.text("model"), Task: c.text("task_description"),
	}
	token, limit := c.text("registration_token"), c.number("inbox_limit")
	if err := c.wrong.Err(); err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = 10
	}
	project, err := c.project(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	a, err := c.register(ctx, r, token)
	if err != nil {
		return nil, err
	}
	inbox, err := c.server.box.Inbox(ctx, mail.InboxQuery{Project: project.Key, Agent: a.Name, Limit: limit})
	if err != nil {
		return nil, err
	}
	return map[string]any{"project": project, "agent": a, "inbox": listed(inbox)}, nil
}
