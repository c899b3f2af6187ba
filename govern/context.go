package govern

import (
	"cmp"
	"context"
	"slices"

	"brenner/artifact"
	"brenner/govern/contexts"
	"brenner/govern/graph"
	"brenner/govern/policy"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/record"
)

// Request describes what a context is for.
type Request struct {
	Role string
	// Purpose is what the agent is to do.
	Purpose string
	// Task is the address of a task spec, which provides the defaults of the request.
	Task    string
	Modules []string
	Tags    []string
	Inputs  []string // addresses
	// Cross puts all modules in scope, for tasks about the whole project.
	Cross bool
	// All considers every record, so that everything left out is named. It does not change the text.
	All bool
	// Canonical excludes records that are not canonical.
	Canonical bool
	// Full shows the inputs in full, for work on their exact text.
	Full bool

	// Session is set for a message of a session, which has bounds of its own.
	Session bool

	only bool // shows the inputs alone
}

// AssembledContext is a context with its request.
type AssembledContext struct {
	Schema  string   `json:"schema"`
	Role    string   `json:"role"`
	Purpose string   `json:"-"`
	Modules []string `json:"modules"`
	Task    string   `json:"task"` // the version of its task spec; empty for none
	contexts.Context

	in *contexts.Input
}

// Within returns the same context within another limit, without a line about what is left out; see
// contexts.Input. It reads nothing, and
// may be called concurrently.
func (g *AssembledContext) Within(limit int) (contexts.Context, error) {
	in := *g.in
	in.Limit, in.Untold = limit, true
	return contexts.Assemble(&in)
}

// maxLinked bounds the neighbours of the inputs that are considered.
const maxLinked = 200

