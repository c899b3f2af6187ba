package config

import (
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/internal/yaml"
	"brenner/session/view"
	"brenner/store/record"
)

// Records are the rules of a project's store.
type Records struct {
	Types       []string // beside the built-in ones
	Compression int      // records of a module that make a new memo due; 0 is never
	Unused      time.Duration
	Unattended  []string // types that are promoted without a person
	People      string   // the role of people who have none, and decide nothing
}

// Role is what agents of a role may do with records, as a file says it. What it
// leaves out is nil, or zero, and stays as built in.
type Role struct {
	Role      string
	Read      []string
	Write     []string
	MaxTokens int
	Cross     bool
	Views     []contexts.TypeView
}

func (s *settings) records() Records {
	return Records{
		Types: s.Store.Types, Compression: s.Store.CompressionAfter, Unused: duration(s.Store.UnusedAfter), Unattended: s.Store.Unattended, People: s.Store.People,
	}
}

// AllTypes gives the types of records that the project has.
func (c *Config) AllTypes() record.Types { return record.BuiltInTypes().With(c.Records.Types...) }

// Access gives what all roles may read and write.
func (c *Config) Access() policy.Accesses {
	all := policy.DefaultAccess()
	if i := slices.IndexFunc(all, func(a policy.Access) bool { return a.Role == policy.Contributor }); i >= 0 {
		all[i].Read = slices.Concat(all[i].Read, c.Records.Types) // what the project adds is knowledge of its own
		all[i].Write = slices.Concat(all[i].Write, c.Records.Types)
	}
	for _, r := range c.Roles {
		i := slices.IndexFunc(all, func(a policy.Access) bool { return a.Role == r.Role })
		if i < 0 {
			all = append(all, policy.Access{Role: r.Role})
			i = len(all) - 1
		}
		if r.Read != nil {
			all[i].Read = r.Read
		}
		if r.Write != nil {
			all[i].Write = r.Write
		}
	}
	return all
}

// ContextViews gives the context specs of the roles that the files say something of.
func (c *Config) ContextViews() map[string]contexts.Spec {
	specs := make(map[string]contexts.Spec)
	access := c.Access()
	for _, r := range c.Roles {
		one, _ := access.Of(r.Role)
		spec := contexts.Default(one)
		spec.Cross = r.Cross
		if r.MaxTokens > 0 {
			spec.MaxTokens = r.MaxTokens
		}
		if r.Views != nil {
			spec.Types = r.Views
		}
		specs[r.Role] = spec
	}
	return specs
}

// roles reads what roles may do.
func (r *reader) roles(path string, n *yaml.Node) []Role {
	list := []Role{}
	first := map[string]int{}
	for _, o := range r.objects(path, n, "role", "read", "write", "max_tokens", "cross", "views") {
		role := Role{Role: r.textOf(o, "role"), Read: r.given(o, "read"), Write: r.given(o, "write")}
		if n, ok := o.fields["max_tokens"]; ok {
			role.MaxTokens, _ = r.number(join(o.path, "max_tokens"), n)
		}
		if n, ok := o.fields["cross"]; ok {
			role.Cross, _ = r.yesOrNo(join(o.path, "cross"), n)
		}
		if n, ok := o.fields["views"]; ok {
			role.Views = r.typeViews(join(o.path, "views"), n)
		}
		r.once(first, path, o.line, role.Role, "role", "writer")
		list = append(list, role)
	}
	return list
}

// given gives the texts of a list; an empty list is one that was given: nothing.
func (r *reader) given(o object, field string) []string {
	if _, ok := o.fields[field]; !ok {
		return nil
	}
	return append([]string{}, r.textsOf(o, field)...)
}

func (r *reader) typeViews(path string, n *yaml.Node) []contexts.TypeView {
	list := []contexts.TypeView{}
	first := map[string]int{}
	for _, o := range r.objects(path, n, "type", "form", "max", "priority") {
		v := contexts.TypeView{Type: r.textOf(o, "type"), Form: view.Form(r.wordOf(o, "form", []string{string(view.Full), string(view.Summary)}))}
		v.Max = contexts.MaxOfKnowledge
		if n, ok := o.fields["max"]; ok {
			v.Max, _ = r.number(join(o.path, "max"), n)
		}
		if n, ok := o.fields["priority"]; ok {
			v.Priority, _ = r.number(join(o.path, "priority"), n)
		}
		r.once(first, path, o.line, v.Type, "type", "paper_note")
		list = append(list, v)
	}
	return list
}

func (r Role) value() artifact.Value {
	entries, _ := textMap("role", r.Role).(artifact.Map)
	for _, list := range []struct {
		key    string
		values []string
	}{{"read", r.Read}, {"write", r.Write}} {
		if list.values != nil {
			entries = append(entries, artifact.Entry{Key: list.key, Value: valueOf(list.values)})
		}
	}
	if r.MaxTokens > 0 {
		entries = append(entries, artifact.Entry{Key: "max_tokens", Value: artifact.Number(r.MaxTokens)})
	}
	if r.Cross {
		entries = append(entries, artifact.Entry{Key: "cross", Value: artifact.Bool(true)})
	}
	if r.Views != nil {
		entries = append(entries, artifact.Entry{Key: "views", Value: listOf(r.Views, func(v contexts.TypeView) artifact.Value {
			m, _ := textMap("type", v.Type, "form", string(v.Form)).(artifact.Map)
			return artifact.MapOf(append(m, artifact.Entry{Key: "max", Value: artifact.Number(v.Max)}, artifact.Entry{Key: "priority", Value: artifact.Number(v.Priority)})...)
		})})
	}
	return artifact.MapOf(entries...)
}

// checkRecords holds the names of types against those that there are: a misspelt
// one would open or close a door that nobody meant.
func (c *Config) checkRecords(found *fault.Bounded) {
	types := c.AllTypes()
	check := func(key, name string) {
		if err := types.Check(name); err != nil {
			found.Add(InvalidValue, c.Origin(key).String(), fault.HintOf(err), "%s: there is no type %s", key, fault.Shown(name))
		}
	}
	for _, name := range c.Records.Unattended {
		check("store.unattended", name)
	}
	if access := c.Access(); !slices.Contains(access.Roles(), c.Records.People) {
		found.Add(InvalidValue, c.Origin("store.people").String(), "the roles are "+strings.Join(access.Roles(), ", ")+"; roles: adds others",
			"store.people: no role %s has rights", fault.Shown(c.Records.People))
	}
	for _, r := range c.Roles {
		for _, name := range slices.Concat(r.Read, r.Write) {
			check("roles", name)
			if kind, _ := types.Find(name); kind.Raw {
				found.Add(InvalidValue, c.Origin("roles").String(), "take it out: what was sent and said as it was is shown to nobody",
					"roles: %s cannot read or write %s", fault.Shown(r.Role), record.A(name))
			}
		}
		for _, v := range r.Views {
			check("roles", v.Type)
		}
	}
}
