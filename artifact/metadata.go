package artifact

import "brenner/internal/fault"

// metadataFlaw is told what is wrong with the metadata; each form of an artifact
// says where.
type metadataFlaw func(kind ProblemKind, format string, args ...any)

// take reads one key of the metadata. A null is no value.
func (m *Metadata) take(e Entry, flaw metadataFlaw) {
	if e.Value == (Null{}) {
		return
	}
	if to := m.text(e.Key); to != nil {
		t, ok := e.Value.(Text)
		if !ok {
			flaw(BadMetadata, "metadata: %s is not a text; put it in quotes", e.Key)
		}
		*to = string(t)
		return
	}
	switch e.Key {
	case "version":
		m.takeVersion(e.Value, flaw)
	case "contributors":
		m.takeContributors(e.Value, flaw)
	case "roster":
		m.Roster = e.Value
	default:
		m.Extra = append(m.Extra, e)
	}
}

// text gives the place of a key that holds a text, or nil.
func (m *Metadata) text(key string) *string {
	switch key {
	case "session_id":
		return &m.SessionID
	case "created_at":
		return &m.CreatedAt
	case "updated_at":
		return &m.UpdatedAt
	case "status":
		return &m.Status
	case "rules":
		return &m.Rules
	case "research_program":
		return &m.ResearchProgram
	}
	return nil
}

func (m *Metadata) takeVersion(v Value, flaw metadataFlaw) {
	n, ok := v.(Number)
	if !ok || n < 0 || n >= MaxInteger || n != Number(int(n)) {
		flaw(BadVersion, "metadata: version %s is not a whole number from 0", fault.Shown(string(Canonical(v))))
		return
	}
	m.Version = int(n)
}

func (m *Metadata) takeContributors(v Value, flaw metadataFlaw) {
	list, ok := v.(List)
	if !ok {
		flaw(BadMetadata, "metadata: contributors is not a list")
	}
	for _, v := range list {
		fields, ok := v.(Map)
		if !ok {
			flaw(BadMetadata, "metadata: a contributor is not an object with agent, program, model and contributed_at")
			continue
		}
		var c Contributor
		for _, e := range fields {
			if !c.take(e) {
				flaw(BadMetadata, "metadata: a contributor's %s cannot be read", fault.Shown(e.Key))
			}
		}
		m.Contributors = append(m.Contributors, c)
	}
}

func (c *Contributor) take(e Entry) bool {
	t, ok := e.Value.(Text)
	switch e.Key {
	case "agent":
		c.Agent = string(t)
	case "program":
		c.Program = string(t)
	case "model":
		c.Model = string(t)
	case "contributed_at":
		c.ContributedAt = string(t)
	default:
		return false
	}
	return ok
}