// Context assembles what an agent of a role would be shown. It writes nothing.
func (rs *Records) Context(ctx context.Context, q Request) (*AssembledContext, error) {
	g := &AssembledContext{Schema: "brenner.context/v1", Role: q.Role, Purpose: q.Purpose, Modules: slices.Clone(q.Modules)}
	if q.Task != "" {
		r, t, _, err := rs.Task(ctx, q.Task)
		if err != nil {
			return nil, err
		}
		g.Task = r.Ref().String()
		if g.Purpose == "" && !q.Session { // a message of a session has the task in another place
			g.Purpose = t.Task
		}
		if g.Role == "" {
			g.Role = t.Role
		}
		if len(g.Modules) == 0 {
			g.Modules = []string{t.Module}
		}
		q.Cross = q.Cross || t.Cross
		q.only = t.Only
		for _, in := range t.Inputs {
			q.Inputs = append(q.Inputs, in.Ref().String())
		}
		q.Tags = append(slices.Clone(q.Tags), r.Tags...)
	}
	spec, err := rs.view(g.Role)
	if err != nil {
		return nil, err
	}
	spec.Cross = spec.Cross || q.Cross
	c := &gathering{Records: rs, q: q, in: &contexts.Input{
		Access: rs.Access, Types: rs.Types, Modules: g.Modules, Purpose: g.Purpose, Count: rs.Count,
		Limit: cmp.Or(max(rs.Rules.Call, 0), view.DefaultCallTokens), Grows: q.Session,
	}, seen: make(map[record.Ref]int)}
	if q.Session {
		c.in.Limit = 0
	}
	if c.rehearsed, err = rs.Rehearsals(ctx); err != nil {
		return nil, err
	}
	if err := c.inputs(ctx, &spec, g); err != nil {
		return nil, err
	}
	c.in.Spec, g.in = spec, c.in
	steps := []func(context.Context) error{c.overview, c.linked, c.rest, c.contents, c.everything, c.markRehearsed}
	if q.only {
		steps = []func(context.Context) error{c.overview, c.contents, c.markRehearsed}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	g.Context, err = contexts.Assemble(c.in)
	if err != nil {
		return g, err
	}
	if more, err := c.artifacts(ctx, g.Shown); err != nil || !more {
		return g, err
	}
	g.Context, err = contexts.Assemble(c.in)
	return g, err
}

type gathering struct {
	*Records
	q         Request
	in        *contexts.Input
	seen      map[record.Ref]int // index in the materials
	refs      []record.Ref       // of the inputs
	rehearsed *graph.Rehearsals
}

func (c *gathering) add(r *record.Record, h *record.Head, near contexts.Nearness) {
	if i, ok := c.seen[r.Ref()]; ok {
		c.in.Materials[i].Near = max(c.in.Materials[i].Near, near)
		return
	}
	c.seen[r.Ref()] = len(c.in.Materials)
	c.in.Materials = append(c.in.Materials, contexts.Material{Record: *r, Near: near, Changed: h.At})
}

// inputs adds the exact versions that the task names; its modules default to theirs.
func (c *gathering) inputs(ctx context.Context, spec *contexts.Spec, g *AssembledContext) error {
	for _, address := range c.q.Inputs {
		r, h, err := c.Standing(ctx, address)
		if err != nil {
			return err
		}
		c.add(&r, &h, contexts.Pinned)
		c.refs = append(c.refs, r.Ref())
		if len(c.q.Modules) == 0 && c.q.Task == "" && !slices.Contains(g.Modules, r.Module) {
			g.Modules = append(g.Modules, r.Module)
		}
		if c.q.Full {
			showInFull(spec, r.Type)
		}
	}
	c.in.Modules = g.Modules
	c.raiseMaxima(spec)
	return nil
}

// raiseMaxima raises the maximum of each type to the number of inputs of that type.
func (c *gathering) raiseMaxima(spec *contexts.Spec) {
	given := make(map[string]int)
	for i := range c.in.Materials {
		given[c.in.Materials[i].Record.Type]++
	}
	spec.Types = slices.Clone(spec.Types)
	for i := range spec.Types {
		if v := &spec.Types[i]; v.Max > 0 {
			v.Max = max(v.Max, given[v.Type])
		}
	}
}

// first is the priority of a task's subject, above all others.
const first = 1000

// showInFull makes a spec show one more record of a type, in full and before all others. Of a brief,
// the overview shows the fields, and the rest of its text is not for agents.
func showInFull(spec *contexts.Spec, kind string) {
	form := view.Full
	if kind == record.ProjectBrief {
		form = view.Summary
	}
	spec.Types = slices.Clone(spec.Types)
	for i := range spec.Types {
		v := &spec.Types[i]
		switch {
		case v.Type != kind:
			continue
		case v.Priority < first:
			v.Form, v.Priority, v.Max = form, v.Priority+first, 1
		default:
			v.Max++
		}
		return
	}
	spec.Types = append(spec.Types, contexts.TypeView{Type: kind, Form: form, Max: 1, Priority: first})
}

func (c *gathering) overview(ctx context.Context) error {
	for _, kind := range []string{record.ProjectBrief, record.ProjectSummary} {
		h, err := c.holderOf(ctx, kind, record.Project)
		if err != nil {
			return err
		}
		if h == nil {
			continue
		}
		r, err := c.standingRecord(ctx, h)
		if err != nil {
			return err
		}
		m := contexts.Material{Record: r}
		if kind == record.ProjectBrief {
			if m.Content, err = c.Content(ctx, &r); err != nil {
				return err
			}
		}
		c.in.Overview = append(c.in.Overview, m)
	}
	return nil
}

// linked adds the standing versions of what the inputs link to and are linked from.
func (c *gathering) linked(ctx context.Context) error {
	if len(c.refs) == 0 {
		return nil
	}
	edges, _, err := c.Edges(ctx, store.EdgeQuery{From: c.refs, To: c.refs})
	if err != nil {
		return err
	}
	given, met := make(map[string]bool), make(map[string]bool)
	for _, ref := range c.refs {
		given[ref.ID] = true
	}
	var ids []string // unique, in order of appearance
	for _, e := range edges {
		for _, id := range []string{e.From.ID, e.To.ID} {
			if !met[id] {
				met[id], ids = true, append(ids, id)
			}
		}
		if len(ids) > maxLinked && !c.q.All {
			c.in.More = true
			break
		}
	}
	for _, id := range ids {
		if given[id] {
			continue
		}
		h, err := c.HeadByID(ctx, id)
		if err != nil {
			return err
		}
		if h.Latest == 0 || c.q.Canonical && h.Canonical == 0 {
			continue
		}
		if err := c.head(ctx, &h, contexts.Linked); err != nil {
			return err
		}
	}
	return nil
}

// rest adds the tagged and newest records of each type, one more than fit, to detect more.
func (c *gathering) rest(ctx context.Context) error {
	for _, v := range c.in.Spec.Types {
		if v.Max <= 0 || !c.Access.MayRead(c.in.Spec.Role, v.Type) {
			continue
		}
		for _, module := range c.scope() {
			for _, tag := range c.q.Tags {
				if err := c.newest(ctx, v, module, tag, contexts.Tagged); err != nil {
					return err
				}
			}
			if err := c.newest(ctx, v, module, "", contexts.Apart); err != nil {
				return err
			}
		}
	}
	return nil
}

// scope returns the modules to consider; "" means all.
func (c *gathering) scope() []string {
	if c.in.Spec.Cross {
		return []string{""}
	}
	modules := slices.Clone(c.in.Modules)
	if !slices.Contains(modules, record.Project) {
		modules = append(modules, record.Project)
	}
	return modules
}

func (c *gathering) newest(ctx context.Context, v contexts.TypeView, module, tag string, near contexts.Nearness) error {
	added := 0 // records added before may be among the newest
	for i := range c.in.Materials {
		if c.in.Materials[i].Record.Type == v.Type {
			added++
		}
	}
	q := store.HeadQuery{Types: []string{v.Type}, Tag: tag, Live: true, Newest: true, Canonical: c.q.Canonical, Limit: v.Max + added + 1}
	if module != "" {
		q.Modules = []string{module}
	}
	for {
		heads, err := c.Store.Heads(ctx, q)
		if err != nil {
			return err
		}
		excluded := 0 // these must not displace others
		for i := range heads {
			if err := c.head(ctx, &heads[i], near); err != nil {
				return err
			}
			if at, ok := c.seen[heads[i].Standing()]; ok && c.in.Materials[at].Aside {
				excluded++
			}
		}
		kept, err := c.rehearsed.Untainted(ctx, heads)
		if err != nil {
			return err
		}
		excluded += len(heads) - len(kept) // rehearsals
		full := len(heads) == q.Limit
		if want := v.Max + added + 1 + excluded; full && want > q.Limit {
			q.Limit = want
			continue
		}
		c.in.More = c.in.More || full
		return nil
	}
}

func (c *gathering) head(ctx context.Context, h *record.Head, near contexts.Nearness) error {
	r, err := c.standingRecord(ctx, h)
	if err != nil {
		return err
	}
	if near == contexts.Tagged && !slices.ContainsFunc(r.Tags, func(tag string) bool { return slices.Contains(c.q.Tags, tag) }) {
		near = contexts.Apart // an earlier version had the tag
	}
	c.add(&r, h, near)
	m := &c.in.Materials[c.seen[r.Ref()]]
	m.Aside, err = c.isAside(ctx, h)
	return err
}

// isAside reports whether another record took the place of a record.
func (rs *Records) isAside(ctx context.Context, h *record.Head) (bool, error) {
	if h.Canonical > 0 || h.Forked() || h.Status != record.Alternative && !policy.IsStale(h.Status) {
		return false, nil
	}
	t, err := rs.ReadHistory(ctx, h.ID, nil)
	return err == nil && t.SetAside(h.Standing().Version), err
}

func (c *gathering) markRehearsed(ctx context.Context) error {
	refs := make([]record.Ref, len(c.in.Materials))
	for i := range c.in.Materials {
		refs[i] = c.in.Materials[i].Record.Ref()
	}
	tainted, _, err := c.rehearsed.FindTainted(ctx, refs...)
	for i, ref := range refs {
		_, c.in.Materials[i].Rehearsed = tainted[ref]
	}
	return err
}

// everything adds all other records, so that each one left out can be named.
func (c *gathering) everything(ctx context.Context) error {
	if !c.q.All {
		return nil
	}
	heads, err := c.Store.Heads(ctx, store.HeadQuery{})
	if err != nil {
		return err
	}
	read := len(c.in.Materials)
	for i := range heads {
		near := contexts.Apart
		if len(c.q.Tags) > 0 {
			near = contexts.Tagged
		}
		if err := c.head(ctx, &heads[i], near); err != nil {
			return err
		}
	}
	for i := read; i < len(c.in.Materials); i++ {
		c.in.Materials[i].Explained = true
	}
	return nil
}

func (c *gathering) contents(ctx context.Context) error {
	for i := range c.in.Materials {
		m := &c.in.Materials[i]
		v, seen := c.in.Spec.Of(m.Record.Type)
		kind, _ := c.Types.Find(m.Record.Type)
		if !seen || v.Form != view.Full && m.Record.Type != record.ProjectBrief || kind.Raw || m.Record.Type == record.ResearchArtifact || !c.Access.MayRead(c.in.Spec.Role, m.Record.Type) {
			continue
		}
		data, err := c.Content(ctx, &m.Record)
		if err != nil {
			return err
		}
		m.Content = data
	}
	return nil
}

// artifacts reads only the research artifacts that a context shows, since reading takes time,
// and reports whether there are any.
func (c *gathering) artifacts(ctx context.Context, shown []contexts.ShownRecord) (found bool, err error) {
	for _, s := range shown {
		i, ok := c.seen[s.Ref]
		if !ok || s.Type != record.ResearchArtifact {
			continue
		}
		m := &c.in.Materials[i]
		data, err := c.Content(ctx, &m.Record)
		if err != nil {
			return found, err
		}
		found = true
		if one, err := artifact.ParseExact(data); err == nil {
			m.Artifact = &one
		} else {
			m.Content = data // plain text of that type
		}
	}
	return found, nil
}
