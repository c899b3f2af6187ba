package merge

import (
	"slices"

	"brenner/artifact"
)

// Grant is what one role may write.
type Grant struct {
	Role string
	// Write are the sections whose items the role may edit and kill.
	Write []artifact.Section
	// Add are further sections that it may add to under strict scopes.
	Add []artifact.Section
	// KillAnywhere lets it kill items of every section.
	KillAnywhere bool
}

// Scopes protect what exists. Without Strict everybody may add anywhere.
type Scopes struct {
	Grants []Grant
	Strict bool
}

// DefaultScopes are the built-in write scopes of the three roles.
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

// grant finds a role's grant; a role without one may write nothing of its own.
func (s *Scopes) grant(role string) Grant {
	for _, g := range s.Grants {
		if g.Role == role {
			return g
		}
	}
	return Grant{Role: role}
}

// MayAdd tells whether a role may add to a section.
func (s *Scopes) MayAdd(role string, section artifact.Section) bool {
	if !s.Strict {
		return true
	}
	g := s.grant(role)
	return slices.Contains(g.Write, section) || slices.Contains(g.Add, section)
}

// MayEdit tells whether a role may edit items of a section that are not its own.
func (s *Scopes) MayEdit(role string, section artifact.Section) bool {
	return slices.Contains(s.grant(role).Write, section)
}

// MayKill tells whether a role may kill items of a section that are not its own.
func (s *Scopes) MayKill(role string, section artifact.Section) bool {
	g := s.grant(role)
	return g.KillAnywhere || slices.Contains(g.Write, section)
}

// Unowned gives the sections that none of the roles may edit: somebody has to,
// so they are open to all.
func (s *Scopes) Unowned(roles []string) []artifact.Section {
	var open []artifact.Section
	for _, section := range artifact.Sections() {
		if !slices.ContainsFunc(roles, func(role string) bool { return s.MayEdit(role, section) }) {
			open = append(open, section)
		}
	}
	return open
}
