package config

import (
	"slices"
	"time"

	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/store/record"
)

// Records are the rules of a project's store.
type Records struct {
	Types       []string // besides the built-in ones
	Compression int      // number of records in a module after which a new memo is due; 0 means never
	Unused      time.Duration
	Unattended  []string // types that are promoted without a person
	People      string   // the role of people without one; they may not decide
}

// Role is the configured access of a role to records. Omitted parts stay as built in.
type Role struct {
	Role      string              `json:"role,omitempty"`
	Read      []string            `json:"read,omitzero"`
	Write     []string            `json:"write,omitzero"`
	MaxTokens int                 `json:"max_tokens,omitempty"`
	Cross     bool                `json:"cross,omitempty"`
	Views     []contexts.TypeView `json:"views,omitzero"`
}

// AllTypes returns the project's record types.
func (c *Config) AllTypes() record.Types { return record.BuiltInTypes().With(c.Records.Types...) }

// Access returns the access of all roles.
func (c *Config) Access() policy.Accesses {
	all := policy.DefaultAccess()
	if i := slices.IndexFunc(all, func(a policy.Access) bool { return a.Role == policy.Contributor }); i >= 0 {
		all[i].Read = slices.Concat(all[i].Read, c.Records.Types) // contributors may read and write the project's own types
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

// ContextViews returns the context specs of the configured roles.
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
