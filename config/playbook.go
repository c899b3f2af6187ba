package config

import (
	"strconv"
	"strings"

	"brenner/internal/yaml"

	"brenner/internal/fault"
	"brenner/playbook"
)

// Playbook is how the project's playbook is kept and used.
type Playbook struct {
	Domain string // of bullets for which nobody says another
	Tokens int    // of bullets in one prompt; 0 is none
	Rules  playbook.Rules
	// Embedding is the endpoint that makes vectors; the zero value is the model that
	// is part of the program.
	Embedding Embedding
}

// Embedding is a model at an endpoint.
type Embedding struct {
	Model   string
	BaseURL string
	KeyEnv  string // the variable that holds the key; empty is OPENAI_API_KEY
}

func (s *settings) playbook() Playbook {
	p := &s.Playbook
	return Playbook{
		Domain: p.Domain, Tokens: p.Tokens,
		Rules: playbook.Rules{
			Match: p.Match, Longest: p.Longest,
			Staging:         playbook.Gate{Support: p.Staging.Support, Ratio: p.Staging.Ratio},
			Prod:            playbook.Gate{Support: p.Prod.Support, Ratio: p.Prod.Ratio, Confidence: p.Prod.Confidence},
			AgentConfidence: p.Confidence.Agent, PerSession: p.Confidence.PerSession, StagingShare: p.StagingShare,
			Guardrail: playbook.Guardrail{
				Success: p.Guardrail.Success, Latency: p.Guardrail.Latency, Errors: p.Guardrail.Errors, Window: p.Guardrail.Window,
			},
		},
		Embedding: Embedding{Model: p.Embedding.Model, BaseURL: p.Embedding.BaseURL, KeyEnv: p.Embedding.KeyEnv},
	}
}

// checkPlaybook says what cannot be although its type is right.
func (c *Config) checkPlaybook(found *fault.Bounded) {
	p := &c.Playbook
	place := func(key string) string { return c.Origin(key).String() }
	for _, k := range []struct {
		key string
		x   float64
	}{
		{"playbook.match", p.Rules.Match},
		{"playbook.prod.confidence", p.Rules.Prod.Confidence},
		{"playbook.confidence.agent", p.Rules.AgentConfidence},
		{"playbook.confidence.per_session", p.Rules.PerSession},
		{"playbook.staging_share", p.Rules.StagingShare},
		{"playbook.guardrail.success", p.Rules.Guardrail.Success},
		{"playbook.guardrail.errors", p.Rules.Guardrail.Errors},
	} {
		if k.x > 1 {
			found.Add(InvalidValue, place(k.key), "write a share from 0 to 1", "%s cannot be %g", k.key, k.x)
		}
	}
	if playbook.CheckWord("domain", p.Domain) != nil {
		found.Add(InvalidValue, place("playbook.domain"), "write a word, in one line", "playbook.domain cannot be %s", fault.Shown(p.Domain))
	}
}

const decimalHint = "write a number from 0 to 1000, such as 3 or 0.8"

// decimal reads a number as people write one.
func decimal(text string) (float64, bool) {
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && f >= 0 && f <= 1000 && !strings.ContainsAny(text, "eExXpP_+-nN")
}

func (r *reader) decimal(path string, n *yaml.Node) (float64, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && n.ShortTag() != "!!float" {
		r.wrongType(n, path, "a number")
		return 0, false
	}
	f, ok := decimal(n.Value)
	if !ok {
		r.found.Add(InvalidValue, r.place(n.Line), decimalHint, "%s cannot be %s", path, fault.Shown(n.Value))
	}
	return f, ok
}
