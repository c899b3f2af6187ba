package merge

import (
	"slices"

	"brenner/artifact"
	"brenner/roster"
)

// The versions of the rules. A change of behaviour needs another one, and the old ones stay runnable:
// old journals must replay to their old bytes.
const (
	First  = "merge/1"
	Second = "merge/2"
	Third  = "merge/3"
	Fourth = "merge/4"
	// Version is the one of new sessions.
	Version = Fourth
)

// Versions returns the versions of the rules that this program has, oldest first.
func Versions() []string { return []string{First, Second, Third, Fourth} }

// IsVersion reports whether this program has a version of the rules.
func IsVersion(v string) bool { return slices.Contains(Versions(), v) }

// Rules hold everything that may vary between two merges of the same deltas. With the zero value
// all agents are known, none has priority, no scope applies, and the section table's limits hold.
type Rules struct {
	// Version is the version of the rules; "" stands for the newest.
	Version string
	// Agents may contribute. If empty, all agents may and no scope applies.
	Agents []roster.Entry
	// Asked describes what was really asked for each agent, as far as known. It is recorded with the
	// contributors.
	Asked map[string]string
	// Repairs are the writers of repairs, by agent, if the first reply has another one.
	Repairs map[string]Writer
	// Roster is the roster to record in the metadata of a new version.
	Roster artifact.Value
	// Unified disables scopes: all agents have one role.
	Unified bool
	Scopes  Scopes
	// Authorities are people and arbiters: always known, above every priority, without scope.
	Authorities []string
	// Priority lists agents, highest first. It decides between writes of one instant.
	Priority []string
	// Limits override the section table's minimum and maximum.
	Limits map[artifact.Section]Limit
	// RejectTaken rejects an ADD that carries a known id, instead of taking it without that id.
	RejectTaken bool
}

// second reports whether the rules are those of merge/2: an id that an author was shown is never a
// label, invalid references are refused one by one, and names lose their own id in more forms.
func (r *Rules) second() bool { return r.Version != First }

// third reports whether the rules are those of merge/3: an ADD in a letter may correct one of an earlier
// letter, and references that are kept under another name are listed as unresolved.
func (r *Rules) third() bool { return r.second() && r.Version != Second }

// fourth reports whether the rules are those of merge/4: cells in lists of references are references, and
// what may be another item is never corrected.
func (r *Rules) fourth() bool { return r.third() && r.Version != Third }

// Writer is what wrote a reply: the model, and what was really asked.
type Writer struct{ Model, Asked string }

// authorityRank is above every priority, of this merge and of all others.
const authorityRank = 1_000_000

// Limit is how many active items a section should and may have. A Max of 0 means no limit.
type Limit struct{ Min, Max int }

func (r *Rules) limit(s artifact.Section) Limit {
	if l, ok := r.Limits[s]; ok {
		return l
	}
	return Limit{Min: s.Spec().Min, Max: s.Spec().Max}
}

// ruleIndex holds the rules for each agent, looked up once.
type ruleIndex struct {
	rules  *Rules
	agents map[string]author
	open   [artifact.SectionCount]bool // sections that no role of the roster owns
}

// author is an agent with the rules that apply to it.
type author struct {
	roster.Entry
	known     bool
	authority bool
	blank     bool // the name is blank
	rank      int

	// The agent's first and last effective delta in a pass.
	oldest, newest *artifact.Stamp
	asked          string // what was asked for its effective deltas
}

func newRuleIndex(r *Rules) *ruleIndex {
	c := &ruleIndex{rules: r, agents: make(map[string]author, len(r.Agents)+len(r.Priority))}
	var roles []string
	for _, a := range r.Agents {
		c.agents[a.Agent] = author{Entry: a, known: true}
		roles = append(roles, string(a.Role))
	}
	for i, name := range r.Priority {
		s := c.author(name)
		if s.rank == 0 {
			s.rank = len(r.Priority) - i
			c.agents[name] = s
		}
	}
	for _, name := range r.Authorities {
		s := c.author(name)
		s.known, s.authority, s.rank = true, true, authorityRank
		c.agents[name] = s
	}
	for _, section := range r.Scopes.Unowned(roles) {
		c.open[section] = true
	}
	return c
}

