package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
)

// Rules are the merge rules as a journal pins them.
type Rules struct {
	Version     string           `json:"version"`
	Unified     bool             `json:"unified,omitzero"`
	Strict      bool             `json:"strict_scopes,omitzero"`
	Grants      []Grant          `json:"grants"`
	Authorities []string         `json:"authorities,omitempty"`
	Priority    []string         `json:"priority,omitempty"`
	Limits      map[string]Limit `json:"limits,omitempty"`
}

// Grant is what a role may write.
type Grant struct {
	Role         string   `json:"role"`
	Write        []string `json:"write,omitempty"`
	Add          []string `json:"add,omitempty"`
	KillAnywhere bool     `json:"kill_anywhere,omitzero"`
}

// Limit is the recommended minimum and the maximum number of items of a section.
type Limit struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// PinRules returns the rules in the form that a journal keeps.
func PinRules(r *merge.Rules) Rules {
	p := Rules{
		Version: cmp.Or(r.Version, merge.Version), Unified: r.Unified, Strict: r.Scopes.Strict,
		Authorities: r.Authorities, Priority: r.Priority,
	}
	for _, g := range r.Scopes.Grants {
		p.Grants = append(p.Grants, Grant{Role: g.Role, Write: names(g.Write), Add: names(g.Add), KillAnywhere: g.KillAnywhere})
	}
	for _, s := range artifact.Sections() {
		if l, ok := r.Limits[s]; ok {
			if p.Limits == nil {
				p.Limits = make(map[string]Limit)
			}
			p.Limits[s.String()] = Limit(l)
		}
	}
	return p
}

func names(sections []artifact.Section) []string {
	var out []string
	for _, s := range sections {
		out = append(out, s.String())
	}
	return out
}

// MergeRules returns the rules for the merge of a session.
func (o *Opened) MergeRules() (merge.Rules, error) {
	unknown := ""
	if !merge.IsVersion(o.Rules.Version) {
		unknown = fmt.Sprintf("the session uses merge rules %s; this program has %s", fault.Shown(o.Rules.Version), strings.Join(merge.Versions(), ", "))
	} else if r := o.Reads(); !slices.Contains(delta.Readers(), r) {
		unknown = fmt.Sprintf("replies of the session are read by %s; this program has %s to %s", fault.Shown(string(r)), delta.FirstReader, delta.NewestReader)
	}
	if unknown != "" {
		return merge.Rules{}, &fault.Error{Code: UnknownEvent, Detail: unknown, Hint: "use the version of brenner that began the session"}
	}
	rosterValue, err := artifact.ParseValue(o.Roster, artifact.MaxDepth)
	if err != nil {
		return merge.Rules{}, err
	}
	r := merge.Rules{
		Version: o.Rules.Version,
		Roster:  rosterValue, Unified: o.Rules.Unified,
		Authorities: append([]string{o.Operator}, o.Rules.Authorities...), Priority: o.Rules.Priority,
		Scopes: merge.Scopes{Strict: o.Rules.Strict},
	}
	for i := range o.Agents {
		r.Agents = append(r.Agents, o.Agents[i].Entry())
	}
	for _, g := range o.Rules.Grants {
		r.Scopes.Grants = append(r.Scopes.Grants, merge.Grant{
			Role: g.Role, Write: sections(g.Write), Add: sections(g.Add), KillAnywhere: g.KillAnywhere,
		})
	}
	for _, s := range artifact.Sections() {
		if l, ok := o.Rules.Limits[s.String()]; ok {
			if r.Limits == nil {
				r.Limits = make(map[artifact.Section]merge.Limit)
			}
			r.Limits[s] = merge.Limit(l)
		}
	}
	return r, nil
}

func sections(ids []string) []artifact.Section {
	var out []artifact.Section
	for _, id := range ids {
		if s, ok := artifact.ParseSection(id); ok {
			out = append(out, s)
		}
	}
	return out
}
