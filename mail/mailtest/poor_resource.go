package mailtest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func (p *Poor) resource(uri string) (any, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return nil, err
	}
	kind, rest := u.Host, strings.TrimPrefix(u.Path, "/")
	key := u.Query().Get("project")
	if kind == "agents" {
		key = rest
	}
	project := slices.IndexFunc(p.projects, func(o string) bool { return o == key || slug(o) == key }) + 1
	if project == 0 {
		return nil, poorError("Error reading resource from template '%s': Project '%s' not found.", uri, key)
	}
	all := []any{}
	switch agent, isView := strings.CutPrefix(rest, "ack-required/"); {
	case kind == "agents":
		for _, a := range p.agents {
			if a.project == project && !a.retired {
				all = append(all, a.shown())
			}
		}
		return map[string]any{"agents": all, "project": map[string]any{"slug": slug(p.projects[project-1]), "human_key": p.projects[project-1]}}, nil
	case kind == "thread" && p.Bodies != "inbox":
		for _, m := range p.letters {
			if m.project == project && m.thread == rest {
				all = append(all, p.shown(m, u.Query().Get("include_bodies") == "true" && p.Bodies == ""))
			}
		}
		return p.cut(map[string]any{"project": key, "thread_id": rest}, all), nil
	case kind == "message":
		i := slices.IndexFunc(p.letters, func(m *poorLetter) bool { return m.project == project && strconv.Itoa(m.id) == rest })
		if i < 0 {
			return nil, poorError("Error reading resource from template '%s': Message '%s' not found.", uri, rest)
		}
		return p.shown(p.letters[i], p.Bodies != "none"), nil
	case kind == "views" && isView:
		all = p.unacknowledged(project, agent, 20) // whatever the limit
		return map[string]any{"project": key, "agent": agent, "count": len(all), "messages": all}, nil
	}
	return nil, poorError("Unknown resource: '%s'", uri)
}

// cut adds messages to a thread, without what is left out.
func (p *Poor) cut(thread map[string]any, all []any) map[string]any {
	switch p.Cut {
	case "list":
		return thread
	case "all":
		all = []any{}
	case "newest":
		all = all[:max(len(all)-1, 0)]
	}
	for _, m := range all {
		for name := range strings.FieldsSeq(p.Cut) {
			delete(m.(map[string]any), name) //nolint:forcetypeassert // shown makes it
		}
	}
	thread["messages"] = all
	return thread
}

// unacknowledged returns what an agent has not acknowledged, newest first.
func (p *Poor) unacknowledged(project int, agent string, limit int) []any {
	all, who := []any{}, p.find(agent)
	for i := len(p.letters) - 1; i >= 0 && who != nil && len(all) < limit; i-- {
		if m := p.letters[i]; m.project == project && m.ackRequired && slices.Contains(slices.Concat(m.to, m.cc, m.bcc), who.id) && !m.acked[who.id] {
			shown := p.shown(m, false)
			delete(shown, "from")
			shown["kind"] = "to"
			all = append(all, shown)
		}
	}
	return all
}