func (c *ruleIndex) author(name string) author {
	s, ok := c.agents[name]
	if !ok {
		s = author{Entry: roster.Entry{Agent: name}, known: len(c.rules.Agents) == 0}
	}
	return s
}

func (c *ruleIndex) scoped() bool { return len(c.rules.Agents) > 0 && !c.rules.Unified }

// may reports whether who may do op in section on an item written by author, "" for an ADD.
func (c *ruleIndex) may(who *author, op string, section artifact.Section, author string) bool {
	if !c.scoped() || who.authority || c.open[section] {
		return true
	}
	switch op {
	case opAdd:
		return c.rules.Scopes.MayAdd(string(who.Role), section)
	case opKill:
		return author == who.Agent || c.rules.Scopes.MayKill(string(who.Role), section)
	default:
		return author == who.Agent || c.rules.Scopes.MayEdit(string(who.Role), section)
	}
}

// owners returns the roles that may do an operation in a section, for messages.
func (c *ruleIndex) owners(op string, section artifact.Section) []string {
	var roles []string
	for _, g := range c.rules.Scopes.Grants {
		who := author{Entry: roster.Entry{Role: roster.Role(g.Role)}}
		if c.may(&who, op, section, "\x00nobody") && !slices.Contains(roles, g.Role) {
			roles = append(roles, g.Role)
		}
	}
	return roles
}

// Grant is what one role may write.
type Grant struct {
	Role string
	// Write lists the sections whose items the role may edit and kill.
	Write []artifact.Section
	// Add lists further sections that it may add to under strict scopes.
	Add []artifact.Section
	// KillAnywhere allows killing items of every section.
	KillAnywhere bool
}

// Scopes protect existing items. Unless Strict, all roles may add anywhere.
type Scopes struct {
	Grants []Grant
	Strict bool
}

// DefaultScopes returns the built-in write scopes of the three roles.
func DefaultScopes() Scopes {
	return Scopes{Grants: []Grant{
		{
			Role: "hypothesis_generator",
			Write: []artifact.Section{
				artifact.HypothesisSlate, artifact.PredictionsTable, artifact.AssumptionLedger,
				artifact.AnomalyRegister, artifact.ResearchThread,
			},
		},
		{
			Role: "test_designer",
			Write: []artifact.Section{
				artifact.DiscriminativeTests, artifact.PredictionsTable, artifact.AssumptionLedger,
				artifact.AnomalyRegister,
			},
		},
		{
			Role:         "adversarial_critic",
			Write:        []artifact.Section{artifact.AdversarialCritique, artifact.AnomalyRegister, artifact.AssumptionLedger},
			Add:          []artifact.Section{artifact.HypothesisSlate},
			KillAnywhere: true,
		},
	}}
}

// grant returns a role's grant. A role without one owns no section.
func (s *Scopes) grant(role string) Grant {
	for _, g := range s.Grants {
		if g.Role == role {
			return g
		}
	}
	return Grant{Role: role}
}

// MayAdd reports whether a role may add to a section.
func (s *Scopes) MayAdd(role string, section artifact.Section) bool {
	if !s.Strict {
		return true
	}
	g := s.grant(role)
	return slices.Contains(g.Write, section) || slices.Contains(g.Add, section)
}

// MayEdit reports whether a role may edit items of a section that are not its own.
func (s *Scopes) MayEdit(role string, section artifact.Section) bool {
	return slices.Contains(s.grant(role).Write, section)
}

// MayKill reports whether a role may kill items of a section that are not its own.
func (s *Scopes) MayKill(role string, section artifact.Section) bool {
	g := s.grant(role)
	return g.KillAnywhere || slices.Contains(g.Write, section)
}

// Unowned returns the sections that none of the roles may edit. They are open to all.
func (s *Scopes) Unowned(roles []string) []artifact.Section {
	var open []artifact.Section
	for _, section := range artifact.Sections() {
		if !slices.ContainsFunc(roles, func(role string) bool { return s.MayEdit(role, section) }) {
			open = append(open, section)
		}
	}
	return open
}
